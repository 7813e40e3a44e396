/* Runs a row like `orrery run --ignore-capacity`: the platform and the workload with the values of
 * the row and of the fit. */
#include <stdlib.h>
#include <string.h>

#include "core/conf/conf.h"
#include "orrery/orrery.h"
#include "orrery/parts.h"
#include "orrery/study.h"
#include "planner/fit_compute/compfit_private.h"
#include "sim/load/fitted_gpu.h"
#include "workload/trace/trace.h"

/* ---- settings ---- */

static int print_efficiency(FILE *out, const struct compfit *fit, const double *theta, int digits)
{
    const char *before = "compute.efficiency=[";
    for (unsigned kind = 0; kind <= ORR_OP_KINDS; kind++) {
        if (orr_compfit_has_entry(fit, kind)) {
            (void)fputs(before, out);
            orr_compfit_write_entry(out, fit, kind, theta, digits);
            before = ", ";
        }
    }
    return fputc(']', out);
}

static char *efficiency_text(const struct compfit *fit, const double *theta, int digits)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    if (out == NULL) {
        return NULL;
    }
    (void)print_efficiency(out, fit, theta, digits);
    if (fclose(out) != 0) {
        orr_heap_free(text);
        return NULL;
    }
    return text;
}

static char *key_text(const struct compfit_param *param, double theta, int digits)
{
    const size_t bytes = strlen(param->name) + strlen(param->unit) + 48;
    char *text = orr_heap_alloc(bytes);
    if (text != NULL) {
        (void)snprintf(text, bytes, "%s=%.*g%s%s", param->name, digits,
                       orr_compfit_value(param, theta), param->unit[0] != '\0' ? " " : "",
                       param->unit);
    }
    return text;
}

enum orr_status orr_compfit_setting(const struct compfit *fit, const double *theta, int digits,
                                    struct compfit_setting *out, struct orr_diag *diag)
{
    *out = (struct compfit_setting){.set = orr_heap_calloc(fit->params + 1, sizeof *out->set)};
    bool done = out->set != NULL;
    if (done) {
        out->set[out->sets++] = efficiency_text(fit, theta, digits);
        done = out->set[0] != NULL;
    }
    for (size_t k = COMPFIT_EFFICIENCY_PARAMS; k < fit->params && done; k++) {
        out->set[out->sets++] = key_text(&fit->param[k], theta[k], digits);
        done = out->set[out->sets - 1] != NULL;
    }
    if (!done) {
        orr_compfit_setting_free(out);
        return orr_diag_no_memory(diag, "a fit");
    }
    return ORR_OK;
}

void orr_compfit_setting_free(struct compfit_setting *setting)
{
    for (size_t i = 0; i < setting->sets; i++) {
        orr_heap_free(setting->set[i]);
    }
    orr_heap_free((void *)setting->set);
    *setting = (struct compfit_setting){.set = NULL};
}

/* ---- a run ---- */

static enum orrery_status load(const struct compfit_run *run, struct orrery *job)
{
    static const char ignore[] = "memory.ignore_capacity=true";
    const size_t row_sets = run->row->sets, more = run->setting != NULL ? run->setting->sets : 0;
    const char **set = orr_heap_calloc(row_sets + more + 1, sizeof *set);
    if (set == NULL) {
        return ORRERY_ERROR_MEMORY;
    }
    for (size_t i = 0; i < row_sets + more; i++) {
        set[i] = i < row_sets ? run->row->set[i] : run->setting->set[i - row_sets];
    }
    set[row_sets + more] = ignore;
    const struct orrery_parts parts = {
        ORRERY_SIZED(orrery_parts), .platform = run->fit->input.platform_part,
        .workload = run->fit->input.workload_part, .set = set, .set_count = row_sets + more + 1};
    orrery_record(job, run->jacobian ? ORRERY_RECORD_SLOPES : 0);
    const enum orrery_status status = orrery_load_parts(job, &parts);
    orr_heap_free((void *)set);
    return status;
}

/* Keeps an error message without its reference to --set: there is no command line. */
static void set_error(struct compfit_run *run, const char *text)
{
    (void)snprintf(run->error, sizeof run->error, "%s", orr_conf_unset_message(text));
}

static uint32_t steps_of(const struct orrery *job)
{
    struct orrery_model model;
    return orrery_model(job, &model) == ORRERY_OK && model.steps > 1 ? model.steps : 1;
}

void orr_compfit_run(struct compfit_run *run)
{
    struct orrery *job = orrery_new();
    enum orrery_status status = job != NULL ? load(run, job) : ORRERY_ERROR_MEMORY;
    run->time_s = 0;
    run->error[0] = '\0';
    run->other_gpu[0] = '\0';
    if (status == ORRERY_OK) {
        (void)orr_other_gpu(job, run->other_gpu);
        status = orrery_run(job);
    }
    if (status == ORRERY_OK) {
        run->time_s = (double)orrery_wall_ps(job) * 1e-12 / steps_of(job);
        if (run->jacobian) {
            orr_compfit_read_sensitivities(run->fit, job, run->sensitivity);
        }
        if (!(run->time_s > 0)) {
            set_error(run, "it takes no time");
        }
    } else {
        run->no_memory = status == ORRERY_ERROR_MEMORY;
        set_error(run, job != NULL ? orrery_error(job) : "out of memory");
    }
    orrery_free(job);
}

static void run_one(void *context, unsigned index)
{
    struct compfit_run *run = context;
    orr_compfit_run(&run[index]);
}

void orr_compfit_run_all(struct compfit_run *run, size_t count)
{
    orrery_parallel(0, (unsigned)count, run_one, run);
}
