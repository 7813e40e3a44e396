/* The greedy scheduler of ASTRA-sim ("OfflineGreedy"): Themis with different rules
 * (docs/how-to/astra-sim.md).
 *
 * Load of a dimension: MiB sent, over its bandwidth relative to the first dimension. An all-reduce
 * is scheduled as its reduce-scatter. The ranking of dimensions persists between chunks, so equal
 * loads keep the order of the previous chunk. While the loads differ by less than a sixteenth of a
 * chunk, chunks visit the dimensions in ascending order, all-gathers too; but the load of such an
 * all-gather is added in descending order. Every chunk adds the load of a full-size chunk. */
#include "system/plan/schedulers.h"

static const double mib = 1 << 20;

static double relative_bandwidth(const struct sys_tracker *tracker, unsigned d)
{
    return tracker->dim[d].bytes_per_s / tracker->dim[0].bytes_per_s;
}

/* Bytes that an NPU sends per input byte of a phase. */
static double share(const struct sys_tracker *tracker, unsigned d, bool gathers)
{
    const double others = tracker->dim[d].n - 1;
    return gathers ? others : others / tracker->dim[d].n;
}

/* The chunk size that equals a load difference on a dimension; 0 if all are infinitely fast. */
static uint64_t bytes_of_load(const struct sys_tracker *tracker, unsigned d, double load,
                              bool gathers)
{
    const double sent = load * relative_bandwidth(tracker, d);
    const double bytes = sent / share(tracker, d, gathers) * mib;
    return bytes >= 0x1p64 ? UINT64_MAX : bytes > 0 ? (uint64_t)bytes : 0;
}

/* Ascending by load, all-gathers descending; stable (all-gathers reversed). */
static void rank_dims(struct sys_tracker *tracker, bool gathers)
{
    unsigned *rank = tracker->rank;
    for (unsigned i = 1; i < tracker->dims; i++) {
        const unsigned d = rank[i];
        unsigned at = i;
        for (; at > 0 && tracker->dim[rank[at - 1]].load_s > tracker->dim[d].load_s; at--) {
            rank[at] = rank[at - 1];
        }
        rank[at] = d;
    }
    for (unsigned i = 0; i < tracker->dims / 2 && gathers; i++) {
        const unsigned d = rank[i];
        rank[i] = rank[tracker->dims - 1 - i];
        rank[tracker->dims - 1 - i] = d;
    }
}

/* The chunk size that levels the loads: reduce-scatter: on the least loaded active dimension;
 * all-gather: divided back to its input size. */
static uint64_t levelling_bytes(const struct sys_tracker *tracker, bool gathers)
{
    const struct sys_load *dim = tracker->dim;
    const unsigned *rank = tracker->rank;
    unsigned first = 0, last = tracker->dims - 1;
    while (first < last && dim[rank[first]].idle) {
        first++;
    }
    while (gathers && last > first && dim[rank[last]].idle) {
        last--;
    }
    if (dim[rank[first]].idle) {
        return 0;
    }
    const double low = dim[rank[gathers ? last : first]].load_s;
    const double high = dim[rank[gathers ? first : last]].load_s;
    uint64_t bytes = bytes_of_load(tracker, rank[gathers ? last : first], high - low, gathers);
    for (unsigned i = last; gathers && i-- > first;) {
        bytes /= dim[rank[i]].idle ? 1 : dim[rank[i]].n;
    }
    return bytes;
}

/* Adds the chunk's loads: it visits dims[], and its i-th send loads the dimension of rank i. */
static void add_loads(struct sys_tracker *tracker, const unsigned *dims, bool gathers)
{
    uint64_t bytes = tracker->chunk_bytes;
    for (unsigned i = 0; i < tracker->dims; i++) {
        const unsigned d = dims[i];
        if (!tracker->dim[d].idle) {
            const double sent = (double)bytes / mib * share(tracker, d, gathers);
            tracker->dim[tracker->rank[i]].load_s += sent / relative_bandwidth(tracker, d);
            bytes = gathers ? bytes * tracker->dim[d].n : bytes / tracker->dim[d].n;
        }
    }
}

static void greedy_order(struct sys_tracker *tracker, enum coll_kind kind, uint64_t bytes,
                         unsigned *order)
{
    (void)bytes;
    const bool gathers = kind == COLL_ALL_GATHER;
    unsigned dims[SYS_MAX_DIMS];
    rank_dims(tracker, gathers);
    const bool level = levelling_bytes(tracker, gathers) < tracker->chunk_bytes / 16;
    for (unsigned i = 0; i < tracker->dims; i++) {
        if (level) {
            tracker->rank[i] = gathers ? tracker->dims - 1 - i : i;
        }
        dims[i] = level ? i : tracker->rank[i];
        order[i] = tracker->dim[dims[i]].index;
    }
    add_loads(tracker, dims, gathers);
}

extern const struct sys_scheduler_ops orr_sys_greedy;

const struct sys_scheduler_ops orr_sys_greedy = {
    .name = "greedy",
    .summary = "Themis as the ASTRA-sim simulator has it",
    .order = greedy_order,
    .keeps_all_to_all = true,
    .keeps_loads = true,
    .of_astra = true,
};
