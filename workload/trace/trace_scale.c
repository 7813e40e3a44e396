/* Scales traces of N ranks to M ranks; see trace_scale.h. */
#include "workload/trace/trace_scale.h"

#include <inttypes.h>

#include "core/diag.h"
#include "core/divide.h"
#include "workload/trace/et/et.h"
#include "workload/trace/process_groups.h"
#include "workload/trace/trace_scale_private.h"

/* The size of an all-gather among M ranks, with the same total. */
static uint64_t scaled_gather(const struct orr_trace_scale *scale, uint64_t bytes, bool *rounded)
{
    const uint64_t whole = bytes * scale->from; /* checked before */
    *rounded = whole % scale->to != 0;
    return whole / scale->to + (*rounded ? 1 : 0);
}

/* A collective among M ranks. */
static void scale_node(const struct orr_scaler *scaler, struct orr_node *node, bool count)
{
    bool rounded = false;
    const bool timed = node->duration_ps != 0 && scaler->scale->from != scaler->scale->to;
    const bool gathers = node->comm == ORR_COMM_ALL_GATHER;
    const bool scatters =
        node->comm == ORR_COMM_REDUCE_SCATTER || node->comm == ORR_COMM_REDUCE_SCATTER_BLOCK;
    if (gathers) {
        node->amount = scaled_gather(scaler->scale, node->amount, &rounded);
    }
    if (timed) {
        node->duration_ps = 0;
    }
    if (count) {
        scaler->result->gathers += gathers ? 1 : 0;
        scaler->result->rounded += rounded ? 1 : 0;
        scaler->result->scatters += scatters ? 1 : 0;
        scaler->result->untimed += timed ? 1 : 0;
    }
}

/* Scales a prefix: the same share of the collective; of an all-gather, whose size changes, rounded
 * up. */
static uint64_t scaled_prefix(const struct orr_node *from, const struct orr_node *to,
                              uint64_t prefix)
{
    if (prefix == 0 || from->amount == to->amount) {
        return prefix;
    }
    const orr_wide part = (orr_wide)prefix * to->amount;
    const uint64_t scaled = (uint64_t)(part / from->amount + (part % from->amount != 0 ? 1 : 0));
    return scaled < to->amount ? scaled : to->amount;
}

static enum orr_status scale_prefixes(const struct orr_scaler *scaler, const struct orr_trace *from,
                                      struct orr_trace *made, struct orr_diag *diag)
{
    uint64_t *prefix = orr_arena_array(scaler->arena, from->edges, sizeof *prefix);
    if (prefix == NULL) {
        return orr_diag_no_memory(diag, "a scaled trace");
    }
    for (uint32_t i = 0; i < from->nodes; i++) {
        for (uint32_t e = from->node[i].first_child; e < orr_trace_child_end(from, i); e++) {
            prefix[e] = scaled_prefix(&from->node[i], &made->node[i], from->prefix[e]);
        }
    }
    made->prefix = prefix;
    return ORR_OK;
}

/* The trace scaled to M ranks, in the arena. */
static enum orr_status scale_trace(const struct orr_scaler *scaler, const struct orr_trace *from,
                                   struct orr_trace *made, struct orr_diag *diag)
{
    struct orr_node *node = orr_arena_array(scaler->arena, from->nodes, sizeof *node);
    struct orr_node_extra *extra = orr_arena_array(scaler->arena, from->extra_count, sizeof *extra);
    if (node == NULL || extra == NULL) {
        return orr_diag_no_memory(diag, "a scaled trace");
    }
    for (uint32_t i = 0; i < from->extra_count; i++) {
        extra[i] = from->extras[i];
    }
    enum orr_status status = ORR_OK;
    for (uint32_t i = 0; i < from->nodes && status == ORR_OK; i++) {
        node[i] = from->node[i];
        if (node[i].kind == ORR_NODE_COLL) {
            scale_node(scaler, &node[i], from == scaler->by_rank[0]);
        } else if (orr_wl_has_groups(from, &node[i])) {
            const char **values = &extra[node[i].extra - 1].inputs_values;
            status = orr_scale_group_values(scaler, *values, values, diag);
        }
    }
    *made = *from;
    made->node = node;
    made->extras = extra;
    return status == ORR_OK && from->prefix != NULL ? scale_prefixes(scaler, from, made, diag)
                                                    : status;
}

static enum orr_status write_rank(const struct orr_scaler *scaler, const struct orr_trace *trace,
                                  uint32_t rank, struct orr_diag *diag)
{
    struct orr_arena *scratch = orr_arena_create();
    const struct orr_trace_scale *scale = scaler->scale;
    const char *path = scratch != NULL
                           ? orr_arena_printf(scratch, "%s.%" PRIu32 ".et%s", scale->out, rank,
                                              scale->gzip ? ".gz" : "")
                           : NULL;
    const struct orr_et_writer_options options = {
        .gzip = scale->gzip, .version = trace->version, .rules = trace->rules};
    struct orr_et_writer *writer = NULL;
    enum orr_status status =
        path != NULL ? ORR_OK : orr_diag_no_memory(diag, "the path of a trace");
    if (status == ORR_OK) {
        status = orr_et_writer_create(&writer, path, &options, diag);
    }
    if (status == ORR_OK) {
        status = orr_et_writer_add_trace(writer, trace, diag);
    }
    if (status == ORR_OK) {
        status = orr_et_writer_finish(writer, diag);
    }
    orr_et_writer_destroy(writer);
    orr_arena_destroy(scratch);
    return status;
}

/* Ranks r, r + N, r + 2N, ... have the trace of rank r. */
static enum orr_status write_set(const struct orr_scaler *scaler, struct orr_diag *diag)
{
    const struct orr_trace_scale *scale = scaler->scale;
    struct orr_trace made;
    enum orr_status status = ORR_OK;
    for (uint32_t rank = 0; rank < scale->from && rank < scale->to && status == ORR_OK; rank++) {
        if (rank == 0 || scaler->by_rank[rank] != scaler->by_rank[rank - 1]) {
            status = scale_trace(scaler, scaler->by_rank[rank], &made, diag);
        }
        for (uint64_t to = rank; to < scale->to && status == ORR_OK; to += scale->from) {
            status = write_rank(scaler, &made, (uint32_t)to, diag);
        }
    }
    return status == ORR_OK ? orr_scale_write_groups(scaler, diag) : status;
}

static enum orr_status scale_set(struct orr_scaler *scaler, struct orr_diag *diag)
{
    const struct orr_trace_scale *scale = scaler->scale;
    scaler->by_rank = orr_arena_array(scaler->arena, scale->from, sizeof *scaler->by_rank);
    if (scaler->by_rank == NULL) {
        return orr_diag_no_memory(diag, "the traces");
    }
    enum orr_status status =
        orr_et_load_set(scaler->arena, scale->prefix, scale->from, scaler->by_rank, diag);
    if (status == ORR_OK) {
        status = orr_scale_read_groups(scaler, diag);
    }
    if (status == ORR_OK) {
        scaler->result->nodes = scaler->by_rank[0]->nodes;
        status = orr_scale_check(scaler, diag);
    }
    return status == ORR_OK ? write_set(scaler, diag) : status;
}

enum orr_status orr_trace_scale(const struct orr_trace_scale *scale,
                                struct orr_trace_scale_result *out, struct orr_diag *diag)
{
    *out = (struct orr_trace_scale_result){.nodes = 0};
    struct orr_scaler scaler = {.scale = scale, .result = out, .arena = orr_arena_create()};
    if (scaler.arena == NULL) {
        return orr_diag_no_memory(diag, "the traces");
    }
    const enum orr_status status = scale_set(&scaler, diag);
    orr_arena_destroy(scaler.arena);
    return status;
}

enum orr_status orr_trace_scale_ranks(struct orr_trace_scale *scale, const char *from_name,
                                      struct orr_diag *diag)
{
    const uint32_t files = orr_et_set_size(scale->prefix);
    const struct orr_location location = orr_location_file(scale->prefix);
    if (files == 0 && scale->from == 0) {
        return orr_diag_fail(
            diag, ORR_ERR_INPUT, &location,
            "no file %s.0.et or %s.0.et.gz; for one file for all ranks, set their number with %s",
            scale->prefix, scale->prefix, from_name);
    }
    scale->from = scale->from == 0 ? files : scale->from;
    return files == 0 || files == scale->from
               ? ORR_OK
               : orr_diag_fail(diag, ORR_ERR_INPUT, &location,
                               "%s says %" PRIu32 " rank%s, but there are traces of %" PRIu32,
                               from_name, scale->from, orr_plural(scale->from), files);
}
