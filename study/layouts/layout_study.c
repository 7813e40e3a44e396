/* Estimates of all layouts, simulations of the fastest; see layout_study.h. */
#include "study/layouts/layout_study.h"

#include <stdlib.h>
#include <string.h>

#include "core/arena.h"
#include "core/diag.h"
#include "core/time.h"
#include "orrery/job_model.h"
#include "orrery/orrery.h"
#include "sim/loaded_job.h"
#include "study/job_source.h"

enum { DEFAULT_BEST = 20, DAY_S = 86400, MAX_TRIES = 64, SETS = ORR_LAYOUT_KEYS + 1 };

static const char runs_all_the_same[] = "memory.ignore_capacity=true";

/* ---- loading ---- */

static enum orrery_status load_with(const struct orr_layout_study *study, const char *const *set,
                                    size_t sets, struct orrery *job)
{
    const struct orr_job_source source = {.own = study->given.files};
    orrery_check_capacity(job, false);
    return orr_job_source_load(&source, set, sets, job);
}

/* The files' own layout may not go with their batch on these NPUs: another one shows the model as
 * well. Tries tensor and pipeline parallelism by powers of two. */
static struct orrery *load_any(const struct orr_layout_study *study, struct orr_diag *diag)
{
    for (unsigned attempt = 0; attempt < MAX_TRIES; attempt++) {
        char text[3][ORR_LAYOUT_KEY_BYTES];
        const char *set[] = {text[0], text[1], text[2]};
        struct orrery *job = orrery_new();
        (void)snprintf(text[0], sizeof text[0], "workload.parallel.tensor=%u", 1u << attempt % 4);
        (void)snprintf(text[1], sizeof text[1], "workload.parallel.pipeline=%u", 1u << attempt / 4);
        (void)snprintf(text[2], sizeof text[2], "workload.parallel.sequence=true");
        const enum orrery_status status =
            job != NULL ? load_with(study, set, attempt > 0 ? 3 : 0, job) : ORRERY_ERROR_MEMORY;
        if (status == ORRERY_OK) {
            return job;
        }
        if (attempt == 0 || status == ORRERY_ERROR_MEMORY) {
            (void)orr_diag_fail(diag, (enum orr_status)status, NULL, "%s", orr_job_error(job));
        }
        orrery_free(job);
        if (status != ORRERY_ERROR_INPUT) {
            return NULL;
        }
    }
    return NULL;
}

/* ---- simulating ---- */

static void describe(const struct orr_layout_study *study, const struct orr_estimated_layout *found,
                     struct orr_best_layout *out)
{
    const struct gen_change *change = &found->change;
    *out = (struct orr_best_layout){
        .tensor = change->tensor,
        .context = change->context,
        .expert = change->expert,
        .expert_tensor = change->expert_tensor > 0 ? change->expert_tensor : change->tensor,
        .pipeline = change->pipeline,
        .chunks = change->chunks,
        .data = found->data,
        .micro_batch = (uint32_t)change->micro_batch,
        .zero = change->zero,
        .recompute = orr_gen_recompute_name(change->recompute),
        .estimated_ps = orr_time_of_seconds(found->estimate.step_s),
        .memory_bytes = found->memory_bytes};
    (void)orr_layout_text(found, out->layout);
    (void)orr_layout_why(found, study->capacity_bytes, out->why);
}

static void tell_rates(const struct orr_layout_study *study, struct orr_best_layout *layout)
{
    const double step_s = (double)layout->simulated_ps / (double)ORR_PS_PER_S;
    layout->error = (double)layout->estimated_ps / (double)layout->simulated_ps - 1;
    layout->tokens_per_s = study->tokens_of_step / step_s;
    if (study->given.tokens > 0 && layout->tokens_per_s > 0) {
        layout->days = study->given.tokens / layout->tokens_per_s / DAY_S;
        layout->cost = layout->days * 24 * study->npus * study->given.dollars_per_gpu_hour;
    }
}

static void simulate(void *context, unsigned index)
{
    struct orr_layout_study *study = context;
    struct orr_best_layout *layout = &study->best[index];
    char key[ORR_LAYOUT_KEYS][ORR_LAYOUT_KEY_BYTES];
    const char *set[SETS];
    struct orrery *job = orrery_new();
    const unsigned keys = orr_layout_keys(&study->found.best[index], key);
    for (unsigned i = 0; i < keys; i++) {
        set[i] = key[i];
    }
    set[keys] = runs_all_the_same;
    layout->status = job != NULL ? load_with(study, set, keys + 1, job) : ORRERY_ERROR_MEMORY;
    layout->status = layout->status == ORRERY_OK ? orrery_run(job) : layout->status;
    if (layout->status == ORRERY_OK) {
        layout->simulated_ps = orrery_wall_ps(job);
        tell_rates(study, layout);
    } else {
        (void)snprintf(layout->why, sizeof layout->why, "%s", orr_job_error(job));
    }
    orrery_free(job);
}

static int compare_layouts(const void *a, const void *b)
{
    const struct orr_best_layout *x = a, *y = b;
    return x->simulated_ps != y->simulated_ps   ? (x->simulated_ps < y->simulated_ps ? -1 : 1)
           : x->memory_bytes != y->memory_bytes ? (x->memory_bytes < y->memory_bytes ? -1 : 1)
                                                : strcmp(x->layout, y->layout);
}

static enum orr_status simulate_best(struct orr_layout_study *study, struct orr_diag *diag)
{
    study->count = study->found.count;
    study->best = orr_heap_calloc(study->count, sizeof *study->best);
    if (study->best == NULL) {
        return orr_diag_no_memory(diag, "the best layouts");
    }
    for (uint32_t i = 0; i < study->count; i++) {
        describe(study, &study->found.best[i], &study->best[i]);
    }
    orrery_parallel(study->given.threads, study->count, simulate, study);
    for (uint32_t i = 0; i < study->count; i++) {
        if (study->best[i].status != ORRERY_OK) {
            return orr_diag_fail(diag, (enum orr_status)study->best[i].status, NULL,
                                 "the layout %s cannot be simulated: %s", study->best[i].layout,
                                 study->best[i].why);
        }
    }
    qsort(study->best, study->count, sizeof *study->best, compare_layouts);
    return ORR_OK;
}

/* ---- the study ---- */

static enum orr_status fail_none(const struct orr_layout_study *study, struct orr_diag *diag)
{
    char layout[ORR_LAYOUT_BYTES];
    if (study->found.too_large == 0) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                             "no layout of %u NPUs can be run: no degrees divide the NPUs, the "
                             "model and workload.training.batch",
                             study->npus);
    }
    return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                         "no layout fits into %.2f GiB of memory; %s needs the least, %.2f GiB",
                         (double)study->capacity_bytes / (1 << 30),
                         orr_layout_text(&study->found.least, layout),
                         (double)study->found.least.memory_bytes / (1 << 30));
}

enum orr_status orr_layout_study_run(struct orr_layout_study *study, struct orr_diag *diag)
{
    struct orrery_layout_search *given = &study->given;
    given->best = given->best != 0 ? given->best : DEFAULT_BEST;
    given->best = given->best < ORRERY_MAX_BEST_LAYOUTS ? given->best : ORRERY_MAX_BEST_LAYOUTS;
    if (given->files == NULL) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL, "files is missing");
    }
    struct orrery *job = load_any(study, diag);
    if (job == NULL) {
        return diag->status;
    }
    struct orrery_model model = {0};
    orr_diag_init(diag);
    study->npus = orrery_npus(job);
    study->capacity_bytes =
        given->memory_bytes != 0 ? given->memory_bytes : orr_loaded_capacity(job);
    (void)orrery_model(job, &model);
    study->tokens_of_step = model.step_tokens;
    enum orr_status status =
        orr_estimate_layouts(job, study->capacity_bytes, given->best, &study->found, diag);
    orrery_free(job);
    if (status == ORR_OK && study->found.count == 0) {
        status = fail_none(study, diag);
    }
    return status == ORR_OK ? simulate_best(study, diag) : status;
}

void orr_layout_study_free(void *context)
{
    struct orr_layout_study *study = context;
    if (study != NULL) {
        orr_heap_free(study->best);
        orr_heap_free(study->found.best);
        orr_heap_free(study);
    }
}
