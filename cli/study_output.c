/* Results of studies as outputs; see study_output.h. */
#include "cli/study_output.h"

#include <stdint.h>

#include "cli/write_output.h"
#include "orrery/study.h"
#include "report/table_text.h"

static int write_form(FILE *out, const void *study, enum orrery_form form)
{
    return orrery_study_write((struct orrery_study *)(uintptr_t)study, out, form) == ORRERY_OK ? 0
                                                                                               : 1;
}

int orr_write_study_json(FILE *out, const void *study)
{
    return write_form(out, study, ORRERY_FORM_JSON);
}

int orr_write_study_csv(FILE *out, const void *study)
{
    return write_form(out, study, ORRERY_FORM_CSV);
}

int orr_write_study_table(FILE *out, const void *study)
{
    return write_form(out, study, ORRERY_FORM_TABLE);
}

int orr_write_study_files(const struct orrery_study *study, const char *json, const char *csv,
                          bool *quiet)
{
    const struct orr_output outputs[] = {{json, orr_write_study_json}, {csv, orr_write_study_csv}};
    int result = 0;
    for (size_t i = 0; result == 0 && i < sizeof outputs / sizeof *outputs; i++) {
        result = orr_write_output(&outputs[i], study, quiet);
    }
    return result;
}

int orr_report_study(const struct orrery_study *study, const char *json, const char *csv)
{
    bool quiet = false;
    const int result = orr_write_study_files(study, json, csv, &quiet);
    return result != 0 || quiet ? result : orr_write_study_table(stdout, study);
}
