/* Local and remote memories against calculations by hand. Remote: 1 GB/s and 500 ns, accesses of
 * 1000 bytes: 1500 ns each. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "core/conf/conf.h"
#include "core/evq.h"
#include "core/fold.h"
#include "core/rng.h"
#include "memory/mem.h"
#include "memory/mem_config_read.h"
#include "memory/mem_local.h"

#define NS ORR_PS_PER_NS

enum { NPUS = 8, MAX_ACCESSES = 64, EVENT_ACCESS = ORR_EVENT_WORKLOAD };

struct access {
    uint32_t npu;
    uint64_t bytes, label;
};

struct fixture {
    struct orr_arena *arena;
    struct orr_evq *queue;
    struct mem *mem;
    struct mem_config config;
    struct access access[MAX_ACCESSES];
    sim_time done[MAX_ACCESSES]; /* by access; -1: not done */
    unsigned order[MAX_ACCESSES], accesses, completions;
};

static void on_done(void *context, struct orr_slot npu, uint64_t cookie)
{
    struct fixture *fixture = context;
    assert_int_equal(npu.slot, fixture->access[cookie].npu);
    assert_int_equal(fixture->done[cookie], -1);
    fixture->done[cookie] = orr_evq_now(fixture->queue);
    fixture->order[fixture->completions++] = (unsigned)cookie;
}

static void on_access(void *context, const struct orr_event *event)
{
    struct fixture *fixture = context;
    const struct access *access = &fixture->access[event->cookie];
    const struct mem_access request = {.npu = orr_slot(access->npu),
                                       .bytes = access->bytes,
                                       .label = access->label,
                                       .cookie = event->cookie};
    fixture->mem->ops->access(fixture->mem, &request);
}

/* What the own keys of the type say for 2 nodes of 4 NPUs, where it has such keys. */
static const void *in_two_nodes(struct orr_arena *arena, const char *type)
{
    static const char text[] =
        "remote: {type: per_node, bandwidth: 1 GB/s, nodes: 2, npus_per_node: 4}";
    const struct orr_conf *root;
    struct mem_local local;
    struct mem_config config;
    assert_int_equal(orr_conf_parse(arena, text, strlen(text), "memory", &root, NULL), ORR_OK);
    assert_int_equal(orr_mem_config_read(arena, root, NPUS, &local, &config, NULL), ORR_OK);
    return strcmp(type, config.type) == 0 ? config.backend_keys : NULL;
}

static void open_memory(struct fixture *fixture, const char *type, enum orr_order order)
{
    memset(fixture, 0, sizeof *fixture);
    fixture->config = (struct mem_config){.type = type,
                                          .bandwidth_bytes_per_s = 1e9,
                                          .latency_ps = 500 * NS,
                                          .whole_ns = order == ORR_ORDER_INSERTION,
                                          .given_bytes_per_ns = 1,
                                          .given_latency_ns = 500};
    fixture->arena = orr_arena_create();
    fixture->config.backend_keys = in_two_nodes(fixture->arena, type);
    fixture->queue = orr_evq_create(order, NPUS);
    assert_int_equal(
        orr_mem_create(&fixture->mem, &fixture->config, NPUS, fixture->queue, fixture->arena, NULL),
        ORR_OK);
    fixture->mem->listener = (struct mem_listener){.context = fixture, .done = on_done};
    orr_evq_handle(fixture->queue, EVENT_ACCESS, on_access, fixture);
}

static void close_memory(struct fixture *fixture)
{
    orr_evq_destroy(fixture->queue);
    orr_arena_destroy(fixture->arena);
}

static unsigned post_access(struct fixture *fixture, sim_time time, uint32_t npu, uint64_t bytes,
                            uint64_t label)
{
    const unsigned index = fixture->accesses++;
    const struct orr_event event = {
        .label = label, .cookie = index, .entity = npu, .kind = EVENT_ACCESS};
    fixture->access[index] = (struct access){.npu = npu, .bytes = bytes, .label = label};
    fixture->done[index] = -1;
    orr_evq_post(fixture->queue, time, &event);
    return index;
}

static void run(struct fixture *fixture)
{
    assert_int_equal(orr_evq_run(fixture->queue, NULL), ORR_OK);
    assert_int_equal(fixture->completions, fixture->accesses);
}

static void test_local_time_is_latency_and_bytes_over_bandwidth(void **state)
{
    (void)state;
    const struct mem_local memory = {.bandwidth_bytes_per_s = 2e9, .latency_ps = 7};
    assert_int_equal(orr_mem_local_time(&memory, 0), 7);
    assert_int_equal(orr_mem_local_time(&memory, 1000), 500007);
    const struct mem_local none = {.bandwidth_bytes_per_s = INFINITY, .latency_ps = 0};
    assert_int_equal(orr_mem_local_time(&none, UINT64_MAX), 0);
}

static void test_none_has_no_access(void **state)
{
    (void)state;
    struct fixture fixture;
    open_memory(&fixture, "none", ORR_ORDER_LABEL);
    assert_null(fixture.mem->ops->access);
    close_memory(&fixture);
}

static void test_per_npu_accesses_run_side_by_side(void **state)
{
    (void)state;
    for (int order = ORR_ORDER_LABEL; order <= ORR_ORDER_INSERTION; order++) {
        struct fixture fixture;
        open_memory(&fixture, "per_npu", (enum orr_order)order);
        for (unsigned i = 0; i < 4; i++) {
            post_access(&fixture, 100 * NS, i / 2, 1000, i);
        }
        run(&fixture);
        for (unsigned i = 0; i < 4; i++) {
            assert_int_equal(fixture.done[i], 1600 * NS);
        }
        close_memory(&fixture);
    }
}

/* NPUs 0 and 3 share node 0, NPU 4 is in node 1. */
static void test_per_node_one_at_a_time_in_each_node(void **state)
{
    (void)state;
    for (int order = ORR_ORDER_LABEL; order <= ORR_ORDER_INSERTION; order++) {
        struct fixture fixture;
        open_memory(&fixture, "per_node", (enum orr_order)order);
        const unsigned a = post_access(&fixture, 0, 0, 1000, 0);
        const unsigned b = post_access(&fixture, 0, 3, 1000, 1);
        const unsigned c = post_access(&fixture, 0, 4, 1000, 0);
        const unsigned d = post_access(&fixture, 200 * NS, 1, 2000, 0);
        const unsigned e = post_access(&fixture, 5500 * NS, 2, 1000, 0); /* just free again */
        run(&fixture);
        assert_int_equal(fixture.done[a], 1500 * NS);
        assert_int_equal(fixture.done[b], 3000 * NS);
        assert_int_equal(fixture.done[c], 1500 * NS);
        assert_int_equal(fixture.done[d], 5500 * NS);
        assert_int_equal(fixture.done[e], 7000 * NS);
        close_memory(&fixture);
    }
}

/* At one instant: by label, then by NPU; the order of posting (7, 2, 5) does not matter. */
static void test_pool_label_order_serves_by_label_then_npu(void **state)
{
    (void)state;
    struct fixture fixture;
    open_memory(&fixture, "pool", ORR_ORDER_LABEL);
    const unsigned third = post_access(&fixture, 0, 7, 1000, 1);
    const unsigned second = post_access(&fixture, 0, 2, 1000, 1);
    const unsigned first = post_access(&fixture, 0, 5, 1000, 0);
    const unsigned later = post_access(&fixture, 1 * NS, 0, 1000, 0);
    run(&fixture);
    assert_int_equal(fixture.done[first], 1500 * NS);
    assert_int_equal(fixture.done[second], 3000 * NS);
    assert_int_equal(fixture.done[third], 4500 * NS);
    assert_int_equal(fixture.done[later], 6000 * NS);
    close_memory(&fixture);
}

static void test_pool_insertion_order_serves_by_issue(void **state)
{
    (void)state;
    struct fixture fixture;
    open_memory(&fixture, "pool", ORR_ORDER_INSERTION);
    for (unsigned i = 0; i < 5; i++) {
        post_access(&fixture, 0, NPUS - 1 - i, 1000, 9 - i);
    }
    run(&fixture);
    for (unsigned i = 0; i < 5; i++) {
        assert_int_equal(fixture.order[i], i);
        assert_int_equal(fixture.done[i], 1500 * (i + 1) * NS);
    }
    close_memory(&fixture);
}

/* 100.9 ns and 999 / 7.3 = 136.8 ns: 100 + 136, where one sum would give 237. */
static void test_reference_time_truncates_latency_and_transfer_apart(void **state)
{
    (void)state;
    static const char *const types[] = {"per_npu", "per_node", "pool"};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        struct fixture fixture;
        open_memory(&fixture, types[i], ORR_ORDER_INSERTION);
        fixture.config.given_latency_ns = 100.9;
        fixture.config.given_bytes_per_ns = 7.3;
        const unsigned only = post_access(&fixture, 0, 0, 999, 0);
        run(&fixture);
        assert_int_equal(fixture.done[only], 236 * NS);
        close_memory(&fixture);
    }
}

/* Random accesses of a pool: the times of a plain FIFO that takes them by (time, label, npu), for
 * every order of posting. */
static void test_pool_random_accesses_match_a_sorted_fifo(void **state)
{
    (void)state;
    struct orr_rng rng;
    orr_rng_init(&rng, 1, 0);
    for (int round = 0; round < 100; round++) {
        struct fixture fixture;
        open_memory(&fixture, "pool", ORR_ORDER_LABEL);
        unsigned slot[MAX_ACCESSES]; /* time, label and npu in one number, in random order */
        for (unsigned i = 0; i < MAX_ACCESSES; i++) {
            const unsigned j = (unsigned)orr_rng_below(&rng, i + 1);
            slot[i] = slot[j];
            slot[j] = i;
        }
        for (unsigned i = 0; i < MAX_ACCESSES; i++) {
            post_access(&fixture, slot[i] / 32 * 2000 * NS, slot[i] % NPUS, 1000,
                        slot[i] / NPUS % 4);
        }
        run(&fixture);
        for (unsigned i = 0; i < MAX_ACCESSES; i++) {
            assert_int_equal(fixture.done[i], (slot[i] + 1) * 1500 * NS);
        }
        close_memory(&fixture);
    }
}

static void expect_create_fails(const struct mem_config *config, uint32_t npus, const char *message)
{
    struct mem *mem;
    struct orr_diag diag;
    orr_diag_init(&diag);
    assert_int_equal(orr_mem_create(&mem, config, npus, NULL, NULL, &diag), ORR_ERR_INPUT);
    assert_null(mem);
    assert_string_equal(diag.message, message);
}

static void test_create_bad_config_says_what_is_wrong(void **state)
{
    (void)state;
    expect_create_fails(&(struct mem_config){.type = "per_nod"}, 8,
                        "memory.type: expected one of none, per_npu, per_node, pool, "
                        "pool_together, pool_events; got "
                        "\"per_nod\" (did you mean per_node?)");
    struct orr_arena *keys = orr_arena_create();
    expect_create_fails(
        &(struct mem_config){.type = "per_node", .backend_keys = in_two_nodes(keys, "per_node")}, 9,
        "memory: 2 nodes of 4 NPUs hold 8 NPUs, but the network has 9; nodes x "
        "npus_per_node must cover them");
    orr_arena_destroy(keys);
}

/* What is promised of every type: what files call it is its own, and it has what it must. */
static void test_types_have_names_and_operations(void **state)
{
    (void)state;
    unsigned named = 0, accesses = 0;
    for (size_t t = 0; orr_mem_types[t] != NULL; t++) {
        const struct mem_ops *ops = orr_mem_types[t];
        assert_ptr_equal(orr_mem_type_find(ops->name), ops);
        assert_true(ops->summary != NULL && ops->create != NULL);
        named += ops->accesses == NULL;
        accesses += ops->accesses != NULL;
        if (ops->accesses != NULL) {
            assert_ptr_equal(orr_mem_accesses_find(ops->accesses), ops);
        }
        if (ops->astra_type != NULL) {
            assert_ptr_equal(orr_mem_astra_find(ops->astra_type), ops);
        }
    }
    assert_non_null(orr_mem_type_name(named - 1));
    assert_null(orr_mem_type_name(named));
    assert_non_null(orr_mem_accesses_name(accesses - 1));
    assert_null(orr_mem_accesses_name(accesses));
    assert_string_equal(orr_mem_default_type, orr_mem_types[0]->name);
    assert_string_equal(orr_mem_default_accesses, orr_mem_accesses_name(0));
}

static void test_create_out_of_memory_is_reported(void **state)
{
    (void)state;
    for (size_t t = 0; orr_mem_types[t] != NULL; t++) {
        struct orr_arena *keys = orr_arena_create();
        const struct mem_config config = {.type = orr_mem_types[t]->name,
                                          .backend_keys =
                                              in_two_nodes(keys, orr_mem_types[t]->name)};
        enum orr_status status = ORR_ERR_MEMORY;
        for (int n = 0; status != ORR_OK; n++) {
            struct mem *mem;
            struct orr_arena *arena = orr_arena_create();
            struct orr_evq *queue = orr_evq_create(ORR_ORDER_LABEL, NPUS);
            orr_arena_fail_after(arena, n);
            status = orr_mem_create(&mem, &config, NPUS, queue, arena, NULL);
            assert_true(status == ORR_OK ? n > 0 : status == ORR_ERR_MEMORY && n < 100);
            orr_evq_destroy(queue);
            orr_arena_destroy(arena);
        }
        orr_arena_destroy(keys);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_local_time_is_latency_and_bytes_over_bandwidth),
        cmocka_unit_test(test_none_has_no_access),
        cmocka_unit_test(test_per_npu_accesses_run_side_by_side),
        cmocka_unit_test(test_per_node_one_at_a_time_in_each_node),
        cmocka_unit_test(test_pool_label_order_serves_by_label_then_npu),
        cmocka_unit_test(test_pool_insertion_order_serves_by_issue),
        cmocka_unit_test(test_reference_time_truncates_latency_and_transfer_apart),
        cmocka_unit_test(test_pool_random_accesses_match_a_sorted_fifo),
        cmocka_unit_test(test_create_bad_config_says_what_is_wrong),
        cmocka_unit_test(test_create_out_of_memory_is_reported),
        cmocka_unit_test(test_types_have_names_and_operations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
