/* Gradients in buckets and slices; see gradients.h. */
#include "workload/parallel/gradients.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/arena.h"
#include "core/diag.h"
#include "core/saturate.h"
#include "workload/trace/trace.h"
#include "workload/trace/trace_builder.h"

enum { MAX_SLICES = 1000000 };

static const char *run_name(const struct gen_run *run, const char *what, const char *how,
                            char text[GEN_NAME_BYTES])
{
    int at = 0;
    if (run->plan->steps > 1) {
        at = snprintf(text, GEN_NAME_BYTES, "step %" PRIu32 " ", run->step);
    }
    at += snprintf(text + at, GEN_NAME_BYTES - (size_t)at, "%s", what);
    if (how != NULL) {
        (void)snprintf(text + at, GEN_NAME_BYTES - (size_t)at, " %s mb %" PRIu32, how, run->micro);
    }
    return text;
}

/* Ids of all gradients in the bucket; NULL when memory is out. */
static uint64_t *bucket_gradients(const struct gen_run *run, size_t *count)
{
    uint64_t *ids = orr_heap_calloc((size_t)run->bucket.layers * GEN_MAX_DEPS, sizeof *ids);
    *count = 0;
    for (const struct gen_weights *w = run->bucket.first; ids != NULL && w != NULL;
         w = w->next_in_bucket) {
        memcpy(ids + *count, w->gradient.id, w->gradient.count * sizeof *ids);
        *count += w->gradient.count;
    }
    return ids;
}

/* The bucket's gradients, or a slice of them: an interval of its buffer. */
struct piece {
    uint64_t from, bytes;
    uint64_t id;
};

/* Layers whose gradients end in this piece now have their dependency: the piece. With
 * training.chain each waits for its part of the only piece. */
static void settle_layers(struct gen_run *run, const struct piece *piece)
{
    uint64_t end = 0;
    for (struct gen_weights *w = run->bucket.first; w != NULL; w = w->next_in_bucket) {
        end = sat_plus(end, sat_times(w->parameters, run->plan->gradient_bytes));
        if (end > piece->from && end <= piece->from + piece->bytes) {
            w->reduced = orr_gen_dep(piece->id);
            w->reduced.part_of = run->plan->chain ? piece->id : 0;
            w->reduced.part_bytes = run->plan->chain ? end : 0;
        }
    }
}

/* Emits the reduction of a piece; false: there is only one rank. */
static bool reduce_piece(struct gen_run *run, const char *name, struct orr_deps deps,
                         struct piece *piece)
{
    const struct orr_node_spec spec = {
        .name = name, .comm = ORR_COMM_ALL_REDUCE, .comm_bytes = piece->bytes};
    return orr_gen_emit_coll_after(run->emitter, spec, GEN_DP, deps, &piece->id);
}

/* "WHAT", or "WHAT slice K" if there are several */
static const char *piece_name(const struct gen_run *run, const char *what,
                              const struct piece *piece, uint64_t total, char text[GEN_NAME_BYTES])
{
    char sliced[GEN_NAME_BYTES / 2];
    if (piece->bytes == total) {
        return run_name(run, what, "reduced", text);
    }
    (void)snprintf(sliced, sizeof sliced, "%.20s slice %" PRIu64, what,
                   piece->from / run->plan->slice_bytes);
    return run_name(run, sliced, "reduced", text);
}

/* Each slice waits for the one before it. */
static void reduce_in_pieces(struct gen_run *run, const char *what, struct orr_deps deps)
{
    const uint64_t total = sat_times(run->bucket.parameters, run->plan->gradient_bytes);
    const uint64_t slice = run->plan->slice_bytes != 0 ? run->plan->slice_bytes : UINT64_MAX;
    struct piece piece = {.from = 0};
    uint64_t last = 0;
    if (run->emitter->status == ORR_OK && total / slice >= MAX_SLICES) {
        run->emitter->status = orr_gen_fail(run->plan->training, "slice", run->emitter->diag,
                                            "%" PRIu64 " bytes of gradients in slices of %" PRIu64
                                            "; at most %d are supported",
                                            total, slice, MAX_SLICES);
    }
    do {
        char name[GEN_NAME_BYTES];
        piece.bytes = total - piece.from < slice ? total - piece.from : slice;
        (void)piece_name(run, what, &piece, total, name);
        if (!reduce_piece(run, name, deps, &piece)) {
            return;
        }
        settle_layers(run, &piece);
        last = piece.id;
        deps = (struct orr_deps){&last, 1};
        piece.from += piece.bytes;
    } while (piece.from < total && run->emitter->status == ORR_OK);
}

/* Reduces the bucket, which must not be empty, and empties it. */
static void reduce(struct gen_run *run, const char *what)
{
    struct orr_deps deps = {NULL, 0};
    uint64_t *ids = bucket_gradients(run, &deps.count);
    deps.ids = ids;
    if (ids == NULL && run->emitter->status == ORR_OK) {
        run->emitter->status = orr_diag_no_memory(run->emitter->diag, "a generated trace");
    }
    for (struct gen_weights *w = run->bucket.first; w != NULL; w = w->next_in_bucket) {
        w->reduced = w->gradient;
    }
    reduce_in_pieces(run, what, deps);
    orr_heap_free(ids);
    run->bucket = (struct gen_bucket){.number = run->bucket.number + 1};
}

void orr_gen_bucket_add(struct gen_run *run, const char *what, struct gen_weights *weights)
{
    struct gen_bucket *bucket = &run->bucket;
    const uint64_t min = run->plan->bucket_bytes;
    weights->next_in_bucket = bucket->first;
    bucket->first = weights;
    bucket->parameters = sat_plus(bucket->parameters, weights->parameters);
    bucket->layers++;
    if (min == 0) {
        reduce(run, what);
    } else if (sat_times(bucket->parameters, run->plan->gradient_bytes) >= min) {
        orr_gen_bucket_flush(run);
    }
}

void orr_gen_bucket_flush(struct gen_run *run)
{
    if (run->bucket.first != NULL) {
        char what[GEN_NAME_BYTES / 2];
        if (run->plan->chain) {
            (void)snprintf(what, sizeof what, "gradients");
        } else {
            (void)snprintf(what, sizeof what, "bucket %" PRIu32 " gradients", run->bucket.number);
        }
        reduce(run, what);
    }
}

uint64_t orr_gen_update_bytes(const struct gen_plan *plan, uint64_t parameters)
{
    return sat_times(parameters,
                     plan->gradient_bytes + 2 * plan->optimizer_bytes + plan->element_bytes);
}
