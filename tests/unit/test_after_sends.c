/* Receives that come after sends, for who steps programs: chunk by chunk, and as a whole. Rank 1
 * sends to rank 0, which answers when it has taken that in. If rank 0 were to take it in after its
 * answer only, neither would ever happen. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/conf/conf.h"
#include "core/evq.h"
#include "core/fold.h"
#include "network/net.h"
#include "network/net_config.h"
#include "network/net_config_read.h"
#include "system/collectives/checker.h"
#include "system/collectives/program.h"
#include "system/sys.h"
#include "system/sys_collective.h"
#include "system/sys_config.h"
#include "system/sys_mono.h"
#include "system/sys_policy.h"

static bool supports(enum coll_kind kind, uint32_t n)
{
    return kind == COLL_ALL_REDUCE && n == 2;
}

static uint32_t one(const struct coll_args *args)
{
    (void)args;
    return 1;
}

static void send(const struct coll_args *args, uint32_t k, struct coll_send *out)
{
    *out = (struct coll_send){
        .peer = 1 - args->rank, .peer_recv = k, .need = args->rank == 0, .bytes = args->bytes};
}

static void recv(const struct coll_args *args, uint32_t k, struct coll_recv *out)
{
    (void)k;
    *out =
        (struct coll_recv){.peer = 1 - args->rank, .reduce = args->rank == 0, .bytes = args->bytes};
}

static void recv_after_the_answer(const struct coll_args *args, uint32_t k, struct coll_recv *out)
{
    recv(args, k, out);
    out->after_sends = 1;
}

static void recv_after_its_own_send(const struct coll_args *args, uint32_t k, struct coll_recv *out)
{
    recv(args, k, out);
    out->after_sends = args->rank;
}

static void blocks(const struct coll_args *args, uint32_t k, coll_block_fn visit, void *context)
{
    (void)k;
    for (uint32_t block = 0; block < args->n; block++) {
        visit(context, block);
    }
}

static struct coll_algorithm answers(bool in_order, void (*takes)(const struct coll_args *,
                                                                  uint32_t, struct coll_recv *))
{
    return (struct coll_algorithm){.name = "answers",
                                   .in_order = in_order,
                                   .sends_first = takes != recv,
                                   .lanes = 1,
                                   .supports = supports,
                                   .sends = one,
                                   .recvs = one,
                                   .send = send,
                                   .recv = takes,
                                   .blocks = blocks};
}

/* ---- a run of two NPUs, 1 GB/s and 1 us apart ---- */

struct running {
    struct orr_evq *queue;
    struct sys *sys;
    const struct sys_mono *whole;
    sim_time end_ps;
    unsigned done;
};

static void done(void *context, struct orr_slot npu, uint64_t cookie)
{
    struct running *run = context;
    (void)npu;
    (void)cookie;
    run->done++;
    run->end_ps = orr_evq_now(run->queue);
}

static void on_start(void *context, const struct orr_event *event)
{
    const struct running *run = context;
    const struct sys_collective request = {.npu = orr_slot(event->entity),
                                           .kind = COLL_ALL_REDUCE,
                                           .bytes = 1000,
                                           .dim_mask = UINT32_MAX,
                                           .whole = run->whole};
    orr_sys_collective_start(run->sys, &request);
}

static struct running run_two(const struct coll_algorithm *algorithm, const struct sys_mono *whole)
{
    static const char text[] = "topology: Ring(2)\nbandwidth: 1 GB/s\nlatency: 1 us\n";
    struct orr_arena *arena = orr_arena_create();
    const struct sys_algorithm item = {.algorithm = algorithm};
    const struct sys_config system = {.policy = &orr_sys_policy_default,
                                      .chunks = 1,
                                      .active_chunks = 1,
                                      .queues_per_dim = 1,
                                      .algorithms = {{.items = &item, .count = 1}}};
    struct running run = {.whole = whole};
    struct net_config config;
    struct orr_diag diag;
    const struct orr_conf *root;
    struct net *net;
    orr_diag_init(&diag);
    assert_int_equal(orr_conf_parse(arena, text, sizeof text - 1, "net", &root, &diag), ORR_OK);
    assert_int_equal(orr_net_config_read(arena, root, &config, &diag), ORR_OK);
    run.queue = orr_evq_create(ORR_ORDER_LABEL, 2);
    assert_int_equal(orr_net_create(&net, &config, run.queue, arena, &diag), ORR_OK);
    assert_int_equal(orr_sys_create(&run.sys, &system, net, run.queue, arena, &diag), ORR_OK);
    orr_sys_set_listener(run.sys, &(struct sys_listener){.context = &run, .done = done});
    orr_evq_handle(run.queue, ORR_EVENT_WORKLOAD, on_start, &run);
    for (uint32_t npu = 0; npu < 2; npu++) {
        const struct orr_event event = {.label = npu, .entity = npu, .kind = ORR_EVENT_WORKLOAD};
        orr_evq_post(run.queue, 0, &event);
    }
    assert_int_equal(orr_evq_run(run.queue, &diag), ORR_OK);
    orr_sys_destroy(run.sys);
    net->ops->destroy(net);
    orr_evq_destroy(run.queue);
    orr_arena_destroy(arena);
    return run;
}

/* There and back: twice 1 us for the bytes and 1 us of latency. */
static void expect_ends(const struct coll_algorithm *algorithm, const struct sys_mono *whole)
{
    const struct running run = run_two(algorithm, whole);
    assert_int_equal(run.done, 2);
    assert_int_equal(run.end_ps, 4 * ORR_PS_PER_US);
}

static struct sys_mono as_a_whole(const struct coll_algorithm *algorithm)
{
    struct sys_mono whole;
    assert_int_equal(orr_sys_mono_parse("direct", &whole, NULL), ORR_OK);
    whole.program = algorithm;
    return whole;
}

static void test_after_sends_of_none_changes_nothing(void **state)
{
    (void)state;
    for (unsigned in_order = 0; in_order < 2; in_order++) {
        const struct coll_algorithm plain = answers(in_order != 0, recv);
        const struct sys_mono whole = as_a_whole(&plain);
        expect_ends(&plain, NULL);
        expect_ends(&plain, &whole);
    }
}

static void test_after_sends_that_have_gone_is_taken_in(void **state)
{
    (void)state;
    for (unsigned in_order = 0; in_order < 2; in_order++) {
        const struct coll_algorithm behind = answers(in_order != 0, recv_after_its_own_send);
        const struct sys_mono whole = as_a_whole(&behind);
        expect_ends(&behind, NULL);
        expect_ends(&behind, &whole);
    }
}

static void test_after_sends_that_wait_for_it_never_ends(void **state)
{
    (void)state;
    for (unsigned in_order = 0; in_order < 2; in_order++) {
        const struct coll_algorithm stuck = answers(in_order != 0, recv_after_the_answer);
        const struct sys_mono whole = as_a_whole(&stuck);
        assert_int_equal(run_two(&stuck, NULL).done, 0);
        assert_int_equal(run_two(&stuck, &whole).done, 0);
    }
}

/* The checker says the same of the three. */
static void test_after_sends_is_checked(void **state)
{
    const struct coll_algorithm ends = answers(true, recv_after_its_own_send);
    const struct coll_algorithm stuck = answers(true, recv_after_the_answer);
    const struct coll_args args = {.kind = COLL_ALL_REDUCE, .n = 2, .bytes = 1000};
    struct orr_arena *arena = orr_arena_create();
    struct orr_diag diag;
    (void)state;
    for (uint64_t seed = 0; seed < 6; seed++) {
        orr_diag_init(&diag);
        assert_int_equal(orr_coll_check(&ends, &args, seed, arena, &diag), ORR_OK);
        assert_int_equal(orr_coll_check(&stuck, &args, seed, arena, &diag), ORR_ERR_DEADLOCK);
    }
    orr_arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_after_sends_of_none_changes_nothing),
        cmocka_unit_test(test_after_sends_that_have_gone_is_taken_in),
        cmocka_unit_test(test_after_sends_that_wait_for_it_never_ends),
        cmocka_unit_test(test_after_sends_is_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
