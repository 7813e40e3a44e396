/* Traces, files, groups and memory of generated models; see models.h. */
#include "workload/gen/models.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/conf/conf.h"
#include "core/saturate.h"
#include "core/units.h"
#include "workload/gen/cnn/cnn.h"
#include "workload/gen/data_parallel.h"
#include "workload/gen/dlrm.h"
#include "workload/gen/transformer.h"
#include "workload/parallel/layout.h"
#include "workload/parallel/layout_time.h"
#include "workload/parallel/stage.h"
#include "workload/trace/et/et.h"
#include "workload/trace/et/et_sink.h"
#include "workload/trace/trace_builder.h"

/* ---- transformers ---- */

static enum orr_status read_transformer(struct orr_arena *arena,
                                        const struct gen_sections *sections, uint32_t npus,
                                        void **out, struct orr_diag *diag)
{
    struct tf_job *job = orr_arena_alloc(arena, sizeof *job);
    if (job == NULL) {
        return orr_diag_no_memory(diag, "a generated model");
    }
    *out = job;
    const enum orr_status status =
        orr_gen_plan_read(sections->parallel, sections->training, npus, &job->plan, diag);
    if (status == ORR_OK && (job->plan.bucket_bytes != 0 || job->plan.slice_bytes != 0)) {
        return orr_gen_fail(
            sections->training, job->plan.bucket_bytes != 0 ? "bucket" : "slice", diag,
            "only dlrm and cnn take this; a transformer's gradients are reduced layer "
            "by layer");
    }
    if (status == ORR_OK && job->plan.chain) {
        return orr_gen_fail(sections->training, "chain", diag,
                            "only the layers of a cnn are chained, not a transformer's");
    }
    return status == ORR_OK ? orr_transformer_read(arena, sections->model, job, diag) : status;
}

static const struct gen_plan *transformer_plan(const void *job)
{
    return &((const struct tf_job *)job)->plan;
}

static void emit_transformer(const void *job, uint32_t number, struct gen_emitter *emitter)
{
    const struct tf_job *model = job;
    struct tf_job of_rank = *model;
    struct orr_arena *arena = orr_arena_create();
    of_rank.expert_rank = number / model->plan.pipeline.stages;
    const struct rank_program *program =
        arena != NULL ? orr_transformer_program(arena, &of_rank) : NULL;
    if (program != NULL) {
        orr_stage_emit(program, number % model->plan.pipeline.stages, emitter);
    } else if (emitter->status == ORR_OK) {
        emitter->status = orr_diag_no_memory(emitter->diag, "a generated trace");
    }
    orr_arena_destroy(arena);
}

static void transformer_totals(const void *job, struct gen_totals *totals)
{
    (void)orr_transformer_totals(job, totals);
}

static bool transformer_memory(const void *job, uint32_t stage, struct gen_memory *memory)
{
    return orr_transformer_memory(job, stage, memory);
}

static enum orr_status change_transformer(struct orr_arena *arena, const void *current,
                                          const struct gen_change *change, void **out,
                                          struct orr_diag *diag)
{
    struct tf_job *job = orr_arena_alloc(arena, sizeof *job);
    if (job == NULL) {
        return orr_diag_no_memory(diag, "another layout");
    }
    *out = job;
    *job = *(const struct tf_job *)current;
    const enum orr_status status = orr_gen_plan_change(&job->plan, change, diag);
    return status == ORR_OK ? orr_transformer_check_layout(job, diag) : status;
}

static double estimate_transformer(const void *job, const struct gen_speed *speed)
{
    const struct tf_job *of = job;
    const struct tf_model *model = &of->model;
    const double tokens =
        (double)(model->sequence + model->encoder_sequence) / of->plan.layout.size[GEN_CONTEXT];
    struct gen_estimate estimate = {.plan = &of->plan,
                                    .row = orr_transformer_row(model),
                                    .layer_bytes = tokens * (double)model->hidden *
                                                   (double)of->plan.element_bytes};
    (void)orr_transformer_totals(of, &estimate.totals);
    return orr_gen_sample_seconds(&estimate, speed);
}

static enum orr_status transformer_graph(const void *job, struct model_builder *builder,
                                         struct orr_diag *diag)
{
    return orr_transformer_graph(job, builder, diag);
}

static void transformer_misalignment(const void *job, struct gen_misalignment *misalignment)
{
    orr_transformer_misalignment(job, misalignment);
}

static const struct gen_model_ops transformer = {
    "transformer",
    "GPT, LLaMA, BERT, T5, DeepSeek, Nemotron: dense, experts, state-space layers",
    &orr_transformer_key_table,
    read_transformer,
    transformer_plan,
    emit_transformer,
    transformer_totals,
    transformer_memory,
    change_transformer,
    estimate_transformer,
    transformer_graph,
    transformer_misalignment,
    NULL,
};

const struct gen_model_ops *const orr_gen_models[] = {&transformer, &orr_dlrm_model, &orr_cnn_model,
                                                      NULL};

/* ---- graphs of operators ---- */

enum orr_status orr_gen_model_graph(struct orr_arena *arena, const struct gen_model *model,
                                    const char *name, struct model_graph *out,
                                    struct orr_diag *diag)
{
    const struct gen_plan *plan = model->ops->plan(model->job);
    const struct model_info info = {.name = name,
                                    .file = model->section->file,
                                    .batch = plan->batch_is_set ? plan->batch : 0,
                                    .element_bytes = plan->element_bytes};
    if (model->ops->graph == NULL) {
        *out = *model->ops->operators(model->job);
        out->name = info.name;
        out->file = info.file;
        out->batch = out->measured_batch = info.batch;
        return ORR_OK;
    }
    struct model_builder *builder = orr_model_builder_create(arena, &info, diag);
    if (builder == NULL) {
        return ORR_ERR_MEMORY;
    }
    const enum orr_status status = model->ops->graph(model->job, builder, diag);
    return status == ORR_OK ? orr_model_finish(builder, out, diag) : status;
}

/* ---- traces ---- */

enum orr_status orr_gen_model_trace(struct orr_arena *arena, const struct gen_model *model,
                                    uint32_t number, const struct orr_trace **out,
                                    struct orr_diag *diag)
{
    struct gen_emitter emitter = {.builder = orr_trace_builder_create(arena),
                                  .layout = &model->ops->plan(model->job)->layout,
                                  .diag = diag};
    if (emitter.builder == NULL) {
        return orr_diag_no_memory(diag, "a generated trace");
    }
    orr_trace_builder_set_source(emitter.builder, model->ops->name, "");
    model->ops->emit(model->job, number, &emitter);
    if (emitter.status == ORR_OK) {
        emitter.status = orr_trace_builder_finish(emitter.builder, out, diag);
    }
    orr_trace_builder_destroy(emitter.builder);
    return emitter.status;
}

/* ---- groups ---- */

enum orr_status orr_gen_model_groups(const struct gen_model *model, gen_group_fn visit,
                                     void *context, struct orr_diag *diag)
{
    const struct gen_layout *layout = &model->ops->plan(model->job)->layout;
    enum orr_status status = ORR_OK;
    uint32_t number = 0;
    for (unsigned f = GEN_WORLD + 1; f < GEN_FAMILIES && status == ORR_OK; f++) {
        const bool same =
            f == GEN_EDP && layout->size[GEN_EXPERT] == 1; /* the same groups as GEN_DP */
        const uint32_t size = same ? 1 : orr_gen_family_size(layout, (enum gen_family)f);
        uint32_t *ranks = size > 1 ? orr_heap_calloc(size, sizeof *ranks) : NULL;
        if (size > 1 && ranks == NULL) {
            return orr_diag_no_memory(diag, "communicator groups");
        }
        for (uint32_t r = 0; r < layout->npus && size > 1 && status == ORR_OK; r++) {
            if (orr_gen_family_leads(layout, (enum gen_family)f, r)) {
                orr_gen_family_ranks(layout, (enum gen_family)f, r, ranks);
                status = visit(context, (enum gen_family)f, ++number, ranks, size, diag);
            }
        }
        orr_heap_free(ranks);
    }
    return status;
}

/* ---- files ---- */

/* numbers[rank x GEN_FAMILIES + family]: the rank's group. */
static enum orr_status record_group_number(void *context, enum gen_family family, uint32_t number,
                                           const uint32_t *ranks, uint32_t count,
                                           struct orr_diag *diag)
{
    uint32_t *numbers = context;
    (void)diag;
    for (uint32_t i = 0; i < count; i++) {
        numbers[(size_t)ranks[i] * GEN_FAMILIES + family] = number;
    }
    return ORR_OK;
}

struct group_file {
    struct et_sink sink;
    bool begun;
};

static enum orr_status write_text(struct group_file *file, const char *text, struct orr_diag *diag)
{
    return orr_et_sink_write(&file->sink, text, strlen(text), diag);
}

static enum orr_status write_group(void *context, enum gen_family family, uint32_t number,
                                   const uint32_t *ranks, uint32_t count, struct orr_diag *diag)
{
    struct group_file *file = context;
    char text[48];
    (void)family;
    (void)snprintf(text, sizeof text, "%s\n  \"%" PRIu32 "\": [", file->begun ? "," : "{", number);
    file->begun = true;
    enum orr_status status = write_text(file, text, diag);
    for (uint32_t i = 0; i < count && status == ORR_OK; i++) {
        (void)snprintf(text, sizeof text, "%s%" PRIu32, i > 0 ? ", " : "", ranks[i]);
        status = write_text(file, text, diag);
    }
    return status == ORR_OK ? write_text(file, "]", diag) : status;
}

static enum orr_status write_groups(const struct gen_model *model, const char *path,
                                    struct orr_diag *diag)
{
    struct group_file file = {.begun = false};
    enum orr_status status = orr_et_sink_open(&file.sink, path, false, diag);
    if (status == ORR_OK) {
        status = orr_gen_model_groups(model, write_group, &file, diag);
    }
    if (status == ORR_OK) {
        status = write_text(&file, file.begun ? "\n}\n" : "{}\n", diag);
    }
    if (status == ORR_OK) {
        status = orr_et_sink_finish(&file.sink, diag);
    }
    orr_et_sink_close(&file.sink);
    return status;
}

static enum orr_status write_rank(const struct gen_model *model, const uint32_t *numbers,
                                  uint32_t rank, const struct orr_et_writer_options *options,
                                  const char *path, struct orr_diag *diag)
{
    const struct gen_layout *layout = &model->ops->plan(model->job)->layout;
    struct orr_et_writer *writer;
    enum orr_status status = orr_et_writer_create(&writer, path, options, diag);
    if (status != ORR_OK) {
        return status;
    }
    struct gen_emitter emitter = {.writer = writer,
                                  .layout = layout,
                                  .group_numbers = &numbers[(size_t)rank * GEN_FAMILIES],
                                  .rank = rank,
                                  .diag = diag};
    model->ops->emit(model->job, orr_gen_class(layout, rank), &emitter);
    status = emitter.status == ORR_OK ? orr_et_writer_finish(writer, diag) : emitter.status;
    orr_et_writer_destroy(writer);
    return status;
}

static enum orr_status write_all(const struct gen_model *model, const char *prefix, bool gzip,
                                 const uint32_t *numbers, struct orr_diag *diag)
{
    const uint32_t npus = model->ops->plan(model->job)->layout.npus;
    const struct orr_et_writer_options options = {.gzip = gzip};
    struct orr_arena *paths = orr_arena_create();
    enum orr_status status = paths != NULL ? ORR_OK : orr_diag_no_memory(diag, "paths");
    const char *path = paths != NULL ? orr_arena_printf(paths, "%s.groups.json", prefix) : NULL;
    if (path != NULL) {
        status = write_groups(model, path, diag);
    }
    for (uint32_t rank = 0; rank < npus && status == ORR_OK; rank++) {
        orr_arena_reset(paths);
        path = orr_arena_printf(paths, "%s.%" PRIu32 ".et%s", prefix, rank, gzip ? ".gz" : "");
        status = path != NULL ? write_rank(model, numbers, rank, &options, path, diag)
                              : orr_diag_no_memory(diag, "paths");
    }
    orr_arena_destroy(paths);
    return status;
}

enum orr_status orr_gen_model_write(const struct gen_model *model, const char *prefix, bool gzip,
                                    struct orr_diag *diag)
{
    const uint32_t npus = model->ops->plan(model->job)->layout.npus;
    uint32_t *numbers = orr_heap_calloc((size_t)npus * GEN_FAMILIES, sizeof *numbers);
    if (numbers == NULL) {
        return orr_diag_no_memory(diag, "communicator groups");
    }
    enum orr_status status = orr_gen_model_groups(model, record_group_number, numbers, diag);
    if (status == ORR_OK) {
        status = write_all(model, prefix, gzip, numbers, diag);
    }
    orr_heap_free(numbers);
    return status;
}

/* ---- memory ---- */

uint64_t orr_gen_memory_total(const struct gen_memory *memory)
{
    return sat_plus(sat_plus(memory->weights_bytes, memory->gradients_bytes),
                    sat_plus(memory->optimizer_bytes, memory->activations_bytes));
}

static enum orr_status fail_memory(const struct gen_model *model, uint32_t stage,
                                   const struct gen_memory *memory, uint64_t capacity_bytes,
                                   struct orr_diag *diag)
{
    const struct orr_location location = orr_conf_location(model->section);
    char all[32], w[32], g[32], o[32], a[32], capacity[32];
    return orr_diag_fail(
        diag, ORR_ERR_INPUT, &location,
        "%s: the model does not fit: an NPU of pipeline stage %u needs %s (weights "
        "%s, gradients %s, optimizer %s, activations %s), but "
        "memory.local.capacity is %s",
        model->section->path, stage,
        orr_format_bytes(orr_gen_memory_total(memory), all, sizeof all),
        orr_format_bytes(memory->weights_bytes, w, sizeof w),
        orr_format_bytes(memory->gradients_bytes, g, sizeof g),
        orr_format_bytes(memory->optimizer_bytes, o, sizeof o),
        orr_format_bytes(memory->activations_bytes, a, sizeof a),
        orr_format_bytes(capacity_bytes, capacity, sizeof capacity));
}

enum orr_status orr_gen_model_check_memory(const struct gen_model *model, uint64_t capacity_bytes,
                                           struct orr_diag *diag)
{
    const uint32_t stages = model->ops->plan(model->job)->layout.size[GEN_PIPELINE];
    struct gen_memory memory;
    for (uint32_t stage = 0; stage < stages && capacity_bytes > 0; stage++) {
        if (!model->ops->memory(model->job, stage, &memory)) {
            return orr_diag_no_memory(diag, "the memory of a stage");
        }
        if (orr_gen_memory_total(&memory) > capacity_bytes) {
            return fail_memory(model, stage, &memory, capacity_bytes, diag);
        }
    }
    return ORR_OK;
}

bool orr_gen_model_peak_bytes(const struct gen_model *model, uint64_t *bytes)
{
    const uint32_t stages = model->ops->plan(model->job)->layout.size[GEN_PIPELINE];
    struct gen_memory memory;
    *bytes = 0;
    for (uint32_t stage = 0; stage < stages; stage++) {
        if (!model->ops->memory(model->job, stage, &memory)) {
            return false;
        }
        const uint64_t total = orr_gen_memory_total(&memory);
        *bytes = total > *bytes ? total : *bytes;
    }
    return true;
}

bool orr_gen_model_pool_bytes(const struct gen_model *model, uint64_t *bytes)
{
    const struct gen_layout *layout = &model->ops->plan(model->job)->layout;
    const uint32_t stages = layout->size[GEN_PIPELINE];
    struct gen_memory memory;
    *bytes = 0;
    for (uint32_t stage = 0; stage < stages; stage++) {
        if (!model->ops->memory(model->job, stage, &memory)) {
            return false;
        }
        *bytes = sat_plus(*bytes, sat_times(memory.pool_bytes, layout->npus / stages));
    }
    return true;
}

enum orr_status orr_gen_model_check_pool(const struct gen_model *model, uint64_t capacity_bytes,
                                         struct orr_diag *diag)
{
    uint64_t all = 0;
    if (capacity_bytes > 0 && !orr_gen_model_pool_bytes(model, &all)) {
        return orr_diag_no_memory(diag, "the memory of a stage");
    }
    if (all <= capacity_bytes) {
        return ORR_OK;
    }
    const struct orr_location location = orr_conf_location(model->section);
    char need[32], capacity[32];
    return orr_diag_fail(diag, ORR_ERR_INPUT, &location,
                         "%s: the model does not fit: weights, gradients and optimizer state in "
                         "the pool need %s, but memory.pool.capacity is %s",
                         model->section->path, orr_format_bytes(all, need, sizeof need),
                         orr_format_bytes(capacity_bytes, capacity, sizeof capacity));
}
