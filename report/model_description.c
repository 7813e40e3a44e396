/* The description of a generated model, without a run; see model_description.h. */
#include "report/model_description.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/strings.h"
#include "core/units.h"
#include "orrery/inputs.h"
#include "report/report_model.h"
#include "report/table_text.h"
#include "sim/api_object.h"
#include "sim/load/workload_config.h"
#include "workload/gen/models.h"
#include "workload/trace/trace.h"
#include "workload/trace/trace_query.h"

enum { MAX_VOLUMES = 64, TEXT = 32 };

/* ---- communication of an NPU ---- */

/* Total of the nodes of one kind and group. */
struct volume {
    const char *group;
    uint8_t kind, comm;
    uint64_t count, bytes;
};

struct volumes {
    struct volume row[MAX_VOLUMES];
    unsigned count;
};

static void add_node(struct volumes *volumes, const struct orr_trace *trace,
                     const struct orr_node *node)
{
    const char *group = node->group != 0 ? trace->groups[node->group - 1] : "";
    unsigned i = 0;
    while (i < volumes->count &&
           (volumes->row[i].kind != node->kind || volumes->row[i].comm != node->comm ||
            strcmp(volumes->row[i].group, group) != 0)) {
        i++;
    }
    if (i == volumes->count) {
        ORR_ASSERT(volumes->count < MAX_VOLUMES);
        volumes->row[volumes->count++] = (struct volume){group, node->kind, node->comm, 0, 0};
    }
    volumes->row[i].count++;
    volumes->row[i].bytes += node->amount;
}

static const char *kind_of(const struct volume *volume)
{
    if (volume->kind == ORR_NODE_COLL) {
        return orr_trace_comm_name(volume->comm);
    }
    return volume->kind == ORR_NODE_SEND ? "send" : "receive";
}

static enum orr_status print_stage(FILE *out, struct orr_arena *arena,
                                   const struct gen_model *model, uint32_t stage,
                                   struct orr_diag *diag)
{
    const struct gen_layout *layout = &model->ops->plan(model->job)->layout;
    const struct orr_trace *trace = NULL;
    struct volumes volumes = {.count = 0};
    const enum orr_status status = orr_gen_model_trace(arena, model, stage, &trace, diag);
    if (status != ORR_OK) {
        return status;
    }
    for (uint32_t i = 0; i < trace->nodes; i++) {
        const uint8_t kind = trace->node[i].kind;
        if (kind == ORR_NODE_COLL || kind == ORR_NODE_SEND || kind == ORR_NODE_RECV) {
            add_node(&volumes, trace, &trace->node[i]);
        }
    }
    for (unsigned i = 0; i < volumes.count; i++) {
        const struct volume *row = &volumes.row[i];
        const bool group = row->kind == ORR_NODE_COLL;
        unsigned family = GEN_WORLD;
        while (group && strcmp(orr_gen_family_name((enum gen_family)family), row->group) != 0) {
            family++;
        }
        char bytes[TEXT];
        orr_print(out, "stage %-6" PRIu32 " %-10s %8" PRIu32 "  %-16s %10" PRIu64 " %14s\n", stage,
                  !group                  ? "pp"
                  : row->group[0] != '\0' ? row->group
                                          : "all",
                  group ? orr_gen_family_size(layout, (enum gen_family)family) : 2, kind_of(row),
                  row->count, orr_format_bytes(row->bytes, bytes, TEXT));
    }
    return ORR_OK;
}

/* ---- the description ---- */

static void print_layout(FILE *out, const struct gen_layout *layout)
{
    static const char *const names[GEN_AXES] = {"tensor", "context", "expert", "data", "pipeline"};
    orr_print(out, "%" PRIu32 " NPU%s:", layout->npus, orr_plural(layout->npus));
    for (unsigned a = 0; a < GEN_AXES; a++) {
        const uint32_t size = a == GEN_DATA     ? gen_data_ranks(layout)
                              : a == GEN_EXPERT ? gen_expert_ranks(layout)
                                                : layout->size[a];
        orr_print(out, "%s %s %" PRIu32, a > 0 ? "," : "", names[a], size);
    }
    orr_print(out, "\n");
}

static void print_model(FILE *out, const struct gen_model *model)
{
    const struct gen_plan *plan = model->ops->plan(model->job);
    const struct orrery_model all = orr_model_of(model);
    orr_print(out, "%s: ", model->ops->name);
    orr_print_model(out, &all);
    print_layout(out, &plan->layout);
}

/* Selects the stages to print. Of similar stages the first, an inner one and the last are enough;
 * if layers are not spread evenly, every stage whose weights differ from those before it. */
static enum orr_status is_shown(const struct gen_model *model, uint32_t stage, bool *shown,
                                struct orr_diag *diag)
{
    const struct gen_plan *plan = model->ops->plan(model->job);
    const uint32_t stages = plan->pipeline.stages;
    struct gen_memory memory, before;
    *shown = stages <= 4 || stage == 0 || stage == 1 || stage + 1 == stages;
    if (*shown || plan->split.spread == GEN_EVEN) {
        return ORR_OK;
    }
    if (!orr_gen_model_memory(model, stage, &memory) ||
        !orr_gen_model_memory(model, stage - 1, &before)) {
        return orr_diag_no_memory(diag, "the memory of a stage");
    }
    *shown = memory.weights_bytes != before.weights_bytes;
    return ORR_OK;
}

static enum orr_status print_memory(FILE *out, const struct gen_model *model, uint32_t stage,
                                    struct orr_diag *diag)
{
    struct gen_memory memory;
    if (!orr_gen_model_memory(model, stage, &memory)) {
        return orr_diag_no_memory(diag, "the memory of a stage");
    }
    const struct orrery_model_memory row = {.weights_bytes = memory.weights_bytes,
                                            .gradients_bytes = memory.gradients_bytes,
                                            .optimizer_bytes = memory.optimizer_bytes,
                                            .activations_bytes = memory.activations_bytes};
    orr_print_memory_row(out, stage, stage + 1, &row);
    return ORR_OK;
}

enum orr_status orr_describe_model(FILE *out, struct orr_arena *arena,
                                   const struct gen_model *model, struct orr_diag *diag)
{
    const uint32_t stages = model->ops->plan(model->job)->pipeline.stages;
    enum orr_status status = ORR_OK;
    bool shown = false;
    print_model(out, model);
    orr_print_memory_head(out);
    for (uint32_t stage = 0; stage < stages && status == ORR_OK; stage++) {
        status = is_shown(model, stage, &shown, diag);
        if (status == ORR_OK && shown) {
            status = print_memory(out, model, stage, diag);
        }
    }
    orr_print(out, "\n%-12s %-10s %8s  %-16s %10s %14s\n", "communication", "group", "ranks",
              "kind", "count", "bytes a rank");
    for (uint32_t stage = 0; stage < stages && status == ORR_OK; stage++) {
        status = is_shown(model, stage, &shown, diag);
        if (status == ORR_OK && shown) {
            status = print_stage(out, arena, model, stage, diag);
        }
    }
    return status;
}

/* ---- for programs ---- */

static enum orr_status describe(const struct orrery_workload *workload, uint32_t npus, FILE *out,
                                struct orr_diag *diag)
{
    struct orr_arena *arena = orr_arena_create();
    struct wl_workload described;
    enum orr_status status = arena != NULL
                                 ? orr_wl_workload_of(arena, workload, npus, &described, diag)
                                 : orr_diag_no_memory(diag, "a model");
    if (status == ORR_OK && described.model.ops == NULL) {
        status = orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                               "expected a generated model (a section such as "
                               "workload.transformer)");
    }
    if (status == ORR_OK) {
        status = orr_describe_model(out, arena, &described.model, diag);
    }
    orr_arena_destroy(arena);
    return status == ORR_OK ? orr_check_written(out, diag) : status;
}

enum orrery_status orrery_workload_describe(struct orrery_workload *workload, uint32_t npus,
                                            FILE *out)
{
    struct orr_diag diag;
    orr_diag_init(&diag);
    if (workload == NULL) {
        return ORRERY_ERROR_INPUT;
    }
    const enum orr_status status = describe(workload, npus, out, &diag);
    return orr_workload_finish_call(workload, &diag, status);
}
