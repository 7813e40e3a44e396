/* The lines that ASTRA-sim's analytical front end prints of each NPU, in the order in which they
 * finish: the end, and the times of its kinds of nodes as unions of intervals. */
#include <inttypes.h>
#include <stdlib.h>

#include "core/arena.h"
#include "core/time.h"
#include "report/run_report.h"
#include "report/table_text.h"
#include "sim/api_call.h"

struct interval {
    int64_t start_ps, end_ps;
};

enum kind { COMM, GPU, CPU, MEMORY, KINDS };

static const char *const kind_names[KINDS] = {"Comm time", "GPU time", "CPU time",
                                              "Remote mem time"};

struct intervals {
    struct interval *item; /* [room] of all kinds, those of each behind each other */
    size_t first[KINDS + 1];
};

static enum kind kind_of(enum orrery_node_kind kind)
{
    switch (kind) {
    case ORRERY_NODE_COMPUTE:
        return GPU;
    case ORRERY_NODE_CPU:
        return CPU;
    case ORRERY_NODE_LOAD:
    case ORRERY_NODE_STORE:
        return MEMORY;
    case ORRERY_NODE_COLLECTIVE:
    case ORRERY_NODE_SEND:
    case ORRERY_NODE_RECEIVE:
        return COMM;
    default:
        return KINDS;
    }
}

static int compare(const void *a, const void *b)
{
    const struct interval *x = a, *y = b;
    return (x->start_ps > y->start_ps) - (x->start_ps < y->start_ps);
}

/* Sorts and merges intervals in place; returns how many remain. */
static size_t merge(struct interval *item, size_t count)
{
    size_t kept = 0;
    qsort(item, count, sizeof *item, compare);
    for (size_t i = 0; i < count; i++) {
        if (kept > 0 && item[i].start_ps <= item[kept - 1].end_ps) {
            const int64_t end_ps = item[i].end_ps;
            item[kept - 1].end_ps = end_ps > item[kept - 1].end_ps ? end_ps : item[kept - 1].end_ps;
        } else {
            item[kept++] = item[i];
        }
    }
    return kept;
}

static int64_t length(const struct interval *item, size_t count)
{
    int64_t sum_ps = 0;
    for (size_t i = 0; i < count; i++) {
        sum_ps += item[i].end_ps - item[i].start_ps;
    }
    return sum_ps;
}

/* Common time of two lists of merged intervals. */
static int64_t common(const struct interval *a, size_t as, const struct interval *b, size_t bs)
{
    int64_t sum_ps = 0;
    for (size_t i = 0, j = 0; i < as && j < bs;) {
        const int64_t start_ps = a[i].start_ps > b[j].start_ps ? a[i].start_ps : b[j].start_ps;
        const int64_t end_ps = a[i].end_ps < b[j].end_ps ? a[i].end_ps : b[j].end_ps;
        sum_ps += end_ps > start_ps ? end_ps - start_ps : 0;
        if (a[i].end_ps < b[j].end_ps) {
            i++;
        } else {
            j++;
        }
    }
    return sum_ps;
}

/* Collects the intervals of a rank, ordered by kind. False: no memory. */
static bool collect(const struct orrery *job, uint32_t rank, struct intervals *out)
{
    const size_t nodes = orrery_nodes(job, rank);
    size_t used = 0;
    out->item = orr_heap_calloc(nodes + 1, sizeof *out->item);
    for (unsigned k = 0; out->item != NULL && k < KINDS; k++) {
        out->first[k] = used;
        for (size_t i = 0; i < nodes; i++) {
            struct orrery_node node;
            if (orrery_node(job, rank, i, &node) == ORRERY_OK && node.ran &&
                kind_of(node.kind) == k) {
                out->item[used++] = (struct interval){node.start_ps, node.end_ps};
            }
        }
    }
    out->first[KINDS] = used;
    return out->item != NULL;
}

static void print_times(FILE *out, const struct orrery *job, uint32_t rank, int64_t wall_ps)
{
    struct intervals intervals;
    size_t kept[KINDS];
    if (!collect(job, rank, &intervals)) {
        return;
    }
    orr_print(out, "sys[%" PRIu32 "], Wall time: %" PRId64 "\n", rank, wall_ps / ORR_PS_PER_NS);
    for (unsigned k = 0; k < KINDS; k++) {
        struct interval *item = intervals.item + intervals.first[k];
        const size_t count = intervals.first[k + 1] - intervals.first[k];
        kept[k] = merge(item, count);
        if (count > 0) {
            orr_print(out, "sys[%" PRIu32 "], %s: %" PRId64 "\n", rank, kind_names[k],
                      length(item, kept[k]) / ORR_PS_PER_NS);
        }
    }
    const int64_t overlap_ps = common(intervals.item + intervals.first[COMM], kept[COMM],
                                      intervals.item + intervals.first[GPU], kept[GPU]);
    orr_print(out, "sys[%" PRIu32 "], Total compute-communication overlap: %" PRId64 "\n", rank,
              overlap_ps / ORR_PS_PER_NS);
    orr_heap_free(intervals.item);
}

void orr_report_astra(FILE *out, const struct orrery *job)
{
    const uint32_t *order = orrery_finish_order(job);
    for (uint32_t i = 0; i < orrery_npus(job); i++) {
        struct orrery_times times;
        (void)orrery_npu_times(job, order[i], &times);
        const int64_t finish = times.finish_ps / ORR_PS_PER_NS;
        orr_print(out,
                  "sys[%" PRIu32 "] finished, %" PRId64 " cycles, exposed communication %" PRId64
                  " cycles.\n",
                  order[i], finish, finish - times.accelerator_compute_ps / ORR_PS_PER_NS);
        if (orr_has_nodes(job)) {
            print_times(out, job, order[i], times.finish_ps);
        }
    }
}
