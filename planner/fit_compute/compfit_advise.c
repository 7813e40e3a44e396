/* Advice on measurements that would identify a parameter; warnings and notes. */
#include <string.h>

#include "core/strings.h"
#include "planner/fit_compute/compfit_private.h"

/* Whether two fitted rows differ in a column. */
static bool differs_in_column(const struct compfit *fit, const char *path)
{
    const size_t column = orr_compfit_find_column(fit, path);
    const char *first = NULL;
    for (size_t i = 0; column != SIZE_MAX && i < fit->rows; i++) {
        if (fit->split.held[i]) {
            continue;
        }
        if (first != NULL && strcmp(first, fit->row[i].text[column]) != 0) {
            return true;
        }
        first = fit->row[i].text[column];
    }
    return false;
}

const char *orr_compfit_advice(const struct compfit *fit, size_t param)
{
    static const struct {
        const char *path, *missing, *there;
    } advice[COMPFIT_EFFICIENCY_PARAMS] = {
        [COMPFIT_GEMM] = {"workload.transformer.hidden", "iterations that differ in hidden size",
                          "iterations that differ more in hidden size"},
        [COMPFIT_CONSTANT] = {"workload.training.micro_batch",
                              "iterations that differ in micro-batch",
                              "iterations that differ more in micro-batch"},
        [COMPFIT_ATTENTION] = {"workload.transformer.sequence",
                               "iterations that differ in sequence length",
                               "iterations that differ more in sequence length"},
        [COMPFIT_ELEMENTWISE] = {"workload.transformer.sequence",
                                 "iterations that differ in sequence length",
                                 "iterations that differ more in sequence length"}};
    const struct compfit_param *of = &fit->param[param];
    if (of->kind == COMPFIT_KEY) {
        return fit->parameter[param].used
                   ? "iterations in which it takes a larger part of the time, and others"
                   : "iterations that depend on it";
    }
    return differs_in_column(fit, advice[of->kind].path) ? advice[of->kind].there
                                                         : advice[of->kind].missing;
}

/* ---- warnings and notes ---- */

static void warn_bounds(const struct compfit *fit, struct fit_notes *note_list)
{
    for (size_t k = 0; k < fit->params; k++) {
        const struct orr_fit_parameter_row *row = &fit->parameter[k];
        if (row->at_bound == NULL || row->fixed) {
            continue;
        }
        const struct compfit_param *param = &fit->param[k];
        const bool high = row->at_bound[0] == 'h';
        const bool sheet = param->kind == COMPFIT_KEY && high && param->high <= param->prior;
        const bool share = param->kind != COMPFIT_KEY && param->kind != COMPFIT_CONSTANT;
        orr_fitrep_add_note(
            note_list,
            orr_arena_printf(
                note_list->arena, "%s met its bound of %.4g%s%s: %s", row->name, row->value,
                row->unit[0] != '\0' ? " " : "", row->unit,
                sheet ? "the platform's bandwidth; were the rows measured on this machine?"
                : share && high ? "all of what the data sheet says; do compute.peak and "
                                  "memory.local.bandwidth fit the GPU?"
                : share ? "less than any GPU reaches; does the workload do what was measured?"
                        : "three spreads from its prior; were the rows measured on this "
                          "platform?"));
    }
}

static void note_limits(const struct compfit *fit, struct fit_notes *notes)
{
    size_t free = 0;
    for (size_t k = 0; k < fit->params; k++) {
        const struct orr_fit_parameter_row *row = &fit->parameter[k];
        free += row->fixed ? 0 : 1;
        if (fit->param[k].unidentified) {
            orr_fitrep_add_note(
                notes,
                orr_arena_printf(notes->arena,
                                 "%s is not determined by these rows, and stays at %.4g%s%s, %s; "
                                 "to determine it: %s",
                                 row->name, row->value, row->unit[0] != '\0' ? " " : "", row->unit,
                                 fit->param[k].from_platform ? "as in the platform" : "the default",
                                 row->would_identify));
        }
        if (!fit->param[k].unidentified && row->fixed && fit->param[k].kind == COMPFIT_CONSTANT &&
            !(row->prior > 0)) {
            orr_fitrep_add_note(notes,
                                "the platform has no constant (constant: 0), and keeps none");
        }
        if (fit->param[k].of_workload) {
            orr_fitrep_add_note(notes,
                                orr_arena_printf(notes->arena,
                                                 "%s is the workload's, and not written to the "
                                                 "platform",
                                                 row->name));
        }
    }
    if (free > 0 && fit->split.fitted < free) {
        orr_fitrep_add_note(notes, orr_arena_printf(notes->arena, "%zu row%s for %zu parameters",
                                                    fit->split.fitted,
                                                    orr_plural(fit->split.fitted), free));
    }
    if (!fit->fit.converged) {
        orr_fitrep_add_note(notes, "the search ran out of steps; its cost may go down further");
    }
}

static void note_refused(const struct compfit *fit, struct fit_notes *notes)
{
    for (size_t i = 0; i < fit->refusals; i++) {
        const struct compfit_row *row = &fit->refused[i];
        orr_fitrep_add_note(notes, orr_arena_printf(notes->arena, "left out: %s:%u (%s): %s",
                                                    fit->file[row->file].path, (unsigned)row->line,
                                                    row->name, row->refused));
    }
}

enum orr_status orr_compfit_add_notes(struct compfit *fit, struct orr_arena *arena,
                                      struct orr_diag *diag)
{
    struct fit_notes warnings, notes;
    enum orr_status status = orr_fitrep_notes_init(&warnings, arena, diag);
    if (status == ORR_OK) {
        status = orr_fitrep_notes_init(&notes, arena, diag);
    }
    if (status != ORR_OK) {
        return status;
    }
    for (size_t k = 0; k < fit->params; k++) {
        fit->parameter[k].would_identify =
            fit->param[k].unidentified ? orr_compfit_advice(fit, k) : NULL;
    }
    if (fit->other_gpu != NULL) {
        orr_fitrep_add_note(&warnings, fit->other_gpu);
    }
    if (!fit->input.keep) {
        warn_bounds(fit, &warnings);
        note_limits(fit, &notes);
    }
    note_refused(fit, &notes);
    fit->warning = warnings.text;
    fit->warnings = warnings.count;
    fit->note = notes.text;
    fit->notes = notes.count;
    return warnings.no_memory || notes.no_memory ? orr_diag_no_memory(diag, "the notes of a fit")
                                                 : ORR_OK;
}
