/* Schedules of the list and tables in jobs; see pipeline_order.h. */
#include "workload/parallel/pipeline_order.h"

#include <string.h>

#include "core/arena.h"
#include "core/conf/conf.h"
#include "core/conf/conf_read.h"
#include "core/diag.h"
#include "core/strings.h"
#include "workload/schedule/pass_times.h"
#include "workload/schedule/schedule_builder.h"
#include "workload/schedule/schedule_kinds.h"
#include "workload/schedule/schedule_table.h"

static const struct orr_pass_times equal_times = {1, 1, 1, 0, 3};

static enum orr_status fail(const struct gen_plan *plan, const struct orr_diag *reason,
                            struct orr_diag *diag)
{
    return reason->status == ORR_ERR_MEMORY
               ? orr_diag_no_memory(diag, "a schedule")
               : orr_gen_fail(plan->parallel, "schedule", diag, "%s", reason->message);
}

/* ---- by formula ---- */

/* These stay with their formulas, which know any number of micro-batches. */
static bool find_formula(const char *text, enum gen_schedule *schedule)
{
    static const char *const names[] = {
        [GEN_GPIPE] = "gpipe", [GEN_1F1B] = "1f1b", [GEN_INTERLEAVED] = "interleaved"};
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
        if (orr_same_name(text, names[i])) {
            *schedule = (enum gen_schedule)i;
            return true;
        }
    }
    return false;
}

static enum orr_status set_formula(struct gen_plan *plan, enum gen_schedule schedule,
                                   uint32_t chunks, struct orr_diag *diag)
{
    plan->pipeline.schedule = schedule;
    plan->pipeline.chunks = chunks != 0 ? chunks : schedule == GEN_INTERLEAVED ? 2 : 1;
    if (schedule != GEN_INTERLEAVED && plan->pipeline.chunks != 1) {
        return orr_gen_fail(plan->parallel, "chunks", diag,
                            "only the schedule interleaved has several chunks on a stage");
    }
    return ORR_OK;
}

/* ---- of the list ---- */

static enum orr_status set_kind(struct gen_plan *plan, const struct orr_schedule_kind *kind,
                                uint32_t chunks, struct orr_diag *diag)
{
    plan->pipeline.schedule = GEN_ORDERED;
    plan->pipeline.kind = kind;
    plan->pipeline.copies = kind->placement == ORR_PLACE_TWO_WAY ? 2 : 1;
    plan->pipeline.chunks = chunks != 0 ? chunks : kind->default_chunks;
    if (plan->pipeline.chunks >= kind->min_chunks && plan->pipeline.chunks <= kind->max_chunks) {
        return ORR_OK;
    }
    if (kind->min_chunks == kind->max_chunks) {
        return orr_gen_fail(plan->parallel, "chunks", diag,
                            "the schedule %s has %u on a stage, got %u", kind->name,
                            kind->min_chunks, plan->pipeline.chunks);
    }
    return orr_gen_fail(plan->parallel, "chunks", diag,
                        "the schedule %s takes %u to %u chunks on a stage, got %u", kind->name,
                        kind->min_chunks, kind->max_chunks, plan->pipeline.chunks);
}

uint32_t orr_gen_schedule_default_micros(const struct gen_pipeline *pipeline)
{
    return pipeline->order != NULL && pipeline->kind == NULL ? pipeline->order->micros
           : pipeline->schedule == GEN_ORDERED               ? 2 * pipeline->stages
           : pipeline->schedule == GEN_INTERLEAVED           ? pipeline->stages
                                                             : 1;
}

/* ---- tables ---- */

/* A second copy runs from the last stage to the first (DualPipe). */
static bool is_mirrored(const struct orr_schedule *order)
{
    const uint32_t of_copy = order->parts / order->copies;
    bool mirrored = order->copies == 1 || (order->copies == 2 && order->stages % 2 == 0);
    for (uint32_t part = 0; part < of_copy && order->copies == 2 && mirrored; part++) {
        mirrored = order->device[part] + order->device[part + of_copy] + 1 == order->stages;
    }
    return mirrored;
}

static enum orr_status check_table(const struct gen_plan *plan, const struct orr_schedule *order,
                                   uint32_t chunks, struct orr_diag *diag)
{
    struct orr_schedule_run run;
    struct orr_diag reason;
    if (order->stages != plan->pipeline.stages) {
        return orr_gen_fail(plan->parallel, "schedule", diag,
                            "the table has %u devices, but the pipeline %u stages", order->stages,
                            plan->pipeline.stages);
    }
    if (chunks != 0 && chunks != order->chunks) {
        return orr_gen_fail(plan->parallel, "chunks", diag, "the table has %u chunks on a device",
                            order->chunks);
    }
    if (!is_mirrored(order)) {
        return orr_gen_fail(plan->parallel, "schedule", diag,
                            "the table has %u copies of the model; expected one, or a second one "
                            "from the last device to the first",
                            order->copies);
    }
    orr_diag_init(&reason);
    return orr_schedule_run(order, &equal_times, plan->arena, &run, &reason) == ORR_OK
               ? ORR_OK
               : fail(plan, &reason, diag);
}

static enum orr_status set_table(struct gen_plan *plan, uint32_t chunks, struct orr_diag *diag)
{
    struct orr_schedule *order = orr_arena_alloc(plan->arena, sizeof *order);
    const char *path = orr_conf_resolve_path(plan->arena, orr_conf_get(plan->parallel, "schedule"));
    if (order == NULL || path == NULL) {
        return orr_diag_no_memory(diag, "a schedule");
    }
    enum orr_status status = orr_schedule_table_read(path, plan->arena, order, diag);
    if (status == ORR_OK) {
        status = check_table(plan, order, chunks, diag);
    }
    plan->pipeline.schedule = GEN_ORDERED;
    plan->pipeline.order = order;
    plan->pipeline.chunks = order->chunks;
    plan->pipeline.copies = order->copies;
    return status;
}

/* ---- the key ---- */

/* A file has a folder or an ending. */
static bool is_path(const char *text)
{
    return strpbrk(text, "/.") != NULL;
}

enum orr_status orr_gen_schedule_read(struct gen_plan *plan, const char *text, uint32_t chunks,
                                      struct orr_diag *diag)
{
    const struct orr_schedule_kind *kind;
    struct orr_diag reason;
    enum gen_schedule schedule;
    plan->pipeline.copies = 1;
    if (find_formula(text, &schedule)) {
        return set_formula(plan, schedule, chunks, diag);
    }
    if (is_path(text)) {
        return set_table(plan, chunks, diag);
    }
    orr_diag_init(&reason);
    return orr_schedule_kind_find(text, &kind, &reason) == ORR_OK
               ? set_kind(plan, kind, chunks, diag)
               : orr_gen_fail(plan->parallel, "schedule", diag, "%s, and no file (x.csv)",
                              reason.message);
}

void orr_gen_schedule_change(struct gen_plan *plan, const struct gen_change *change)
{
    struct gen_pipeline *pipeline = &plan->pipeline;
    const bool ordered = change->kind != NULL && pipeline->stages > 1;
    if (ordered) {
        pipeline->schedule = GEN_ORDERED;
    } else if (change->chunks != pipeline->chunks || pipeline->schedule == GEN_ORDERED) {
        pipeline->schedule = change->chunks > 1 ? GEN_INTERLEAVED : GEN_1F1B;
    }
    pipeline->kind = ordered ? change->kind : NULL;
    pipeline->copies = ordered && change->kind->placement == ORR_PLACE_TWO_WAY ? 2 : 1;
    pipeline->chunks = change->chunks;
    pipeline->order = NULL;
}

enum orr_status orr_gen_schedule_order(struct gen_plan *plan, struct orr_diag *diag)
{
    struct gen_pipeline *pipeline = &plan->pipeline;
    struct orr_schedule_request request = {.stages = pipeline->stages,
                                           .micros = pipeline->micros,
                                           .chunks = pipeline->chunks,
                                           .times = &equal_times};
    struct orr_diag reason;
    orr_diag_init(&reason);
    plan->layout.mirrored = pipeline->copies == 2;
    if (pipeline->schedule != GEN_ORDERED) {
        return ORR_OK;
    }
    if (pipeline->kind == NULL) {
        return pipeline->order->micros == pipeline->micros
                   ? ORR_OK
                   : orr_gen_fail(plan->training, "batch", diag,
                                  "the batch makes %u micro-batches, but the table of the schedule "
                                  "has %u",
                                  pipeline->micros, pipeline->order->micros);
    }
    if (orr_schedule_complete(pipeline->kind, &request, &reason) != ORR_OK) {
        return fail(plan, &reason, diag);
    }
    struct orr_schedule *order = orr_arena_alloc(plan->arena, sizeof *order);
    pipeline->order = order;
    return order == NULL ? orr_diag_no_memory(diag, "a schedule")
           : orr_schedule_make(pipeline->kind, &request, plan->arena, order, &reason) == ORR_OK
               ? ORR_OK
               : fail(plan, &reason, diag);
}
