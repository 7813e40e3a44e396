/* Task graphs as FlatBuffers: what is read of a good one, and what is said about bad bytes, to the
 * letter. The places are those of flexflow_bytes.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "core/arena.h"
#include "core/diag.h"
#include "et_converter/flexflow/flexflow_fbuf.h"
#include "et_converter/flexflow/flexflow_graph.h"
#include "tests/unit/flexflow_bytes.h"

static enum orr_status read_bytes(struct orr_arena *arena, const struct ff_graph *from,
                                  struct flexflow_graph *out, struct orr_diag *diag)
{
    const struct flexflow_bytes bytes = {
        .name = "g.fbuf", .data = from->buffer.data, .count = from->buffer.count};
    orr_diag_init(diag);
    return orr_flexflow_read_fbuf(arena, &bytes, out, diag);
}

static void expect_error(const struct ff_graph *graph, const char *expected)
{
    struct orr_arena *arena = orr_arena_create();
    struct flexflow_graph out;
    struct orr_diag diag;
    char text[ORR_DIAG_MESSAGE_BYTES];
    assert_int_equal(read_bytes(arena, graph, &out, &diag), ORR_ERR_INPUT);
    (void)orr_diag_render(&diag, text, sizeof text);
    assert_string_equal(text, expected);
    orr_arena_destroy(arena);
}

static void test_read_good_graph_has_all_of_it(void **state)
{
    (void)state;
    struct orr_arena *arena = orr_arena_create();
    struct flexflow_graph out;
    struct orr_diag diag;
    struct ff_graph graph;
    ff_make(&graph);
    assert_int_equal(read_bytes(arena, &graph, &out, &diag), ORR_OK);
    assert_int_equal(out.servers, 2);
    assert_int_equal(out.switches, 1);
    assert_true(out.link_bytes_per_ms == 12500);
    assert_int_equal(out.tasks, 6);
    assert_int_equal(out.task[1].type, FLEXFLOW_NOMINAL_COMM);
    assert_int_equal(out.task[1].bytes, 1000);
    assert_int_equal(out.task[0].next_count, 2);
    assert_int_equal(out.next[out.task[0].first_next + 1], 14);
    assert_true(out.task[4].runtime_ms == 2.0);
    assert_int_equal(out.devices, 4);
    assert_int_equal(out.device[3].property, 3);
    assert_int_equal(out.connections, 2);
    assert_int_equal(out.connection[1].count, 2);
    assert_int_equal(out.paths, 1);
    assert_int_equal(out.path[0].hops, 3);
    assert_int_equal(out.hop[1], 2);
    assert_int_equal(out.rings, 1);
    assert_int_equal(out.jump[1], -1);
    assert_string_equal(out.op[0].name, "Dense");
    orr_arena_destroy(arena);
}

static void test_read_every_truncation_fails(void **state)
{
    (void)state;
    struct ff_graph graph;
    ff_make(&graph);
    const size_t whole = graph.buffer.count;
    /* The last byte that is used is in the vector of jumps; 4 bytes behind it are padding. */
    for (size_t count = 0; count + 4 < whole; count++) {
        struct orr_arena *arena = orr_arena_create();
        struct flexflow_graph out;
        struct orr_diag diag;
        graph.buffer.count = count;
        assert_int_equal(read_bytes(arena, &graph, &out, &diag), ORR_ERR_INPUT);
        assert_true(diag.message[0] != '\0');
        orr_arena_destroy(arena);
    }
}

static void test_read_short_file_fails(void **state)
{
    (void)state;
    struct ff_graph graph;
    ff_make(&graph);
    graph.buffer.count = 7;
    expect_error(&graph, "g.fbuf: byte offset 0: TaskGraph: expected a FlatBuffer of 8 bytes to 2 "
                         "GiB, got 7 bytes");
}

static void test_read_root_outside_fails(void **state)
{
    (void)state;
    struct ff_graph graph;
    ff_make(&graph);
    graph.buffer.count = 1000;
    ff_put(&graph.buffer, 0, 4000, 4);
    expect_error(&graph, "g.fbuf: byte offset 0: TaskGraph: expected an offset to a multiple of 4 "
                         "inside of the file's 1000 bytes, got 4000, which is byte 4000");
}

static void test_read_vtable_outside_fails(void **state)
{
    (void)state;
    struct ff_graph graph;
    ff_make(&graph);
    graph.buffer.count = 2000;
    ff_put(&graph.buffer, graph.root, 60, 4);
    char expected[200];
    (void)snprintf(expected, sizeof expected,
                   "g.fbuf: byte offset %zu: TaskGraph: expected the distance back to a vtable, at "
                   "an even offset inside of the file's 2000 bytes, got 60, which is byte -20",
                   graph.root); /* the vtable has 28 bytes from byte 8 on, so the root is at 40 */
    expect_error(&graph, expected);
}

static void test_read_table_larger_than_file_fails(void **state)
{
    (void)state;
    struct ff_graph graph;
    ff_make(&graph);
    ff_put(&graph.buffer, 8 + 2, 65535, 2);
    char expected[200];
    (void)snprintf(expected, sizeof expected,
                   "g.fbuf: byte offset 10: TaskGraph: expected the size of a table, from 4 to the "
                   "%zu bytes that follow it, got 65535",
                   graph.buffer.count - 40);
    expect_error(&graph, expected);
}

static void test_read_field_outside_table_fails(void **state)
{
    (void)state;
    struct ff_graph graph;
    ff_make(&graph);
    ff_put(&graph.buffer, 8 + 4 + 2, 104, 2); /* nnode; the root has 8 + 12 x 8 = 104 bytes */
    expect_error(&graph,
                 "g.fbuf: byte offset 14: TaskGraph.nnode: expected the offset of 4 aligned "
                 "bytes in a table of 104 bytes at byte 40, got 104");
}

static void test_read_misaligned_field_fails(void **state)
{
    (void)state;
    struct ff_graph graph;
    ff_make(&graph);
    ff_put(&graph.buffer, 8 + 4 + 2, 18, 2);
    expect_error(&graph,
                 "g.fbuf: byte offset 14: TaskGraph.nnode: expected the offset of 4 aligned "
                 "bytes in a table of 104 bytes at byte 40, got 18");
}

static void test_read_vector_outside_fails(void **state)
{
    (void)state;
    struct ff_graph graph;
    char expected[240];
    ff_make(&graph);
    ff_put(&graph.buffer, graph.tasks, 100000, 4);
    (void)snprintf(
        expected, sizeof expected,
        "g.fbuf: byte offset %zu: TaskGraph.tasks: expected a vector inside of the file, "
        "with at most the %zu elements of 4 bytes that follow, got 100000",
        graph.tasks, (graph.buffer.count - graph.tasks - 4) / 4);
    expect_error(&graph, expected);
}

static void test_read_misaligned_vector_fails(void **state)
{
    (void)state;
    struct ff_graph graph;
    char expected[200];
    ff_make(&graph);
    const size_t field = ff_at(graph.task[5], 5); /* two servers; one more word of offset */
    ff_put(&graph.buffer, field, 16, 4);
    (void)snprintf(
        expected, sizeof expected,
        "g.fbuf: byte offset %zu: tasks[5].nexttasks: expected elements at a multiple of "
        "8 bytes",
        field + 20);
    ff_put(&graph.buffer, field + 16, 1, 4);
    expect_error(&graph, expected);
}

static void test_read_unknown_task_type_fails(void **state)
{
    (void)state;
    struct ff_graph graph;
    char expected[200];
    ff_make(&graph);
    ff_put(&graph.buffer, ff_at(graph.task[2], 0), 7, 2);
    (void)snprintf(
        expected, sizeof expected,
        "g.fbuf: byte offset %zu: tasks[2].type: expected a type of task from 0 (FORWARD)"
        " to 6 (ALLREDUCE), got 7",
        graph.task[2]);
    expect_error(&graph, expected);
}

static void test_read_negative_runtime_fails(void **state)
{
    (void)state;
    struct ff_graph graph;
    char expected[200];
    ff_make(&graph);
    ff_put_float(&graph.buffer, ff_at(graph.task[0], 3), -1.0F);
    (void)snprintf(expected, sizeof expected,
                   "g.fbuf: byte offset %zu: tasks[0].runtime: expected a time in ms that is not "
                   "negative, got -1",
                   graph.task[0]);
    expect_error(&graph, expected);
}

static void test_read_unterminated_string_fails(void **state)
{
    (void)state;
    struct ff_graph graph;
    char expected[200];
    ff_make(&graph);
    const size_t name = ff_at(graph.op, 2);
    const size_t end = name + graph.buffer.data[name] + 4 + 5;
    graph.buffer.data[end] = 'x';
    (void)snprintf(
        expected, sizeof expected,
        "g.fbuf: byte offset %zu: ops[0].name: expected the zero byte behind a string of "
        "5 bytes",
        end);
    expect_error(&graph, expected);
}

/* A vector of 500 tasks that are all the same one, with 100 elements: 400,000 bytes stand in a file
 * of some thousands. */
static void test_read_overlapping_vectors_fail(void **state)
{
    (void)state;
    static struct ff_graph graph;
    char expected[200];
    ff_make(&graph);
    struct ff_buffer *buffer = &graph.buffer;
    const size_t vector = ff_vector(buffer, ff_at(graph.root, 8), 500, 4);
    const size_t task = ff_table(buffer, 6);
    const size_t next = ff_vector(buffer, ff_at(task, 5), 100, 8);
    for (size_t i = 0; i < 500; i++) {
        ff_link(buffer, vector + 4 + 4 * i, task);
    }
    struct orr_arena *arena = orr_arena_create();
    struct flexflow_graph out;
    struct orr_diag diag;
    assert_int_equal(read_bytes(arena, &graph, &out, &diag), ORR_ERR_INPUT);
    (void)snprintf(expected, sizeof expected,
                   "byte offset %zu: nexttasks: expected vectors of at most 4 times the file's %zu "
                   "bytes together, got ",
                   next + 4, buffer->count);
    assert_memory_equal(diag.message, expected, strlen(expected));
    orr_arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_read_good_graph_has_all_of_it),
        cmocka_unit_test(test_read_every_truncation_fails),
        cmocka_unit_test(test_read_short_file_fails),
        cmocka_unit_test(test_read_root_outside_fails),
        cmocka_unit_test(test_read_vtable_outside_fails),
        cmocka_unit_test(test_read_table_larger_than_file_fails),
        cmocka_unit_test(test_read_field_outside_table_fails),
        cmocka_unit_test(test_read_misaligned_field_fails),
        cmocka_unit_test(test_read_vector_outside_fails),
        cmocka_unit_test(test_read_misaligned_vector_fails),
        cmocka_unit_test(test_read_unknown_task_type_fails),
        cmocka_unit_test(test_read_negative_runtime_fails),
        cmocka_unit_test(test_read_unterminated_string_fails),
        cmocka_unit_test(test_read_overlapping_vectors_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
