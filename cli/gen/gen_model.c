/* orrery gen WORKLOAD.yml; see gen_model.h. */
#include "cli/gen/gen_model.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/options.h"
#include "report/report.h"
#include "sim/sim.h"
#include "workload/workload.h"

enum { MOST_VOLUMES = 64, TEXT = 32 };

/* ---- communication of an NPU ---- */

/* What the nodes of one kind and group have in common. */
struct volume {
    const char *group;
    uint8_t kind, comm;
    uint64_t count, bytes;
};

struct volumes {
    struct volume row[MOST_VOLUMES];
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
        ORR_ASSERT(volumes->count < MOST_VOLUMES);
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

static enum orr_status print_stage(struct orr_arena *arena, const struct gen_model *model,
                                   uint32_t stage, struct orr_diag *diag)
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
        orr_print(stdout, "stage %-6" PRIu32 " %-10s %8" PRIu32 "  %-16s %10" PRIu64 " %14s\n",
                  stage,
                  !group                  ? "pp"
                  : row->group[0] != '\0' ? row->group
                                          : "all",
                  group ? orr_gen_family_size(layout, (enum gen_family)family) : 2, kind_of(row),
                  row->count, orr_format_bytes(row->bytes, bytes, TEXT));
    }
    return ORR_OK;
}

/* ---- the description ---- */

static void print_layout(const struct gen_layout *layout)
{
    static const char *const names[GEN_AXES] = {"tensor", "context", "expert", "data", "pipeline"};
    orr_print(stdout, "%" PRIu32 " NPU%s:", layout->npus, orr_plural(layout->npus));
    for (unsigned a = 0; a < GEN_AXES; a++) {
        const uint32_t size =
            a == GEN_DATA ? layout->size[GEN_EXPERT] * layout->size[GEN_DATA] : layout->size[a];
        orr_print(stdout, "%s %s %" PRIu32, a > 0 ? "," : "", names[a], size);
    }
    orr_print(stdout, "\n");
}

static void print_model(const struct gen_model *model)
{
    const struct gen_plan *plan = model->ops->plan(model->job);
    struct gen_totals totals;
    model->ops->totals(model->job, &totals);
    const struct orrery_model all = {.parameters = totals.parameters,
                                     .active_parameters = totals.active_parameters,
                                     .step_flops = totals.model_flops,
                                     .step_samples = totals.samples,
                                     .step_tokens = totals.tokens,
                                     .steps = plan->steps,
                                     .stages = plan->pipeline.stages};
    orr_print(stdout, "%s: ", model->ops->name);
    orr_print_model(stdout, &all);
    print_layout(&plan->layout);
}

/* Stages that hold much the same are told of once: the first, one inside and the last. */
static bool is_shown(uint32_t stage, uint32_t stages)
{
    return stages <= 4 || stage == 0 || stage == 1 || stage + 1 == stages;
}

static enum orr_status describe(struct orr_arena *arena, const struct gen_model *model,
                                struct orr_diag *diag)
{
    const uint32_t stages = model->ops->plan(model->job)->pipeline.stages;
    enum orr_status status = ORR_OK;
    print_model(model);
    orr_print_memory_head(stdout);
    for (uint32_t stage = 0; stage < stages && status == ORR_OK; stage++) {
        struct gen_memory memory;
        if (!model->ops->memory(model->job, stage, &memory)) {
            status = orr_diag_no_memory(diag, "the memory of a stage");
        } else if (is_shown(stage, stages)) {
            const struct orrery_model_memory row = {.weights_bytes = memory.weights_bytes,
                                                    .gradients_bytes = memory.gradients_bytes,
                                                    .optimizer_bytes = memory.optimizer_bytes,
                                                    .activations_bytes = memory.activations_bytes};
            orr_print_memory_row(stdout, stage, stage + 1, &row);
        }
    }
    orr_print(stdout, "\n%-12s %-10s %8s  %-16s %10s %14s\n", "communication", "group", "ranks",
              "kind", "count", "bytes a rank");
    for (uint32_t stage = 0; stage < stages && status == ORR_OK; stage++) {
        if (is_shown(stage, stages)) {
            status = print_stage(arena, model, stage, diag);
        }
    }
    return status;
}

static enum orr_status generate(struct orr_arena *arena, const struct orr_gen_file *file,
                                struct orr_diag *diag)
{
    struct wl_workload workload;
    char library[ORR_INPUT_PATH_BYTES];
    orr_inputs_library(library);
    const struct wl_workload_file source = {
        .path = file->path, .library = library, .set = file->set, .set_count = file->sets};
    enum orr_status status = orr_wl_workload_load(arena, &source, file->npus, &workload, diag);
    if (status != ORR_OK) {
        return status;
    }
    if (workload.model.ops == NULL) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                             "%s: expected a generated model (a section such as "
                             "workload.transformer); other kinds are generated by their names",
                             file->path);
    }
    status = describe(arena, &workload.model, diag);
    if (status == ORR_OK && file->out != NULL) {
        status = orr_gen_model_write(&workload.model, file->out, file->gzip, diag);
    }
    return status;
}

int orr_gen_from_file(const struct orr_gen_file *file)
{
    struct orr_diag diag;
    orr_diag_init(&diag);
    struct orr_arena *arena = orr_arena_create();
    if (arena == NULL) {
        orr_say("orrery: out of memory\n");
        return 1;
    }
    int exit_status = 0;
    const char *end = file->gzip ? ".gz" : "";
    if (generate(arena, file, &diag) != ORR_OK) {
        exit_status = orr_print_diag(&diag);
    } else if (file->out != NULL) {
        orr_print(stdout, "\nwrote %" PRIu32 " trace%s: %s.0.et%s", file->npus,
                  orr_plural(file->npus), file->out, end);
        if (file->npus > 1) {
            orr_print(stdout, " to %s.%" PRIu32 ".et%s", file->out, file->npus - 1, end);
        }
        orr_print(stdout, ", and %s.groups.json\n", file->out);
    }
    orr_arena_destroy(arena);
    return exit_status;
}
