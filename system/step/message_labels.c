/* Labels of messages and events of collectives: bit fields.
 *
 * From the top down: name of the group, ordinal, chunk, phase, request (with rendezvous), step. All
 * members of a collective use the same label, even if the destination has not started it. Labels
 * are below those of point-to-point messages. Fields are as wide as the job needs: its collectives
 * are announced before the run, and the first one fixes the widths. Invariant: every operation was
 * checked against the widths (orr_sys_labels_fit), so no field overflows. */
#include "core/evq.h"
#include "network/graph.h"
#include "network/net_config.h"
#include "network/net_dims.h"
#include "system/collectives/algorithm_parts.h"
#include "system/collectives/program.h"
#include "system/custom_program.h"
#include "system/plan/operation.h"
#include "system/state.h"
#include "system/step/stepping.h"
#include "system/sys_config.h"

enum { LABEL_BITS = 60 };

/* The index of a message is a 32-bit number. */
static const uint64_t max_steps = UINT64_C(1) << 32;

/* Bits for the numbers below `count`. */
static unsigned bits_of(uint64_t count)
{
    unsigned bits = 0;
    while (bits < LABEL_BITS && UINT64_C(1) << bits < count) {
        bits++;
    }
    return bits;
}

static void widen(uint64_t *width, uint64_t count)
{
    *width = count > *width ? count : *width;
}

/* ---- announcement ---- */

/* Upper bound of the messages of a phase among n, to or from a member: a ring's all-to-all has
 * O(n^2) steps, other algorithms at most two per lane and member. */
static uint64_t steps_among(bool ring_all_to_all, uint32_t lanes, uint32_t n)
{
    return ring_all_to_all ? (uint64_t)n * n / 2 + 1 : 2 * (uint64_t)lanes * n;
}

static uint32_t max_members(const struct sys *sys, const struct sys_group *group)
{
    const struct net_config *net = sys->net->config;
    uint32_t max = 1;
    if (!group->whole && (sys->policy->flat_groups || group->box_dims == 0)) {
        return group->size;
    }
    for (unsigned d = 0; group->whole && d < net->dims; d++) {
        max = net->dim[d].npus > max ? net->dim[d].npus : max;
    }
    for (unsigned d = 0; !group->whole && d < group->box_dims; d++) {
        max = group->box[d].n > max ? group->box[d].n : max;
    }
    return max;
}

/* Whether a ring may run the kind: by the algorithm list, or without one by the blocks. */
static bool can_use_ring(const struct sys *sys, enum coll_kind kind)
{
    const struct sys_algorithm_list *list = &sys->config->algorithms[kind];
    bool ring = false;
    for (unsigned i = 0; i < list->count; i++) {
        ring |= list->items[i].algorithm != NULL && list->items[i].algorithm->around;
    }
    for (unsigned d = 0; d < sys->net->config->dims && list->count == 0; d++) {
        ring |= net_passes_on(sys->net->config->dim[d].block);
    }
    return ring;
}

/* Events of a monolithic all-reduce: one per ring, and its end (monolithic/mono_calls.c). */
static uint64_t mono_steps(const struct sys *sys)
{
    const struct net_graph *graph = sys->net->config->graph;
    return graph != NULL ? 2 + (uint64_t)graph->rings + graph->totient : 2;
}

void orr_sys_labels_announce(struct sys *sys, const struct sys_collective *request)
{
    struct sys_labels *labels = &sys->labels;
    const struct sys_group *group = sys->all.groups[request->group];
    const bool listed = request->kind < SYS_LISTED_KINDS;
    const struct sys_custom *custom = listed ? sys->config->algorithms[request->kind].custom : NULL;
    uint32_t n = max_members(sys, group);
    for (unsigned i = 0; listed && i < sys->config->algorithms[request->kind].count; i++) {
        n = sys->config->algorithms[request->kind].items[i].flat ? group->size : n;
    }
    widen(&labels->steps, steps_among(false, 2, n));
    widen(&labels->steps, sys_mono_of(sys, request) != NULL ? mono_steps(sys) : 1);
    if (request->kind == COLL_ALL_TO_ALL && n <= COLL_MAX_ALL_TO_ALL) {
        widen(&labels->ring_steps, steps_among(true, 1, n));
        widen(&labels->steps, can_use_ring(sys, request->kind) ? labels->ring_steps : 0);
    }
    for (uint32_t i = 0; custom != NULL && i < custom->ranks; i++) {
        widen(&labels->steps, custom->program[i].ops);
    }
    widen(&labels->ordinals, (uint64_t)request->ordinal + 1);
}

/* ---- the widths ---- */

/* The most chunks of a collective to come: those that are configured, rounded up to as many around
 * each ring. A ring uses one of an NPU's ports. */
static void widen_chunks(struct sys *sys)
{
    const struct net_config *net = sys->net->config;
    uint64_t chunks = sys->config->chunks;
    for (unsigned kind = 0; kind < SYS_NAMED_KINDS; kind++) {
        const uint32_t own = sys->config->chunks_of[kind];
        chunks = own != SYS_BEST_CHUNKS && own > chunks ? own : chunks;
    }
    if (net->graph != NULL && !orr_net_is_stacked(net)) {
        const uint64_t listed = (uint64_t)net->graph->rings + net->graph->totient;
        chunks += listed > net->ports ? listed - 1 : net->ports - (net->ports > 0 ? 1 : 0);
    }
    widen(&sys->labels.chunks, chunks < SYS_MAX_CHUNKS ? chunks : SYS_MAX_CHUNKS);
}

/* Bits for ring all-to-alls that were not announced are reserved only if there are enough. With
 * insertion order labels order nothing, and ordinals may wrap. */
static bool choose_widths(struct sys *sys)
{
    struct sys_labels *labels = &sys->labels;
    const bool ordered = sys->policy->order == ORR_ORDER_LABEL;
    const unsigned above =
        (ordered ? bits_of(sys->all.families + 1) + bits_of(labels->ordinals) : 0) +
        bits_of(labels->chunks) + bits_of(2 * (uint64_t)sys->net->config->dims) +
        (sys->config->rendezvous ? 1 : 0);
    const unsigned wide =
        bits_of(labels->ring_steps > labels->steps ? labels->ring_steps : labels->steps);
    const unsigned steps = above + wide <= LABEL_BITS ? wide : bits_of(labels->steps);
    labels->needed = above + steps;
    labels->request_shift = steps;
    labels->phase_shift = steps + (sys->config->rendezvous ? 1 : 0);
    labels->chunk_shift = labels->phase_shift + bits_of(2 * (uint64_t)sys->net->config->dims);
    labels->ordinal_shift = labels->chunk_shift + bits_of(labels->chunks);
    labels->name_shift = ordered ? LABEL_BITS - bits_of(sys->all.families + 1) : LABEL_BITS;
    labels->step_mask = (UINT64_C(1) << labels->request_shift) - 1;
    labels->request_bit = sys->config->rendezvous ? UINT64_C(1) << labels->request_shift : 0;
    labels->phase_mask = (uint8_t)((1u << (labels->chunk_shift - labels->phase_shift)) - 1);
    labels->chosen = true;
    return labels->needed <= LABEL_BITS;
}

/* ---- operations ---- */

static uint64_t steps_of(const struct sys *sys, const struct sys_operation *operation)
{
    uint64_t steps = operation->whole != NULL ? mono_steps(sys) : 1;
    for (uint32_t c = 0; c < operation->chunks && operation->custom_program == NULL; c++) {
        for (unsigned p = 0; p < operation->plan[c]->phases; p++) {
            const struct sys_phase *phase = &operation->plan[c]->phase[p];
            widen(&steps, steps_among(phase->algorithm->around && phase->kind == COLL_ALL_TO_ALL,
                                      phase->algorithm->lanes, operation->dim[phase->dim].n));
        }
        c = c + 2 < operation->chunks && operation->plan[c + 1] == operation->plan[c]
                ? operation->chunks - 2
                : c;
    }
    for (uint32_t i = 0; operation->custom_program != NULL && i < operation->custom_program->ranks;
         i++) {
        widen(&steps, operation->custom_program->program[i].ops);
    }
    return steps;
}

static void fail(struct sys *sys, const struct sys_operation *operation, uint64_t steps)
{
    const struct sys_labels *labels = &sys->labels;
    if (steps > max_steps) {
        orr_evq_fail(sys->queue,
                     "%s of %llu bytes in the group \"%s\": a member would send or receive up to "
                     "%llu messages for a chunk; at most 2^32 are supported",
                     orr_coll_kind_name(operation->kind), (unsigned long long)operation->bytes,
                     operation->group->name, (unsigned long long)steps);
        return;
    }
    orr_evq_fail(sys->queue,
                 "the labels of the job's messages overflow: %u names of groups, %llu collectives "
                 "of a group, %llu chunks of one and %llu messages of a chunk take %u bits, and "
                 "labels have %d; split collectives into fewer chunks (system.chunks)",
                 sys->all.families + 1, (unsigned long long)labels->ordinals,
                 (unsigned long long)labels->chunks, (unsigned long long)labels->steps,
                 labels->needed, LABEL_BITS);
}

bool orr_sys_labels_fit(struct sys *sys, struct sys_operation *operation)
{
    struct sys_labels *labels = &sys->labels;
    const uint64_t steps = steps_of(sys, operation);
    const bool ordered = sys->policy->order == ORR_ORDER_LABEL;
    bool fits = steps <= max_steps;
    if (!labels->chosen) {
        widen(&labels->steps, steps);
        widen(&labels->ordinals, (uint64_t)operation->ordinal + 1);
        widen(&labels->chunks, operation->chunks);
        widen_chunks(sys);
        fits = choose_widths(sys) && fits;
    }
    const unsigned ordinals = labels->name_shift - labels->ordinal_shift;
    const uint64_t ordinal =
        ordered ? operation->ordinal : operation->ordinal & ((UINT64_C(1) << ordinals) - 1);
    fits = fits && steps <= UINT64_C(1) << labels->request_shift &&
           bits_of(operation->chunks) <= labels->ordinal_shift - labels->chunk_shift &&
           ordinal < UINT64_C(1) << ordinals;
    if (!fits) {
        fail(sys, operation, steps);
        return false;
    }
    operation->port_stream = sys_group_stream(sys, operation->group);
    operation->phase_shift = (uint8_t)labels->phase_shift;
    operation->chunk_shift = (uint8_t)labels->chunk_shift;
    operation->label = (ordered ? (uint64_t)operation->group->family << labels->name_shift : 0) |
                       ordinal << labels->ordinal_shift;
    return true;
}
