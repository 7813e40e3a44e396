/* Themis (ISCA 2022, Algorithm 1): each chunk visits the dimensions in the order that balances
 * their loads. A pure function of the group, the collective and the platform, so every rank
 * computes the same schedule.
 *
 * Loads start at 0 and grow by bytes sent / bandwidth, and the overhead of the messages.
 * Reduce-scatter visits in ascending load, all-gather in descending load. An all-reduce's
 * all-gather is the reverse of its reduce-scatter, and only the latter adds load. While the loads
 * differ by less than the time of a sixteenth of the chunk on the least loaded dimension, the
 * baseline order is kept. */
#include "system/plan/schedulers.h"

struct ranked {
    unsigned at; /* in the tracker */
    double load_s;
};

static double share(const struct sys_load *dim)
{
    return (double)(dim->n - 1) / dim->n;
}

/* Insertion sort by load; equal loads keep the lower dimension first. */
static void rank_dims(const struct sys_tracker *tracker, struct ranked *ranked)
{
    for (unsigned i = 0; i < tracker->dims; i++) {
        unsigned at = i;
        while (at > 0 && ranked[at - 1].load_s > tracker->dim[i].load_s) {
            ranked[at] = ranked[at - 1];
            at--;
        }
        ranked[at] = (struct ranked){.at = i, .load_s = tracker->dim[i].load_s};
    }
}

static bool is_level(const struct sys_tracker *tracker, const struct ranked *ranked, uint64_t bytes)
{
    const struct sys_load *min = &tracker->dim[ranked[0].at];
    const double spread = ranked[tracker->dims - 1].load_s - ranked[0].load_s;
    const double sixteenth_s = (double)bytes / 16 * share(min) / min->bytes_per_s;
    return spread < sixteenth_s + min->overhead_s;
}

/* Adds the chunk's load on each dimension in this order. */
static void add_loads(struct sys_tracker *tracker, const unsigned *at, enum coll_kind kind,
                      uint64_t bytes)
{
    double size = (double)bytes;
    for (unsigned i = 0; i < tracker->dims; i++) {
        struct sys_load *dim = &tracker->dim[at[i]];
        const bool gathers = kind == COLL_ALL_GATHER;
        const double sent = gathers ? size * (dim->n - 1) : size * share(dim);
        dim->load_s += sent / dim->bytes_per_s + dim->overhead_s;
        if (kind != COLL_ALL_TO_ALL) {
            size = gathers ? size * dim->n : size / dim->n;
        }
    }
}

static void themis_order(struct sys_tracker *tracker, enum coll_kind kind, uint64_t bytes,
                         unsigned *order)
{
    const bool gathers = kind == COLL_ALL_GATHER;
    const unsigned dims = tracker->dims;
    struct ranked ranked[SYS_MAX_DIMS];
    unsigned at[SYS_MAX_DIMS];
    rank_dims(tracker, ranked);
    const bool level = is_level(tracker, ranked, bytes);
    for (unsigned i = 0; i < dims; i++) {
        const unsigned from = gathers ? dims - 1 - i : i;
        at[i] = level ? from : ranked[from].at;
    }
    add_loads(tracker, at, kind, bytes);
    for (unsigned i = 0; i < dims; i++) {
        order[i] = tracker->dim[at[i]].index;
    }
}

extern const struct sys_scheduler_ops orr_sys_themis;

const struct sys_scheduler_ops orr_sys_themis = {
    .name = "themis",
    .summary = "each chunk visits the least loaded dimensions first (Themis)",
    .order = themis_order,
    .compared = true,
};
