/* A result that is added as docs/architecture.md says, with a file of its own (this one) and one
 * line in a table, and is found in text, JSON, CSV, sweeps, comparisons and the reference. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/diag.h"
#include "core/sum.h"
#include "orrery/orrery.h"
#include "orrery/results.h"
#include "report/results/result.h"
#include "report/results/results.h"
#include "results_fixture.h"
#include "study/diff.h"
#include "tests/unit/results_fixture.h"

static struct orr_value spare(const void *of)
{
    const struct orr_npu_row *row = of;
    return orr_integer_value((orr_sum)orrery_wall_ps(row->job) - row->times.finish_ps + 7);
}

const struct orr_result orr_result_spare = {.place = &orr_npu_results,
                                            .name = "spare_ps",
                                            .label = "spare",
                                            .width = 14,
                                            .type = ORR_RESULT_I64,
                                            .unit = ORR_UNIT_PS,
                                            .value = spare,
                                            .missing_in_old_results = true,
                                            .sweep = ORR_COLUMN_PARTS,
                                            .compared = "spare",
                                            .meaning = "from its finish to 7 ps behind the job's"};

/* A program finds it in the list, of an NPU and of a point, and asks for it. */
static void check_by_name(struct orrery *job)
{
    struct orrery_result_info info;
    struct orrery_value value;
    unsigned places = 0;
    for (size_t i = 0; orrery_result_info(i, &info); i++) {
        places += strcmp(info.name, "spare_ps") == 0 ? 1 : 0;
    }
    assert_int_equal(places, 2);
    assert_int_equal(orrery_result(job, "npus.spare_ps", 1, &value), ORRERY_OK);
    assert_int_equal(value.integer, 7);
}

static void test_result_that_is_added_is_everywhere(void **state)
{
    char name[] = "/tmp/orr_result_XXXXXX";
    const char *const path[] = {name, name};
    struct orrery *job = results_run_job();
    char *text = results_text(results_write_table, job),
         *csv = results_text(results_write_csv, job);
    char *json = results_text(results_write_json, job),
         *reference = results_text(results_write_reference, &orr_npu_results);
    struct orr_diff diff;
    struct orr_diag diag;
    (void)state;
    assert_non_null(strstr(text, "        waiting           idle          spare\n0-1 "));
    assert_non_null(strstr(text, "0 ps           0 ps           7 ps\n\ndim "));
    assert_non_null(
        strstr(csv, ",idle_ps,gpu_compute_ps,gpu_communication_ps,gpu_exposed_communication_ps,"
                    "gpu_memory_copy_ps,gpu_idle_ps,spare_ps\n0,"));
    assert_non_null(strstr(csv, ",0,0,,,,,,7\n1,"));
    assert_non_null(strstr(json, "\"spare_ps\": 7"));
    assert_non_null(strstr(reference,
                           "\n| `spare_ps` | ps | JSON, CSV, table: spare, sweep, diff | "
                           "from its finish to 7 ps behind the job's |\n"));
    const int file = mkstemp(name);
    assert_true(file >= 0);
    assert_int_equal(close(file), 0);
    results_put(name, json);
    orr_diag_init(&diag);
    assert_int_equal(orr_diff_read(&diff, path, &diag), ORR_OK);
    assert_string_equal(diff.row[7].what, "spare");
    assert_int_equal(diff.row[7].b, 7);
    orr_diff_fini(&diff);
    assert_int_equal(unlink(name), 0);
    char *head, *line;
    results_of_sweep(&head, &line);
    assert_non_null(strstr(head, ",idle_ps,spare_ps,cost,"));
    assert_non_null(strstr(line, "\"spare_ps\": 7"));
    free(line);
    free(head);
    check_by_name(job);
    free(reference);
    free(json);
    free(csv);
    free(text);
    orrery_free(job);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_result_that_is_added_is_everywhere)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
