/* Lists of warnings and notes; the result of a parameter as a row. */
#include <math.h>

#include "core/arena.h"
#include "planner/fit_report/fit_report.h"
#include "report/results/fit_results.h"

enum orr_status orr_fitrep_notes_init(struct fit_notes *note_list, struct orr_arena *arena,
                                      struct orr_diag *diag)
{
    *note_list = (struct fit_notes){.arena = arena};
    note_list->text = orr_arena_array(arena, FITREP_MAX_NOTES, sizeof *note_list->text);
    return note_list->text != NULL ? ORR_OK : orr_diag_no_memory(diag, "the notes of a fit");
}

void orr_fitrep_add_note(struct fit_notes *note_list, const char *text)
{
    note_list->no_memory = note_list->no_memory || text == NULL;
    if (text != NULL && note_list->count < FITREP_MAX_NOTES) {
        note_list->text[note_list->count++] = text;
    }
}

void orr_fitrep_set_parameter(const struct fit_value *value,
                              struct orr_fit_parameter_row *parameter, size_t k)
{
    static const char *const bounds[] = {
        [FIT_INSIDE] = NULL, [FIT_AT_LOW] = "low", [FIT_AT_HIGH] = "high"};
    struct orr_fit_parameter_row *row = &parameter[k];
    row->value = row->fixed ? row->prior : exp(value->value);
    row->std_dev = value->std_dev;
    row->identified = value->identified;
    row->at_bound = bounds[value->at_bound];
    row->trades_with = value->trades_with != FIT_NONE ? parameter[value->trades_with].name : NULL;
    row->correlation = value->correlation;
}
