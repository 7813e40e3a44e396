/* What is said beside numbers, and what a fit says of a parameter. */
#include <math.h>

#include "planner/fit_report/fit_report.h"

enum orr_status orr_fitrep_notes(struct fit_notes *said, struct orr_arena *arena,
                                 struct orr_diag *diag)
{
    *said = (struct fit_notes){.arena = arena};
    said->text = orr_arena_array(arena, FITREP_MAX_SAID, sizeof *said->text);
    return said->text != NULL ? ORR_OK : orr_diag_no_memory(diag, "what is said of a fit");
}

void orr_fitrep_add_note(struct fit_notes *said, const char *text)
{
    said->no_memory = said->no_memory || text == NULL;
    if (text != NULL && said->count < FITREP_MAX_SAID) {
        said->text[said->count++] = text;
    }
}

void orr_fitrep_take(const struct fit_value *value, struct orr_fit_parameter_row *parameter,
                     size_t k)
{
    static const char *const bounds[] = {
        [FIT_INSIDE] = NULL, [FIT_AT_LOW] = "low", [FIT_AT_HIGH] = "high"};
    struct orr_fit_parameter_row *row = &parameter[k];
    row->value = row->fixed ? row->prior : exp(value->value);
    row->spread = value->spread;
    row->identified = value->identified;
    row->at_bound = bounds[value->at_bound];
    row->trades_with = value->trades_with != FIT_NONE ? parameter[value->trades_with].name : NULL;
    row->correlation = value->correlation;
}
