/* The trace builder: order, parents, children, groups, rare attributes, and graphs that are wrong.
 */
#include "core/time.h"
#include "tests/unit/et_bytes.h"
#include "workload/trace/trace.h"
#include "workload/trace/trace_builder.h"
#include "workload/trace/trace_query.h"

static int setup(void **state)
{
    *state = orr_arena_create();
    return *state != NULL ? 0 : -1;
}

static int teardown(void **state)
{
    orr_arena_destroy(*state);
    return 0;
}

static const struct orr_deps no_deps = {NULL, 0};

static void add(struct orr_trace_builder *builder, uint64_t id, const char *name, uint64_t data,
                uint64_t ctrl)
{
    const struct orr_node_spec spec = {.id = id,
                                       .kind = ORR_NODE_COMP,
                                       .name = name,
                                       .data_deps = {&data, data != UINT64_MAX ? 1 : 0},
                                       .ctrl_deps = {&ctrl, ctrl != UINT64_MAX ? 1 : 0}};
    assert_int_equal(orr_trace_builder_add(builder, &spec, NULL), ORR_OK);
}

static const struct orr_trace *finish(struct orr_trace_builder *builder)
{
    const struct orr_trace *trace = NULL;
    struct orr_diag diag;
    orr_diag_init(&diag);
    assert_int_equal(orr_trace_builder_finish(builder, &trace, &diag), ORR_OK);
    orr_trace_builder_destroy(builder);
    return trace;
}

static void finish_fails(struct orr_trace_builder *builder, const char *expected)
{
    const struct orr_trace *trace = NULL;
    struct orr_diag diag;
    char text[5000];
    orr_diag_init(&diag);
    assert_int_equal(orr_trace_builder_finish(builder, &trace, &diag), ORR_ERR_INPUT);
    (void)orr_diag_render(&diag, text, sizeof text);
    assert_string_equal(text, expected);
    orr_trace_builder_destroy(builder);
}

static void test_finish_empty_has_no_nodes(void **state)
{
    const struct orr_trace *trace = finish(orr_trace_builder_create(*state));
    assert_int_equal(trace->nodes, 0);
    assert_int_equal(trace->edges, 0);
    assert_string_equal(trace->path, "");
    assert_string_equal(trace->version, "");
}

/* 30 <- 10, 20 <- 10 (twice, data and control), 30 <- 20: children of 10 are 20 and 30. */
static void test_finish_unordered_ids_sorts_and_merges(void **state)
{
    struct orr_trace_builder *builder = orr_trace_builder_create(*state);
    const uint64_t deps[] = {20, 10};
    const struct orr_node_spec last = {
        .id = 30, .kind = ORR_NODE_COMP, .name = "last", .data_deps = {deps, 2}};
    assert_int_equal(orr_trace_builder_add(builder, &last, NULL), ORR_OK);
    add(builder, 20, "middle", 10, 10);
    add(builder, 10, "first", UINT64_MAX, UINT64_MAX);
    const struct orr_trace *trace = finish(builder);
    assert_int_equal(trace->nodes, 3);
    assert_int_equal(trace->edges, 3);
    assert_int_equal(trace->node[0].id, 10);
    assert_string_equal(trace->node[0].name, "first");
    assert_int_equal(trace->node[2].id, 30);
    assert_int_equal(trace->parents[0], 0);
    assert_int_equal(trace->parents[1], 1);
    assert_int_equal(trace->parents[2], 2);
    assert_int_equal(trace->node[0].first_child, 0);
    assert_int_equal(orr_trace_child_end(trace, 0), 2);
    assert_int_equal(trace->children[0], 1);
    assert_int_equal(trace->children[1], 2);
    assert_int_equal(trace->children[2], 2);
    assert_int_equal(orr_trace_child_end(trace, 2), 3);
}

/* Ids far apart are found by search, close ones by a table, contiguous ones by arithmetic. */
static void test_finish_sparse_ids_finds_parents(void **state)
{
    const uint64_t steps[] = {1, 3, UINT64_C(1) << 40};
    for (size_t s = 0; s < 3; s++) {
        struct orr_trace_builder *builder = orr_trace_builder_create(*state);
        for (uint64_t i = 0; i < 100; i++) {
            add(builder, 7 + i * steps[s], "n", i > 0 ? 7 + (i - 1) * steps[s] : UINT64_MAX,
                UINT64_MAX);
        }
        const struct orr_trace *trace = finish(builder);
        assert_int_equal(trace->edges, 99);
        for (uint32_t i = 0; i < 99; i++) {
            assert_int_equal(trace->children[i], i + 1);
        }
    }
}

static void test_finish_largest_id_works(void **state)
{
    struct orr_trace_builder *builder = orr_trace_builder_create(*state);
    add(builder, UINT64_MAX, "max", 0, UINT64_MAX);
    add(builder, 0, "zero", UINT64_MAX, UINT64_MAX);
    const struct orr_trace *trace = finish(builder);
    assert_true(trace->node[1].id == UINT64_MAX);
    assert_int_equal(trace->parents[1], 1);
}

static void test_add_short_forms_fill_fields(void **state)
{
    struct orr_trace_builder *builder = orr_trace_builder_create(*state);
    const uint64_t comp = orr_trace_builder_add_comp(builder, "c", 100, 50, no_deps);
    const struct orr_deps after = {&comp, 1};
    assert_int_equal(comp, 0);
    assert_int_equal(orr_trace_builder_add_coll(builder, "ar", ORR_COMM_BARRIER, 8, after), 1);
    assert_int_equal(orr_trace_builder_add_coll_in(builder, "tp", ORR_COMM_ALL_TO_ALL, 9, after),
                     2);
    assert_int_equal(orr_trace_builder_add_send(builder, 3, 4, 5, after), 3);
    assert_int_equal(orr_trace_builder_add_recv(builder, 6, 7, 8, after), 4);
    assert_int_equal(orr_trace_builder_add_mem(builder, ORR_NODE_MEM_LOAD, true, 9, after), 5);
    assert_int_equal(orr_trace_builder_add_metadata(builder, "m", "groups"), 6);
    assert_int_equal(orr_trace_builder_add_replay(builder, "r", 12 * ORR_PS_PER_US, true, after),
                     7);
    const struct orr_trace *trace = finish(builder);
    const struct orr_node *node = trace->node;
    assert_int_equal(node[0].amount, 100);
    assert_int_equal(node[0].of.tensor_bytes, 50);
    assert_int_equal(node[0].flags, ORR_NODE_HAS_NUM_OPS | ORR_NODE_HAS_TENSOR_SIZE);
    assert_int_equal(node[1].comm, ORR_COMM_BARRIER);
    assert_int_equal(node[1].amount, 8);
    assert_int_equal(node[1].group, 0);
    assert_string_equal(node[2].name, "ALL_TO_ALL");
    assert_int_equal(node[2].group, 1);
    assert_string_equal(trace->groups[0], "tp");
    assert_int_equal(node[3].of.p2p.peer, 3);
    assert_int_equal(node[3].of.p2p.tag, 4);
    assert_int_equal(node[3].flags, ORR_NODE_HAS_DST);
    assert_int_equal(node[4].of.p2p.peer, 6);
    assert_int_equal(node[4].flags, ORR_NODE_HAS_SRC);
    assert_int_equal(node[5].flags, ORR_NODE_LOCAL_MEMORY | ORR_NODE_HAS_TENSOR_SIZE);
    assert_string_equal(orr_trace_extra(trace, &node[6])->inputs_values, "groups");
    assert_int_equal(node[7].duration_ps, 12 * ORR_PS_PER_US);
    assert_int_equal(node[7].flags, ORR_NODE_IS_CPU | ORR_NODE_HAS_CPU_FLAG);
    assert_int_equal(trace->parents[7], 1);
    assert_true(sizeof(struct orr_node) <= 64);
}

static void test_add_rare_attributes_equal_neighbours_share(void **state)
{
    struct orr_trace_builder *builder = orr_trace_builder_create(*state);
    static const char *const inputs[] = {"w", "x"}, *const outputs[] = {"y"};
    struct orr_node_spec spec = {.kind = ORR_NODE_COLL,
                                 .priority = 5,
                                 .root = 2,
                                 .tag = 3,
                                 .has_involved_dim = true,
                                 .involved_dims = 3,
                                 .involved_mask = 5};
    assert_int_equal(orr_trace_builder_add(builder, &spec, NULL), ORR_OK);
    spec.id = 1;
    assert_int_equal(orr_trace_builder_add(builder, &spec, NULL), ORR_OK);
    spec.id = 2;
    spec.inputs = inputs;
    spec.input_count = 2;
    spec.outputs = outputs;
    spec.output_count = 1;
    assert_int_equal(orr_trace_builder_add(builder, &spec, NULL), ORR_OK);
    const struct orr_trace *trace = finish(builder);
    assert_int_equal(trace->extra_count, 2);
    assert_int_equal(trace->node[1].extra, trace->node[0].extra);
    const struct orr_node_extra *extra = orr_trace_extra(trace, &trace->node[2]);
    assert_int_equal(extra->priority, 5);
    assert_int_equal(extra->root, 2);
    assert_int_equal(extra->tag, 3);
    assert_int_equal(extra->involved_dims, 3);
    assert_int_equal(extra->involved_mask, 5);
    assert_string_equal(extra->inputs[1], "x");
    assert_string_equal(extra->outputs[0], "y");
}

static void test_add_too_many_dims_fails(void **state)
{
    struct orr_trace_builder *builder = orr_trace_builder_create(*state);
    struct orr_diag diag;
    orr_diag_init(&diag);
    const struct orr_node_spec spec = {
        .id = 4, .kind = ORR_NODE_COLL, .name = "x", .has_involved_dim = true, .involved_dims = 33};
    assert_int_equal(orr_trace_builder_add(builder, &spec, &diag), ORR_ERR_INPUT);
    assert_string_equal(diag.message,
                        "node 4 (x): 33 involved dimensions; at most 32 are supported");
    orr_trace_builder_destroy(builder);
}

static void test_finish_duplicate_id_names_both(void **state)
{
    struct orr_trace_builder *builder = orr_trace_builder_create(*state);
    add(builder, 7, "a", UINT64_MAX, UINT64_MAX);
    add(builder, 8, "b", UINT64_MAX, UINT64_MAX);
    add(builder, 7, "c", UINT64_MAX, UINT64_MAX);
    finish_fails(builder, "duplicate node id: record 0 is node 7 (a) and record 2 is node 7 (c)");
}

static void test_finish_missing_data_parent_fails(void **state)
{
    struct orr_trace_builder *builder = orr_trace_builder_create(*state);
    add(builder, 7, "a", 99, UINT64_MAX);
    finish_fails(builder, "node 7 (a): depends on the data of node 99, but no node of the trace "
                          "has this id");
}

static void test_finish_missing_ctrl_parent_is_dropped_with_warning(void **state)
{
    char warning[1024] = "";
    struct orr_trace_builder *builder = orr_trace_builder_create(*state);
    const struct orr_trace *trace = NULL;
    struct orr_diag diag;
    orr_diag_init(&diag);
    diag.warn = keep_warning;
    diag.warn_user = warning;
    add(builder, 1, "a", UINT64_MAX, 99);
    add(builder, 2, "b", UINT64_MAX, 1);
    assert_int_equal(orr_trace_builder_finish(builder, &trace, &diag), ORR_OK);
    assert_int_equal(trace->edges, 1);
    assert_string_equal(warning, "warning: ignored 1 control dependencies on nodes that the trace "
                                 "does not have (the first: of node 1 (a) on node 99)");
    orr_trace_builder_destroy(builder);
}

/* 1 -> 2 by data, 2 -> 1 by control, and a control dependency on nothing: data alone is used. */
static void test_finish_unusable_ctrl_numbering_uses_data_only(void **state)
{
    char warning[1024] = "";
    struct orr_trace_builder *builder = orr_trace_builder_create(*state);
    const struct orr_trace *trace = NULL;
    struct orr_diag diag;
    orr_diag_init(&diag);
    diag.warn = keep_warning;
    diag.warn_user = warning;
    add(builder, 1, "a", UINT64_MAX, 2);
    add(builder, 2, "b", 1, UINT64_MAX);
    add(builder, 3, "c", 2, 99);
    assert_int_equal(orr_trace_builder_finish(builder, &trace, &diag), ORR_OK);
    assert_int_equal(trace->edges, 2);
    assert_int_equal(trace->parents[0], 0);
    assert_string_equal(
        warning, "warning: ignored all control dependencies: there are 1 control dependencies on "
                 "nodes that the trace does not have (the first: of node 3 (c) on node 99), and "
                 "the others form cycles; data dependencies alone order the nodes");
    orr_trace_builder_destroy(builder);
}

static void test_finish_cycle_names_nodes_in_order(void **state)
{
    struct orr_trace_builder *builder = orr_trace_builder_create(*state);
    add(builder, 1, "in", UINT64_MAX, UINT64_MAX);
    add(builder, 3, "fwd", 5, 1);
    add(builder, 5, "bwd", 3, UINT64_MAX);
    add(builder, 6, "behind", 5, UINT64_MAX);
    finish_fails(builder, "cycle of dependencies: 3 (fwd) -> 5 (bwd) -> 3 (fwd)");
}

static void test_finish_self_dependency_is_a_cycle(void **state)
{
    struct orr_trace_builder *builder = orr_trace_builder_create(*state);
    add(builder, 4, "", UINT64_MAX, 4);
    finish_fails(builder, "cycle of dependencies: 4 -> 4");
}

static void test_finish_long_cycle_is_cut(void **state)
{
    struct orr_trace_builder *builder = orr_trace_builder_create(*state);
    for (uint64_t i = 0; i < 12; i++) {
        add(builder, i, "n", (i + 11) % 12, UINT64_MAX);
    }
    finish_fails(builder, "cycle of dependencies: 0 (n) -> 1 (n) -> 2 (n) -> 3 (n) -> 4 (n) -> 5 "
                          "(n) -> 6 (n) -> 7 (n) -> 8 (n) -> 9 (n) -> ... (12 nodes)");
}

static void test_finish_nine_node_cycle_is_whole(void **state)
{
    struct orr_trace_builder *builder = orr_trace_builder_create(*state);
    for (uint64_t i = 0; i < 9; i++) {
        add(builder, i, "", (i + 8) % 9, UINT64_MAX);
    }
    finish_fails(builder, "cycle of dependencies: 0 -> 1 -> 2 -> 3 -> 4 -> 5 -> 6 -> 7 -> 8 -> 0");
}

/* Dependencies that point to higher ids are fine when there is no cycle. */
static void test_finish_descending_dependencies_is_acyclic(void **state)
{
    struct orr_trace_builder *builder = orr_trace_builder_create(*state);
    for (uint64_t i = 0; i < 50; i++) {
        add(builder, i, "n", i < 49 ? i + 1 : UINT64_MAX, UINT64_MAX);
    }
    const struct orr_trace *trace = finish(builder);
    struct orr_trace_summary summary;
    assert_int_equal(orr_trace_summarize(*state, trace, &summary, NULL), ORR_OK);
    assert_int_equal(summary.depth, 50);
}

/* Diamond 0 -> {1, 2} -> 3 with durations 1, 10, 100, 1000: depth 3, path 0-2-3 takes 1101. */
static void test_summarize_diamond_adds_up(void **state)
{
    struct orr_trace_builder *builder = orr_trace_builder_create(*state);
    const uint64_t zero = 0, both[] = {1, 2};
    (void)orr_trace_builder_add_replay(builder, "a", ORR_PS_PER_US, false, no_deps);
    (void)orr_trace_builder_add_replay(builder, "b", 10 * ORR_PS_PER_US, false,
                                       (struct orr_deps){&zero, 1});
    (void)orr_trace_builder_add_replay(builder, "c", 100 * ORR_PS_PER_US, false,
                                       (struct orr_deps){&zero, 1});
    (void)orr_trace_builder_add_replay(builder, "d", 1000 * ORR_PS_PER_US, false,
                                       (struct orr_deps){both, 2});
    (void)orr_trace_builder_add_coll(builder, "e", ORR_COMM_GATHER, 77, no_deps);
    (void)orr_trace_builder_add_comp(builder, "f", 5, 6, no_deps);
    const struct orr_trace *trace = finish(builder);
    struct orr_trace_summary summary;
    struct orr_parents parents;
    assert_int_equal(orr_trace_summarize(*state, trace, &summary, NULL), ORR_OK);
    assert_int_equal(summary.depth, 3);
    assert_int_equal(summary.duration_ps, 1111 * ORR_PS_PER_US);
    assert_int_equal(summary.critical_duration_ps, 1101 * ORR_PS_PER_US);
    assert_int_equal(summary.comm_nodes[ORR_COMM_GATHER], 1);
    assert_int_equal(summary.comm_bytes[ORR_COMM_GATHER], 77);
    assert_int_equal(summary.kind_bytes[ORR_NODE_COMP], 6);
    assert_int_equal(summary.total_ops, 5);
    assert_int_equal(orr_parents_build(*state, trace, &parents, NULL), ORR_OK);
    assert_int_equal(parents.first[3], 2);
    assert_int_equal(parents.first[4], 4);
    assert_int_equal(parents.parent[2], 1);
    assert_int_equal(parents.parent[3], 2);
}

static void test_names_out_of_range_are_marked(void **state)
{
    (void)state;
    assert_string_equal(orr_node_kind_name(ORR_NODE_COLL), "COMM_COLL_NODE");
    assert_string_equal(orr_node_kind_name(8), "?");
    assert_string_equal(orr_trace_comm_name(ORR_COMM_BARRIER), "BARRIER");
    assert_string_equal(orr_trace_comm_name(10), "?");
}

/* Whichever allocation fails, the error is clean and nothing leaks (seen under ASan). */
static void test_finish_any_allocation_failure_is_clean(void **state)
{
    (void)state;
    enum orr_status status = ORR_ERR_MEMORY;
    for (int64_t n = 0; status != ORR_OK; n++) {
        struct orr_arena *arena = orr_arena_create();
        struct orr_diag diag;
        const struct orr_trace *trace = NULL;
        orr_diag_init(&diag);
        orr_arena_fail_after(arena, n);
        struct orr_trace_builder *builder = orr_trace_builder_create(arena);
        orr_trace_builder_set_source(builder, "p", "v");
        (void)orr_trace_builder_add_metadata(builder, "m", "groups");
        (void)orr_trace_builder_add_coll_in(builder, "g", ORR_COMM_REDUCE, 9, no_deps);
        status = orr_trace_builder_finish(builder, &trace, &diag);
        assert_true(status == ORR_OK || status == ORR_ERR_MEMORY);
        orr_trace_builder_destroy(builder);
        orr_arena_destroy(arena);
        assert_true(n < 100);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_finish_empty_has_no_nodes, setup, teardown),
        cmocka_unit_test_setup_teardown(test_finish_unordered_ids_sorts_and_merges, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_finish_sparse_ids_finds_parents, setup, teardown),
        cmocka_unit_test_setup_teardown(test_finish_largest_id_works, setup, teardown),
        cmocka_unit_test_setup_teardown(test_add_short_forms_fill_fields, setup, teardown),
        cmocka_unit_test_setup_teardown(test_add_rare_attributes_equal_neighbours_share, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_add_too_many_dims_fails, setup, teardown),
        cmocka_unit_test_setup_teardown(test_finish_duplicate_id_names_both, setup, teardown),
        cmocka_unit_test_setup_teardown(test_finish_missing_data_parent_fails, setup, teardown),
        cmocka_unit_test_setup_teardown(test_finish_missing_ctrl_parent_is_dropped_with_warning,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(test_finish_unusable_ctrl_numbering_uses_data_only, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_finish_cycle_names_nodes_in_order, setup, teardown),
        cmocka_unit_test_setup_teardown(test_finish_self_dependency_is_a_cycle, setup, teardown),
        cmocka_unit_test_setup_teardown(test_finish_long_cycle_is_cut, setup, teardown),
        cmocka_unit_test_setup_teardown(test_finish_nine_node_cycle_is_whole, setup, teardown),
        cmocka_unit_test_setup_teardown(test_finish_descending_dependencies_is_acyclic, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_summarize_diamond_adds_up, setup, teardown),
        cmocka_unit_test_setup_teardown(test_names_out_of_range_are_marked, setup, teardown),
        cmocka_unit_test_setup_teardown(test_finish_any_allocation_failure_is_clean, setup,
                                        teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
