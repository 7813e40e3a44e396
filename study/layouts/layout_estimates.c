/* Estimates of all layouts; see layout_estimates.h. */
#include "study/layouts/layout_estimates.h"

#include <string.h>
#include <time.h>

#include "core/arena.h"
#include "core/diag.h"
#include "network/net_config.h"
#include "sim/loaded_job.h"
#include "study/estimate/job_estimate.h"
#include "study/layouts/layout_space.h"
#include "workload/gen/models.h"
#include "workload/parallel/rank_sums.h"
#include "workload/parallel/recompute.h"

struct search {
    const struct gen_model *model;
    struct orr_step_costs costs;
    uint64_t capacity_bytes;
    struct orr_arena *arena; /* reset for each layout */
    const struct orr_layout_visitor *visitor;
    struct orr_layout_estimates *out;
    enum orr_status status;
    struct orr_diag *diag;
};

/* ---- a layout ---- */

static bool peak_bytes(const struct rank_program *program, uint64_t *bytes)
{
    struct gen_memory memory;
    *bytes = 0;
    for (uint32_t s = 0; s < program->plan->pipeline.stages; s++) {
        if (!orr_rank_memory(program, s, &memory)) {
            return false;
        }
        const uint64_t all = orr_gen_memory_total(&memory);
        *bytes = all > *bytes ? all : *bytes;
    }
    return true;
}

static bool fail_memory(struct search *search)
{
    search->status = orr_diag_no_memory(search->diag, "estimates of layouts");
    return false;
}

static void note_too_large(struct search *search, const struct orr_estimated_layout *found)
{
    struct orr_estimated_layout *least = &search->out->least;
    search->out->too_large++;
    if (least->memory_bytes == 0 || found->memory_bytes < least->memory_bytes) {
        *least = *found;
    }
}

/* Whether little more memory would do: such layouts show what it would bring. */
static bool is_near(const struct search *search, uint64_t bytes)
{
    return (double)bytes <= 1.1 * (double)search->capacity_bytes;
}

static bool try_layout(void *context, const struct gen_change *change)
{
    struct search *search = context;
    struct gen_model other = *search->model;
    struct orr_estimated_layout found = {.change = *change};
    struct orr_diag reason;
    const char *why;
    orr_diag_init(&reason);
    orr_arena_reset(search->arena);
    if (other.ops->change(search->arena, search->model->job, change, &other.job, &reason) !=
        ORR_OK) {
        search->out->refused++;
        return reason.status != ORR_ERR_MEMORY || fail_memory(search);
    }
    const struct rank_program *program = other.ops->program(search->arena, other.job, GEN_FULLEST);
    if (program == NULL || !peak_bytes(program, &found.memory_bytes)) {
        return fail_memory(search);
    }
    const struct gen_layout *layout = &program->plan->layout;
    found.data = gen_data_ranks(layout);
    found.micros = program->plan->pipeline.micros;
    if (program->plan->zero != change->zero || !orr_step_can_estimate(program, &why)) {
        search->out->refused++;
        return true;
    }
    found.fits = search->capacity_bytes == 0 || found.memory_bytes <= search->capacity_bytes;
    if (!found.fits) {
        note_too_large(search, &found);
        if (!is_near(search, found.memory_bytes)) {
            return true;
        }
    }
    search->status = orr_step_estimate(&search->costs, program, &found.estimate, search->diag);
    if (search->status == ORR_OK) {
        search->out->estimates += found.fits ? 1 : 0;
        return search->visitor->found(search->visitor->context, &found) || fail_memory(search);
    }
    return false;
}

/* ---- the search ---- */

static double processor_seconds(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

static bool has_experts(const struct rank_program *program)
{
    for (uint32_t l = 0; l < program->layers; l++) {
        if (program->layer[l].block->expert_parameters > 0) {
            return true;
        }
    }
    return false;
}

static void walk_layouts(struct search *search, const struct orrery *job)
{
    const struct rank_program *program =
        search->model->ops->program(search->arena, search->model->job, GEN_FULLEST);
    if (program == NULL) {
        (void)fail_memory(search);
        return;
    }
    const struct orr_layout_space space = {.given = orr_gen_plan_settings(program->plan),
                                           .npus = program->plan->layout.npus,
                                           .near = orr_loaded_network(job)->dim[0].npus,
                                           .has_experts = has_experts(program),
                                           .keeps_no_scores = program->plan->fused_attention &&
                                                              program->plan->recompute_modules <=
                                                                  GEN_CORE_ATTENTION};
    const double begin = processor_seconds();
    orr_visit_layouts(&space, try_layout, search);
    search->out->seconds = processor_seconds() - begin;
}

static enum orr_status check_job(const struct orrery *job, struct orr_diag *diag)
{
    const struct gen_model *model = orr_loaded_model(job);
    if (model == NULL || model->ops->change == NULL || model->ops->program == NULL) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                             "the workload has no layouts to choose from; expected a section "
                             "`transformer`, or operators (`model`) with `parallel`");
    }
    if (!model->ops->plan(model->job)->batch_is_set) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                             "workload.training.batch is missing: the samples of a step, which all "
                             "layouts share");
    }
    const char *why = orr_job_cannot_estimate(job);
    return why == NULL ? ORR_OK : orr_diag_fail(diag, ORR_ERR_INPUT, NULL, "%s", why);
}

enum orr_status orr_estimate_layouts(const struct orrery *job, uint64_t capacity_bytes,
                                     const struct orr_layout_visitor *visitor,
                                     struct orr_layout_estimates *out, struct orr_diag *diag)
{
    struct search search = {.model = orr_loaded_model(job),
                            .capacity_bytes = capacity_bytes,
                            .visitor = visitor,
                            .out = out,
                            .diag = diag};
    *out = (struct orr_layout_estimates){0};
    search.status = check_job(job, diag);
    if (search.status != ORR_OK) {
        return search.status;
    }
    search.status = orr_job_costs_open(job, &search.costs, diag);
    search.arena = orr_arena_create();
    if (search.status == ORR_OK && search.arena == NULL) {
        (void)fail_memory(&search);
    }
    if (search.status == ORR_OK) {
        walk_layouts(&search, job);
    }
    orr_arena_destroy(search.arena);
    orr_job_costs_close(&search.costs);
    return search.status;
}
