/* All-reduces as a whole take the time, to the picosecond, that they take as tasks of a task graph:
 * all kinds, on random networks, sizes and starts, several at once and at the same instant. */
#include "whole_fixture.h"

#include "workload/workload.h"

static uint32_t pick(struct orr_rng *rng, uint32_t below)
{
    return (uint32_t)orr_rng_below(rng, below);
}

static const char *const fabrics[] = {"ideal-switch", "full-mesh",   "circulant:1,3",
                                      "fat-tree",     "circulant:1", "expander:4"};
enum { FABRICS = sizeof fabrics / sizeof *fabrics };

static void choose(struct orr_rng *rng, char *text, size_t bytes)
{
    char form[SYS_WHOLE_BYTES];
    const char *summary;
    size_t forms = 0;
    while (orr_sys_whole_form(forms, form, &summary)) {
        forms++;
    }
    (void)orr_sys_whole_form(pick(rng, (uint32_t)forms), form, &summary);
    const size_t name = strcspn(form, "[:");
    const bool needs = strchr(form, ':') != NULL && strchr(form, '[') == NULL;
    if (form[name] != '\0' && (needs || pick(rng, 2) == 0)) {
        (void)snprintf(text, bytes, "%.*s:%u", (int)name, form, 1 + pick(rng, 5));
    } else {
        (void)snprintf(text, bytes, "%.*s", (int)name, form);
    }
}

struct random_job {
    struct whole_job job;
    char choice[SYS_WHOLE_BYTES];
    uint32_t rank[WHOLE_OPERATIONS][WHOLE_MEMBERS];
    struct orr_task task[WHOLE_OPERATIONS];
    uint32_t next[WHOLE_OPERATIONS * WHOLE_MEMBERS];
};

static void shuffle(struct orr_rng *rng, uint32_t *rank, uint32_t npus)
{
    const bool in_order = pick(rng, 2) == 0;
    for (uint32_t i = 0; i < npus; i++) {
        rank[i] = i;
    }
    for (uint32_t i = 0; i + 1 < npus && !in_order; i++) {
        const uint32_t other = i + pick(rng, npus - i), kept = rank[i];
        rank[i] = rank[other];
        rank[other] = kept;
    }
}

static void fill(struct orr_rng *rng, struct random_job *random, const struct net_graph *network)
{
    const struct net_flow_model models[] = {
        {.packet_bytes = 0}, orr_net_flow_packets(false), orr_net_flow_packets(true)};
    uint32_t nexts = 0;
    choose(rng, random->choice, sizeof random->choice);
    random->job = (struct whole_job){.network = network,
                                     .policy = &orr_sys_policy_task_graph,
                                     .choice = random->choice,
                                     .flows = models[pick(rng, 3)],
                                     .operations = 1 + pick(rng, 4)};
    for (uint32_t i = 0; i < random->job.operations; i++) {
        const uint32_t members = pick(rng, 3) == 0 ? network->npus : 1 + pick(rng, network->npus);
        const uint64_t bytes =
            pick(rng, 2) == 0 ? (uint64_t)pick(rng, 64) * 20160 : pick(rng, 3000000);
        shuffle(rng, random->rank[i], network->npus);
        random->job.operation[i] =
            (struct whole_operation){.rank = random->rank[i],
                                     .members = members,
                                     .bytes = bytes,
                                     .start_ps = pick(rng, 3) * (int64_t)100 * ORR_PS_PER_US};
        random->task[i] = (struct orr_task){.kind = ORR_TASK_REDUCE,
                                            .first_next = nexts,
                                            .nexts = members,
                                            .runtime_ps = random->job.operation[i].start_ps,
                                            .bytes = bytes};
        for (uint32_t m = 0; m < members; m++) {
            random->next[nexts++] = random->rank[i][m];
        }
    }
}

static void compare(struct orr_rng *rng, const struct net_graph *network, enum net_routing routing)
{
    struct random_job random;
    struct orr_taskgraph_run *made = NULL;
    struct orr_taskgraph_result old;
    struct orr_diag diag;
    orr_diag_init(&diag);
    fill(rng, &random, network);
    random.job.routing = routing;
    const struct whole_outcome out = whole_run(&random.job);
    const struct orr_taskgraph graph = {.servers = network->npus,
                                        .tasks = random.job.operations,
                                        .task = random.task,
                                        .next = random.next};
    struct orr_taskgraph_config config = {.graph = &graph,
                                          .network = network,
                                          .flows = random.job.flows,
                                          .routes = {.routing = routing, .seed = 1}};
    assert_int_equal(orr_all_reduce_parse(random.choice, &config.all_reduce, &diag), ORR_OK);
    assert_int_equal(orr_taskgraph_run(&made, &config, &old, &diag), ORR_OK);
    assert_int_equal(out.end_ps, old.iteration_ps);
    assert_int_equal(out.messages, old.flows.flows);
    assert_int_equal(out.counts.all_reduces, old.all_reduces);
    assert_int_equal(out.counts.rounds, old.rounds);
    assert_int_equal(out.counts.rings_instead, old.rings_instead);
    orr_taskgraph_destroy(made);
}

static void test_whole_of_random_jobs_takes_the_time_of_task_graphs(void **state)
{
    const uint32_t rounds = 40;
    struct orr_rng rng;
    (void)state;
    orr_rng_init(&rng, 20, 0);
    for (uint32_t round = 0; round < rounds; round++) {
        for (uint32_t which = 0; which < FABRICS; which++) {
            struct orr_arena *arena = orr_arena_create();
            struct net_graph network;
            const enum net_routing routing =
                whole_network(arena, fabrics[which], 8 + 2 * pick(&rng, 5), &network);
            compare(&rng, &network, routing);
            orr_arena_destroy(arena);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whole_of_random_jobs_takes_the_time_of_task_graphs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
