/* Runs all rows before and after the search: which can run, and their model times. */
#include <string.h>

#include "core/arena.h"
#include "planner/fit_compute/compfit_private.h"

enum { MAX_NAMED = 3 };

static enum orr_status fail_refused(const struct compfit *fit, const struct compfit_run *run,
                                    size_t refused, struct orr_diag *diag)
{
    unsigned named = 0;
    bool same_reason = true;
    const char *first = NULL;
    for (size_t i = 0; i < fit->rows; i++) {
        if (run[i].error[0] != '\0') {
            first = first == NULL ? run[i].error : first;
            same_reason = same_reason && strcmp(first, run[i].error) == 0;
        }
    }
    (void)orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                        "%zu of %zu measured iterations cannot run; correct or remove them, or "
                        "leave them out with --skip-refused:",
                        refused, fit->rows);
    for (size_t i = 0; i < fit->rows && named < (same_reason ? 1 : MAX_NAMED); i++) {
        if (run[i].error[0] != '\0') {
            const struct compfit_row *row = &fit->row[i];
            orr_diag_append(diag, "\n  %s:%u (%s): %s", fit->file[row->file].path,
                            (unsigned)row->line, row->name, run[i].error);
            named++;
        }
    }
    if (refused > named) {
        orr_diag_append(diag, "\n  and %zu more%s", refused - named,
                        same_reason ? ", for the same reason" : "");
    }
    return ORR_ERR_INPUT;
}

/* Moves the rows that cannot run to fit->refused. */
static enum orr_status drop_refused(struct compfit *fit, struct orr_arena *arena,
                                    const struct compfit_run *run, struct orr_diag *diag)
{
    bool *held = orr_arena_array(arena, fit->rows + 1, sizeof *held);
    fit->refused = orr_arena_array(arena, fit->rows + 1, sizeof *fit->refused);
    if (held == NULL || fit->refused == NULL) {
        return orr_diag_no_memory(diag, "measured iterations");
    }
    size_t left = 0, tested = 0;
    for (size_t i = 0; i < fit->rows; i++) {
        if (run[i].error[0] == '\0') {
            held[left] = fit->split.held[i];
            tested += held[left] ? 1 : 0;
            fit->row[left] = fit->row[i];
            fit->row[left++].model_s = run[i].time_s;
            continue;
        }
        struct compfit_row *refused = &fit->refused[fit->refusals++];
        *refused = fit->row[i];
        fit->file[refused->file].rows--;
        refused->refused = orr_arena_strdup(arena, run[i].error);
        if (refused->refused == NULL) {
            return orr_diag_no_memory(diag, "measured iterations");
        }
    }
    fit->rows = left;
    fit->split = (struct orr_measured_split){held, left - tested, tested};
    return ORR_OK;
}

/* Runs all rows, with a setting or unchanged (NULL). */
static enum orr_status run_rows(const struct compfit *fit, const struct compfit_setting *setting,
                                struct compfit_run **out, struct orr_diag *diag)
{
    struct compfit_run *run = orr_heap_calloc(fit->rows + 1, sizeof *run);
    *out = run;
    if (run == NULL) {
        return orr_diag_no_memory(diag, "a fit");
    }
    for (size_t i = 0; i < fit->rows; i++) {
        run[i] = (struct compfit_run){.fit = fit, .row = &fit->row[i], .setting = setting};
    }
    orr_compfit_run_all(run, fit->rows);
    for (size_t i = 0; i < fit->rows; i++) {
        if (run[i].no_memory) {
            return orr_diag_no_memory(diag, "a run of a measured iteration");
        }
    }
    return ORR_OK;
}

static enum orr_status check_rows(struct compfit *fit, struct orr_arena *arena,
                                  const struct compfit_run *run, struct orr_diag *diag)
{
    size_t refused = 0, fitted = 0;
    for (size_t i = 0; i < fit->rows; i++) {
        const bool can_run = run[i].error[0] == '\0';
        refused += can_run ? 0 : 1;
        fitted += can_run && (fit->input.keep || !fit->split.held[i]) ? 1 : 0;
    }
    if (refused > 0 && (fitted == 0 || !fit->input.skip_refused)) {
        return fail_refused(fit, run, refused, diag);
    }
    return drop_refused(fit, arena, run, diag);
}

/* Keeps the warning of the first row on another GPU than the efficiency was fitted on. */
static enum orr_status copy_gpu_warning(struct compfit *fit, struct orr_arena *arena,
                                        const struct compfit_run *run, struct orr_diag *diag)
{
    size_t i = 0;
    while (i < fit->rows && run[i].other_gpu[0] == '\0') {
        i++;
    }
    fit->other_gpu = i < fit->rows ? orr_arena_strdup(arena, run[i].other_gpu) : NULL;
    return i < fit->rows && fit->other_gpu == NULL ? orr_diag_no_memory(diag, "a fit") : ORR_OK;
}

enum orr_status orr_compfit_first_run(struct compfit *fit, struct orr_arena *arena,
                                      const double *theta, struct orr_diag *diag)
{
    struct compfit_setting setting = {.set = NULL};
    struct compfit_run *run = NULL;
    const bool keep = fit->input.keep;
    enum orr_status status =
        keep ? ORR_OK : orr_compfit_setting(fit, theta, COMPFIT_ALL_DIGITS, &setting, diag);
    if (status == ORR_OK) {
        status = run_rows(fit, keep ? NULL : &setting, &run, diag);
    }
    if (status == ORR_OK) {
        status = copy_gpu_warning(fit, arena, run, diag);
    }
    if (status == ORR_OK) {
        status = check_rows(fit, arena, run, diag);
    }
    orr_heap_free(run);
    orr_compfit_setting_free(&setting);
    return status;
}

enum orr_status orr_compfit_last_run(struct compfit *fit, struct orr_diag *diag)
{
    struct compfit_setting setting = {.set = NULL};
    struct compfit_run *run = NULL;
    enum orr_status status = orr_compfit_setting(fit, fit->theta, COMPFIT_DIGITS, &setting, diag);
    if (status == ORR_OK) {
        status = run_rows(fit, &setting, &run, diag);
    }
    for (size_t i = 0; status == ORR_OK && i < fit->rows; i++) {
        fit->row[i].model_s = run[i].time_s;
    }
    orr_heap_free(run);
    orr_compfit_setting_free(&setting);
    return status;
}
