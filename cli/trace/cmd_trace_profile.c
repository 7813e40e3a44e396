/* orrery trace info of profiles: what they recorded, from the GPU's view. */
#include <stdio.h>

#include "cli/options.h"
#include "cli/page_output.h"
#include "cli/study_output.h"
#include "cli/trace/trace_command.h"
#include "orrery/profile.h"
#include "report/table_text.h"

static int report(const struct orr_trace_arguments *arguments, const struct orrery_study *study)
{
    bool quiet = false;
    const int result = orr_write_study_files(study, arguments->json, arguments->csv, &quiet);
    if (result != 0) {
        return result;
    }
    const struct orr_page_part part = {
        .json = orr_write_study_json, .context = study, .name = "profiles"};
    const int paged = orr_write_page(arguments->report, arguments->line, &part, 1, &quiet);
    return paged != 0 || quiet ? paged : orr_write_study_table(stdout, study);
}

int orr_trace_profile_command(const struct orr_trace_arguments *arguments)
{
    const struct orrery_profile given = {
        ORRERY_SIZED(orrery_profile), .given = (const char *const *)arguments->file,
        .givens = (size_t)arguments->files, .step = arguments->step, .warn = orr_print_warning};
    struct orrery_study *study = orrery_study_new();
    if (study == NULL) {
        orr_print_message("orrery trace: out of memory\n");
        return 1;
    }
    const enum orrery_status status = orrery_profile(study, &given);
    const int result = status == ORRERY_OK ? report(arguments, study)
                                           : orr_print_api_error(status, orrery_study_error(study));
    orrery_study_free(study);
    return result;
}
