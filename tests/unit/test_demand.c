/* What strategies send: the rules for edges and weights, against sums by hand. A sample's output
 * has 256 bytes, the batch 16 samples: S = 4096 bytes. */
#include "tests/unit/strategy_fixture.h"
#include "workload/strategy/demand_total.h"

enum { S = 4096, MAX = 256 };

struct seen {
    struct demand_transfer transfer[MAX];
    struct demand_reduce reduce[MAX];
    uint32_t member[MAX][16];
    uint32_t transfers, reduces;
    uint64_t bytes;
};

static void see(void *context, const struct demand_transfer *transfer)
{
    struct seen *seen = context;
    assert_true(seen->transfers < MAX);
    seen->transfer[seen->transfers++] = *transfer;
    seen->bytes += transfer->bytes;
}

static void see_reduce(void *context, const struct demand_reduce *reduce)
{
    struct seen *seen = context;
    memcpy(seen->member[seen->reduces], reduce->member, reduce->members * sizeof(uint32_t));
    seen->reduce[seen->reduces++] = *reduce;
}

/* The transfers of an edge of the toy as it is drafted. */
static struct seen edge_of(struct toy *toy, uint32_t edge)
{
    static const struct seen none;
    struct seen seen = none;
    struct strategy *strategy = orr_arena_alloc(toy->arena, sizeof *strategy);
    struct demand demand;
    *strategy = orr_strategy_drafted(&toy->draft);
    assert_int_equal(orr_strategy_check(&toy->graph, strategy, &toy->diag), ORR_OK);
    assert_true(orr_demand_init(toy->arena, &toy->graph, strategy, &demand));
    orr_demand_edge(&demand, edge, see, &seen);
    return seen;
}

static struct seen reduces_of(struct toy *toy, uint32_t op)
{
    static const struct seen none;
    struct seen seen = none;
    struct strategy *strategy = orr_arena_alloc(toy->arena, sizeof *strategy);
    struct demand demand;
    *strategy = orr_strategy_drafted(&toy->draft);
    assert_int_equal(orr_strategy_check(&toy->graph, strategy, &toy->diag), ORR_OK);
    assert_true(orr_demand_init(toy->arena, &toy->graph, strategy, &demand));
    orr_demand_reduces(&demand, op, see_reduce, &seen);
    return seen;
}

/* Two operators, one behind the other; each split in one dimension. */
static struct seen chain(struct toy *toy, unsigned from_dim, uint32_t from_parts, unsigned to_dim,
                         uint32_t to_parts, uint32_t to_first)
{
    toy_init(toy, 16);
    const uint32_t a = toy_op(toy, "a", 256, 0, NULL);
    const uint32_t b = toy_after(toy, "b", 256, 0, a);
    toy_draft(toy, 32, 1);
    toy_split(toy, a, from_dim, from_parts, 0);
    toy_split(toy, b, to_dim, to_parts, to_first);
    return edge_of(toy, 0);
}

static void test_slice_to_slice_finer_parts_send_to_the_one_around_them(void **state)
{
    struct toy toy;
    (void)state;
    /* 8 slices to 2: part i to part floor(i / 4), S / 8 each */
    struct seen seen = chain(&toy, SAMPLE, 8, SAMPLE, 2, 16);
    assert_int_equal(seen.transfers, 8);
    for (uint32_t i = 0; i < 8; i++) {
        assert_int_equal(seen.transfer[i].from, i);
        assert_int_equal(seen.transfer[i].to, 16 + i / 4);
        assert_int_equal(seen.transfer[i].bytes, S / 8);
    }
    toy_fini(&toy);
    /* and back: 2 slices of an axis of the sample to 8 */
    seen = chain(&toy, OUTPUT, 2, INPUT, 8, 16);
    assert_int_equal(seen.transfers, 8);
    for (uint32_t i = 0; i < 8; i++) {
        assert_int_equal(seen.transfer[i].from, i / 4);
        assert_int_equal(seen.transfer[i].to, 16 + i);
        assert_int_equal(seen.transfer[i].bytes, S / 8);
    }
    toy_fini(&toy);
}

static void test_slice_to_slice_uneven_counts_share_what_overlaps(void **state)
{
    struct toy toy;
    (void)state;
    /* thirds to halves: 1/3, then 1/6 and 1/6, then 1/3 of 4096: 1365.3 and 682.7 */
    struct seen seen = chain(&toy, OUTPUT, 3, INPUT, 2, 16);
    assert_int_equal(seen.transfers, 4);
    assert_int_equal(seen.transfer[0].bytes, 1365);
    assert_int_equal(seen.transfer[1].bytes, 683);
    assert_int_equal(seen.transfer[2].bytes, 683);
    assert_int_equal(seen.transfer[3].bytes, 1365);
    toy_fini(&toy);
}

static void test_slice_to_all_every_part_gets_every_slice(void **state)
{
    struct toy toy;
    (void)state;
    struct seen seen = chain(&toy, OUTPUT, 4, OUTPUT, 2, 16);
    assert_int_equal(seen.transfers, 8);
    assert_int_equal(seen.transfer[1].from, 0);
    assert_int_equal(seen.transfer[1].to, 17);
    assert_int_equal(seen.transfer[1].bytes, S / 4);
    assert_int_equal(seen.bytes, 2 * S);
    toy_fini(&toy);
}

static void test_partial_sums_to_slice_every_part_sends_its_share_of_the_sum(void **state)
{
    struct toy toy;
    (void)state;
    struct seen seen = chain(&toy, INPUT, 4, ALIKE, 8, 16);
    assert_int_equal(seen.transfers, 32);
    assert_int_equal(seen.transfer[31].from, 3);
    assert_int_equal(seen.transfer[31].to, 23);
    assert_int_equal(seen.transfer[31].bytes, S / 8);
    assert_int_equal(seen.bytes, 4 * S);
    toy_fini(&toy);
}

static void test_slices_of_different_axes_all_pairs_share(void **state)
{
    struct toy toy;
    (void)state;
    struct seen seen = chain(&toy, SAMPLE, 4, INPUT, 4, 16);
    assert_int_equal(seen.transfers, 16);
    assert_int_equal(seen.transfer[5].bytes, S / 16);
    assert_int_equal(seen.bytes, S);
    toy_fini(&toy);
}

static void test_halo_goes_over_each_cut(void **state)
{
    struct toy toy;
    (void)state;
    /* 16 bytes of a sample at each side of a cut: 256 of the batch. The same 4 slices on the same
     * devices: the slice stays, each neighbour gets a halo: 3 cuts, two ways. */
    struct seen seen = chain(&toy, HEIGHT, 4, HEIGHT, 4, 0);
    assert_int_equal(seen.transfers, 4 + 6);
    assert_int_equal(seen.transfer[2].from, 1);
    assert_int_equal(seen.transfer[2].to, 0);
    assert_int_equal(seen.transfer[2].bytes, 256);
    assert_int_equal(seen.bytes, 6 * 256);
    toy_fini(&toy);
    /* from one whole to 4 elsewhere: slices with one halo outside, two inside */
    seen = chain(&toy, HEIGHT, 1, HEIGHT, 4, 16);
    assert_int_equal(seen.transfers, 4);
    assert_int_equal(seen.transfer[0].bytes, S / 4 + 256);
    assert_int_equal(seen.transfer[1].bytes, S / 4 + 2 * 256);
    toy_fini(&toy);
}

static void test_data_parallel_same_devices_sends_nothing(void **state)
{
    struct toy toy;
    struct demand demand;
    (void)state;
    struct seen seen = chain(&toy, SAMPLE, 16, SAMPLE, 16, 0);
    assert_int_equal(seen.transfers, 16);
    assert_int_equal(seen.bytes, 0);
    assert_false(seen.transfer[3].carried);
    const struct strategy strategy = orr_strategy_drafted(&toy.draft);
    assert_true(orr_demand_init(toy.arena, &toy.graph, &strategy, &demand));
    assert_true(orr_demand_is_local(&demand, 0));
    toy_fini(&toy);
}

static void test_tensor_several_parts_of_a_device_need_it_goes_once(void **state)
{
    struct toy toy;
    (void)state;
    toy_init(&toy, 16);
    const uint32_t a = toy_op(&toy, "a", 256, 0, NULL);
    const uint32_t b = toy_after(&toy, "b", 256, 0, a);
    toy_draft(&toy, 4, 1);
    const uint32_t degree[TOY_DIMS] = {1, 4, 1, 1, 1}, device[4] = {1, 2, 1, 1};
    assert_true(orr_strategy_set(&toy.draft, b, degree, device));
    /* a is whole on device 0, and all parts of b need all of it: once to 1, once to 2 */
    struct seen seen = edge_of(&toy, 0);
    assert_int_equal(seen.transfers, 4);
    assert_int_equal(seen.bytes, 2 * S);
    assert_false(seen.transfer[0].carried || seen.transfer[1].carried);
    assert_true(seen.transfer[2].carried && seen.transfer[3].carried);
    assert_int_equal(seen.transfer[3].by_part, 0);
    toy_fini(&toy);
}

/* Each token goes to one of four experts, three of which are on device 1: a quarter of the tokens
 * for each of them, no two the same. With eight for each token all get all, and device 1 once. */
static void test_tokens_go_to_the_parts_of_their_experts(void **state)
{
    struct toy toy;
    (void)state;
    struct model_dim dim[TOY_DIMS];
    memcpy(dim, toy_dims, sizeof dim);
    toy_init(&toy, 16);
    const uint32_t a = toy_op(&toy, "a", 256, 0, NULL);
    const uint32_t b = toy_after(&toy, "b", 256, 0, a);
    toy_draft(&toy, 4, 1);
    toy.op[b].dim = dim;
    const uint32_t degree[TOY_DIMS] = {1, 4, 1, 1, 1}, device[4] = {1, 2, 1, 1};
    assert_true(orr_strategy_set(&toy.draft, b, degree, device));
    dim[OUTPUT].experts_per_token = 1;
    const struct seen seen = edge_of(&toy, 0);
    assert_int_equal(seen.transfers, 4);
    assert_int_equal(seen.bytes, S);
    assert_false(seen.transfer[2].carried || seen.transfer[3].carried);
    dim[OUTPUT].experts_per_token = 8;
    assert_int_equal(edge_of(&toy, 0).bytes, 2 * S);
    toy_fini(&toy);
}

/* Four parts with two experts for each token: a part has sums of half of the tokens, and gives each
 * of four slices of the samples its part of them. */
static void test_sums_of_experts_are_of_the_tokens_that_they_had(void **state)
{
    struct toy toy;
    (void)state;
    struct model_dim dim[TOY_DIMS];
    memcpy(dim, toy_dims, sizeof dim);
    dim[INPUT].experts_per_token = 2;
    toy_init(&toy, 16);
    const uint32_t a = toy_op(&toy, "a", 256, 0, NULL);
    const uint32_t b = toy_after(&toy, "b", 256, 0, a);
    toy.op[a].dim = dim;
    toy_draft(&toy, 8, 1);
    toy_split(&toy, a, INPUT, 4, 0);
    toy_split(&toy, b, SAMPLE, 4, 4);
    const struct seen seen = edge_of(&toy, 0);
    assert_int_equal(seen.transfers, 16);
    assert_int_equal(seen.bytes, 2 * S);
    toy_fini(&toy);
}

static void test_tensor_two_consumers_of_a_device_goes_once(void **state)
{
    struct toy toy;
    (void)state;
    toy_init(&toy, 16);
    const uint32_t a = toy_op(&toy, "a", 256, 0, NULL);
    const uint32_t b = toy_after(&toy, "b", 256, 0, a); /* needs all, on devices 4 .. 7 */
    const uint32_t c = toy_after(&toy, "c", 256, 0, a); /* a slice, on devices 6 .. 9 */
    toy_draft(&toy, 16, 1);
    toy_split(&toy, a, OUTPUT, 4, 0);
    toy_split(&toy, b, OUTPUT, 4, 4);
    toy_split(&toy, c, INPUT, 4, 6);
    assert_int_equal(edge_of(&toy, 0).bytes, 4 * S);
    const struct seen seen = edge_of(&toy, 1);
    assert_int_equal(seen.transfers, 4);
    assert_true(seen.transfer[0].carried && seen.transfer[1].carried);
    assert_int_equal(seen.transfer[1].by_edge, 0);
    assert_int_equal(seen.transfer[1].by_part, 3); /* device 7 */
    assert_false(seen.transfer[2].carried || seen.transfer[3].carried);
    assert_int_equal(seen.bytes, 2 * S / 4);
    toy_fini(&toy);
}

static void test_reduces_samples_and_slices_one_group_for_each_shard(void **state)
{
    struct toy toy;
    (void)state;
    toy_init(&toy, 16);
    const uint32_t a = toy_op(&toy, "a", 256, 1000, NULL);
    toy_draft(&toy, 8, 1);
    /* 2 x 4 parts on devices 7 .. 0: shard s is on 7 - s and 3 - s, 250 bytes */
    const uint32_t degree[TOY_DIMS] = {2, 4, 1, 1, 1}, device[8] = {7, 6, 5, 4, 3, 2, 1, 0};
    assert_true(orr_strategy_set(&toy.draft, a, degree, device));
    const struct seen seen = reduces_of(&toy, a);
    assert_int_equal(seen.reduces, 4);
    for (uint32_t s = 0; s < 4; s++) {
        assert_int_equal(seen.reduce[s].bytes, 250);
        assert_int_equal(seen.reduce[s].members, 2);
        assert_int_equal(seen.member[s][0], 3 - s);
        assert_int_equal(seen.member[s][1], 7 - s);
        assert_false(seen.reduce[s].across);
    }
    toy_fini(&toy);
}

static void test_reduces_biases_apart(void **state)
{
    struct toy toy;
    (void)state;
    toy_init(&toy, 16);
    const uint32_t a = toy_op(&toy, "a", 256, 1040, NULL); /* 10 biases of 4 bytes among 260 */
    toy.op[a].bias = 10;
    toy_draft(&toy, 4, 1);
    toy_split(&toy, a, SAMPLE, 4, 0);
    const struct seen seen = reduces_of(&toy, a);
    assert_int_equal(seen.reduces, 2);
    assert_int_equal(seen.reduce[0].bytes, 1000);
    assert_int_equal(seen.reduce[1].bytes, 40);
    assert_true(seen.reduce[1].bias && !seen.reduce[0].bias);
    toy_fini(&toy);
}

static void test_reduces_shared_weights_once_over_all_users(void **state)
{
    struct toy toy;
    (void)state;
    toy_init(&toy, 16);
    const uint32_t a = toy_op(&toy, "a", 256, 1000, NULL);
    const uint32_t b = toy_after(&toy, "b", 256, 1000, a);
    toy.op[b].owner = a;
    toy_draft(&toy, 8, 1);
    toy_split(&toy, a, SAMPLE, 2, 0);
    toy_split(&toy, b, SAMPLE, 4, 1);
    const struct seen seen = reduces_of(&toy, a);
    assert_int_equal(seen.reduces, 1);
    assert_int_equal(seen.reduce[0].members, 5); /* 0, 1 and 1 .. 4 */
    assert_int_equal(seen.member[0][4], 4);
    assert_int_equal(reduces_of(&toy, b).reduces, 0);
    toy_fini(&toy);
}

static void test_reduces_whole_operator_only_across_groups(void **state)
{
    struct toy toy;
    (void)state;
    toy_init(&toy, 16);
    const uint32_t a = toy_op(&toy, "a", 256, 1000, NULL);
    toy_draft(&toy, 8, 1);
    toy_split(&toy, a, SAMPLE, 1, 3);
    assert_int_equal(reduces_of(&toy, a).reduces, 0);
    toy_draft(&toy, 8, 2);
    toy_split(&toy, a, SAMPLE, 1, 3);
    const struct seen seen = reduces_of(&toy, a);
    assert_int_equal(seen.reduces, 1);
    assert_true(seen.reduce[0].across);
    assert_int_equal(seen.member[0][0], 3);
    toy_fini(&toy);
}

static void test_tables_round_robin_each_server_sends_to_the_others(void **state)
{
    struct toy toy;
    (void)state;
    /* as TopoOpt's DLRM: 4 tables of 16 servers; output of a table 1024 bytes a sample: a server
     * gets 16 x 1024 / 16 of each */
    toy_init(&toy, 16);
    uint32_t table[4];
    for (uint32_t t = 0; t < 4; t++) {
        table[t] = toy_op(&toy, "table", 1024, 1 << 20, NULL);
        toy.op[table[t]].table = true;
    }
    (void)toy_after(&toy, "concat", 4096, 0, table[0]);
    for (uint32_t t = 1; t < 4; t++) {
        toy_input(&toy, table[t]);
    }
    toy_draft(&toy, 16, 1);
    assert_true(orr_strategy_data_parallel(&toy.draft));
    for (uint32_t t = 0; t < 4; t++) {
        const struct seen seen = edge_of(&toy, t);
        assert_int_equal(seen.transfers, 16);
        assert_int_equal(seen.bytes, 15 * 1024);
        assert_int_equal(seen.transfer[0].from, t);
        assert_int_equal(reduces_of(&toy, table[t]).reduces, 0);
    }
    toy_fini(&toy);
}

/* ---- totals ---- */

/* TopoOpt's Fig. 1: 16 servers; 4 tables of 512 columns of 8 bytes in the output, 8192 samples of a
 * server; 20 GB of weights in all. */
static void fig_1(struct toy *toy)
{
    toy_init(toy, 16 * 8192);
    for (uint32_t t = 0; t < 4; t++) {
        toy->op[toy_op(toy, "table", 4096, UINT64_C(5000000000), NULL)].table = true;
    }
    (void)toy_after(toy, "concat", 16384, 0, 0);
    for (uint32_t t = 1; t < 4; t++) {
        toy_input(toy, t);
    }
    toy_draft(toy, 16, 1);
    assert_true(orr_strategy_data_parallel(&toy->draft));
}

static struct demand_total total_of(struct toy *toy)
{
    const struct strategy strategy = orr_strategy_drafted(&toy->draft);
    struct demand_total total;
    assert_int_equal(orr_strategy_check(&toy->graph, &strategy, &toy->diag), ORR_OK);
    assert_int_equal(orr_demand_total(toy->arena, &toy->graph, &strategy, &total, &toy->diag),
                     ORR_OK);
    return total;
}

static void test_fig_1_tables_on_servers_send_33_6_MB_to_each_other(void **state)
{
    static const uint32_t server[4] = {0, 3, 8, 13};
    struct toy toy;
    (void)state;
    fig_1(&toy);
    for (uint32_t t = 0; t < 4; t++) {
        toy_split(&toy, t, SAMPLE, 1, server[t]);
    }
    const struct demand_total total = total_of(&toy);
    /* 8192 x 4096 bytes = 33.6 MB to each other server, and back; both between two with tables */
    assert_int_equal(total.transfers[0 * 16 + 1], 33554432);
    assert_int_equal(total.transfers[1 * 16 + 0], 33554432);
    assert_int_equal(total.transfers[0 * 16 + 3], 2 * 33554432);
    assert_int_equal(total.transfers[1 * 16 + 2], 0);
    assert_int_equal(total.transfer_bytes, UINT64_C(4) * 15 * 2 * 33554432);
    assert_int_equal(total.largest_bytes, 2 * 33554432);
    assert_int_equal(total.groups, 0);
    toy_fini(&toy);
}

static void test_fig_1_data_parallel_tables_are_reduced_around_rings(void **state)
{
    static const uint32_t jumps[3] = {1, 3, 7};
    struct toy toy;
    uint64_t matrix[16 * 16] = {0};
    (void)state;
    fig_1(&toy);
    for (uint32_t t = 0; t < 4; t++) {
        toy_split(&toy, t, SAMPLE, 16, 0);
    }
    const struct demand_total total = total_of(&toy);
    assert_int_equal(total.transfer_bytes, 0);
    assert_int_equal(total.groups, 1);
    assert_int_equal(total.group[0].tensors, 4);
    assert_int_equal(total.reduce_bytes, UINT64_C(20000000000));
    /* 2 x 15 / 16 x 20 GB = 37.5 GB around one ring, a third around each of three */
    assert_int_equal(orr_demand_add_rings(&total, jumps, 1, matrix, &toy.diag), ORR_OK);
    assert_int_equal(matrix[15 * 16 + 0], UINT64_C(37500000000));
    assert_int_equal(matrix[15 * 16 + 2], 0);
    memset(matrix, 0, sizeof matrix);
    assert_int_equal(orr_demand_add_rings(&total, jumps, 3, matrix, &toy.diag), ORR_OK);
    assert_int_equal(matrix[15 * 16 + 2], UINT64_C(12500000000));
    assert_int_equal(orr_demand_add_rings(&total, (const uint32_t[]){2}, 1, matrix, &toy.diag),
                     ORR_ERR_INPUT);
    toy_fini(&toy);
}

/* Half of the 20 GB in each tree: 8 below the root 0 in the one, 7 below 15 in the other; in all
 * 2 x 15 x 20 GB. With a jump of 3 places 7 and 15 are those of members 21 and 45, 5 and 13. */
static void test_fig_22_tables_are_reduced_by_trees(void **state)
{
    struct toy toy;
    uint64_t matrix[2][16 * 16] = {{0}}, sum = 0;
    const uint32_t jump[2] = {1, 3}, both = 2;
    (void)state;
    fig_1(&toy);
    for (uint32_t t = 0; t < 4; t++) {
        toy_split(&toy, t, SAMPLE, 16, 0);
    }
    const struct demand_total total = total_of(&toy);
    for (uint32_t j = 0; j < 2; j++) {
        assert_int_equal(orr_demand_add_trees(&total, &jump[j], 1, matrix[j], &toy.diag), ORR_OK);
    }
    assert_int_equal(matrix[0][8 * 16 + 0], UINT64_C(10000000000));
    assert_int_equal(matrix[0][7 * 16 + 15], UINT64_C(10000000000));
    assert_int_equal(matrix[1][5 * 16 + 13], UINT64_C(10000000000));
    for (uint32_t i = 0; i < 16 * 16; i++) {
        const uint32_t from = i / 16 * 3 % 16, to = i % 16 * 3 % 16;
        assert_int_equal(matrix[1][from * 16 + to], matrix[0][i]);
        sum += matrix[0][i];
    }
    assert_int_equal(sum, UINT64_C(600000000000));
    assert_int_equal(orr_demand_add_trees(&total, &both, 1, matrix[0], &toy.diag), ORR_ERR_INPUT);
    toy_fini(&toy);
}

static void test_groups_bytes_that_leave_one_do_not_depend_on_its_size(void **state)
{
    (void)state;
    /* 2 (l - 1) / l x W leave a group, whatever k (SiP-ML, section 4) */
    for (uint32_t k = 1; k <= 8; k *= 2) {
        struct toy toy;
        uint64_t matrix[64 * 64] = {0}, leaves = 0;
        const uint32_t jump = 1, devices = 4 * k;
        toy_init(&toy, 64);
        toy_draft(&toy, 1, 1);
        const uint32_t a = toy_op(&toy, "a", 256, 1 << 20, NULL);
        const uint32_t b = toy_after(&toy, "b", 256, 1 << 16, a);
        toy_draft(&toy, devices, 4);
        toy_split(&toy, a, OUTPUT, k, 0);
        toy_split(&toy, b, ALIKE, k, 0); /* copied */
        const struct demand_total total = total_of(&toy);
        assert_int_equal(orr_demand_add_rings(&total, &jump, 1, matrix, &toy.diag), ORR_OK);
        for (uint32_t i = 0; i < k; i++) {
            for (uint32_t j = k; j < devices; j++) {
                leaves += matrix[i * devices + j];
            }
        }
        assert_int_equal(leaves, 2 * 3 * ((1 << 20) + (1 << 16)) / 4);
        toy_fini(&toy);
    }
}

static void test_listed_gradients_bytes_go_one_way(void **state)
{
    struct toy toy;
    (void)state;
    toy_init(&toy, 16);
    const uint32_t a = toy_op(&toy, "a", 256, 1000, NULL);
    const uint32_t b = toy_after(&toy, "b", 256, 0, a);
    toy.graph.lists_gradients = true;
    toy_draft(&toy, 2, 1);
    toy_split(&toy, a, SAMPLE, 2, 0);
    toy_split(&toy, b, SAMPLE, 1, 1);
    const struct demand_total total = total_of(&toy);
    assert_int_equal(total.transfers[0 * 2 + 1], 2048);
    assert_int_equal(total.transfers[1 * 2 + 0], 0);
    assert_int_equal(total.transfer_bytes, 2048);
    assert_int_equal(total.reduce_bytes, 1000);
    toy_fini(&toy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_slice_to_slice_finer_parts_send_to_the_one_around_them),
        cmocka_unit_test(test_slice_to_slice_uneven_counts_share_what_overlaps),
        cmocka_unit_test(test_slice_to_all_every_part_gets_every_slice),
        cmocka_unit_test(test_partial_sums_to_slice_every_part_sends_its_share_of_the_sum),
        cmocka_unit_test(test_slices_of_different_axes_all_pairs_share),
        cmocka_unit_test(test_halo_goes_over_each_cut),
        cmocka_unit_test(test_data_parallel_same_devices_sends_nothing),
        cmocka_unit_test(test_tensor_several_parts_of_a_device_need_it_goes_once),
        cmocka_unit_test(test_tokens_go_to_the_parts_of_their_experts),
        cmocka_unit_test(test_sums_of_experts_are_of_the_tokens_that_they_had),
        cmocka_unit_test(test_tensor_two_consumers_of_a_device_goes_once),
        cmocka_unit_test(test_reduces_samples_and_slices_one_group_for_each_shard),
        cmocka_unit_test(test_reduces_biases_apart),
        cmocka_unit_test(test_reduces_shared_weights_once_over_all_users),
        cmocka_unit_test(test_reduces_whole_operator_only_across_groups),
        cmocka_unit_test(test_tables_round_robin_each_server_sends_to_the_others),
        cmocka_unit_test(test_fig_1_tables_on_servers_send_33_6_MB_to_each_other),
        cmocka_unit_test(test_fig_1_data_parallel_tables_are_reduced_around_rings),
        cmocka_unit_test(test_fig_22_tables_are_reduced_by_trees),
        cmocka_unit_test(test_groups_bytes_that_leave_one_do_not_depend_on_its_size),
        cmocka_unit_test(test_listed_gradients_bytes_go_one_way),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
