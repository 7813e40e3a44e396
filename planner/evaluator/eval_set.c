/* Setters of an evaluator. Each one discards the derived values that it may change. */
#include "core/diag.h"
#include "core/saturate.h"
#include "planner/evaluator/eval_private.h"
#include "system/sys_mono.h"

static void forget_edge(struct evaluator *evaluator, uint32_t edge, bool sends)
{
    for (int pass = 0; pass < 2; pass++) {
        struct eval_item *item = &evaluator->sending[edge].pass[pass];
        item->known = false;
        item->flows.count = sends ? 0 : item->flows.count;
    }
}

static void forget_edges_of(struct evaluator *evaluator, uint32_t op)
{
    for (uint32_t i = evaluator->first_in[op]; i < evaluator->first_in[op + 1]; i++) {
        forget_edge(evaluator, evaluator->in[i], false);
    }
    for (uint32_t i = evaluator->first_out[op]; i < evaluator->first_out[op + 1]; i++) {
        forget_edge(evaluator, evaluator->out[i], false);
    }
}

void orr_eval_forget(struct evaluator *evaluator)
{
    for (uint32_t edge = 0; edge < evaluator->setup.edges; edge++) {
        forget_edge(evaluator, edge, true);
    }
}

/* Whether the parts are on the same devices as before, one on each. */
static bool is_unmoved(const struct eval_op *op, const struct eval_parts *parts)
{
    const uint32_t *device = op->device.items;
    bool same = op->single && parts->parts == op->device.count;
    for (uint32_t i = 0; same && i < parts->parts; i++) {
        same = parts->device[i] == device[i];
    }
    return same;
}

bool orr_eval_set_parts(struct evaluator *evaluator, uint32_t op, const struct eval_parts *parts)
{
    struct eval_op *out = &evaluator->op[op];
    const uint32_t devices = evaluator->setup.devices;
    uint32_t *times = orr_eval_reserve(&out->times, devices, sizeof *times);
    uint32_t *device = orr_eval_reserve(&out->device, devices, sizeof *device);
    if (times == NULL || device == NULL) {
        return false;
    }
    const bool stays = is_unmoved(out, parts);
    memset(times, 0, devices * sizeof *times);
    for (uint32_t i = 0; i < parts->parts; i++) {
        ORR_ASSERT(parts->device[i] < devices);
        times[parts->device[i]]++;
    }
    out->device.count = 0;
    out->single = true;
    for (uint32_t d = 0; d < devices; d++) {
        if (times[d] != 0) {
            device[out->device.count++] = d;
            out->single = out->single && times[d] == 1;
        }
    }
    out->parts = parts->parts;
    out->seconds[0] = (double)parts->forward_ps * 1e-12;
    out->seconds[1] = (double)parts->backward_ps * 1e-12;
    if (!stays) {
        forget_edges_of(evaluator, op);
    }
    return true;
}

/* Whether the transfers of an edge are the ones it has; devices with both ends are marked. */
static bool is_unchanged(const struct evaluator *evaluator, const struct eval_sending *sending,
                         const struct eval_transfer *transfer, uint32_t transfers)
{
    const struct eval_transfer *known = sending->transfer.items;
    const uint32_t *device = sending->local.items;
    size_t count = 0, local = 0;
    for (uint32_t i = 0; i < transfers; i++) {
        if (transfer[i].from == transfer[i].to) {
            continue;
        }
        if (count == sending->transfer.count ||
            memcmp(&transfer[i], &known[count], sizeof *known) != 0) {
            return false;
        }
        count++;
    }
    for (uint32_t d = 0; d < evaluator->setup.devices; d++) {
        if (evaluator->mark[d] != 0 && (local == sending->local.count || device[local++] != d)) {
            return false;
        }
    }
    return count == sending->transfer.count && local == sending->local.count;
}

static void copy_transfers(struct evaluator *evaluator, struct eval_sending *out,
                           const struct eval_transfer *transfer, uint32_t transfers)
{
    struct eval_transfer *kept = out->transfer.items;
    uint32_t *local = out->local.items;
    out->transfer.count = out->local.count = 0;
    for (uint32_t i = 0; i < transfers; i++) {
        if (transfer[i].from != transfer[i].to) {
            kept[out->transfer.count++] = transfer[i];
        }
    }
    for (uint32_t d = 0; d < evaluator->setup.devices; d++) {
        if (evaluator->mark[d] != 0) {
            local[out->local.count++] = d;
        }
    }
}

bool orr_eval_set_edge(struct evaluator *evaluator, uint32_t edge,
                       const struct eval_transfer *transfer, uint32_t transfers)
{
    struct eval_sending *out = &evaluator->sending[edge];
    const uint32_t devices = evaluator->setup.devices;
    uint32_t between = 0;
    for (uint32_t i = 0; i < transfers; i++) {
        evaluator->mark[transfer[i].from] |= transfer[i].from == transfer[i].to;
        between += transfer[i].from != transfer[i].to;
    }
    const bool unchanged =
        out->local.items != NULL && is_unchanged(evaluator, out, transfer, transfers);
    if (!unchanged) {
        if (orr_eval_reserve(&out->transfer, between + 1, sizeof(struct eval_transfer)) == NULL ||
            orr_eval_reserve(&out->local, devices, sizeof(uint32_t)) == NULL) {
            return false;
        }
        copy_transfers(evaluator, out, transfer, transfers);
        forget_edge(evaluator, edge, true);
        out->load.count = 0;
    }
    memset(evaluator->mark, 0, devices);
    return true;
}

/* ---- all-reduces ---- */

/* Rounds and bytes of an all-reduce among k. A stream is a single round of all bytes
 * (mono_ring_stream.c). */
static void measure(const struct evaluator *evaluator, uint64_t k, uint64_t bytes,
                    struct eval_gradient *out)
{
    const uint64_t twice = sat_times(2, bytes);
    const struct sys_ring_rounds each =
        evaluator->setup.stream
            ? (struct sys_ring_rounds){1, sat_divide_up(twice - twice / k, out->set->shares)}
            : orr_sys_ring_rounds(bytes, k, out->set->shares);
    out->rounds = each.rounds;
    out->bytes = eval_wire_bytes(&evaluator->ways, each.bytes);
    out->payload = (double)each.bytes;
}

/* Adds the stages of an all-reduce: reduce-scatter inside of the groups, rings across them,
 * all-gather; each starts when the previous one ends. false: memory is out. */
static bool add_stages(struct evaluator *evaluator, struct eval_array *array,
                       const struct eval_reduce *reduce)
{
    const uint32_t holders = reduce->holders > 1 ? reduce->holders : 1,
                   k = reduce->members / holders;
    const uint64_t share = (reduce->bytes + holders - 1) / holders;
    const uint32_t at = (uint32_t)array->count, stages = holders > 1 ? 3 : 1;
    for (uint32_t i = 0; i < stages; i++) {
        const bool ring = i == stages / 2;
        struct eval_gradient *stage = (struct eval_gradient *)array->items + array->count;
        *stage = (struct eval_gradient){
            .set = orr_eval_rings_of(evaluator, reduce->member, reduce->members,
                                     (struct eval_holders){holders, !ring}),
            .bytes = eval_wire_bytes(&evaluator->ways, share),
            .payload = (double)share,
            .rounds = 1,
            .inner = ring ? (double)reduce->inner_ps * 1e-12 : 0,
            .next_stage = i + 1 < stages ? at + i + 1 : 0,
            .follows = i > 0};
        if (stage->set == NULL) {
            return false;
        }
        array->count++;
        if (ring) {
            measure(evaluator, k, share, stage);
        }
    }
    return true;
}

static void release_all(struct evaluator *evaluator, struct eval_array *array)
{
    const struct eval_gradient *gradient = array->items;
    for (size_t i = 0; i < array->count; i++) {
        orr_eval_release_rings(evaluator, gradient[i].set);
    }
    array->count = 0;
}

bool orr_eval_set_reduces(struct evaluator *evaluator, uint32_t op,
                          const struct eval_reduce *reduce, uint32_t reduces)
{
    struct eval_array *before = &evaluator->op[op].reduce, *array = &evaluator->reduce;
    bool done =
        orr_eval_reserve(array, 3 * (size_t)reduces + 1, sizeof(struct eval_gradient)) != NULL;
    for (uint32_t i = 0; i < reduces && done; i++) {
        done = reduce[i].members <= 1 || add_stages(evaluator, array, &reduce[i]);
    }
    if (done) { /* ring sets in both have a second user now */
        const struct eval_array taken = *array;
        *array = *before;
        *before = taken;
    }
    evaluator->op[op].load.count = 0;
    release_all(evaluator, array);
    return done;
}
