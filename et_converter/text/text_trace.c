/* Trace of a text workload: the order of work of each policy (docs/file-formats.md), with the waits
 * of the reference as dependencies. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/arena.h"
#include "et_converter/text/text.h"
#include "network/net_config.h"
#include "workload/trace/trace.h"
#include "workload/trace/trace_builder.h"

enum { NAME_BYTES = 192, MAX_WAITS = 16 };

static const uint64_t PS_PER_CYCLE = 1000;

/* Nodes that the next node waits for. */
struct waits {
    uint64_t id[MAX_WAITS];
    size_t count;
};

struct tracer {
    const struct text_job *job;
    uint32_t rank, pass;
    struct orr_trace_builder *builder;
    struct orr_diag *diag;
    enum orr_status status; /* the first failure */
    uint64_t next_id;
    struct waits now;     /* awaited by the NPU's next work */
    struct waits *update; /* [layers] a layer's last weight update */
};

/* ---- nodes ---- */

static const char *name_of(const struct tracer *tracer, uint32_t layer, const char *what,
                           char text[NAME_BYTES])
{
    const char *name = tracer->job->model->layer[layer].name;
    if (tracer->job->passes > 1) {
        (void)snprintf(text, NAME_BYTES, "%.128s %.32s, pass %" PRIu32, name, what, tracer->pass);
    } else {
        (void)snprintf(text, NAME_BYTES, "%.128s %.32s", name, what);
    }
    return text;
}

/* Adds a node that waits for `after`; `after` becomes the node. */
static void add(struct tracer *tracer, struct orr_node_spec *spec, struct waits *after)
{
    if (tracer->status != ORR_OK) {
        return;
    }
    spec->id = tracer->next_id++;
    spec->data_deps = (struct orr_deps){after->id, after->count};
    tracer->status = orr_trace_builder_add(tracer->builder, spec, tracer->diag);
    *after = (struct waits){.id = {spec->id}, .count = 1};
}

/* Adds `more` to `waits`. A full list becomes one node of zero time. */
static void wait_for(struct tracer *tracer, struct waits *waits, const struct waits *more)
{
    for (size_t i = 0; i < more->count; i++) {
        bool known = false;
        for (size_t k = 0; k < waits->count; k++) {
            known = known || waits->id[k] == more->id[i];
        }
        if (!known && waits->count == MAX_WAITS) {
            struct orr_node_spec join = {.kind = ORR_NODE_METADATA, .name = "wait"};
            add(tracer, &join, waits);
        }
        if (!known && tracer->status == ORR_OK) {
            waits->id[waits->count++] = more->id[i];
        }
    }
}

static void compute(struct tracer *tracer, uint32_t layer, const char *what, uint64_t cycles,
                    struct waits *after)
{
    char name[NAME_BYTES];
    struct orr_node_spec spec = {.kind = ORR_NODE_COMP,
                                 .flags = ORR_NODE_HAS_CPU_FLAG,
                                 .name = name_of(tracer, layer, what, name),
                                 .duration_ps = cycles * PS_PER_CYCLE};
    if (cycles > 0) {
        add(tracer, &spec, after);
    }
}

/* ---- communication ---- */

static const char *group_name(struct tracer *tracer, const struct text_span *span)
{
    const uint32_t position = tracer->rank / span->stride % span->size;
    const uint32_t first = tracer->rank - position * span->stride;
    const char *name = NULL;
    uint32_t *ranks = orr_heap_calloc(span->size, sizeof *ranks);
    if (ranks == NULL) {
        tracer->status = orr_diag_no_memory(tracer->diag, "communicator groups");
        return NULL;
    }
    for (uint32_t i = 0; i < span->size; i++) {
        ranks[i] = first + i * span->stride;
    }
    tracer->status =
        orr_convert_output_group(tracer->job->output, ranks, span->size, &name, tracer->diag);
    orr_heap_free(ranks);
    return name;
}

static void set_group(struct tracer *tracer, const struct text_span *span,
                      struct orr_node_spec *spec)
{
    if (span->size == tracer->job->npus || tracer->status != ORR_OK) {
        return;
    }
    if (span->mask == 0) {
        spec->group = group_name(tracer, span);
        return;
    }
    spec->has_involved_dim = true;
    spec->involved_dims = (uint8_t)tracer->job->platform->dims;
    spec->involved_mask = span->mask;
}

static void collective(struct tracer *tracer, uint32_t layer, const char *what,
                       struct orr_node_spec spec, struct waits *after)
{
    static const char *const names[] = {[ORR_COMM_ALL_REDUCE] = "all-reduce",
                                        [ORR_COMM_ALL_GATHER] = "all-gather",
                                        [ORR_COMM_ALL_TO_ALL] = "all-to-all",
                                        [ORR_COMM_REDUCE_SCATTER] = "reduce-scatter"};
    char name[NAME_BYTES], label[64];
    (void)snprintf(label, sizeof label, "%s %s", what, names[spec.comm]);
    spec.kind = ORR_NODE_COLL;
    spec.flags = ORR_NODE_HAS_CPU_FLAG;
    spec.name = name_of(tracer, layer, label, name);
    add(tracer, &spec, after);
}

/* Adds the communication of a layer's phase, after `after`. */
static void communicate(struct tracer *tracer, uint32_t layer, enum text_phase phase,
                        struct waits *after)
{
    const struct text_work *work = &tracer->job->model->layer[layer].work[phase];
    const enum text_scope scope = orr_text_scope_of(tracer->job, layer, phase, NULL);
    const struct text_span *span = &tracer->job->span[scope];
    const char *what = orr_text_phase_name(phase);
    struct orr_node_spec spec = {.comm_bytes = work->bytes};
    if (scope == TEXT_NO_SCOPE) {
        return;
    }
    set_group(tracer, span, &spec);
    switch ((enum text_collective)work->collective) {
    case TEXT_ALL_TO_ALL:
        spec.comm = ORR_COMM_ALL_TO_ALL;
        break;
    case TEXT_ALL_GATHER:
        spec.comm = ORR_COMM_ALL_GATHER;
        if (tracer->job->model->extended) { /* the file has the size of the result */
            spec.comm_bytes = work->bytes / span->size + (work->bytes % span->size != 0 ? 1 : 0);
        }
        break;
    case TEXT_REDUCE_SCATTER:
        spec.comm = ORR_COMM_REDUCE_SCATTER;
        break;
    default:
        spec.comm = ORR_COMM_ALL_REDUCE;
    }
    collective(tracer, layer, what, spec, after);
    if (work->collective == TEXT_ALL_REDUCE_ALL_TO_ALL) {
        spec.comm = ORR_COMM_ALL_TO_ALL;
        collective(tracer, layer, what, spec, after);
    }
}

/* ---- pieces of a pass ---- */

static void forward(struct tracer *tracer, uint32_t layer, const char *what)
{
    const struct text_layer *self = &tracer->job->model->layer[layer];
    wait_for(tracer, &tracer->now, &tracer->update[layer]);
    compute(tracer, layer, what, self->work[TEXT_FORWARD].cycles, &tracer->now);
    communicate(tracer, layer, TEXT_FORWARD, &tracer->now);
}

/* Adds the weight gradient, with communication and update, which nothing in this pass waits for. */
static void weight_gradient(struct tracer *tracer, uint32_t layer)
{
    const struct text_layer *self = &tracer->job->model->layer[layer];
    compute(tracer, layer, "weight gradient", self->work[TEXT_WEIGHT_GRADIENT].cycles,
            &tracer->now);
    if (orr_text_scope_of(tracer->job, layer, TEXT_WEIGHT_GRADIENT, NULL) != TEXT_NO_SCOPE) {
        struct waits after = tracer->now;
        communicate(tracer, layer, TEXT_WEIGHT_GRADIENT, &after);
        compute(tracer, layer, "update", self->update_cycles, &after);
        tracer->update[layer] = after;
    }
}

static void input_gradient(struct tracer *tracer, uint32_t layer)
{
    compute(tracer, layer, "input gradient",
            tracer->job->model->layer[layer].work[TEXT_INPUT_GRADIENT].cycles, &tracer->now);
}

/* ---- passes of the policies ---- */

static void pass_data(struct tracer *tracer)
{
    const struct text_model *model = tracer->job->model;
    for (uint32_t l = 0; l < model->layers; l++) {
        forward(tracer, l, "forward");
    }
    for (uint32_t l = model->layers; l-- > 0;) {
        weight_gradient(tracer, l);
        if (l > 0) {
            input_gradient(tracer, l);
        }
    }
}

/* Recomputes the forward pass from the checkpoint at or before a layer up to it. */
static void recompute(struct tracer *tracer, uint32_t layer)
{
    uint32_t first = layer;
    while (!tracer->job->model->layer[first].checkpoint) {
        first--;
    }
    for (uint32_t l = first; l < layer; l++) {
        forward(tracer, l, "forward again");
    }
}

/* MODEL, the hybrids and the transformers. Transformers wait for the input gradient at once. */
static void pass_hybrid(struct tracer *tracer)
{
    const struct text_model *model = tracer->job->model;
    const bool at_once = model->policy == TEXT_TRANSFORMER || model->policy == TEXT_RECOMPUTE;
    for (uint32_t l = 0; l < model->layers; l++) {
        forward(tracer, l, "forward");
    }
    for (uint32_t l = model->layers; l-- > 0;) {
        if (model->policy == TEXT_RECOMPUTE && model->layer[l].recomputes) {
            recompute(tracer, l);
        }
        input_gradient(tracer, l);
        if (at_once) {
            communicate(tracer, l, TEXT_INPUT_GRADIENT, &tracer->now);
            weight_gradient(tracer, l);
        } else {
            const bool sends =
                orr_text_scope_of(tracer->job, l, TEXT_INPUT_GRADIENT, NULL) != TEXT_NO_SCOPE;
            struct waits sent = tracer->now;
            communicate(tracer, l, TEXT_INPUT_GRADIENT, &sent);
            weight_gradient(tracer, l);
            sent.count = sends ? sent.count : 0;
            wait_for(tracer, &tracer->now, &sent);
        }
    }
}

/* DLRM: layer 0 is the embedding tables, whose all-to-alls overlap with the bottom layers. */
static void pass_dlrm(struct tracer *tracer)
{
    const struct text_model *model = tracer->job->model;
    struct waits exchanged = {.count = 0}, returned = {.count = 0};
    for (uint32_t l = 0; l < model->layers; l++) {
        const bool exchanges = model->layer[l].work[TEXT_FORWARD].collective == TEXT_ALL_TO_ALL;
        wait_for(tracer, &tracer->now, &tracer->update[l]);
        compute(tracer, l, "forward", model->layer[l].work[TEXT_FORWARD].cycles, &tracer->now);
        if (l == 0) {
            exchanged = tracer->now;
            communicate(tracer, l, TEXT_FORWARD, &exchanged);
        }
        if (l == model->last_bottom_layer && !exchanges) {
            wait_for(tracer, &tracer->now, &exchanged);
        }
    }
    for (uint32_t l = model->layers; l-- > 0;) {
        weight_gradient(tracer, l);
        if (l == 0 && model->policy == TEXT_DLRM) {
            wait_for(tracer, &tracer->now, &returned);
        }
        if (l > 0) {
            input_gradient(tracer, l);
        }
        if (l == model->last_bottom_layer + 1) {
            returned = tracer->now;
            communicate(tracer, 0, TEXT_INPUT_GRADIENT, &returned);
        }
    }
}

static void pass_inference(struct tracer *tracer)
{
    for (uint32_t l = 0; l < tracer->job->model->layers; l++) {
        forward(tracer, l, "forward");
    }
}

/* MICRO: all passes at once, without dependencies. */
static void pass_micro(struct tracer *tracer)
{
    struct waits nothing = {.count = 0};
    communicate(tracer, 0, TEXT_WEIGHT_GRADIENT, &nothing);
}

static void run_pass(struct tracer *tracer)
{
    switch (tracer->job->model->policy) {
    case TEXT_DATA:
        pass_data(tracer);
        break;
    case TEXT_DLRM:
    case TEXT_DLRM_ENHANCED:
        pass_dlrm(tracer);
        break;
    case TEXT_INFERENCE:
        pass_inference(tracer);
        break;
    case TEXT_MICRO:
        pass_micro(tracer);
        break;
    default:
        pass_hybrid(tracer);
    }
}

enum orr_status orr_text_trace(struct orr_arena *arena, const struct text_job *job, uint32_t rank,
                               const struct orr_trace **trace, struct orr_diag *diag)
{
    struct tracer tracer = {
        .job = job, .rank = rank, .diag = diag, .builder = orr_trace_builder_create(arena)};
    tracer.update = orr_heap_calloc(job->model->layers, sizeof *tracer.update);
    if (tracer.builder == NULL || tracer.update == NULL) {
        tracer.status = orr_diag_no_memory(diag, "a trace");
    } else {
        orr_trace_builder_set_source(tracer.builder, job->model->name, "");
    }
    for (; tracer.pass < job->passes && tracer.status == ORR_OK; tracer.pass++) {
        run_pass(&tracer);
    }
    if (tracer.status == ORR_OK) {
        tracer.status = orr_trace_builder_finish(tracer.builder, trace, diag);
    }
    orr_trace_builder_destroy(tracer.builder);
    orr_heap_free(tracer.update);
    return tracer.status;
}
