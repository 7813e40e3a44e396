/* What every network backend promises, on random platforms and traffic. A new backend is held to it
 * by being in orr_net_backends[]. */
#include "tests/unit/network_fixture.h"

#include "core/conf/keys.h"
#include "core/rng.h"
#include "core/sum.h"
#include "network/net_backend.h"
#include "network/net_config_read.h"
#include "tests/backend_keys.h"

enum { ROUNDS = 60, TRAFFIC = 200 };

static struct fixture fixture, again; /* large; each test opens and closes them */

static double random_bandwidth(struct orr_rng *rng)
{
    return (double)(1 + orr_rng_below(rng, 400)) * 1e9;
}

static void random_platform(struct orr_rng *rng, struct fixture *net)
{
    memset(net, 0, sizeof *net);
    net->config.dims = 1 + (unsigned)orr_rng_below(rng, 3);
    for (unsigned d = 0; d < net->config.dims; d++) {
        net->dim[d] = (struct net_dim){.block = (enum net_block)orr_rng_below(rng, NET_BLOCKS),
                                       .npus = 1 + (uint32_t)orr_rng_below(rng, 6),
                                       .bandwidth_bytes_per_s = random_bandwidth(rng),
                                       .latency_ps = (sim_time)orr_rng_below(rng, 2000000),
                                       .per_npu = orr_rng_below(rng, 2) != 0};
    }
}

static uint64_t random_bytes(struct orr_rng *rng)
{
    return orr_rng_below(rng, UINT64_C(1) << orr_rng_below(rng, 31));
}

/* Labels are unique at each destination, as the interface asks; across destinations they repeat. */
static void random_traffic(struct orr_rng *rng, struct fixture *net, sim_time *times)
{
    uint64_t next_label[256] = {0};
    const uint32_t npus =
        orr_net_npus(&(struct net_config){.dims = net->config.dims, .dim = net->dim});
    for (unsigned i = 0; i < TRAFFIC; i++) {
        struct net_msg *msg = &net->msg[i];
        *msg = (struct net_msg){.src = orr_rank((uint32_t)orr_rng_below(rng, npus)),
                                .dst = orr_rank((uint32_t)orr_rng_below(rng, npus)),
                                .bytes = orr_rng_below(rng, 3) * 100000,
                                .order = orr_rng_below(rng, 3),
                                .backwards = orr_rng_below(rng, 2) != 0};
        msg->label = next_label[msg->dst.rank]++;
        times[i] = (sim_time)orr_rng_below(rng, 4) * 1000000;
    }
}

static void random_permutation(struct orr_rng *rng, unsigned *order, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        const unsigned j = (unsigned)orr_rng_below(rng, i + 1);
        order[i] = order[j];
        order[j] = i;
    }
}

/* Runs the messages of `net`, posted in the given order. */
static void run_traffic(struct fixture *net, const char *backend, const sim_time *times,
                        const unsigned *order)
{
    fixture_open(net, backend, ORR_ORDER_LABEL);
    for (unsigned i = 0; i < TRAFFIC; i++) {
        const unsigned index = order != NULL ? order[i] : i;
        fixture_post(net, times[index], index);
    }
    fixture_run(net);
}

/* The first dimension's bandwidth bounds every backend, whatever else it models. */
static sim_time lower_bound(const struct fixture *net, const struct net_msg *msg)
{
    const struct net_route route = orr_net_route(&net->config, msg->src.rank, msg->dst.rank);
    const sim_time latency = net->net->ops->latency(net->net, msg->src.rank, msg->dst.rank);
    if (route.dim == net->config.dims) {
        return 0;
    }
    return latency + orr_time_of_bytes(msg->bytes, net->dim[route.dim].bandwidth_bytes_per_s);
}

static sim_time single_message(struct fixture *net, const char *backend, const struct net_msg *msg)
{
    fixture_open(net, backend, ORR_ORDER_LABEL);
    const unsigned index = fixture_send(net, 12345, *msg);
    fixture_run(net);
    const sim_time time = fixture_time(net, index) - 12345;
    assert_true(time >= lower_bound(net, msg));
    fixture_close(net);
    return time;
}

static struct net_msg random_message(struct orr_rng *rng, const struct fixture *net)
{
    const struct net_config config = {.dims = net->config.dims, .dim = net->dim};
    const uint32_t npus = orr_net_npus(&config);
    return (struct net_msg){.src = orr_rank((uint32_t)orr_rng_below(rng, npus)),
                            .dst = orr_rank((uint32_t)orr_rng_below(rng, npus)),
                            .bytes = random_bytes(rng),
                            .label = 1};
}

static void test_single_message_takes_latency_and_bytes_over_bandwidth(void **state)
{
    (void)state;
    struct orr_rng rng;
    orr_rng_init(&rng, 1, 0);
    for (int round = 0; round < ROUNDS; round++) {
        random_platform(&rng, &fixture);
        const struct net_msg msg = random_message(&rng, &fixture);
        for (size_t b = 0; orr_net_backends[b] != NULL; b++) {
            (void)single_message(&fixture, orr_net_backends[b]->name, &msg);
        }
    }
}

/* A single link in all: one dimension differs, by one hop, and its bandwidth is a link's. */
static bool is_one_link(const struct fixture *net, const struct net_msg *msg)
{
    struct net_dim last = {.npus = 1};
    uint32_t src = msg->src.rank, dst = msg->dst.rank;
    unsigned differing = 0;
    for (unsigned d = 0; d < net->config.dims; d++) {
        differing += src % net->dim[d].npus != dst % net->dim[d].npus;
        src /= net->dim[d].npus;
        dst /= net->dim[d].npus;
    }
    const struct net_config config = {.dims = net->config.dims, .dim = net->dim};
    const struct net_route route = orr_net_route(&config, msg->src.rank, msg->dst.rank);
    if (differing == 1) {
        last = net->dim[route.dim];
    }
    return differing == 1 && route.hops == 1 && !last.per_npu;
}

static void test_single_message_one_link_all_backends_agree(void **state)
{
    (void)state;
    struct orr_rng rng;
    orr_rng_init(&rng, 2, 0);
    for (int compared = 0; compared < ROUNDS;) {
        random_platform(&rng, &fixture);
        const struct net_msg msg = random_message(&rng, &fixture);
        if (!is_one_link(&fixture, &msg)) {
            continue;
        }
        compared++;
        const sim_time first = single_message(&fixture, orr_net_backends[0]->name, &msg);
        for (size_t b = 0; orr_net_backends[b] != NULL; b++) {
            assert_int_equal(single_message(&fixture, orr_net_backends[b]->name, &msg), first);
        }
    }
}

/* fixture_delivered checks the destination and label of each. */
static void expect_all_delivered_once(const struct fixture *net, const sim_time *times)
{
    assert_int_equal(net->deliveries, TRAFFIC);
    for (unsigned i = 0; i < TRAFFIC; i++) {
        const sim_time time = fixture_time(net, i);
        assert_true(time >= times[i] + lower_bound(net, &net->msg[i]));
    }
}

/* `sent` comes for all messages that use a port, when the backend has ports. */
static void expect_departures(const struct fixture *net, const sim_time *times)
{
    for (unsigned i = 0; i < TRAFFIC; i++) {
        const bool local = net->msg[i].src.rank == net->msg[i].dst.rank;
        assert_int_equal(net->sent[i] >= 0, net->net->ops->reports_sent && !local);
        assert_true(net->sent[i] <= fixture_time(net, i));
        assert_true(net->sent[i] == -1 || net->sent[i] >= times[i]);
    }
}

/* A message is counted in each dimension that it crosses, or in the first one only. */
static void expect_counted(const struct fixture *net)
{
    struct net_dim_stats stats[4];
    orr_sum counted = 0, bytes = 0;
    uint64_t sent = 0, moving = 0;
    net->net->ops->stats(net->net, stats);
    for (unsigned d = 0; d < net->config.dims; d++) {
        counted += stats[d].messages;
        bytes += stats[d].bytes;
    }
    for (unsigned i = 0; i < TRAFFIC; i++) {
        const bool moves = net->msg[i].src.rank != net->msg[i].dst.rank;
        moving += moves;
        sent += moves ? net->msg[i].bytes : 0;
    }
    assert_in_range(counted, moving, moving * net->config.dims);
    assert_in_range(bytes, sent, sent * net->config.dims);
}

static void test_traffic_is_delivered_once_and_not_too_early(void **state)
{
    (void)state;
    struct orr_rng rng;
    orr_rng_init(&rng, 3, 0);
    for (int round = 0; round < ROUNDS; round++) {
        sim_time times[TRAFFIC];
        random_platform(&rng, &fixture);
        random_traffic(&rng, &fixture, times);
        for (size_t b = 0; orr_net_backends[b] != NULL; b++) {
            run_traffic(&fixture, orr_net_backends[b]->name, times, NULL);
            expect_all_delivered_once(&fixture, times);
            expect_departures(&fixture, times);
            expect_counted(&fixture);
            fixture_close(&fixture);
        }
    }
}

static void expect_same_log(const struct fixture *a, const struct fixture *b)
{
    assert_int_equal(a->deliveries, b->deliveries);
    for (unsigned i = 0; i < a->deliveries; i++) {
        assert_int_equal(a->log[i].time, b->log[i].time);
        assert_int_equal(a->log[i].cookie, b->log[i].cookie);
    }
    for (unsigned i = 0; i < TRAFFIC; i++) {
        assert_int_equal(a->sent[i], b->sent[i]);
    }
}

/* Unshuffled this is the plain rerun. */
static void run_twice(struct orr_rng *rng, bool shuffled)
{
    unsigned order[TRAFFIC];
    sim_time times[TRAFFIC];
    random_platform(rng, &fixture);
    random_traffic(rng, &fixture, times);
    again = fixture;
    random_permutation(rng, order, TRAFFIC);
    for (size_t b = 0; orr_net_backends[b] != NULL; b++) {
        run_traffic(&fixture, orr_net_backends[b]->name, times, NULL);
        run_traffic(&again, orr_net_backends[b]->name, times, shuffled ? order : NULL);
        expect_same_log(&fixture, &again);
        fixture_close(&fixture);
        fixture_close(&again);
    }
}

static void test_rerun_is_identical(void **state)
{
    (void)state;
    struct orr_rng rng;
    orr_rng_init(&rng, 4, 0);
    for (int round = 0; round < ROUNDS; round++) {
        run_twice(&rng, false);
    }
}

static void test_order_of_posting_does_not_matter(void **state)
{
    (void)state;
    struct orr_rng rng;
    orr_rng_init(&rng, 5, 0);
    for (int round = 0; round < ROUNDS; round++) {
        run_twice(&rng, true);
    }
}

/* A key that another backend has too says the same there, and reads as much. */
static void expect_same_key(const struct orr_key *one, const struct orr_key *other)
{
    assert_string_equal(one->name, other->name);
    assert_int_equal(one->type, other->type);
    assert_true(one->low == other->low && one->high == other->high);
    assert_int_equal(one->list, other->list);
    assert_string_equal(one->doc, other->doc);
}

static void test_backend_keys_are_the_sections_and_agree(void **state)
{
    (void)state;
    for (size_t b = 0; orr_net_backends[b] != NULL; b++) {
        const struct net_backend_keys *own = orr_net_backends[b]->own;
        for (size_t i = 0; own != NULL && i < own->table.count; i++) {
            const struct orr_key *key = NULL;
            for (size_t k = 0; (key = orr_key_at(&orr_net_key_table, k)) != NULL &&
                               strcmp(key->name, own->table.keys[i].name) != 0;
                 k++) {
            }
            assert_non_null(key);
            expect_same_key(&own->table.keys[i], key);
        }
    }
}

/* A section without its keys is as usual, byte by byte. */
static void test_backend_keys_absent_are_as_usual(void **state)
{
    (void)state;
    struct orr_arena *arena = orr_arena_create();
    const struct net_config config = {.own = backend_keys(arena, "")};
    const struct net_config none = {.own = NULL};
    for (size_t b = 0; orr_net_backends[b] != NULL; b++) {
        const struct net_ops *ops = orr_net_backends[b];
        if (ops->own != NULL) {
            assert_ptr_not_equal(net_backend_values(&config, ops), ops->own->defaults);
            assert_memory_equal(net_backend_values(&config, ops), ops->own->defaults,
                                ops->own->bytes);
            assert_ptr_equal(net_backend_values(&none, ops), ops->own->defaults);
        }
    }
    orr_arena_destroy(arena);
}

static void test_operations_are_there_and_agree(void **state)
{
    (void)state;
    unsigned for_graphs = 0;
    for (size_t b = 0; orr_net_backends[b] != NULL; b++) {
        const struct net_ops *ops = orr_net_backends[b];
        assert_ptr_equal(orr_net_backend_find(ops->name), ops);
        assert_non_null(ops->summary);
        assert_true(ops->create != NULL && ops->send != NULL && ops->latency != NULL &&
                    ops->stats != NULL);
        assert_true(ops->capacities == NULL || ops->links != NULL);
        assert_true(ops->links == NULL || (ops->links->count != NULL && ops->links->bytes != NULL &&
                                           ops->links->path != NULL));
        assert_true(ops->capacities == NULL ||
                    (ops->capacities->set != NULL && ops->capacities->offered != NULL &&
                     ops->capacities->working != NULL && ops->capacities->waiting != NULL));
        assert_true(ops->rounds == NULL ||
                    (ops->rounds->prepare != NULL && ops->rounds->send != NULL));
        assert_true(ops->folding == NULL || ops->folding->has_transit != NULL);
        for_graphs += ops->links != NULL && ops->links->default_for_graphs;
    }
    assert_int_equal(for_graphs, 1);
    assert_ptr_equal(orr_net_backend_default(false), orr_net_backends[0]);
    assert_true(orr_net_backend_default(true)->links->default_for_graphs);
    assert_non_null(strstr(orr_net_backends_default, orr_net_backend_default(false)->name));
    assert_non_null(strstr(orr_net_backends_default, orr_net_backend_default(true)->name));
}

/* The n-th allocation fails, for every n, and creation says so. */
static void test_create_out_of_memory_is_reported(void **state)
{
    (void)state;
    const struct net_dim dim = {.block = NET_RING, .npus = 4, .bandwidth_bytes_per_s = 1};
    for (size_t b = 0; orr_net_backends[b] != NULL; b++) {
        const struct net_config config = {
            .backend = orr_net_backends[b]->name, .dims = 1, .dim = &dim};
        enum orr_status status = ORR_ERR_MEMORY;
        for (int n = 0; status != ORR_OK; n++) {
            struct net *net = NULL;
            struct orr_arena *arena = orr_arena_create();
            struct orr_evq *queue = orr_evq_create(ORR_ORDER_LABEL, 4);
            orr_arena_fail_after(arena, n);
            status = orr_net_create(&net, &config, queue, arena, NULL);
            assert_true(status == ORR_OK ? n > 0 : status == ORR_ERR_MEMORY && n < 100);
            orr_net_destroy(status == ORR_OK ? net : NULL);
            orr_evq_destroy(queue);
            orr_arena_destroy(arena);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_single_message_takes_latency_and_bytes_over_bandwidth),
        cmocka_unit_test(test_single_message_one_link_all_backends_agree),
        cmocka_unit_test(test_traffic_is_delivered_once_and_not_too_early),
        cmocka_unit_test(test_rerun_is_identical),
        cmocka_unit_test(test_order_of_posting_does_not_matter),
        cmocka_unit_test(test_backend_keys_are_the_sections_and_agree),
        cmocka_unit_test(test_backend_keys_absent_are_as_usual),
        cmocka_unit_test(test_operations_are_there_and_agree),
        cmocka_unit_test(test_create_out_of_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
