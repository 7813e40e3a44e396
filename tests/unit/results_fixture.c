/* Results of a small job in all forms; see results_fixture.h. */
#include "results_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/arena.h"
#include "orrery/orrery.h"
#include "report/results/result.h"
#include "report/run_report.h"
#include "study/sweep/sweep.h"
#include "study/sweep/sweep_result.h"

/* An all-reduce of two NPUs. */
struct orrery *results_run_job(void)
{
    static const char *const set[] = {"network.topology=Ring(2)", "network.bandwidth=1 GB/s",
                                      "workload.generate=all_reduce", "workload.bytes=8000 B"};
    const struct orrery_inputs inputs = {.set = set, .set_count = sizeof set / sizeof *set};
    struct orrery *job = orrery_new();
    assert_non_null(job);
    orrery_record(job, ORRERY_RECORD_NODES | ORRERY_RECORD_PATH);
    if (orrery_load(job, &inputs) != ORRERY_OK || orrery_run(job) != ORRERY_OK) {
        fail_msg("%s", orrery_error(job));
    }
    size_t rows;
    assert_int_equal(orrery_summarize(job, &rows), ORRERY_OK);
    return job;
}

/* What is written of a job, to be freed. */
char *results_text(int (*write)(FILE *out, const void *context), const void *context)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    assert_non_null(out);
    assert_int_equal(write(out, context), 0);
    assert_int_equal(fclose(out), 0);
    return text;
}

void results_put(const char *name, const char *text)
{
    FILE *file = fopen(name, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

int results_write_table(FILE *out, const void *job)
{
    orr_report_table(out, job, false);
    return 0;
}

int results_write_json(FILE *out, const void *job)
{
    return orr_report_json(out, job, false);
}

int results_write_csv(FILE *out, const void *job)
{
    return orr_report_csv(out, job);
}

int results_write_reference(FILE *out, const void *table)
{
    orr_result_reference(out, table);
    return 0;
}

static int write_sweep_head(FILE *out, const void *sweep)
{
    orr_sweep_csv_head(out, sweep);
    return 0;
}

void results_of_sweep(char **head, char **line)
{
    char folder[] = "/tmp/orr_results_XXXXXX", home[512];
    struct orr_arena *arena = orr_arena_create();
    struct orr_sweep sweep;
    struct orr_diag diag;
    orr_diag_init(&diag);
    assert_non_null(getcwd(home, sizeof home));
    assert_non_null(mkdtemp(folder));
    assert_int_equal(chdir(folder), 0);
    results_put("small.yml", "network: {topology: Ring(2), bandwidth: 1 GB/s}\n"
                             "workload: {generate: all_reduce, bytes: 8000 B}\n");
    results_put("study.yml", "sweep:\n  platform: small.yml\n  axes: {system.chunks: [1, 2]}\n");
    assert_int_equal(orr_sweep_read(arena, "study.yml", &sweep, &diag), ORR_OK);
    *head = results_text(write_sweep_head, &sweep);
    char *written = orr_sweep_run(&sweep, 0);
    *line = strdup(written);
    assert_non_null(*line);
    orr_heap_free(written);
    orr_arena_destroy(arena);
    assert_int_equal(unlink("small.yml") + unlink("study.yml") + chdir(home) + rmdir(folder), 0);
}
