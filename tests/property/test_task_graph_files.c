/* Files of task graphs: random ones come back the same by way of either form, and damaged ones are
 * errors with a place. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <zlib.h>

#include "core/arena.h"
#include "core/rng.h"
#include "random_tasks.h"
#include "tests/property/random_tasks.h"
#include "workload/taskgraph/tg_file.h"
#include "workload/taskgraph/tg_graph.h"

enum { GRAPHS = 300, DAMAGED = 40 };

struct text {
    char *data;
    size_t count;
};

static struct text write_graph(const struct tg_graph *graph, enum tg_form form)
{
    struct text text = {NULL, 0};
    FILE *out = open_memstream(&text.data, &text.count);
    assert_non_null(out);
    assert_int_equal(orr_tg_write(graph, form, out, NULL), ORR_OK);
    assert_int_equal(fclose(out), 0);
    return text;
}

static enum orr_status read_text(struct orr_arena *arena, const struct text *text,
                                 struct tg_graph *out, struct orr_diag *diag)
{
    const struct tg_bytes bytes = {.name = "g", .data = text->data, .count = text->count};
    orr_diag_init(diag);
    return orr_tg_read(arena, &bytes, out, diag);
}

static void assert_same_text(const struct text *a, const struct text *b)
{
    assert_int_equal(a->count, b->count);
    assert_memory_equal(a->data, b->data, a->count);
}

static void assert_same_graph(const struct tg_graph *a, const struct tg_graph *b)
{
    assert_int_equal(a->npus, b->npus);
    assert_int_equal(a->copies, b->copies);
    assert_int_equal(a->tasks, b->tasks);
    assert_int_equal(a->nexts, b->nexts);
    assert_int_equal(a->members, b->members);
    assert_memory_equal(a->next, b->next, a->nexts * sizeof *a->next);
    assert_memory_equal(a->member, b->member, a->members * sizeof *a->member);
    assert_true((a->order == NULL) == (b->order == NULL));
    if (a->order != NULL) {
        assert_memory_equal(a->order, b->order, a->tasks * sizeof *a->order);
    }
    for (uint32_t i = 0; i < a->tasks; i++) {
        const struct tg_task *x = &a->task[i], *y = &b->task[i];
        assert_true(x->bytes == y->bytes && x->duration_ps == y->duration_ps &&
                    x->from == y->from && x->to == y->to && x->first_next == y->first_next &&
                    x->role == y->role && x->pass == y->pass && x->across == y->across);
        assert_string_equal(a->name[x->name], b->name[y->name]);
    }
}

/* Graph -> binary -> graph -> JSON -> graph -> binary and JSON. */
static void check_round_trip(uint64_t seed)
{
    struct orr_arena *arena = orr_arena_create();
    struct tg_graph graph, by_binary, by_json;
    struct orr_diag diag;
    random_tasks(arena, seed, &graph);
    struct text binary = write_graph(&graph, TG_BINARY);
    assert_int_equal(read_text(arena, &binary, &by_binary, &diag), ORR_OK);
    assert_same_graph(&graph, &by_binary);
    struct text json = write_graph(&by_binary, TG_JSON);
    const enum orr_status status = read_text(arena, &json, &by_json, &diag);
    assert_string_equal(diag.message, "");
    assert_int_equal(status, ORR_OK);
    assert_same_graph(&graph, &by_json);
    struct text again = write_graph(&by_json, TG_BINARY), json_again = write_graph(&graph, TG_JSON);
    assert_same_text(&binary, &again);
    assert_same_text(&json, &json_again);
    free(binary.data);
    free(json.data);
    free(again.data);
    free(json_again.data);
    orr_arena_destroy(arena);
}

static void test_random_graphs_come_back_the_same_by_either_form(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= GRAPHS; seed++) {
        check_round_trip(seed);
    }
}

/* ---- damage ---- */

static void put_checksum(struct text *text)
{
    const uLong sum =
        crc32(crc32(0, Z_NULL, 0), (const Bytef *)text->data + 8, (uInt)(text->count - 12));
    for (unsigned i = 0; i < 4; i++) {
        text->data[text->count - 4 + i] = (char)(sum >> 8 * i);
    }
}

static bool has_place(const struct orr_diag *diag)
{
    return diag->message[0] != '\0' &&
           (diag->place.kind == ORR_LOCATION_FILE || diag->place.kind == ORR_LOCATION_TEXT);
}

/* Of files that end early none is read, checksum or not. */
static void check_truncated(struct text *whole)
{
    for (size_t count = 0; count < whole->count; count++) {
        struct orr_arena *arena = orr_arena_create();
        struct tg_graph graph;
        struct orr_diag diag;
        struct text cut = {malloc(count + 1), count};
        memcpy(cut.data, whole->data, count);
        assert_int_equal(read_text(arena, &cut, &graph, &diag), ORR_ERR_INPUT);
        assert_true(has_place(&diag));
        if (count >= 44 && cut.data[0] != '{') {
            put_checksum(&cut);
            assert_int_equal(read_text(arena, &cut, &graph, &diag), ORR_ERR_INPUT);
            assert_true(has_place(&diag));
            assert_non_null(strstr(diag.message, "byte offset "));
        }
        free(cut.data);
        orr_arena_destroy(arena);
    }
}

/* A byte that is another one: a graph that makes sense, or an error with its place. */
static void check_changed(struct text *whole, uint64_t seed)
{
    struct orr_rng rng;
    orr_rng_init(&rng, seed, 1);
    for (unsigned i = 0; i < 200; i++) {
        struct orr_arena *arena = orr_arena_create();
        struct tg_graph graph;
        struct orr_diag diag;
        const size_t at = 8 + (size_t)orr_rng_below(&rng, whole->count - 12);
        const char kept = whole->data[at];
        whole->data[at] = (char)orr_rng_below(&rng, 256);
        put_checksum(whole);
        const enum orr_status status = read_text(arena, whole, &graph, &diag);
        assert_true(status == ORR_OK || (status == ORR_ERR_INPUT && has_place(&diag)));
        assert_true(status != ORR_OK || orr_tg_check(&graph, &diag) == ORR_OK);
        whole->data[at] = kept;
        orr_arena_destroy(arena);
    }
}

static void test_damaged_files_are_errors_with_a_place(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= DAMAGED; seed++) {
        struct orr_arena *arena = orr_arena_create();
        struct tg_graph graph;
        random_tasks(arena, seed, &graph);
        struct text binary = write_graph(&graph, TG_BINARY);
        check_truncated(&binary);
        check_changed(&binary, seed);
        free(binary.data);
        orr_arena_destroy(arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_graphs_come_back_the_same_by_either_form),
        cmocka_unit_test(test_damaged_files_are_errors_with_a_place),
    };
    return cmocka_run_group_tests_name("task_graph_files", tests, NULL, NULL);
}
