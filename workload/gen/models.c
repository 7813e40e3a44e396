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
#include "workload/parallel/rank_sums.h"
#include "workload/parallel/stage.h"
#include "workload/trace/et/et.h"
#include "workload/trace/et/et_sink.h"
#include "workload/trace/trace_builder.h"

const struct gen_model_ops *const orr_gen_models[] = {&orr_transformer_model, &orr_dlrm_model,
                                                      &orr_cnn_model, NULL};

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

/* The nodes of one rank of a class; all its ranks have the same. */
static void emit(const struct gen_model *model, uint32_t number, struct gen_emitter *emitter)
{
    const struct gen_plan *plan = model->ops->plan(model->job);
    const uint32_t stages = plan->pipeline.stages, places = gen_ring_ranks(&plan->layout);
    struct orr_arena *arena = orr_arena_create();
    const struct rank_program *program =
        arena != NULL ? model->ops->program(arena, model->job, number / stages / places) : NULL;
    emitter->ring_place = number / stages % places;
    if (program != NULL) {
        orr_stage_emit(program, number % stages, emitter);
    } else if (emitter->status == ORR_OK) {
        emitter->status = orr_diag_no_memory(emitter->diag, "a generated trace");
    }
    orr_arena_destroy(arena);
}

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
    emit(model, number, &emitter);
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
        const bool same = f == GEN_EDP && gen_expert_data_family(layout) == GEN_DP;
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
    emit(model, orr_gen_class(layout, rank), &emitter);
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

bool orr_gen_model_memory(const struct gen_model *model, uint32_t stage, struct gen_memory *memory)
{
    struct orr_arena *arena = orr_arena_create();
    const struct rank_program *program =
        arena != NULL ? model->ops->program(arena, model->job, GEN_FULLEST) : NULL;
    const bool done = program != NULL && orr_rank_memory(program, stage, memory);
    orr_arena_destroy(arena);
    return done;
}

/* Of all stages, in one array; NULL when memory is out. */
static struct gen_memory *memory_of_stages(const struct gen_model *model)
{
    const uint32_t stages = model->ops->plan(model->job)->pipeline.stages;
    struct gen_memory *memory = orr_heap_calloc(stages, sizeof *memory);
    struct orr_arena *arena = orr_arena_create();
    const struct rank_program *program =
        arena != NULL ? model->ops->program(arena, model->job, GEN_FULLEST) : NULL;
    bool done = program != NULL && memory != NULL;
    for (uint32_t stage = 0; stage < stages && done; stage++) {
        done = orr_rank_memory(program, stage, &memory[stage]);
    }
    orr_arena_destroy(arena);
    if (!done) {
        orr_heap_free(memory);
    }
    return done ? memory : NULL;
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
    const uint32_t stages = model->ops->plan(model->job)->pipeline.stages;
    struct gen_memory *memory = capacity_bytes > 0 ? memory_of_stages(model) : NULL;
    enum orr_status status = ORR_OK;
    if (capacity_bytes > 0 && memory == NULL) {
        return orr_diag_no_memory(diag, "the memory of a stage");
    }
    for (uint32_t stage = 0; memory != NULL && stage < stages && status == ORR_OK; stage++) {
        if (orr_gen_memory_total(&memory[stage]) > capacity_bytes) {
            status = fail_memory(model, stage, &memory[stage], capacity_bytes, diag);
        }
    }
    orr_heap_free(memory);
    return status;
}

bool orr_gen_model_bytes(const struct gen_model *model, uint64_t *peak, uint64_t *pool)
{
    const struct gen_layout *layout = &model->ops->plan(model->job)->layout;
    const uint32_t stages = layout->size[GEN_PIPELINE];
    struct gen_memory *memory = memory_of_stages(model);
    *peak = *pool = 0;
    for (uint32_t stage = 0; memory != NULL && stage < stages; stage++) {
        const uint64_t total = orr_gen_memory_total(&memory[stage]);
        *peak = total > *peak ? total : *peak;
        *pool = sat_plus(*pool, sat_times(memory[stage].pool_bytes, layout->npus / stages));
    }
    orr_heap_free(memory);
    return memory != NULL;
}

enum orr_status orr_gen_model_check_pool(const struct gen_model *model, uint64_t capacity_bytes,
                                         struct orr_diag *diag)
{
    uint64_t all = 0, peak = 0;
    if (capacity_bytes > 0 && !orr_gen_model_bytes(model, &peak, &all)) {
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
