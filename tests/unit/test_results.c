/* The tables of results: each is told in every form that its table says, by its name. That a result
 * which is added needs nothing more is in test_result_added.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "core/sum.h"
#include "orrery/orrery.h"
#include "report/results/result.h"
#include "report/results/results.h"
#include "results_fixture.h"
#include "study/result_tables.h"
#include "tests/unit/results_fixture.h"

/* Whether a line of a CSV file, the first of the text, has the column. */
static bool has_column(const char *text, const char *name)
{
    const size_t length = strlen(name), end = strcspn(text, "\n");
    for (size_t at = 0; at < end; at += strcspn(text + at, ",\n") + 1) {
        if (strncmp(text + at, name, length) == 0 && strchr(",\n", text[at + length]) != NULL) {
            return true;
        }
    }
    return false;
}

/* ---- every table ---- */

static bool has_meaning(const struct orr_result_table *table, const char *name)
{
    const struct orr_result *result;
    for (size_t i = 0; (result = orr_result_at(table, i)) != NULL; i++) {
        if (strcmp(result->name, name) == 0 && result->meaning != NULL) {
            return true;
        }
    }
    return false;
}

static void test_results_are_named_and_in_the_reference(void **state)
{
    (void)state;
    const struct orr_result_table *table;
    for (size_t t = 0; (table = orr_result_table_at(t)) != NULL; t++) {
        char *reference = results_text(results_write_reference, table);
        const struct orr_result *result;
        for (size_t i = 0; (result = orr_result_at(table, i)) != NULL; i++) {
            char code[128];
            const bool shown = result->in_forms == ORR_IN_TABLE;
            (void)snprintf(code, sizeof code, shown ? "| %s" : "| `%s` |",
                           !shown                     ? result->name
                           : result->label[0] != '\0' ? result->label
                                                      : result->name);
            if (!has_meaning(table, result->name) ||
                (result->meaning != NULL && strstr(reference, code) == NULL)) {
                fail_msg("%s: %s is not in the reference", table->title, result->name);
            }
        }
        free(reference);
    }
}

static void test_no_form_has_a_name_twice(void **state)
{
    static const unsigned forms[] = {ORR_IN_JSON, ORR_IN_CSV};
    (void)state;
    const struct orr_result_table *table;
    for (size_t t = 0; (table = orr_result_table_at(t)) != NULL; t++) {
        const struct orr_result *a, *b;
        for (size_t i = 0; (a = orr_result_at(table, i)) != NULL; i++) {
            for (size_t j = 0; j < i && (b = orr_result_at(table, j)) != NULL; j++) {
                for (size_t f = 0; f < 2 && strcmp(a->name, b->name) == 0; f++) {
                    assert_false(orr_result_in(table, a, forms[f]) &&
                                 orr_result_in(table, b, forms[f]));
                }
            }
        }
    }
}

/* ---- what a run writes ---- */

/* The object must have what JSON tells of its table, but for what is known of some rows only. */
static void check_json(const struct orr_result_table *table, const json_t *object)
{
    const struct orr_result *result;
    assert_true(json_is_object(object));
    for (size_t i = 0; (result = orr_result_at(table, i)) != NULL; i++) {
        if (orr_result_in(table, result, ORR_IN_JSON) && !result->optional &&
            result->type != ORR_RESULT_LIST && (result->value == NULL || result->in_forms != 0) &&
            json_object_get(object, result->name) == NULL) {
            fail_msg("%s: JSON has no %s", table->title, result->name);
        }
    }
}

static void test_json_has_every_result(void **state)
{
    static const char *const lists[] = {"classes", "dims", "collectives"};
    static const struct orr_result_table *const of[] = {&orr_npu_results, &orr_dim_results,
                                                        &orr_collective_results};
    struct orrery *job = results_run_job();
    char *text = results_text(results_write_json, job);
    json_t *root = json_loads(text, 0, NULL);
    const json_t *path = json_object_get(root, "critical_path");
    (void)state;
    check_json(&orr_job_results, root);
    for (size_t i = 0; i < 3; i++) {
        check_json(of[i], json_array_get(json_object_get(root, lists[i]), 0));
    }
    check_json(&orr_path_part_results, json_array_get(json_object_get(path, "parts"), 0));
    check_json(&orr_path_step_results, json_array_get(json_object_get(path, "steps"), 0));
    json_decref(root);
    free(text);
    orrery_free(job);
}

static void test_table_and_csv_have_every_result(void **state)
{
    static const struct orr_result_table *const shown[] = {&orr_npu_results, &orr_dim_results,
                                                           &orr_collective_results};
    struct orrery *job = results_run_job();
    char *text = results_text(results_write_table, job),
         *csv = results_text(results_write_csv, job);
    const struct orr_result *result;
    (void)state;
    for (size_t t = 0; t < 3; t++) {
        for (size_t i = 0; (result = orr_result_at(shown[t], i)) != NULL; i++) {
            if (orr_result_in(shown[t], result, ORR_IN_TABLE) &&
                strstr(text, result->label) == NULL) {
                fail_msg("%s: the table has no %s", shown[t]->title, result->label);
            }
        }
    }
    for (size_t i = 0; (result = orr_result_at(&orr_npu_results, i)) != NULL; i++) {
        if (orr_result_in(&orr_npu_results, result, ORR_IN_CSV) && !has_column(csv, result->name)) {
            fail_msg("CSV has no %s", result->name);
        }
    }
    free(csv);
    free(text);
    orrery_free(job);
}

/* ---- an NPU's results go everywhere ---- */

/* Whether the result is of each NPU: not what tells rows apart. Its finish is the job's time there.
 */
static bool of_each(const struct orr_result *result)
{
    return result->in_forms == 0 && strcmp(result->name, "finish_ps") != 0;
}

static void test_sweep_and_diff_have_every_result_of_an_npu(void **state)
{
    char *head, *line;
    const struct orr_result *result;
    (void)state;
    results_of_sweep(&head, &line);
    json_t *object = json_loads(line, 0, NULL);
    for (size_t i = 0; (result = orr_result_at(&orr_npu_results, i)) != NULL; i++) {
        if (of_each(result) && (json_object_get(object, result->name) == NULL ||
                                !has_column(head, result->name) || result->compared == NULL)) {
            fail_msg("sweeps or comparisons do not have %s", result->name);
        }
    }
    json_decref(object);
    free(line);
    free(head);
}

/* ---- forms ---- */

struct point {
    double rate;
    orr_sum sum;
    const char *name;
    uint32_t count;
};

static struct orr_value twice(const void *row)
{
    return orr_integer_value(2 * (orr_sum)((const struct point *)row)->count);
}

static const struct orr_result of_point[] = {
    {.name = "name",
     .label = "point",
     .width = -6,
     .type = ORR_RESULT_TEXT,
     .offset = offsetof(struct point, name)},
    {.name = "sum",
     .label = "moved",
     .width = 12,
     .type = ORR_RESULT_SUM,
     .unit = ORR_UNIT_BYTES,
     .offset = offsetof(struct point, sum)},
    {.name = "twice", .type = ORR_RESULT_U32, .value = twice},
    {.name = "rate",
     .label = "rate",
     .width = 12,
     .type = ORR_RESULT_REAL,
     .unit = ORR_UNIT_BYTES_PER_S,
     .optional = true,
     .offset = offsetof(struct point, rate)}};
static const struct orr_result_table point_table = {.title = "A point",
                                                    ORR_RESULT_TABLE(of_point),
                                                    .forms =
                                                        ORR_IN_JSON | ORR_IN_CSV | ORR_IN_TABLE};

static int write_point(FILE *out, const void *row)
{
    json_t *object = json_object();
    orr_result_csv_head(out, &point_table);
    (void)fputc('\n', out);
    orr_result_csv_line(out, &point_table, row);
    (void)fputc('\n', out);
    orr_result_heads(out, &point_table, (struct orr_row_style){0});
    (void)fputc('\n', out);
    orr_result_cells(out, &point_table, row, (struct orr_row_style){.has_waiting_split = true});
    (void)fputc('\n', out);
    orr_result_add_json(object, &point_table, row);
    (void)json_dumpf(object, out, 0);
    json_decref(object);
    return 0;
}

/* 2^64 bytes are 2^24 TiB; a rate of 0 is not known. */
static void test_one_table_makes_all_forms(void **state)
{
    const struct point known = {.rate = 5e8, .sum = 2048, .name = "a,b", .count = 21};
    const struct point large = {.sum = (orr_sum)1 << 64, .name = "c"};
    char *text = results_text(write_point, &known);
    (void)state;
    assert_string_equal(text, "name,sum,twice,rate\n\"a,b\",2048,42,500000000\n"
                              "point         moved         rate\na,b        2.00 KiB  500.00 MB/s\n"
                              "{\"name\": \"a,b\", \"sum\": 2048, \"twice\": 42, "
                              "\"rate\": 500000000.0}");
    free(text);
    text = results_text(write_point, &large);
    assert_string_equal(text, "name,sum,twice,rate\nc,18446744073709551616,0,\n"
                              "point         moved         rate\n"
                              "c      16777216.00 TiB            -\n"
                              "{\"name\": \"c\", \"sum\": 1.8446744073709552e19, \"twice\": 0}");
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_results_are_named_and_in_the_reference),
        cmocka_unit_test(test_no_form_has_a_name_twice),
        cmocka_unit_test(test_json_has_every_result),
        cmocka_unit_test(test_table_and_csv_have_every_result),
        cmocka_unit_test(test_sweep_and_diff_have_every_result_of_an_npu),
        cmocka_unit_test(test_one_table_makes_all_forms)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
