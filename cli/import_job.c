/* Jobs from launch files; see import_job.h. */
#include "cli/import_job.h"

#include <stdio.h>
#include <string.h>

#include "cli/options.h"
#include "cli/terminal.h"
#include "orrery/import.h"

static void warn(void *user, const char *text)
{
    orr_print_warning(user, text);
}

/* "config.json + run.sh (imported)" */
static void name_job(struct orr_import_job *job)
{
    size_t used = 0;
    for (size_t i = 0; i < job->from.count && used < sizeof job->name; i++) {
        const int length =
            snprintf(job->name + used, sizeof job->name - used, "%s%s%s", i == 0 ? "" : " + ",
                     job->from.text[i], i + 1 == job->from.count ? " (imported)" : "");
        used += length > 0 ? (size_t)length : 0;
    }
}

static int write_workload(struct orr_import_job *job, struct orrery_study *study)
{
    FILE *out = fmemopen(job->text, sizeof job->text, "w");
    if (out == NULL) {
        orr_print_message("orrery: out of memory\n");
        return 1;
    }
    const enum orrery_status status = orrery_import_workload(study, out);
    const bool full = fflush(out) != 0 || ftell(out) >= (long)sizeof job->text - 1;
    (void)fclose(out);
    if (status != ORRERY_OK) {
        return orr_print_api_error(status, orrery_study_error(study));
    }
    if (full) {
        orr_print_message("orrery: the imported job is longer than %d bytes\n", ORR_IMPORT_BYTES);
        return ORR_EXIT_USAGE;
    }
    return 0;
}

int orr_import_job(struct orr_import_job *job, uint64_t npus)
{
    struct orrery_study *study = orrery_study_new();
    if (study == NULL) {
        orr_print_message("orrery: out of memory\n");
        return 1;
    }
    const struct orrery_import given = {ORRERY_SIZED(orrery_import),
                                        .file = job->from.text,
                                        .files = job->from.count,
                                        .warn = warn,
                                        .npus = npus,
                                        .warn_not_understood = true};
    name_job(job);
    const enum orrery_status status = orrery_import(study, &given);
    const int result = status == ORRERY_OK ? write_workload(job, study)
                                           : orr_print_api_error(status, orrery_study_error(study));
    orrery_study_free(study);
    return result;
}
