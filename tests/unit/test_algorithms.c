/* Contract of the collective algorithms (every entry of orr_coll_algorithms[], every kind, every n
 * in 1..64, every root of up to 32), and their numbers against hand calculations. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "core/arena.h"
#include "core/diag.h"
#include "system/collectives/algorithm_parts.h"
#include "system/collectives/checker.h"
#include "system/collectives/rings.h"
#include "tests/unit/algorithms_fixture.h"

/* Of groups above 32 every fifth root is taken, each in some group. */
enum { MAX_RANKS = 64, THOROUGH_RANKS = 16, ROOT_STRIDE = 5 };

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

static void check(struct orr_arena *arena, const struct coll_algorithm *algorithm,
                  const struct coll_args *args, uint64_t seed)
{
    struct orr_diag diag;
    orr_diag_init(&diag);
    orr_arena_reset(arena);
    if (orr_coll_check(algorithm, args, seed, arena, &diag) != ORR_OK) {
        fail_msg("seed %u: %s", (unsigned)seed, diag.message);
    }
}

/* All three orders for small groups; one of them, in turns, for larger ones. */
static void check_seeds(struct orr_arena *arena, const struct coll_algorithm *algorithm,
                        const struct coll_args *args)
{
    const uint64_t turn = args->n + args->root + args->window + args->variant;
    for (uint64_t seed = 0; seed < 3; seed++) {
        if (args->n <= THOROUGH_RANKS || seed == turn % 3) {
            check(arena, algorithm, args, seed);
        }
    }
}

/* Windows matter to those that have one and variants to those that vary; others see variants in
 * small groups. */
static void check_options(struct orr_arena *arena, const struct coll_algorithm *algorithm,
                          const struct coll_args *args)
{
    static const uint32_t windows[] = {0, 1, 3, 100};
    const bool small = args->n <= THOROUGH_RANKS;
    for (size_t w = 0; w < sizeof windows / sizeof windows[0]; w++) {
        for (uint32_t variant = 0; variant < 2; variant++) {
            if ((w > 0 && (!algorithm->windowed || coll_is_rooted(args->kind))) ||
                (variant > 0 && !algorithm->varies && !small)) {
                continue;
            }
            struct coll_args chosen = *args;
            chosen.window = windows[w];
            chosen.variant = variant;
            check_seeds(arena, algorithm, &chosen);
        }
    }
}

static void check_kind(struct orr_arena *arena, enum coll_kind kind)
{
    for (size_t i = 0; orr_coll_algorithms[i] != NULL; i++) {
        for (uint32_t n = 1; n <= MAX_RANKS; n++) {
            if (!orr_coll_algorithms[i]->supports(kind, n)) {
                continue;
            }
            const uint32_t roots = coll_is_rooted(kind) ? n : 1;
            const uint32_t stride = roots > 32 ? ROOT_STRIDE : 1;
            for (uint32_t root = n % stride; root < roots; root += stride) {
                const struct coll_args args = {
                    .kind = kind, .n = n, .root = root, .bytes = 1000003};
                check_options(arena, orr_coll_algorithms[i], &args);
            }
        }
    }
}

static void test_contract_all_reduce_holds(void **state)
{
    check_kind(*state, COLL_ALL_REDUCE);
}

/* Around two rings of the members, in orders of their own. */
static void test_contract_holds_around_rings(void **state)
{
    enum { N = 7 };
    static const uint32_t order[2][N] = {{0, 3, 6, 2, 5, 1, 4}, {4, 0, 5, 6, 1, 3, 2}};
    uint32_t at[2][N];
    struct coll_ring ring[2];
    for (uint32_t r = 0; r < 2; r++) {
        for (uint32_t i = 0; i < N; i++) {
            at[r][order[r][i]] = i;
        }
        ring[r] = (struct coll_ring){order[r], at[r]};
    }
    const struct coll_rings rings = {N, 2, ring, false, false};
    for (unsigned kind = 0; kind < COLL_KINDS; kind++) {
        const struct coll_args args = {
            .kind = (enum coll_kind)kind, .n = N, .bytes = 1000003, .rings = &rings};
        if (orr_coll_multi_ring.supports((enum coll_kind)kind, N)) {
            check_options(*state, &orr_coll_multi_ring, &args);
        }
    }
    struct coll_send out;
    const struct coll_args args = {
        .kind = COLL_ALL_REDUCE, .n = N, .rank = 6, .variant = 1, .bytes = 7, .rings = &rings};
    orr_coll_multi_ring.send(&args, 0, &out);
    assert_int_equal(out.peer, 1); /* behind 6 on the second ring */
}

static void test_contract_all_gather_holds(void **state)
{
    check_kind(*state, COLL_ALL_GATHER);
}

static void test_contract_reduce_scatter_holds(void **state)
{
    check_kind(*state, COLL_REDUCE_SCATTER);
}

static void test_contract_all_to_all_holds(void **state)
{
    check_kind(*state, COLL_ALL_TO_ALL);
}

static void test_contract_broadcast_holds(void **state)
{
    check_kind(*state, COLL_BROADCAST);
}

static void test_contract_reduce_holds(void **state)
{
    check_kind(*state, COLL_REDUCE);
}

static void test_contract_gather_holds(void **state)
{
    check_kind(*state, COLL_GATHER);
}

static void test_contract_scatter_holds(void **state)
{
    check_kind(*state, COLL_SCATTER);
}

static void test_contract_barrier_holds(void **state)
{
    check_kind(*state, COLL_BARRIER);
}

/* Sets of more than one word, powers of two and not. */
static void test_contract_beyond_64_ranks_holds(void **state)
{
    static const uint32_t sizes[] = {65, 127, 128, 130};
    for (size_t i = 0; orr_coll_algorithms[i] != NULL; i++) {
        for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
            const struct coll_args args = {
                .kind = COLL_ALL_REDUCE, .n = sizes[s], .variant = s % 2, .bytes = 4096};
            if (orr_coll_algorithms[i]->supports(args.kind, args.n)) {
                check(*state, orr_coll_algorithms[i], &args, s);
            }
        }
    }
}

/* A single rank has nothing to do, in any kind, and takes no steps; no ranks are not supported. */
static void test_contract_one_rank_has_empty_programs(void **state)
{
    (void)state;
    for (size_t i = 0; orr_coll_algorithms[i] != NULL; i++) {
        const struct coll_algorithm *algorithm = orr_coll_algorithms[i];
        for (unsigned kind = 0; kind < COLL_KINDS; kind++) {
            assert_false(algorithm->supports((enum coll_kind)kind, 0));
            if (algorithm->supports((enum coll_kind)kind, 1)) {
                const struct coll_args args = {.kind = (enum coll_kind)kind, .n = 1, .bytes = 8};
                assert_int_equal(algorithm->sends(&args), 0);
                assert_int_equal(algorithm->recvs(&args), 0);
                assert_int_equal(algorithm->steps((enum coll_kind)kind, 1), 0);
            }
        }
    }
}

/* Every algorithm can run something; what it cannot run it refuses with its name, the kind and the
 * number. One plays the part of running anything (an all-to-all of more than 2^15 has too many
 * blocks for anybody). */
static void test_contract_what_is_not_supported_is_refused(void **state)
{
    char name[64];
    for (size_t i = 0; orr_coll_algorithms[i] != NULL; i++) {
        const struct coll_algorithm *algorithm = orr_coll_algorithms[i];
        unsigned able = 0;
        for (uint32_t at = 0; at < COLL_KINDS * MAX_RANKS; at++) {
            struct coll_args args = {
                .kind = (enum coll_kind)(at / MAX_RANKS), .n = at % MAX_RANKS + 1, .bytes = 64};
            struct orr_diag diag;
            orr_diag_init(&diag);
            assert_true(orr_coll_for(COLL_FOR_ANYTHING)->supports(args.kind, args.n));
            able += algorithm->supports(args.kind, args.n) && args.n > 1 ? 1 : 0;
            if (!algorithm->supports(args.kind, args.n)) {
                orr_arena_reset(*state);
                assert_int_equal(orr_coll_check(algorithm, &args, 0, *state, &diag), ORR_ERR_INPUT);
                (void)snprintf(name, sizeof name, "%s %s (n=%u ", algorithm->name,
                               orr_coll_kind_name(args.kind), args.n);
                assert_memory_equal(diag.message, name, strlen(name));
            }
        }
        assert_true(able > 0);
    }
}

/* What an algorithm says of itself holds of its programs, for every kind and up to 20 ranks: to the
 * neighbours alone; to all others at once; no more sends than labels have room for. */
static void check_said(const struct coll_algorithm *algorithm, const struct coll_args *args)
{
    const uint32_t n = args->n, sends = algorithm->sends(args);
    const bool relays = algorithm->around && args->kind == COLL_ALL_TO_ALL;
    uint32_t free = 0;
    assert_true(sends <= (relays ? n * n / 2 : 2 * n * algorithm->lanes));
    for (uint32_t k = 0; k < sends; k++) {
        struct coll_send send;
        algorithm->send(args, k, &send);
        const uint32_t ahead = coll_minus(n, send.peer, args->rank);
        free += send.need == 0 ? 1 : 0;
        assert_true(!algorithm->around || ahead == 1 || (ahead == n - 1 && algorithm->lanes == 2));
    }
    assert_true(!algorithm->at_once || coll_is_rooted(args->kind) || free >= n - 1);
}

static void test_contract_what_is_said_of_programs_holds(void **state)
{
    (void)state;
    for (size_t i = 0; orr_coll_algorithms[i] != NULL; i++) {
        for (uint32_t at = 0; at < COLL_KINDS * 20 * 20; at++) {
            const struct coll_args args = {.kind = (enum coll_kind)(at / 400),
                                           .n = at / 20 % 20 + 1,
                                           .rank = at % 20,
                                           .bytes = 1000};
            if (args.rank < args.n && orr_coll_algorithms[i]->supports(args.kind, args.n)) {
                check_said(orr_coll_algorithms[i], &args);
            }
        }
    }
}

/* Who plays a part is made for it; and has steps of ASTRA-sim's who has a name there. */
static void test_roles_are_played(void **state)
{
    (void)state;
    static const enum coll_role blocks[] = {COLL_FOR_RING, COLL_FOR_CLIQUE, COLL_FOR_SWITCH};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
        assert_true(orr_coll_for(blocks[i])->supports(COLL_ALL_REDUCE, 1000));
    }
    assert_true(orr_coll_for(COLL_FOR_RING)->around);
    assert_int_equal(orr_coll_for(COLL_FOR_RING)->lanes, 1);
    assert_true(orr_coll_for(COLL_FOR_CLIQUE)->at_once);
    assert_true(orr_coll_for(COLL_FOR_TURNS)->varies);
    for (size_t i = 0; orr_coll_algorithms[i] != NULL; i++) {
        assert_true((orr_coll_algorithms[i]->chain == COLL_CHAIN_NONE) ==
                    (orr_coll_algorithms[i]->astra_names[0] == NULL));
    }
}

static void test_find_names_are_unique(void **state)
{
    (void)state;
    for (size_t i = 0; orr_coll_algorithms[i] != NULL; i++) {
        assert_ptr_equal(orr_coll_algorithm_find(orr_coll_algorithms[i]->name),
                         orr_coll_algorithms[i]);
    }
    assert_ptr_equal(orr_coll_algorithm_find("halving_doubling"), &orr_coll_halving_doubling);
    assert_null(orr_coll_algorithm_find("halvingDoubling"));
    assert_null(orr_coll_algorithm_find(""));
}

static void test_kind_name_covers_all_kinds(void **state)
{
    (void)state;
    assert_string_equal(orr_coll_kind_name(COLL_ALL_REDUCE), "all_reduce");
    assert_string_equal(orr_coll_kind_name(COLL_ALL_GATHER), "all_gather");
    assert_string_equal(orr_coll_kind_name(COLL_REDUCE_SCATTER), "reduce_scatter");
    assert_string_equal(orr_coll_kind_name(COLL_ALL_TO_ALL), "all_to_all");
    assert_string_equal(orr_coll_kind_name(COLL_BROADCAST), "broadcast");
    assert_string_equal(orr_coll_kind_name(COLL_REDUCE), "reduce");
    assert_string_equal(orr_coll_kind_name(COLL_GATHER), "gather");
    assert_string_equal(orr_coll_kind_name(COLL_SCATTER), "scatter");
    assert_string_equal(orr_coll_kind_name(COLL_BARRIER), "barrier");
}

/* ---- numbers ---- */

static uint64_t sent(const struct coll_algorithm *algorithm, const struct coll_args *args)
{
    uint64_t sum = 0;
    for (uint32_t k = 0; k < algorithm->sends(args); k++) {
        struct coll_send send;
        algorithm->send(args, k, &send);
        sum += send.bytes;
    }
    return sum;
}

static struct coll_send send_at(const struct coll_algorithm *algorithm,
                                const struct coll_args *args, uint32_t k)
{
    struct coll_send send;
    algorithm->send(args, k, &send);
    return send;
}

static struct coll_args args_of(enum coll_kind kind, uint32_t n, uint32_t rank, uint64_t bytes)
{
    return (struct coll_args){.kind = kind, .n = n, .rank = rank, .bytes = bytes};
}

/* S = 1000, n = 6: blocks of ceil(1000 / 6) = 167. Ring, direct and pairwise send n - 1 blocks a
 * phase; all-gather's block is S itself; a ring's all-to-all forwards n (n - 1) / 2 blocks. */
static void test_sent_block_algorithms_six_ranks_is_exact(void **state)
{
    (void)state;
    static const struct coll_algorithm *const algorithms[] = {&orr_coll_ring, &orr_coll_direct,
                                                              &orr_coll_pairwise};
    for (size_t i = 0; i < 3; i++) {
        struct coll_args args = args_of(COLL_ALL_REDUCE, 6, 2, 1000);
        assert_int_equal(sent(algorithms[i], &args), 2 * 5 * 167);
        args.kind = COLL_REDUCE_SCATTER;
        assert_int_equal(sent(algorithms[i], &args), 5 * 167);
        args.kind = COLL_ALL_GATHER;
        assert_int_equal(sent(algorithms[i], &args), 5 * 1000);
        args.kind = COLL_ALL_TO_ALL;
        assert_int_equal(sent(algorithms[i], &args), (i == 0 ? 15 : 5) * 167);
        args.kind = COLL_BARRIER;
        assert_int_equal(sent(algorithms[i], &args), 0);
    }
}

/* Halves of 167 are 84 and 83. All-to-all, n = 6: distances 1, 2 in each lane, 3 hops of whole
 * blocks in round 0 and 1 (2 + 1), and 3 hops of a half for distance 3: 6 * 167 + 3 * 167. */
static void test_sent_bidirectional_ring_six_ranks_is_exact(void **state)
{
    (void)state;
    struct coll_args args = args_of(COLL_ALL_REDUCE, 6, 2, 1000);
    assert_int_equal(sent(&orr_coll_bidirectional_ring, &args), 2 * 5 * 167);
    assert_int_equal(send_at(&orr_coll_bidirectional_ring, &args, 0).bytes, 84);
    assert_int_equal(send_at(&orr_coll_bidirectional_ring, &args, 1).bytes, 83);
    assert_int_equal(send_at(&orr_coll_bidirectional_ring, &args, 0).peer, 3);
    assert_int_equal(send_at(&orr_coll_bidirectional_ring, &args, 1).peer, 1);
    assert_false(send_at(&orr_coll_bidirectional_ring, &args, 0).backwards);
    assert_true(send_at(&orr_coll_bidirectional_ring, &args, 1).backwards);
    args.kind = COLL_ALL_TO_ALL;
    assert_int_equal(sent(&orr_coll_bidirectional_ring, &args), 6 * 167 + 3 * 167);
    assert_false(orr_coll_bidirectional_ring.supports(COLL_BROADCAST, 6));
}

/* n = 8, S = 800: halving 400, 200, 100, doubling 100, 200, 400 at distances 1 2 4, 4 2 1. */
static void test_send_halving_doubling_eight_ranks_halves_and_doubles(void **state)
{
    (void)state;
    static const uint32_t bytes[] = {400, 200, 100, 100, 200, 400};
    static const uint32_t distance[] = {1, 2, 4, 4, 2, 1};
    const struct coll_args args = args_of(COLL_ALL_REDUCE, 8, 5, 800);
    assert_int_equal(orr_coll_halving_doubling.sends(&args), 6);
    for (uint32_t k = 0; k < 6; k++) {
        const struct coll_send send = send_at(&orr_coll_halving_doubling, &args, k);
        assert_int_equal(send.bytes, bytes[k]);
        assert_int_equal(send.peer, 5 ^ distance[k]);
        assert_int_equal(send.need, k);
        assert_int_equal(send.peer_recv, k);
    }
}

/* n = 6 is 4 + 2: ranks 1 and 3 hand 6 blocks to ranks 0 and 2 and get 6 back. Slots 0..3 are ranks
 * 0, 2, 4, 5 with 2, 2, 1, 1 blocks. Rank 0 gives away slots 1 and 3 (3 blocks), then slot 2 (1);
 * gathers back with slot 0 (2), then slots 0 and 2 (3); then 6 blocks to rank 1. Rank 5 (slot 3)
 * gives slots 0 and 2, then 1, and gathers back 3, then 1 and 3. Block = 100. */
static void test_send_halving_doubling_six_ranks_folds(void **state)
{
    (void)state;
    static const uint32_t bytes[] = {300, 100, 200, 300, 600};
    static const uint32_t peer[] = {2, 4, 4, 2, 1};
    struct coll_args args = args_of(COLL_ALL_REDUCE, 6, 0, 600);
    assert_int_equal(orr_coll_halving_doubling.sends(&args), 5);
    for (uint32_t k = 0; k < 5; k++) {
        const struct coll_send send = send_at(&orr_coll_halving_doubling, &args, k);
        assert_int_equal(send.bytes, bytes[k]);
        assert_int_equal(send.peer, peer[k]);
        assert_int_equal(send.need, k + 1);
    }
    args.rank = 3;
    assert_int_equal(orr_coll_halving_doubling.sends(&args), 1);
    assert_int_equal(sent(&orr_coll_halving_doubling, &args), 600);
    args.rank = 5;
    assert_int_equal(sent(&orr_coll_halving_doubling, &args), 300 + 200 + 100 + 300);
}

/* Bruck: n = 8 moves 4 blocks in each of 3 steps; n = 6: ways 1 3 5, 2 3, 4 5 = 3, 2, 2 blocks. */
static void test_sent_halving_doubling_all_to_all_is_exact(void **state)
{
    (void)state;
    struct coll_args args = args_of(COLL_ALL_TO_ALL, 8, 3, 800);
    assert_int_equal(orr_coll_halving_doubling.sends(&args), 3);
    assert_int_equal(sent(&orr_coll_halving_doubling, &args), 3 * 4 * 100);
    args = args_of(COLL_ALL_TO_ALL, 6, 3, 600);
    assert_int_equal(sent(&orr_coll_halving_doubling, &args), 7 * 100);
}

/* Binomial scatter, n = 6 from rank 4: positions 4 (2 blocks), 2 (2), 1 (1), biggest first. */
static void test_send_binomial_scatter_six_ranks_is_exact(void **state)
{
    (void)state;
    static const uint32_t bytes[] = {200, 200, 100};
    static const uint32_t peer[] = {2, 0, 5};
    struct coll_args args = args_of(COLL_SCATTER, 6, 4, 600);
    args.root = 4;
    assert_int_equal(orr_coll_halving_doubling.sends(&args), 3);
    for (uint32_t k = 0; k < 3; k++) {
        assert_int_equal(send_at(&orr_coll_halving_doubling, &args, k).bytes, bytes[k]);
        assert_int_equal(send_at(&orr_coll_halving_doubling, &args, k).peer, peer[k]);
    }
}

/* Window 2, n = 5: sends 0, 1 at once, send 2 after 1 receive, send 3 after 2; gathering starts
 * after all 4 receives, again two at once. */
static void test_send_direct_window_two_limits_unanswered_sends(void **state)
{
    (void)state;
    static const uint32_t windowed[] = {0, 0, 1, 2, 4, 4, 5, 6};
    struct coll_args args = args_of(COLL_ALL_REDUCE, 5, 1, 500);
    for (uint32_t k = 0; k < 8; k++) {
        args.window = 2;
        assert_int_equal(send_at(&orr_coll_direct, &args, k).need, windowed[k]);
        assert_int_equal(send_at(&orr_coll_direct, &args, k).peer, (1 + k % 4 + 1) % 5);
        args.window = 0;
        assert_int_equal(send_at(&orr_coll_direct, &args, k).need, k < 4 ? 0 : 4);
    }
}

/* ---- trees ---- */

static uint32_t parent(uint32_t n, uint32_t variant, uint32_t rank)
{
    struct coll_args args = args_of(COLL_REDUCE, n, rank, 64);
    args.root = variant == 0 ? n - 1 : 0;
    args.variant = variant;
    if (orr_coll_double_binary_tree.sends(&args) == 0) {
        return rank;
    }
    return send_at(&orr_coll_double_binary_tree, &args, 0).peer;
}

/* In-order tree over the ranks but the root: 1 3 5 7 are leaves, then 2 6, then 4, then rank 0;
 * the other tree is its mirror image. */
static void test_double_binary_tree_eight_ranks_is_in_order(void **state)
{
    (void)state;
    static const uint32_t second[] = {0, 2, 4, 2, 0, 6, 4, 6};
    for (uint32_t rank = 0; rank < 8; rank++) {
        assert_int_equal(parent(8, 1, rank), second[rank]);
        assert_int_equal(parent(8, 0, rank), 7 - second[7 - rank]);
    }
}

static bool is_leaf(uint32_t n, uint32_t variant, uint32_t rank)
{
    struct coll_args args = args_of(COLL_ALL_REDUCE, n, rank, 64);
    args.variant = variant;
    return orr_coll_double_binary_tree.recvs(&args) == 1 &&
           orr_coll_double_binary_tree.sends(&args) == 1;
}

/* The promise of the two trees, for even and odd n: but for the two roots, every rank is a leaf in
 * one and inner in the other. */
static void test_double_binary_tree_leaves_complement_each_other(void **state)
{
    (void)state;
    for (uint32_t n = 3; n <= MAX_RANKS; n++) {
        for (uint32_t rank = 1; rank + 1 < n; rank++) {
            assert_true(is_leaf(n, 0, rank) != is_leaf(n, 1, rank));
        }
    }
}

/* Whole buffers: an all-reduce moves 2 (n - 1) S in total on any tree. */
static void test_sent_trees_all_reduce_is_two_buffers_an_edge(void **state)
{
    (void)state;
    for (uint32_t n = 1; n <= MAX_RANKS; n++) {
        uint64_t single = 0, twin = 0;
        for (uint32_t rank = 0; rank < n; rank++) {
            const struct coll_args args = args_of(COLL_ALL_REDUCE, n, rank, 1001);
            single += sent(&orr_coll_tree, &args);
            twin += sent(&orr_coll_double_binary_tree, &args);
        }
        assert_int_equal(single, 2 * (n - 1) * 1001);
        assert_int_equal(twin, 2 * (n - 1) * 1001);
    }
}

static void test_steps_eight_and_six_ranks_are_exact(void **state)
{
    (void)state;
    assert_int_equal(orr_coll_ring.steps(COLL_ALL_REDUCE, 8), 14);
    assert_int_equal(orr_coll_ring.steps(COLL_ALL_TO_ALL, 8), 28);
    assert_int_equal(orr_coll_bidirectional_ring.steps(COLL_ALL_TO_ALL, 8), 10);
    assert_int_equal(orr_coll_direct.steps(COLL_ALL_REDUCE, 8), 2);
    assert_int_equal(orr_coll_halving_doubling.steps(COLL_ALL_REDUCE, 8), 6);
    assert_int_equal(orr_coll_halving_doubling.steps(COLL_ALL_REDUCE, 6), 6);
    assert_int_equal(orr_coll_halving_doubling.steps(COLL_ALL_TO_ALL, 6), 3);
    assert_int_equal(orr_coll_tree.steps(COLL_ALL_REDUCE, 8), 6);
    assert_int_equal(orr_coll_tree.steps(COLL_BROADCAST, 6), 2);
    assert_int_equal(orr_coll_double_binary_tree.steps(COLL_ALL_REDUCE, 8), 6);
    assert_int_equal(orr_coll_pairwise.steps(COLL_ALL_TO_ALL, 8), 7);
}

/* ---- what folding relies on ---- */

static bool alike(enum coll_symmetry symmetry, uint32_t n, const uint32_t peer[2],
                  const uint32_t rank)
{
    return symmetry == COLL_SHIFTED ? peer[1] == (peer[0] + rank) % n : peer[1] == (peer[0] ^ rank);
}

/* Rank r's k-th send and receive are rank 0's, with the partner shifted, or exchanged. */
static void check_symmetry(const struct coll_algorithm *algorithm, struct coll_args args)
{
    const enum coll_symmetry symmetry = algorithm->symmetry(args.kind, args.n);
    struct coll_args first = args;
    first.rank = 0;
    assert_int_equal(algorithm->sends(&args), algorithm->sends(&first));
    assert_int_equal(algorithm->recvs(&args), algorithm->recvs(&first));
    for (uint32_t k = 0; k < algorithm->sends(&args); k++) {
        struct coll_send zero, own;
        algorithm->send(&first, k, &zero);
        algorithm->send(&args, k, &own);
        assert_true(alike(symmetry, args.n, (uint32_t[]){zero.peer, own.peer}, args.rank));
        assert_int_equal(own.peer_recv, zero.peer_recv);
        assert_int_equal(own.need, zero.need);
        assert_int_equal(own.lane, zero.lane);
        assert_int_equal(own.backwards, zero.backwards);
        assert_int_equal(own.bytes, zero.bytes);
    }
    for (uint32_t k = 0; k < algorithm->recvs(&args); k++) {
        struct coll_recv zero, own;
        algorithm->recv(&first, k, &zero);
        algorithm->recv(&args, k, &own);
        assert_true(alike(symmetry, args.n, (uint32_t[]){zero.peer, own.peer}, args.rank));
        assert_int_equal(own.after, zero.after);
        assert_int_equal(own.reduce, zero.reduce);
        assert_int_equal(own.bytes, zero.bytes);
    }
}

static void test_symmetry_ranks_do_alike_where_the_table_says_so(void **state)
{
    (void)state;
    unsigned checked = 0;
    for (size_t a = 0; orr_coll_algorithms[a] != NULL; a++) {
        const struct coll_algorithm *algorithm = orr_coll_algorithms[a];
        for (unsigned kind = 0; kind <= COLL_BARRIER && algorithm->symmetry != NULL; kind++) {
            for (uint32_t n = 2; n <= MAX_RANKS; n++) {
                if (!algorithm->supports((enum coll_kind)kind, n) ||
                    algorithm->symmetry((enum coll_kind)kind, n) == COLL_ASYMMETRIC) {
                    continue;
                }
                for (uint32_t rank = 0; rank < n; rank++) {
                    check_symmetry(algorithm, (struct coll_args){.kind = (enum coll_kind)kind,
                                                                 .n = n,
                                                                 .rank = rank,
                                                                 .window = n % 3,
                                                                 .bytes = 1000 + n});
                    checked++;
                }
            }
        }
    }
    assert_true(checked > 10000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_symmetry_ranks_do_alike_where_the_table_says_so),
        cmocka_unit_test(test_contract_all_reduce_holds),
        cmocka_unit_test(test_contract_holds_around_rings),
        cmocka_unit_test(test_contract_all_gather_holds),
        cmocka_unit_test(test_contract_reduce_scatter_holds),
        cmocka_unit_test(test_contract_all_to_all_holds),
        cmocka_unit_test(test_contract_broadcast_holds),
        cmocka_unit_test(test_contract_reduce_holds),
        cmocka_unit_test(test_contract_gather_holds),
        cmocka_unit_test(test_contract_scatter_holds),
        cmocka_unit_test(test_contract_barrier_holds),
        cmocka_unit_test(test_contract_beyond_64_ranks_holds),
        cmocka_unit_test(test_contract_one_rank_has_empty_programs),
        cmocka_unit_test_setup_teardown(test_contract_what_is_not_supported_is_refused, setup,
                                        teardown),
        cmocka_unit_test(test_contract_what_is_said_of_programs_holds),
        cmocka_unit_test(test_roles_are_played),
        cmocka_unit_test(test_find_names_are_unique),
        cmocka_unit_test(test_kind_name_covers_all_kinds),
        cmocka_unit_test(test_sent_block_algorithms_six_ranks_is_exact),
        cmocka_unit_test(test_sent_bidirectional_ring_six_ranks_is_exact),
        cmocka_unit_test(test_send_halving_doubling_eight_ranks_halves_and_doubles),
        cmocka_unit_test(test_send_halving_doubling_six_ranks_folds),
        cmocka_unit_test(test_sent_halving_doubling_all_to_all_is_exact),
        cmocka_unit_test(test_send_binomial_scatter_six_ranks_is_exact),
        cmocka_unit_test(test_send_direct_window_two_limits_unanswered_sends),
        cmocka_unit_test(test_double_binary_tree_eight_ranks_is_in_order),
        cmocka_unit_test(test_double_binary_tree_leaves_complement_each_other),
        cmocka_unit_test(test_sent_trees_all_reduce_is_two_buffers_an_edge),
        cmocka_unit_test(test_steps_eight_and_six_ranks_are_exact),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
