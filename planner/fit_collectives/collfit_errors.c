/* Errors of the fitted model: of each row, and by collective and class of sizes. */
#include "core/arena.h"
#include "planner/fit/fit_stats.h"
#include "planner/fit_collectives/collfit_private.h"
#include "report/results/fit_results.h"
#include "system/ccl/ccl.h"
#include "system/collectives/program.h"

static void fill_row(const struct collfit *fit, size_t i, struct orr_fit_time_row *out)
{
    const struct orr_measured_row *row = &fit->measured.row[i];
    struct sys_ccl_choice choice;
    orr_sys_ccl_choose(&fit->library, &fit->shape[i], row->kind, (double)row->bytes, &choice);
    const double model_us = orr_collfit_time_us(&fit->library, &fit->shape[i], row);
    *out =
        (struct orr_fit_time_row){.collective = orr_coll_kind_name(row->kind),
                                  .npus = row->npus,
                                  .npus_per_node = row->npus_per_node,
                                  .bytes = row->bytes,
                                  .measured_us = row->time_us,
                                  .model_us = model_us,
                                  .error = model_us / row->time_us - 1,
                                  .algorithm = choice.algorithm,
                                  .protocol = choice.protocol[0] != '\0' ? choice.protocol : NULL,
                                  .held_out = fit->split.held[i],
                                  .file = fit->measured.file[row->file].path,
                                  .line = row->line};
}

/* A class of rows. kind COLL_KINDS: all collectives. sizes 0: all, 1: large, 2: small. */
struct class
{
    bool held;
    enum coll_kind kind;
    unsigned sizes;
};

static const char *const size_names[] = {"all", ">= 1 MiB", "< 1 MiB"};

static bool is_in(const struct collfit *fit, const struct class *class, size_t i)
{
    const struct orr_measured_row *row = &fit->measured.row[i];
    const unsigned sizes = row->bytes >= COLLFIT_LARGE ? 1 : 2;
    return fit->split.held[i] == class->held &&
           (class->kind == COLL_KINDS || class->kind == row->kind) &&
           (class->sizes == 0 || class->sizes == sizes);
}

struct scratch {
    struct orr_arena *arena;
    double *model, *measured; /* [measured rows] */
    size_t *list;             /* rows of a class */
};

static enum orr_status add_class(struct collfit *fit, const struct class *class,
                                 struct scratch *scratch, struct orr_diag *diag)
{
    struct fit_rows rows = {scratch->model, scratch->measured, scratch->list, 0};
    struct fit_stats stats;
    for (size_t i = 0; i < fit->measured.rows; i++) {
        if (is_in(fit, class, i)) {
            scratch->list[rows.count++] = i;
        }
    }
    if (rows.count == 0) {
        return ORR_OK;
    }
    const enum orr_status status = orr_fit_stats(scratch->arena, &rows, &stats, diag);
    if (status == ORR_OK) {
        fit->error[fit->errors++] = (struct orr_fit_error_row){
            .held_out = class->held,
            .collective = class->kind == COLL_KINDS ? "all" : orr_coll_kind_name(class->kind),
            .sizes = size_names[class->sizes],
            .count = stats.count,
            .median = stats.median,
            .p90 = stats.p90,
            .bias = stats.bias,
            .worst = stats.worst,
            .worst_row = stats.worst_row,
            .worst_file = fit->row[stats.worst_row].file,
            .worst_line = fit->row[stats.worst_row].line};
    }
    return status;
}

/* Adds the classes: all rows, all by size, and each collective by size. */
static enum orr_status add_classes(struct collfit *fit, struct scratch *scratch,
                                   struct orr_diag *diag)
{
    enum orr_status status = ORR_OK;
    for (unsigned held = 0; held < 2; held++) {
        const struct class all = {held != 0, COLL_KINDS, 0};
        status = status == ORR_OK ? add_class(fit, &all, scratch, diag) : status;
    }
    for (unsigned held = 0; held < 2; held++) {
        for (unsigned k = 0; k <= COLL_KINDS; k++) { /* all collectives first */
            for (unsigned sizes = 1; sizes <= 2 && status == ORR_OK; sizes++) {
                const struct class class = {held != 0,
                                            k == 0 ? COLL_KINDS : (enum coll_kind)(k - 1), sizes};
                status = add_class(fit, &class, scratch, diag);
            }
        }
    }
    return status;
}

enum orr_status orr_collfit_errors(struct collfit *fit, struct orr_arena *arena,
                                   struct orr_diag *diag)
{
    const size_t rows = fit->measured.rows, max = 2 + 2 * 2 * ((size_t)COLL_KINDS + 1);
    struct scratch scratch = {.arena = arena};
    scratch.model = orr_arena_array(arena, rows + 1, sizeof *scratch.model);
    scratch.measured = orr_arena_array(arena, rows + 1, sizeof *scratch.measured);
    scratch.list = orr_arena_array(arena, rows + 1, sizeof *scratch.list);
    fit->row = orr_arena_array(arena, rows + 1, sizeof *fit->row);
    fit->error = orr_arena_array(arena, max, sizeof *fit->error);
    if (scratch.model == NULL || scratch.measured == NULL || scratch.list == NULL ||
        fit->row == NULL || fit->error == NULL) {
        return orr_diag_no_memory(diag, "the errors of a fit");
    }
    for (size_t i = 0; i < rows; i++) {
        fill_row(fit, i, &fit->row[i]);
        scratch.model[i] = fit->row[i].model_us;
        scratch.measured[i] = fit->row[i].measured_us;
    }
    return add_classes(fit, &scratch, diag);
}

struct fit_report orr_collfit_report(const struct collfit *fit)
{
    return (struct fit_report){.command = "collectives",
                               .platform = fit->input.platform,
                               .file = fit->measured.file,
                               .files = fit->measured.files,
                               .holdout = fit->input.holdout,
                               .keep = fit->input.keep,
                               .fitted = fit->split.fitted,
                               .tested = fit->split.tested,
                               .error = fit->error,
                               .errors = fit->errors,
                               .parameter = fit->parameter,
                               .parameters = COLLFIT_PARAMS,
                               .warning = fit->warning,
                               .note = fit->note,
                               .warnings = fit->warnings,
                               .notes = fit->notes};
}
