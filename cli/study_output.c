/* Results of studies as outputs; see study_output.h. */
#include "cli/study_output.h"

#include <stdint.h>

#include "orrery/study.h"

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
