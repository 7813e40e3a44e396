/* Dependencies on a part of a collective: in memory, in files, and what is wrong with them. */
#include <stdio.h>

#include "tests/unit/trace_fixture.h"
#include "workload/trace/et/et.h"
#include "workload/trace/trace_compare.h"
#include "workload/trace/trace_query.h"

/* 1 a collective of 1000 bytes; 2 waits for 300 of them, 3 for all, 4 for the end and for 2. */
static struct orr_trace_builder *chain(struct orr_arena *arena)
{
    static const uint64_t one[] = {1}, both[] = {1, 2}, bytes[] = {300}, all[] = {1000};
    const struct orr_node_spec nodes[] = {
        {.id = 1, .kind = ORR_NODE_COLL, .name = "ar", .comm_bytes = 1000},
        {.id = 2,
         .kind = ORR_NODE_COMP,
         .name = "a",
         .data_deps = {one, 1},
         .prefixes = {one, bytes, 1}},
        {.id = 3,
         .kind = ORR_NODE_COMP,
         .name = "b",
         .ctrl_deps = {one, 1},
         .prefixes = {one, all, 1}},
        {.id = 4, .kind = ORR_NODE_COMP, .name = "c", .data_deps = {both, 2}}};
    struct orr_trace_builder *builder = orr_trace_builder_create(arena);
    assert_non_null(builder);
    for (size_t i = 0; i < sizeof nodes / sizeof *nodes; i++) {
        assert_int_equal(orr_trace_builder_add(builder, &nodes[i], NULL), ORR_OK);
    }
    return builder;
}

static const struct orr_trace *finish(struct orr_trace_builder *builder)
{
    const struct orr_trace *trace = NULL;
    assert_int_equal(orr_trace_builder_finish(builder, &trace, NULL), ORR_OK);
    orr_trace_builder_destroy(builder);
    return trace;
}

/* Edges in the order of the parents, then of the children: 1-2, 1-3, 1-4, 2-4. */
static void assert_chain(const struct orr_trace *trace)
{
    static const uint64_t expected[] = {300, 1000, 0, 0};
    assert_int_equal(trace->edges, 4);
    assert_non_null(trace->prefix);
    assert_memory_equal(trace->prefix, expected, sizeof expected);
}

static void test_build_prefix_is_of_its_edge(void **state)
{
    const struct orr_trace *trace = finish(chain(*state));
    assert_chain(trace);
    struct orr_parents parents;
    assert_int_equal(orr_parents_build(*state, trace, &parents, NULL), ORR_OK);
    assert_int_equal(orr_prefix_at(&parents, orr_parents_find(&parents, 1, 0)), 300);
    assert_int_equal(orr_prefix_at(&parents, orr_parents_find(&parents, 3, 0)), 0);
    assert_int_equal(orr_parents_find(&parents, 3, 2), UINT32_MAX);
}

static void test_build_without_prefix_has_no_array(void **state)
{
    const struct orr_trace *trace = MAKE_TRACE(
        state, ((const struct written[]){{AT(1, "a", 1)}, {AT(2, "b", 1), .parents = {1}}}));
    assert_null(trace->prefix);
}

/* The order in which children begin takes their parts along. */
static void test_order_moves_prefixes(void **state)
{
    static const uint64_t expected[] = {0, 300, 1000, 0};
    static const uint64_t order[] = {4, 2};
    struct orr_trace_builder *builder = chain(*state);
    assert_true(orr_trace_builder_order_next(builder, 1, (struct orr_deps){order, 2}));
    const struct orr_trace *trace = finish(builder);
    assert_memory_equal(trace->prefix, expected, sizeof expected);
}

static const struct orr_trace *read_data(void **state, const void *data, size_t count)
{
    const struct orr_et_bytes bytes = {.name = "t.et", .data = data, .count = count};
    const struct orr_trace *trace = NULL;
    assert_int_equal(orr_et_read_memory(*state, &bytes, &trace, NULL), ORR_OK);
    return trace;
}

static void test_write_and_read_keeps_prefixes(void **state)
{
    const struct orr_trace *trace = finish(chain(*state));
    struct orr_et_writer *writer = NULL;
    assert_int_equal(orr_et_writer_create_memory(&writer, NULL, NULL), ORR_OK);
    assert_int_equal(orr_et_writer_add_trace(writer, trace, NULL), ORR_OK);
    assert_int_equal(orr_et_writer_finish(writer, NULL), ORR_OK);
    size_t count;
    const void *data = orr_et_writer_bytes(writer, &count);
    assert_chain(read_data(state, data, count));
    orr_et_writer_destroy(writer);
}

#define COLLECTIVE                                                                                 \
    "{\"id\": \"1\", \"name\": \"ar\", \"type\": \"COMM_COLL_NODE\", \"attr\": ["                  \
    "{\"name\": \"comm_type\", \"int64Val\": \"0\"},"                                              \
    "{\"name\": \"comm_size\", \"int64Val\": \"1000\"}]}"
#define WAITS(of, bytes)                                                                           \
    "{\"id\": \"2\", \"name\": \"a\", \"type\": \"COMP_NODE\", \"dataDeps\": [\"1\"], \"attr\": [" \
    "{\"name\": \"orrery_prefix_of\", \"uint64List\": {\"values\": [" of "]}},"                    \
    "{\"name\": \"orrery_prefix_bytes\", \"uint64List\": {\"values\": [" bytes "]}}]}"

static void test_read_json_has_prefixes(void **state)
{
    static const char text[] = "{}" COLLECTIVE WAITS("\"1\"", "\"300\"");
    const struct orr_trace *trace = read_data(state, text, sizeof text - 1);
    assert_non_null(trace->prefix);
    assert_int_equal(trace->prefix[0], 300);
}

static void test_read_lists_of_other_lengths_is_refused(void **state)
{
    static const char text[] = "{}" COLLECTIVE WAITS("\"1\"", "300, 400");
    const struct orr_et_bytes bytes = {.name = "t.et", .data = text, .count = sizeof text - 1};
    const struct orr_trace *trace = NULL;
    struct orr_diag diag;
    orr_diag_init(&diag);
    assert_int_equal(orr_et_read_memory(*state, &bytes, &trace, &diag), ORR_ERR_INPUT);
    assert_string_equal(
        diag.message,
        "node 2 (a): the attributes \"orrery_prefix_of\" and \"orrery_prefix_bytes\" have 1 and 2 "
        "values; expected as many of one as of the other");
}

/* ---- what is wrong ---- */

struct wrong {
    enum orr_node_kind kind;
    enum orr_trace_comm comm;
    uint64_t of, bytes, again;
    const char *message;
};

static void assert_refused(struct orr_arena *arena, const struct wrong *wrong)
{
    const uint64_t parent[] = {1}, of[] = {wrong->of, wrong->of};
    const uint64_t bytes[] = {wrong->bytes, wrong->again};
    const struct orr_node_spec first = {
        .id = 1, .kind = wrong->kind, .comm = wrong->comm, .name = "p", .comm_bytes = 1000};
    const struct orr_node_spec other = {
        .id = 3, .kind = ORR_NODE_COLL, .name = "q", .comm_bytes = 1000};
    const struct orr_node_spec waits = {.id = 2,
                                        .kind = ORR_NODE_COMP,
                                        .name = "a",
                                        .data_deps = {parent, 1},
                                        .prefixes = {of, bytes, wrong->again != 0 ? 2 : 1}};
    struct orr_trace_builder *builder = orr_trace_builder_create(arena);
    const struct orr_trace *trace = NULL;
    struct orr_diag diag;
    orr_diag_init(&diag);
    assert_int_equal(orr_trace_builder_add(builder, &first, NULL), ORR_OK);
    assert_int_equal(orr_trace_builder_add(builder, &waits, NULL), ORR_OK);
    assert_int_equal(orr_trace_builder_add(builder, &other, NULL), ORR_OK);
    assert_int_equal(orr_trace_builder_finish(builder, &trace, &diag), ORR_ERR_INPUT);
    assert_string_equal(diag.message, wrong->message);
    orr_trace_builder_destroy(builder);
}

static void test_finish_wrong_prefix_is_refused(void **state)
{
    static const struct wrong all[] = {
        {ORR_NODE_COLL, ORR_COMM_ALL_REDUCE, 1, 1001, 0,
         "node 2 (a): depends on the first 1001 bytes of node 1, which has 1000"},
        {ORR_NODE_COLL, ORR_COMM_ALL_REDUCE, 1, 0, 0,
         "node 2 (a): depends on the first 0 bytes of node 1; expected at least 1"},
        {ORR_NODE_COLL, ORR_COMM_BARRIER, 1, 1, 0,
         "node 2 (a): depends on the first 1 byte of node 1, which is a barrier and has none"},
        {ORR_NODE_COMP, ORR_COMM_ALL_REDUCE, 1, 8, 0,
         "node 2 (a): depends on the first 8 bytes of node 1, which is no collective but a "
         "COMP_NODE"},
        {ORR_NODE_COLL, ORR_COMM_ALL_REDUCE, 3, 8, 0,
         "node 2 (a): depends on the first 8 bytes of node 3, which is not among its "
         "dependencies"},
        {ORR_NODE_COLL, ORR_COMM_ALL_REDUCE, 9, 8, 0,
         "node 2 (a): depends on the first 8 bytes of node 9, which is not among its "
         "dependencies"},
        {ORR_NODE_COLL, ORR_COMM_ALL_REDUCE, 1, 8, 9,
         "node 2 (a): depends on the first 9 bytes of node 1, for which it has another part "
         "already"}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        assert_refused(*state, &all[i]);
    }
}

/* ---- comparison ---- */

static void test_compare_other_prefix_is_another_dependency(void **state)
{
    const uint64_t one[] = {1}, bytes[] = {301};
    const struct orr_trace *a = finish(chain(*state));
    struct orr_trace_builder *builder = orr_trace_builder_create(*state);
    for (uint32_t i = 0; i < a->nodes; i++) {
        struct orr_parents parents;
        struct orr_dep_buffers room;
        assert_int_equal(orr_parents_build(*state, a, &parents, NULL), ORR_OK);
        assert_int_equal(orr_dep_buffers_create(*state, a, &room, NULL), ORR_OK);
        struct orr_node_spec spec = orr_trace_spec(a, i);
        orr_trace_add_deps(a, &parents, i, &room, &spec);
        if (i == 1) {
            spec.prefixes = (struct orr_prefixes){one, bytes, 1};
        }
        assert_int_equal(orr_trace_builder_add(builder, &spec, NULL), ORR_OK);
    }
    const struct orr_trace *const traces[2] = {a, finish(builder)};
    struct orr_trace_comparison all;
    assert_int_equal(orr_trace_compare(*state, traces, &all, NULL), ORR_OK);
    assert_int_equal(all.changes, 1);
    assert_int_equal(all.change[0].a, 1);
    assert_int_equal(all.change[0].differs, 1u << ORR_DIFFERS_DEPENDENCIES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_build_prefix_is_of_its_edge, setup, teardown),
        cmocka_unit_test_setup_teardown(test_build_without_prefix_has_no_array, setup, teardown),
        cmocka_unit_test_setup_teardown(test_order_moves_prefixes, setup, teardown),
        cmocka_unit_test_setup_teardown(test_write_and_read_keeps_prefixes, setup, teardown),
        cmocka_unit_test_setup_teardown(test_read_json_has_prefixes, setup, teardown),
        cmocka_unit_test_setup_teardown(test_read_lists_of_other_lengths_is_refused, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_finish_wrong_prefix_is_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(test_compare_other_prefix_is_another_dependency, setup,
                                        teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
