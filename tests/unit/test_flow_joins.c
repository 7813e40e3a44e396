/* Flows that hang in one list behind one event join in the order in which each one's own event
 * would have come: by labels and in the order of insertion, among events of others. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "core/evq.h"
#include "core/rng.h"
#include "core/slab.h"
#include "network/flows/flow_pending.h"
#include "network/flows/flows.h"
#include "network/flows/flows_private.h"
#include "network/graph.h"

enum { EVENT_ACT = ORR_EVENT_WORKLOAD, ENTITIES = 4, MAX = 4000, CASES = 400 };

struct entry {
    sim_time time;
    uint32_t round, what;
};

struct log {
    struct orr_evq *queue;
    struct net_flows *flows;
    struct orr_rng rng;
    bool alone; /* each flow has its own event */
    struct entry entry[MAX];
    uint32_t entries, acts, marks;
};

static void note(struct log *log, uint32_t what)
{
    assert_true(log->entries < MAX);
    log->entry[log->entries++] = (struct entry){
        .time = orr_evq_now(log->queue), .round = orr_evq_round(log->queue), .what = what};
}

/* ---- an engine that notes who joins ---- */

static struct log *noting;

static void note_join(struct net_flows *flows, uint32_t handle)
{
    (void)flows;
    note(noting, handle);
    if (orr_rng_below(&noting->rng, 2) == 0) { /* handles come back in another order */
        orr_slab_free(&noting->flows->records, handle);
    }
}

static const struct flows_engine notes = {.join = note_join};

static void on_own_join(void *context, const struct orr_event *event)
{
    (void)context;
    note_join(NULL, (uint32_t)event->cookie);
}

/* ---- what happens, by chance ---- */

static void mark(struct log *log, sim_time time)
{
    const uint32_t entity = (uint32_t)orr_rng_below(&log->rng, ENTITIES + 1);
    const struct orr_event event = {.kind = EVENT_ACT,
                                    .entity = entity == ENTITIES ? log->flows->entity : entity,
                                    .label = UINT64_C(1) << 40 | log->marks,
                                    .cookie = log->marks++};
    orr_evq_post(log->queue, time, &event);
}

static void start(struct log *log, sim_time time)
{
    const uint32_t handle = orr_slab_new(&log->flows->records);
    if (log->alone) {
        orr_flows_post(log->flows, time, EVENT_JOIN, handle);
    } else {
        assert_true(orr_flow_pending_add(&log->flows->joins, handle, time));
    }
}

/* Starts some flows that join now or soon, with events of others between them. */
static void act(struct log *log)
{
    for (uint64_t count = orr_rng_below(&log->rng, 8); count > 0; count--) {
        start(log, orr_evq_now(log->queue) + (sim_time)orr_rng_below(&log->rng, 3));
        if (log->acts > 0 && orr_rng_below(&log->rng, 4) == 0) {
            log->acts--;
            mark(log, orr_evq_now(log->queue) + (sim_time)orr_rng_below(&log->rng, 3));
        }
    }
}

static void on_act(void *context, const struct orr_event *event)
{
    struct log *log = context;
    note(log, UINT32_C(1) << 20 | (uint32_t)event->cookie);
    act(log);
}

static void run(struct log *log, enum orr_order order, uint64_t seed, bool alone)
{
    static const struct net_link link[1] = {{.to = 1, .count = 1, .bytes_per_s = 1}};
    const struct net_graph graph = {.npus = 2, .nodes = 2, .links = 1, .link = link};
    struct orr_diag diag;
    orr_diag_init(&diag);
    *log = (struct log){.queue = orr_evq_create(order, ENTITIES), .alone = alone, .acts = 60};
    const struct net_flows_config config = {.graph = &graph, .queue = log->queue};
    orr_rng_init(&log->rng, seed, 0);
    assert_int_equal(orr_net_flows_create(&log->flows, &config, &diag), ORR_OK);
    const struct flows_engine *engine = log->flows->engine;
    log->flows->engine = &notes;
    noting = log;
    if (alone) {
        orr_evq_handle(log->queue, EVENT_JOIN, on_own_join, log);
    }
    orr_evq_handle(log->queue, EVENT_ACT, on_act, log);
    act(log);
    for (unsigned i = 0; i < 4; i++) {
        mark(log, (sim_time)orr_rng_below(&log->rng, 3));
    }
    assert_int_equal(orr_evq_run(log->queue, &diag), ORR_OK);
    log->flows->engine = engine;
    orr_net_flows_destroy(log->flows);
    orr_evq_destroy(log->queue);
}

static void check(enum orr_order order)
{
    static struct log one, each;
    uint64_t longest = 0;
    for (uint64_t seed = 0; seed < CASES; seed++) {
        run(&each, order, seed, true);
        run(&one, order, seed, false);
        assert_int_equal(one.entries, each.entries);
        for (uint32_t i = 0; i < one.entries; i++) {
            assert_int_equal(one.entry[i].time, each.entry[i].time);
            assert_int_equal(one.entry[i].what, each.entry[i].what);
            assert_int_equal(one.entry[i].round, each.entry[i].round);
        }
        longest = one.entries > longest ? one.entries : longest;
    }
    assert_true(longest > 200);
}

static void test_joins_by_labels(void **state)
{
    (void)state;
    check(ORR_ORDER_LABEL);
}

static void test_joins_in_the_order_of_insertion(void **state)
{
    (void)state;
    check(ORR_ORDER_INSERTION);
}

/* A hundred thousand flows that join together take one event, and so do as many of another time. */
static void test_joins_of_a_time_are_one_event(void **state)
{
    static const struct net_link link[1] = {{.to = 1, .count = 1, .bytes_per_s = 1}};
    const struct net_graph graph = {.npus = 2, .nodes = 2, .links = 1, .link = link};
    struct orr_diag diag;
    (void)state;
    for (unsigned order = ORR_ORDER_LABEL; order <= ORR_ORDER_INSERTION; order++) {
        struct orr_evq *queue = orr_evq_create((enum orr_order)order, 1);
        const struct net_flows_config config = {.graph = &graph, .queue = queue};
        struct net_flows *flows = NULL;
        orr_diag_init(&diag);
        assert_int_equal(orr_net_flows_create(&flows, &config, &diag), ORR_OK);
        for (uint32_t i = 0; i < 200000; i++) {
            assert_true(
                orr_flow_pending_add(&flows->joins, orr_slab_new(&flows->records), 5 + i % 2));
        }
        assert_int_equal(flows->joins.count, 2);
        orr_net_flows_destroy(flows);
        orr_evq_destroy(queue);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_joins_by_labels),
        cmocka_unit_test(test_joins_in_the_order_of_insertion),
        cmocka_unit_test(test_joins_of_a_time_are_one_event),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
