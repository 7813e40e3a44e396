/* All-reduces over several dimensions, some of trees that are given: what the phases of every chunk
 * do one after the other, as the checker proves it of each by itself, is an all-reduce. */
#include "network/net_dims.h"
#include "system/groups/group.h"
#include "system/plan/operation.h"
#include "system/plan/planning.h"
#include "system/sys_fold.h"
#include "system/sys_position.h"
#include "tests/unit/tree_run.h"

enum { MAX_RANKS = 64, MAX_BLOCKS = 64, MAX_TREES = 2 };

/* For each rank and block (a part of the chunk, by a digit a dimension) whose contributions it has;
 * none: it has not got the block. */
struct data {
    uint64_t has[MAX_RANKS][MAX_BLOCKS];
};

struct shape {
    unsigned dims;
    uint32_t n[3];
    const char *algorithm[3];
};

static uint32_t ranks_of(const struct shape *shape)
{
    uint32_t ranks = 1;
    for (unsigned d = 0; d < shape->dims; d++) {
        ranks *= shape->n[d];
    }
    return ranks;
}

/* One slice of a dimension: its ranks, and the phase's program arguments of the first. */
struct slice {
    const struct sys_dim *dim;
    struct sys_position first;
    struct coll_args args;
};

static uint32_t rank_in(const struct slice *slice, uint32_t i)
{
    return sys_peer_position(slice->dim, slice->first, 0, i).position;
}

static uint64_t sum_of(const struct data *data, const struct slice *slice, uint32_t block)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < slice->args.n; i++) {
        const uint64_t has = data->has[rank_in(slice, i)][block];
        assert_true((sum & has) == 0 || has == sum || slice->args.kind == COLL_ALL_GATHER);
        sum |= has;
    }
    return sum;
}

/* What rank i of the slice has of a block after the phase. */
static uint64_t after(const struct data *data, const struct slice *slice, uint32_t i,
                      uint32_t block)
{
    const uint64_t own = data->has[rank_in(slice, i)][block];
    const uint32_t digit = block / slice->dim->stride % slice->dim->n;
    switch (slice->args.kind) {
    case COLL_REDUCE:
        return i == slice->args.root ? sum_of(data, slice, block) : own;
    case COLL_BROADCAST:
        return data->has[rank_in(slice, slice->args.root)][block];
    case COLL_REDUCE_SCATTER:
        return i == digit ? sum_of(data, slice, block) : 0;
    default: /* all-reduce; all-gather of what one of them has */
        return sum_of(data, slice, block);
    }
}

static void run_slice(struct data *data, const struct slice *slice, uint32_t blocks)
{
    static struct data next;
    next = *data;
    for (uint32_t i = 0; i < slice->args.n; i++) {
        for (uint32_t block = 0; block < blocks; block++) {
            next.has[rank_in(slice, i)][block] = after(data, slice, i, block);
        }
    }
    *data = next;
}

/* Every slice in which members take part; either all of them do, or none. */
static void run_phase(struct sys_operation *operation, uint16_t chunk, uint8_t phase,
                      struct data *data)
{
    const struct sys_dim *dim = &operation->dim[operation->plan[chunk]->phase[phase].dim];
    for (uint32_t rank = 0; rank < operation->group->size; rank++) {
        struct sys_stream stream = {
            .operation = operation, .member = sys_member_id(rank), .chunk = chunk, .phase = phase};
        const struct coll_args args = orr_sys_args_of(&stream);
        const struct sys_position first =
            sys_position(rank - sys_index_in(dim, sys_position(rank)) * dim->stride);
        stream.member = sys_member_id(first.position);
        assert_int_equal(orr_sys_args_of(&stream).n, args.n);
        if (first.position == rank && args.n > 1) {
            const struct slice slice = {.dim = dim, .first = first, .args = args};
            run_slice(data, &slice, operation->group->size);
        }
    }
}

static void check_chunk(struct sys_operation *operation, uint16_t chunk)
{
    static struct data data;
    const uint32_t ranks = operation->group->size;
    const uint64_t all = ranks == 64 ? UINT64_MAX : (UINT64_C(1) << ranks) - 1;
    for (uint32_t rank = 0; rank < ranks; rank++) {
        for (uint32_t block = 0; block < ranks; block++) {
            data.has[rank][block] = UINT64_C(1) << rank;
        }
    }
    for (unsigned p = 0; p < operation->plan[chunk]->phases; p++) {
        run_phase(operation, chunk, (uint8_t)p, &data);
    }
    for (uint32_t rank = 0; rank < ranks; rank++) {
        for (uint32_t block = 0; block < ranks; block++) {
            assert_int_equal(data.has[rank][block], all);
        }
    }
}

static void check_shape(const struct shape *shape)
{
    struct orr_arena *arena = orr_arena_create();
    const struct tree_job job = {.n = 4,
                                 .trees = MAX_TREES,
                                 .parent = {{1, 3, 1, COLL_NO_PARENT}, {COLL_NO_PARENT, 0, 0, 0}}};
    struct net_dim dims[3];
    struct sys_algorithm items[3];
    struct coll_trees trees;
    struct sys *planner;
    tree_fill(&job, arena, &trees);
    for (unsigned d = 0; d < shape->dims; d++) {
        dims[d] = (struct net_dim){.block = NET_SWITCH,
                                   .npus = shape->n[d],
                                   .bandwidth_bytes_per_s = 1e9,
                                   .per_npu = true};
        items[d] =
            (struct sys_algorithm){.algorithm = orr_coll_algorithm_find(shape->algorithm[d])};
    }
    const struct net_config net = {.backend = "analytical", .dims = shape->dims, .dim = dims};
    struct sys_config config = {.policy = &orr_sys_policy_default,
                                .chunks = 4,
                                .active_chunks = 1,
                                .queues_per_dim = 1,
                                .bandwidth_aware = true,
                                .trees = &trees};
    config.algorithms[COLL_ALL_REDUCE] =
        (struct sys_algorithm_list){.items = items, .count = shape->dims};
    assert_int_equal(orr_sys_planner_create(&planner, &config, &net, arena, NULL), ORR_OK);
    struct sys_operation operation = {.sys = planner,
                                      .arena = arena,
                                      .group = planner->all.groups[0],
                                      .kind = COLL_ALL_REDUCE,
                                      .bytes = 64000,
                                      .dim_mask = UINT32_MAX};
    assert_int_equal(orr_sys_plan_operation(planner, &operation, NULL), ORR_OK);
    assert_int_equal(operation.group->size, ranks_of(shape));
    assert_int_equal(operation.chunks, 4);
    for (uint32_t c = 0; c < operation.chunks; c++) {
        check_chunk(&operation, (uint16_t)c);
    }
    orr_arena_destroy(arena);
}

static void test_phases_of_trees_and_others_are_an_all_reduce(void **state)
{
    static const struct shape shapes[] = {
        {1, {4}, {"trees"}},
        {2, {4, 3}, {"trees", "ring"}},
        {2, {3, 4}, {"ring", "trees"}},
        {2, {4, 4}, {"trees", "trees"}},
        {2, {4, 8}, {"trees", "halving_doubling"}},
        {2, {4, 8}, {"trees", "double_binary_tree"}},
        {2, {5, 4}, {"direct", "trees"}},
        {3, {2, 4, 3}, {"ring", "trees", "ring"}},
        {3, {4, 2, 4}, {"trees", "direct", "trees"}},
        {3, {4, 4, 3}, {"trees", "trees", "bidirectional_ring"}},
    };
    (void)state;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        check_shape(&shapes[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_phases_of_trees_and_others_are_an_all_reduce),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
