/* Files of task graphs: their bytes by hand, and what is refused with which words. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <zlib.h>

#include "core/arena.h"
#include "workload/taskgraph/tg_file.h"
#include "workload/taskgraph/tg_graph.h"

enum { MAX_BYTES = 256 };

/* The header behind the magic, and the two tasks of the tests. */
static const unsigned char small[] = {
    0x89, 'O', 'T',  'G', 13, 10, 26, 10, 1, 0, 0, 0, /* version 1 */
    0,    0,   0,    0,                               /* no order */
    2,    0,   0,    0,   1,  0,  0,  0,              /* NPUs, copies */
    2,    0,   0,    0,   1,  0,  0,  0,              /* tasks, dependencies */
    0,    0,   0,    0,   1,  0,  0,  0,              /* members, names */
    1,    'a',                                        /* the name */
    0x88, 2,   0xE8, 7,   0,  1,  2, /* compute, forward, named; a; 1000 ps; NPU 0; one waits: 1 */
    0x83, 1,   0xAC, 2,   0,  2,  0, /* transfer, named: no name; 300 bytes; 0 -> 1; none waits */
};

static const char *const small_json =
    "{\n"
    "  \"format\": \"orrery task graph\",\n"
    "  \"version\": 1,\n"
    "  \"npus\": 2,\n"
    "  \"copies\": 1,\n"
    "  \"tasks\": [\n"
    "    {\"role\": \"compute\", \"pass\": \"forward\", \"name\": \"a\", \"npu\": 0, \"time\": \"1 "
    "ns\", \"next\": [1]},\n"
    "    {\"role\": \"transfer\", \"from\": 0, \"to\": 1, \"bytes\": \"300 B\"}\n"
    "  ]\n"
    "}\n";

/* The bytes with their checksum; how many. */
static size_t seal(unsigned char *out, const unsigned char *bytes, size_t count)
{
    const uLong sum = crc32(crc32(0, Z_NULL, 0), bytes + 8, (uInt)(count - 8));
    memcpy(out, bytes, count);
    for (unsigned i = 0; i < 4; i++) {
        out[count + i] = (unsigned char)(sum >> 8 * i);
    }
    return count + 4;
}

static enum orr_status read_bytes(struct orr_arena *arena, const void *data, size_t count,
                                  struct tg_graph *graph, struct orr_diag *diag)
{
    const struct tg_bytes bytes = {.name = "g", .data = data, .count = count};
    orr_diag_init(diag);
    return orr_tg_read(arena, &bytes, graph, diag);
}

static void assert_written(const struct tg_graph *graph, enum tg_form form, const void *expected,
                           size_t count)
{
    char *data = NULL;
    size_t written = 0;
    FILE *out = open_memstream(&data, &written);
    assert_int_equal(orr_tg_write(graph, form, out, NULL), ORR_OK);
    assert_int_equal(fclose(out), 0);
    assert_int_equal(written, count);
    assert_memory_equal(data, expected, count);
    free(data);
}

static void test_binary_and_json_are_as_documented(void **state)
{
    (void)state;
    struct orr_arena *arena = orr_arena_create();
    struct tg_graph graph;
    struct orr_diag diag;
    unsigned char file[MAX_BYTES];
    const size_t count = seal(file, small, sizeof small);
    assert_int_equal(read_bytes(arena, file, count, &graph, &diag), ORR_OK);
    assert_int_equal(graph.tasks, 2);
    assert_int_equal(graph.task[0].duration_ps, 1000);
    assert_string_equal(graph.name[graph.task[0].name], "a");
    assert_int_equal(graph.task[1].bytes, 300);
    assert_int_equal(graph.task[1].to, 1);
    assert_int_equal(graph.next[0], 1);
    assert_written(&graph, TG_BINARY, file, count);
    assert_written(&graph, TG_JSON, small_json, strlen(small_json));
    assert_int_equal(read_bytes(arena, small_json, strlen(small_json), &graph, &diag), ORR_OK);
    assert_written(&graph, TG_BINARY, file, count);
    orr_arena_destroy(arena);
}

/* The flag of the header, and the key, from one form to the other and back. */
static void test_first_come_is_kept_in_both_forms(void **state)
{
    (void)state;
    struct orr_arena *arena = orr_arena_create();
    struct tg_graph graph, again;
    struct orr_diag diag;
    unsigned char file[MAX_BYTES], bytes[MAX_BYTES];
    char *text = NULL;
    size_t written = 0;
    memcpy(bytes, small, sizeof small);
    bytes[12] = 2;
    const size_t count = seal(file, bytes, sizeof small);
    assert_int_equal(read_bytes(arena, file, count, &graph, &diag), ORR_OK);
    assert_true(graph.first_come);
    FILE *out = open_memstream(&text, &written);
    assert_int_equal(orr_tg_write(&graph, TG_JSON, out, NULL), ORR_OK);
    assert_int_equal(fclose(out), 0);
    assert_int_equal(read_bytes(arena, text, written, &again, &diag), ORR_OK);
    assert_true(again.first_come);
    assert_written(&again, TG_BINARY, file, count);
    free(text);
    orr_arena_destroy(arena);
}

/* Of the small file with one byte changed. */
static void expect_binary_error(size_t at, unsigned char byte, const char *expected)
{
    struct orr_arena *arena = orr_arena_create();
    struct tg_graph graph;
    struct orr_diag diag;
    char text[ORR_DIAG_MESSAGE_BYTES];
    unsigned char bytes[sizeof small], file[MAX_BYTES];
    memcpy(bytes, small, sizeof small);
    bytes[at] = byte;
    assert_int_equal(read_bytes(arena, file, seal(file, bytes, sizeof small), &graph, &diag),
                     ORR_ERR_INPUT);
    (void)orr_diag_render(&diag, text, sizeof text);
    assert_string_equal(text, expected);
    orr_arena_destroy(arena);
}

static void test_binary_errors_tell_the_byte(void **state)
{
    (void)state;
    expect_binary_error(8, 2, "g: byte offset 8: expected version 1 of the format, got 2");
    expect_binary_error(4, 10,
                        "g: byte offset 4: expected the bytes 0D 0A 1A 0A after the name of the "
                        "format; the file was transferred in text mode");
    expect_binary_error(12, 4, "g: byte offset 12: flags: expected 0 to 3, got 4");
    expect_binary_error(16, 0,
                        "g: byte offset 16: expected 1 to 65536 NPUs, and copies that divide them, "
                        "got 0 and 1");
    expect_binary_error(27, 1,
                        "g: byte offset 24: tasks: expected at most as many as fit into the 16 "
                        "bytes that follow, got 16777218");
    expect_binary_error(41, 7, "g: byte offset 41: expected a name of printable UTF-8");
    expect_binary_error(42, 7,
                        "g: byte offset 42: a task: expected a role below 7 and a pass below 5, "
                        "got 7 and 0");
    expect_binary_error(43, 8, "g: byte offset 43: a name: expected a number below 2, got 0 and 4");
    expect_binary_error(46, 4, "g: byte offset 46: an NPU: expected a number below 2, got 0 and 2");
    expect_binary_error(47, 2,
                        "g: byte offset 47: tasks that wait for a task: expected at most the 1 "
                        "that remain of the header's count, got 2");
    expect_binary_error(48, 0,
                        "g: tasks[0] (compute, forward, a): expected tasks without a cycle, got "
                        "one of 1: tasks[0] (compute, forward, a) -> tasks[0] (compute, forward, "
                        "a)");
    expect_binary_error(55, 0x80,
                        "g: byte offset 55: tasks that wait for a task: expected a number, got the "
                        "end of the file");
}

static void test_binary_file_that_is_not_whole_is_refused(void **state)
{
    (void)state;
    struct orr_arena *arena = orr_arena_create();
    struct tg_graph graph;
    struct orr_diag diag;
    unsigned char file[MAX_BYTES];
    const size_t count = seal(file, small, sizeof small);
    assert_int_equal(read_bytes(arena, file, count - 1, &graph, &diag), ORR_ERR_INPUT);
    assert_non_null(strstr(diag.message, "byte offset 55: expected the checksum "));
    assert_non_null(strstr(diag.message, ": the file is truncated or was changed"));
    assert_int_equal(read_bytes(arena, file, 20, &graph, &diag), ORR_ERR_INPUT);
    assert_string_equal(diag.message, "byte offset 20: expected a header of 40 bytes and a "
                                      "checksum, got the end of the file");
    orr_arena_destroy(arena);
}

/* A file of one NPU with these tasks. */
static void expect_json_error(const char *tasks, const char *expected)
{
    struct orr_arena *arena = orr_arena_create();
    struct tg_graph graph;
    struct orr_diag diag;
    char text[ORR_DIAG_MESSAGE_BYTES];
    const char *file = orr_arena_printf(
        arena, "{\"format\": \"orrery task graph\", \"version\": 1, \"npus\": 1,\n\"tasks\": [%s]}",
        tasks);
    assert_int_equal(read_bytes(arena, file, strlen(file), &graph, &diag), ORR_ERR_INPUT);
    (void)orr_diag_render(&diag, text, sizeof text);
    assert_string_equal(text, expected);
    orr_arena_destroy(arena);
}

static void test_json_errors_tell_line_and_column(void **state)
{
    (void)state;
    expect_json_error(
        "{\"role\": \"computes\", \"npu\": 0}",
        "g:2:20: tasks[0].role: expected compute, compute-cpu, delay, transfer, send, "
        "receive or all-reduce, got \"computes\"; did you mean \"compute\"?");
    expect_json_error("{\"role\": \"compute\", \"npu\": 0}",
                      "g:2:11: tasks[0]: expected `time` of a task that is compute");
    expect_json_error("{\"role\": \"compute\", \"npu\": 0, \"time\": \"1 ns\", \"to\": 0}",
                      "g:2:57: tasks[0]: expected no `to` of a task that is compute");
    expect_json_error("{\"role\": \"compute\", \"npu\": 0, \"time\": \"1 ns\", \"next\": [1]}",
                      "g:2:66: tasks[0].next[0]: expected the number of a task, got \"1\"");
    expect_json_error("\n{\"role\": \"compute\", \"npu\": 3, \"time\": \"1 ns\"}",
                      "g:3:1: tasks[0] (compute): expected NPUs below 1, got 3");
    expect_json_error("{\"role\": \"all-reduce\", \"members\": [0, 0], \"bytes\": \"1 B\"}",
                      "g:2:11: tasks[0] (all-reduce): members[1]: expected each NPU once, got 0 "
                      "again");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_binary_and_json_are_as_documented),
        cmocka_unit_test(test_first_come_is_kept_in_both_forms),
        cmocka_unit_test(test_binary_errors_tell_the_byte),
        cmocka_unit_test(test_binary_file_that_is_not_whole_is_refused),
        cmocka_unit_test(test_json_errors_tell_line_and_column),
    };
    return cmocka_run_group_tests_name("tg_file", tests, NULL, NULL);
}
