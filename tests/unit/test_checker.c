/* The checker catches broken programs, and says which rank, which message and what. Each broken
 * algorithm is a good one with one function exchanged. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/arena.h"
#include "core/diag.h"
#include "system/collectives/checker.h"
#include "tests/unit/algorithms_fixture.h"

static int setup(void **state)
{
    *state = orr_arena_create();
    return *state == NULL ? -1 : 0;
}

static int teardown(void **state)
{
    orr_arena_destroy(*state);
    return 0;
}

/* Seed 0 sends as early as possible. */
static void expect(struct orr_arena *arena, const struct coll_algorithm *algorithm,
                   const struct coll_args *args, enum orr_status status, const char *message)
{
    struct orr_diag diag;
    orr_diag_init(&diag);
    orr_arena_reset(arena);
    assert_int_equal(orr_coll_check(algorithm, args, 0, arena, &diag), status);
    assert_string_equal(diag.message, message);
    assert_int_equal(diag.status, status);
}

/* ---- one exchanged function each ---- */

static void send_too_far(const struct coll_args *args, uint32_t k, struct coll_send *out)
{
    orr_coll_ring.send(args, k, out);
    out->peer = (args->rank + 2) % args->n;
}

static void send_to_nobody(const struct coll_args *args, uint32_t k, struct coll_send *out)
{
    orr_coll_ring.send(args, k, out);
    out->peer = args->n;
}

static void send_without_need(const struct coll_args *args, uint32_t k, struct coll_send *out)
{
    orr_coll_ring.send(args, k, out);
    out->need = 0;
}

static void send_after_everything(const struct coll_args *args, uint32_t k, struct coll_send *out)
{
    orr_coll_ring.send(args, k, out);
    out->need = k + 1;
}

static void send_twice_the_same(const struct coll_args *args, uint32_t k, struct coll_send *out)
{
    orr_coll_ring.send(args, 0, out);
    (void)k;
}

static void send_in_other_lane(const struct coll_args *args, uint32_t k, struct coll_send *out)
{
    orr_coll_bidirectional_ring.send(args, k, out);
    out->lane = 1;
}

static void send_a_byte_more(const struct coll_args *args, uint32_t k, struct coll_send *out)
{
    orr_coll_ring.send(args, k, out);
    out->bytes++;
}

static void recv_a_byte_more(const struct coll_args *args, uint32_t k, struct coll_recv *out)
{
    orr_coll_ring.recv(args, k, out);
    out->bytes++;
}

static void recv_and_replace(const struct coll_args *args, uint32_t k, struct coll_recv *out)
{
    orr_coll_ring.recv(args, k, out);
    out->reduce = false;
}

static void recv_without_phases(const struct coll_args *args, uint32_t k, struct coll_recv *out)
{
    orr_coll_direct.recv(args, k, out);
    out->after = 0;
}

static void recv_after_itself(const struct coll_args *args, uint32_t k, struct coll_recv *out)
{
    orr_coll_direct.recv(args, k, out);
    out->after = args->n;
}

static uint32_t one_less(const struct coll_args *args)
{
    return orr_coll_ring.sends(args) - 1;
}

static uint32_t none(const struct coll_args *args)
{
    (void)args;
    return 0;
}

static void no_such_block(const struct coll_args *args, uint32_t k, coll_block_fn visit,
                          void *context)
{
    (void)k;
    visit(context, args->n);
}

static void wrong_block(const struct coll_args *args, uint32_t k, coll_block_fn visit,
                        void *context)
{
    (void)k;
    visit(context, (args->rank + 1) % args->n);
}

/* ---- pairing ---- */

static void test_check_wrong_peer_is_named(void **state)
{
    struct coll_algorithm broken = orr_coll_ring;
    broken.name = "broken";
    broken.send = send_too_far;
    const struct coll_args args = {.kind = COLL_ALL_REDUCE, .n = 4, .bytes = 256};
    expect(*state, &broken, &args, ORR_ERR_INTERNAL,
           "broken all_reduce (n=4 root=0 window=0 variant=0): rank 0 send 0: has 64 bytes in lane "
           "0, but receive 0 of rank 2 expects 64 bytes in lane 0 from rank 1");
    broken.send = send_to_nobody;
    expect(*state, &broken, &args, ORR_ERR_INTERNAL,
           "broken all_reduce (n=4 root=0 window=0 variant=0): rank 0 send 0: cannot go to rank 4");
}

static void test_check_missing_receive_is_named(void **state)
{
    struct coll_algorithm broken = orr_coll_ring;
    broken.recvs = one_less;
    const struct coll_args args = {.kind = COLL_ALL_REDUCE, .n = 3, .bytes = 6};
    expect(*state, &broken, &args, ORR_ERR_INTERNAL,
           "ring all_reduce (n=3 root=0 window=0 variant=0): rank 0 send 3: there is no receive 3 "
           "of rank 1");
}

static void test_check_missing_send_is_named(void **state)
{
    struct coll_algorithm broken = orr_coll_ring;
    broken.sends = one_less;
    const struct coll_args args = {.kind = COLL_ALL_REDUCE, .n = 3, .bytes = 6};
    expect(*state, &broken, &args, ORR_ERR_INTERNAL,
           "ring all_reduce (n=3 root=0 window=0 variant=0): rank 0 receive 3: nobody sends it");
}

static void test_check_receive_sent_twice_is_named(void **state)
{
    struct coll_algorithm broken = orr_coll_ring;
    broken.send = send_twice_the_same;
    const struct coll_args args = {.kind = COLL_ALL_GATHER, .n = 3, .bytes = 6};
    expect(*state, &broken, &args, ORR_ERR_INTERNAL,
           "ring all_gather (n=3 root=0 window=0 variant=0): rank 0 send 1: receive 0 of rank 1 is "
           "another send's already");
}

static void test_check_wrong_lane_is_named(void **state)
{
    struct coll_algorithm broken = orr_coll_bidirectional_ring;
    broken.send = send_in_other_lane;
    const struct coll_args args = {.kind = COLL_ALL_GATHER, .n = 3, .bytes = 6};
    expect(*state, &broken, &args, ORR_ERR_INTERNAL,
           "bidirectional_ring all_gather (n=3 root=0 window=0 variant=0): rank 0 send 0: is in "
           "lane 1, its number belongs to lane 0");
}

static void test_check_wrong_bytes_are_named(void **state)
{
    struct coll_algorithm broken = orr_coll_ring;
    broken.send = send_a_byte_more;
    const struct coll_args args = {.kind = COLL_REDUCE_SCATTER, .n = 3, .bytes = 96};
    expect(*state, &broken, &args, ORR_ERR_INTERNAL,
           "ring reduce_scatter (n=3 root=0 window=0 variant=0): rank 0 send 0: has 33 bytes in "
           "lane 0, but receive 0 of rank 1 expects 32 bytes in lane 0 from rank 0");
    broken.recv = recv_a_byte_more;
    expect(
        *state, &broken, &args, ORR_ERR_INTERNAL,
        "ring reduce_scatter (n=3 root=0 window=0 variant=0): rank 0 send 0: has 33 bytes, its 1 "
        "blocks have 32");
}

/* ---- dependencies ---- */

/* Rank 1 passes on what the root has not sent yet. */
static void test_check_missing_dependency_broadcast_is_named(void **state)
{
    struct coll_algorithm broken = orr_coll_ring;
    broken.send = send_without_need;
    const struct coll_args args = {.kind = COLL_BROADCAST, .n = 3, .bytes = 9};
    expect(*state, &broken, &args, ORR_ERR_INTERNAL,
           "ring broadcast (n=3 root=0 window=0 variant=0): rank 1 send 0: has not got block 0");
}

/* Block 0 goes from rank 1 over rank 2, which does not wait, to rank 0. */
static void test_check_missing_dependency_reduce_scatter_is_named(void **state)
{
    struct coll_algorithm broken = orr_coll_ring;
    broken.send = send_without_need;
    const struct coll_args args = {.kind = COLL_REDUCE_SCATTER, .n = 3, .bytes = 9};
    expect(*state, &broken, &args, ORR_ERR_INTERNAL,
           "ring reduce_scatter (n=3 root=0 window=0 variant=0): rank 0: ends without the "
           "contribution of rank 1 to block 0");
}

static void test_check_circular_wait_is_a_deadlock(void **state)
{
    struct coll_algorithm broken = orr_coll_ring;
    broken.send = send_after_everything;
    const struct coll_args args = {.kind = COLL_ALL_REDUCE, .n = 4, .bytes = 9};
    expect(*state, &broken, &args, ORR_ERR_DEADLOCK,
           "ring all_reduce (n=4 root=0 window=0 variant=0): rank 0 send 0: stuck, it needs 1 "
           "receives of lane 0 and 0 are complete");
}

/* Rank 0 has one receive, which waits for two others. */
static void test_check_receive_that_waits_for_itself_is_a_deadlock(void **state)
{
    struct coll_algorithm broken = orr_coll_direct;
    broken.recv = recv_after_itself;
    const struct coll_args args = {.kind = COLL_ALL_GATHER, .n = 2, .bytes = 8};
    expect(*state, &broken, &args, ORR_ERR_DEADLOCK,
           "direct all_gather (n=2 root=0 window=0 variant=0): rank 0 receive 0: stuck, it comes "
           "after 2 receives and 0 are complete");
}

/* Without `after`, a gathered block of a fast rank is counted for the missing one of a slow rank.
 * Mixed orders (seeds = 2 mod 3) find it; the true algorithm passes them all. */
static void test_check_phases_not_told_apart_is_found(void **state)
{
    struct coll_algorithm broken = orr_coll_direct;
    broken.recv = recv_without_phases;
    const struct coll_args args = {.kind = COLL_ALL_REDUCE, .n = 4, .bytes = 8};
    unsigned found = 0;
    for (uint64_t seed = 2; seed < 300; seed += 3) {
        struct orr_diag diag;
        orr_diag_init(&diag);
        found += orr_coll_check(&broken, &args, seed, *state, &diag) != ORR_OK;
        orr_diag_init(&diag);
        assert_int_equal(orr_coll_check(&orr_coll_direct, &args, seed, *state, &diag), ORR_OK);
    }
    assert_true(found > 0);
}

static void recv_before_its_send(const struct coll_args *args, uint32_t k, struct coll_recv *out)
{
    orr_coll_recursive_doubling.recv(args, k, out);
    out->after_sends = 0;
}

/* A partner that is ahead would be sent its own contribution. */
static void test_check_receive_taken_in_before_a_send_is_found(void **state)
{
    struct coll_algorithm broken = orr_coll_recursive_doubling;
    broken.recv = recv_before_its_send;
    const struct coll_args args = {.kind = COLL_ALL_REDUCE, .n = 8, .bytes = 8};
    unsigned found = 0;
    for (uint64_t seed = 0; seed < 300; seed++) {
        struct orr_diag diag;
        orr_diag_init(&diag);
        found += orr_coll_check(&broken, &args, seed, *state, &diag) != ORR_OK;
        orr_diag_init(&diag);
        assert_int_equal(orr_coll_check(&orr_coll_recursive_doubling, &args, seed, *state, &diag),
                         ORR_OK);
    }
    assert_true(found > 100);
}

static void test_check_receive_after_sends_that_is_not_said_is_named(void **state)
{
    struct coll_algorithm broken = orr_coll_recursive_doubling;
    broken.sends_first = false;
    const struct coll_args args = {.kind = COLL_ALL_REDUCE, .n = 4, .bytes = 8};
    expect(*state, &broken, &args, ORR_ERR_INTERNAL,
           "recursive_doubling all_reduce (n=4 root=0 window=0 variant=0): rank 1 receive 0: comes "
           "after sends, as the algorithm says none does");
}

/* ---- contributions ---- */

static void test_check_replaced_contribution_is_named(void **state)
{
    struct coll_algorithm broken = orr_coll_ring;
    broken.recv = recv_and_replace;
    const struct coll_args args = {.kind = COLL_REDUCE, .n = 2, .bytes = 8};
    expect(*state, &broken, &args, ORR_ERR_INTERNAL,
           "ring reduce (n=2 root=0 window=0 variant=0): rank 0 receive 0: overwrites the "
           "contribution of rank 0 to block 0");
}

static void test_check_unknown_block_is_named(void **state)
{
    struct coll_algorithm broken = orr_coll_ring;
    broken.blocks = no_such_block;
    const struct coll_args args = {.kind = COLL_SCATTER, .n = 2, .bytes = 8};
    expect(*state, &broken, &args, ORR_ERR_INTERNAL,
           "ring scatter (n=2 root=0 window=0 variant=0): rank 0 send 0: has not got block 2");
}

static void test_check_block_of_another_rank_is_named(void **state)
{
    struct coll_algorithm broken = orr_coll_ring;
    broken.blocks = wrong_block;
    const struct coll_args args = {.kind = COLL_GATHER, .n = 2, .bytes = 8};
    expect(*state, &broken, &args, ORR_ERR_INTERNAL,
           "ring gather (n=2 root=0 window=0 variant=0): rank 1 send 0: has not got block 0");
}

static void test_check_empty_program_lacks_the_result(void **state)
{
    struct coll_algorithm broken = orr_coll_tree;
    broken.sends = broken.recvs = none;
    struct coll_args args = {.kind = COLL_BROADCAST, .n = 2, .bytes = 8};
    expect(*state, &broken, &args, ORR_ERR_INTERNAL,
           "tree broadcast (n=2 root=0 window=0 variant=0): rank 1: ends without block 0");
    args.kind = COLL_BARRIER;
    expect(*state, &broken, &args, ORR_ERR_INTERNAL,
           "tree barrier (n=2 root=0 window=0 variant=0): rank 0: ends without the contribution of "
           "rank 1 to block 0");
}

/* ---- balance: rank 1 gives its vector to rank 0, which gives the sum back twice ---- */

static uint32_t lavish_sends(const struct coll_args *args)
{
    return args->rank == 0 ? 2 : 1;
}

static uint32_t lavish_recvs(const struct coll_args *args)
{
    return args->rank == 0 ? 1 : 2;
}

static void lavish_send(const struct coll_args *args, uint32_t k, struct coll_send *out)
{
    *out = (struct coll_send){.peer = 1 - args->rank,
                              .peer_recv = k,
                              .need = args->rank == 0 ? 1 : 0,
                              .bytes = args->bytes};
}

static void lavish_recv(const struct coll_args *args, uint32_t k, struct coll_recv *out)
{
    (void)k;
    *out =
        (struct coll_recv){.peer = 1 - args->rank, .reduce = args->rank == 0, .bytes = args->bytes};
}

static void test_check_unequal_bytes_are_named(void **state)
{
    struct coll_algorithm lavish = orr_coll_tree;
    lavish.name = "lavish";
    lavish.sends = lavish_sends;
    lavish.recvs = lavish_recvs;
    lavish.send = lavish_send;
    lavish.recv = lavish_recv;
    const struct coll_args args = {.kind = COLL_ALL_REDUCE, .n = 2, .bytes = 64};
    expect(
        *state, &lavish, &args, ORR_ERR_INTERNAL,
        "lavish all_reduce (n=2 root=0 window=0 variant=0): rank 0: sends 128 bytes and receives "
        "64");
}

/* Rank 1 gives its vector to rank 0 twice. */
static uint32_t two_from_rank_1(const struct coll_args *args)
{
    return args->rank == 1 ? 2 : 0;
}

static uint32_t two_to_rank_0(const struct coll_args *args)
{
    return args->rank == 0 ? 2 : 0;
}

static void test_check_double_reduction_is_named(void **state)
{
    struct coll_algorithm twice = orr_coll_tree;
    twice.name = "twice";
    twice.sends = two_from_rank_1;
    twice.recvs = two_to_rank_0;
    twice.send = lavish_send;
    twice.recv = lavish_recv;
    const struct coll_args args = {.kind = COLL_REDUCE, .n = 2, .bytes = 64};
    expect(*state, &twice, &args, ORR_ERR_INTERNAL,
           "twice reduce (n=2 root=0 window=0 variant=0): rank 0 receive 1: counts twice the "
           "contribution of rank 1 to block 0");
}

/* ---- arguments and memory ---- */

static void test_check_unsupported_arguments_are_input_errors(void **state)
{
    struct coll_args args = {.kind = COLL_GATHER, .n = 4, .bytes = 64};
    expect(*state, &orr_coll_tree, &args, ORR_ERR_INPUT,
           "tree gather (n=4 root=0 window=0 variant=0): not supported");
    args.root = 4;
    expect(*state, &orr_coll_ring, &args, ORR_ERR_INPUT,
           "ring gather (n=4 root=4 window=0 variant=0): the root is not in the group");
    args.n = 0;
    expect(*state, &orr_coll_ring, &args, ORR_ERR_INPUT,
           "ring gather (n=0 root=4 window=0 variant=0): not supported");
}

/* Whichever allocation fails, the answer is ORR_ERR_MEMORY; with enough of them it is ORR_OK. */
static void test_check_nth_allocation_fails_cleanly(void **state)
{
    (void)state;
    const struct coll_args args = {.kind = COLL_ALL_REDUCE, .n = 4, .bytes = 64};
    enum orr_status status = ORR_ERR_MEMORY;
    int64_t allocations = 0;
    for (; status != ORR_OK && allocations < 1000; allocations++) {
        struct orr_arena *arena = orr_arena_create();
        struct orr_diag diag;
        orr_diag_init(&diag);
        orr_arena_fail_after(arena, allocations);
        status = orr_coll_check(&orr_coll_halving_doubling, &args, 2, arena, &diag);
        assert_true(status == ORR_OK || status == ORR_ERR_MEMORY);
        orr_arena_destroy(arena);
    }
    assert_int_equal(status, ORR_OK);
    assert_true(allocations > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_check_wrong_peer_is_named),
        cmocka_unit_test(test_check_missing_receive_is_named),
        cmocka_unit_test(test_check_missing_send_is_named),
        cmocka_unit_test(test_check_receive_sent_twice_is_named),
        cmocka_unit_test(test_check_wrong_lane_is_named),
        cmocka_unit_test(test_check_wrong_bytes_are_named),
        cmocka_unit_test(test_check_missing_dependency_broadcast_is_named),
        cmocka_unit_test(test_check_missing_dependency_reduce_scatter_is_named),
        cmocka_unit_test(test_check_circular_wait_is_a_deadlock),
        cmocka_unit_test(test_check_receive_that_waits_for_itself_is_a_deadlock),
        cmocka_unit_test(test_check_phases_not_told_apart_is_found),
        cmocka_unit_test(test_check_receive_taken_in_before_a_send_is_found),
        cmocka_unit_test(test_check_receive_after_sends_that_is_not_said_is_named),
        cmocka_unit_test(test_check_double_reduction_is_named),
        cmocka_unit_test(test_check_replaced_contribution_is_named),
        cmocka_unit_test(test_check_unknown_block_is_named),
        cmocka_unit_test(test_check_block_of_another_rank_is_named),
        cmocka_unit_test(test_check_empty_program_lacks_the_result),
        cmocka_unit_test(test_check_unequal_bytes_are_named),
        cmocka_unit_test(test_check_unsupported_arguments_are_input_errors),
        cmocka_unit_test(test_check_nth_allocation_fails_cleanly),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
