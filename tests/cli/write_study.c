/* Writes what a study of the library, or a run, writes, for test_study_library.sh to compare it
 * with what the commands do.
 *
 *     write_study whatif PLATFORM.yml FORM CHANGE
 *     write_study sweep SWEEP.yml FORM [OUTPUT]
 *     write_study diff A.json B.json FORM
 *     write_study bench-collective PLATFORM.yml FORM
 *     write_study run PLATFORM.yml WHAT */
#include <string.h>

#include "orrery/report.h"
#include "orrery/study.h"

static enum orrery_form form_of(const char *text)
{
    return strcmp(text, "json") == 0  ? ORRERY_FORM_JSON
           : strcmp(text, "csv") == 0 ? ORRERY_FORM_CSV
                                      : ORRERY_FORM_TABLE;
}

static enum orrery_status study_of(struct orrery_study *study, char **argument, const char **form)
{
    const struct orrery_inputs inputs = {.platform = argument[1]};
    const char *change[] = {argument[3]};
    *form = argument[2];
    if (strcmp(argument[0], "whatif") == 0) {
        return orrery_whatif(study, &(struct orrery_whatif){ORRERY_SIZED(orrery_whatif),
                                                            .files = &inputs, .change = change,
                                                            .changes = change[0] != NULL ? 1 : 0});
    }
    if (strcmp(argument[0], "sweep") == 0) {
        return orrery_sweep(study,
                            &(struct orrery_sweep){ORRERY_SIZED(orrery_sweep), .file = argument[1],
                                                   .output = argument[3]});
    }
    if (strcmp(argument[0], "diff") == 0) {
        *form = argument[3];
        return orrery_diff(study, &(struct orrery_diff){ORRERY_SIZED(orrery_diff),
                                                        .a = {.path = argument[1]},
                                                        .b = {.path = argument[2]}});
    }
    return orrery_bench_collective(study,
                                   &(struct orrery_bench){ORRERY_SIZED(orrery_bench),
                                                          .files = &inputs, .max_bytes = 16 << 20});
}

static int write_study(char **argument)
{
    struct orrery_study *study = orrery_study_new();
    const char *form;
    enum orrery_status status = study_of(study, argument, &form);
    if (status == ORRERY_OK) {
        status = orrery_study_write(study, stdout, form_of(form));
    }
    if (status != ORRERY_OK) {
        (void)fprintf(stderr, "%s\n", orrery_study_error(study));
    }
    orrery_study_free(study);
    return (int)status;
}

/* ---- runs ---- */

static enum orrery_status write_what(struct orrery *job, const char *what)
{
    return strcmp(what, "table") == 0          ? orrery_write_table(job, stdout, false)
           : strcmp(what, "per-npu") == 0      ? orrery_write_table(job, stdout, true)
           : strcmp(what, "json") == 0         ? orrery_write_json(job, stdout, false)
           : strcmp(what, "csv") == 0          ? orrery_write_csv(job, stdout)
           : strcmp(what, "astra") == 0        ? orrery_write_finishes(job, stdout)
           : strcmp(what, "memory") == 0       ? orrery_write_memory(job, stdout)
           : strcmp(what, "links") == 0        ? orrery_write_links(job, stdout)
           : strcmp(what, "traffic") == 0      ? orrery_write_traffic(job, stdout, false)
           : strcmp(what, "picture") == 0      ? orrery_write_traffic(job, stdout, true)
           : strcmp(what, "explain") == 0      ? orrery_write_job(job, stdout)
           : strcmp(what, "explain-all") == 0  ? orrery_write_config(job, stdout)
           : strcmp(what, "explain-fold") == 0 ? orrery_write_fold(job, stdout)
                                               : orrery_write_timeline(job, stdout, NULL, false);
}

static int write_run(const char *platform, const char *what)
{
    const bool traffic = strcmp(what, "traffic") == 0 || strcmp(what, "picture") == 0;
    struct orrery *job = orrery_new();
    orrery_record(job, ORRERY_RECORD_NODES | ORRERY_RECORD_PATH |
                           (strcmp(what, "timeline") == 0 ? (unsigned)ORRERY_RECORD_LINK_USE : 0) |
                           (traffic ? (unsigned)ORRERY_RECORD_TRAFFIC : 0));
    enum orrery_status status = orrery_load(job, &(struct orrery_inputs){.platform = platform});
    if (status == ORRERY_OK && strncmp(what, "explain", 7) != 0) {
        status = orrery_run(job);
    }
    if (status == ORRERY_OK) {
        status = write_what(job, what);
    }
    if (status != ORRERY_OK) {
        (void)fprintf(stderr, "%s\n", orrery_error(job));
    }
    orrery_free(job);
    return (int)status;
}

int main(int argc, char **argv)
{
    if (argc < 4) {
        (void)fputs("usage: write_study COMMAND FILE FORM\n", stderr);
        return 2;
    }
    return strcmp(argv[1], "run") == 0 ? write_run(argv[2], argv[3]) : write_study(argv + 1);
}
