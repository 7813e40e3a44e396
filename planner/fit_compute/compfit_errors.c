/* Errors of the fitted model: of each row, of all fitted and of all held-out rows. */
#include "core/arena.h"
#include "planner/fit/fit_stats.h"
#include "planner/fit_compute/compfit_private.h"
#include "report/results/fit_results.h"

static enum orr_status add_error(struct compfit *fit, bool held, struct orr_arena *arena,
                                 struct orr_diag *diag)
{
    double *model = orr_arena_array(arena, fit->rows + 1, sizeof *model);
    double *measured = orr_arena_array(arena, fit->rows + 1, sizeof *measured);
    size_t *list = orr_arena_array(arena, fit->rows + 1, sizeof *list);
    struct fit_rows rows = {model, measured, list, 0};
    struct fit_stats stats;
    if (model == NULL || measured == NULL || list == NULL) {
        return orr_diag_no_memory(diag, "the errors of a fit");
    }
    for (size_t i = 0; i < fit->rows; i++) {
        model[i] = fit->row[i].model_s;
        measured[i] = fit->row[i].time_s;
        if (fit->split.held[i] == held) {
            list[rows.count++] = i;
        }
    }
    if (rows.count == 0) {
        return ORR_OK;
    }
    const enum orr_status status = orr_fit_stats(arena, &rows, &stats, diag);
    if (status == ORR_OK) {
        const struct orr_fit_iteration_row *worst = &fit->iteration[stats.worst_row];
        fit->error[fit->errors++] = (struct orr_fit_error_row){.held_out = held,
                                                               .count = stats.count,
                                                               .median = stats.median,
                                                               .p90 = stats.p90,
                                                               .bias = stats.bias,
                                                               .worst = stats.worst,
                                                               .worst_row = stats.worst_row,
                                                               .worst_name = worst->name,
                                                               .worst_file = worst->file,
                                                               .worst_line = worst->line};
    }
    return status;
}

enum orr_status orr_compfit_errors(struct compfit *fit, struct orr_arena *arena,
                                   struct orr_diag *diag)
{
    fit->iteration = orr_arena_array(arena, fit->rows + 1, sizeof *fit->iteration);
    if (fit->iteration == NULL) {
        return orr_diag_no_memory(diag, "the errors of a fit");
    }
    for (size_t i = 0; i < fit->rows; i++) {
        const struct compfit_row *row = &fit->row[i];
        fit->iteration[i] = (struct orr_fit_iteration_row){.name = row->name,
                                                           .measured_s = row->time_s,
                                                           .model_s = row->model_s,
                                                           .error = row->model_s / row->time_s - 1,
                                                           .held_out = fit->split.held[i],
                                                           .file = fit->file[row->file].path,
                                                           .line = row->line};
    }
    fit->head = (struct orr_fit_head_row){.platform = fit->input.platform_name,
                                          .workload = fit->input.workload_name,
                                          .fitted = fit->split.fitted,
                                          .held_out = fit->split.tested,
                                          .refused = fit->refusals,
                                          .cost = fit->fit.cost,
                                          .sigma = fit->fit.sigma};
    const enum orr_status status = add_error(fit, false, arena, diag);
    return status == ORR_OK ? add_error(fit, true, arena, diag) : status;
}

struct fit_report orr_compfit_report(const struct compfit *fit)
{
    return (struct fit_report){.command = "compute",
                               .platform = fit->input.platform_name,
                               .file = fit->file,
                               .files = fit->files,
                               .holdout = fit->input.holdout,
                               .keep = fit->input.keep,
                               .fitted = fit->split.fitted,
                               .tested = fit->split.tested,
                               .error = fit->error,
                               .errors = fit->errors,
                               .parameter = fit->parameter,
                               .parameters = fit->params,
                               .warning = fit->warning,
                               .note = fit->note,
                               .warnings = fit->warnings,
                               .notes = fit->notes};
}
