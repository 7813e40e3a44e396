/* Time breakdown of a finished run by activity: one row for each kind and size of collective, and
 * for each other kind of node and name.
 *
 * Exposed time divides the account of workload/engine/engine.h among nodes. An instant belongs to
 * the first activity (compute, CPU, local memory, remote memory, communication, waiting) that the
 * NPU is engaged in, and within the activity to the node that started it first. So the exposed
 * times of all rows add up to the NPUs' accounts. */
#include <stdlib.h>
#include <string.h>

#include "core/fold.h"
#include "core/sum.h"
#include "orrery/orrery.h"
#include "sim/loaded_job.h"
#include "sim/orrery_private.h"
#include "system/collectives/program.h"
#include "workload/engine/node_requests.h"
#include "workload/trace/op_name.h"

enum { FIRST_ROWS = 64 };

struct interval {
    sim_time start, end;
};

/* The activity of a node that ran, with its row; a node that waited for others has two activities.
 */
struct ran {
    sim_time start, end;
    uint32_t node, row;
    enum wl_activity activity;
};

struct orr_summary {
    struct orr_arena *arena;
    struct orrery_summary_row *row;
    uint32_t *table; /* row + 1; open addressing by key */
    uint32_t rows, capacity;
};

struct sweep {
    struct orr_summary *summary;
    uint32_t npus; /* equivalent NPUs of the class */
    struct ran *ran;
    struct interval *busy, *merged; /* disjoint, ascending: covered by earlier activities */
    size_t count, busy_count;
};

/* ---- rows ---- */

static uint64_t hash_name(uint64_t hash, const char *name)
{
    char kernel[ORR_KERNEL_NAME_BYTES];
    name = orr_kernel_name(name, kernel);
    const char *at = name;
    for (char c = orr_op_name_next(name, &at); c != '\0'; c = orr_op_name_next(name, &at)) {
        hash = (hash ^ (unsigned char)c) * UINT64_C(0x100000001B3);
    }
    return hash;
}

static bool same_name(const char *a, const char *b)
{
    char kernel_a[ORR_KERNEL_NAME_BYTES], kernel_b[ORR_KERNEL_NAME_BYTES];
    if (a == b) {
        return true;
    }
    a = orr_kernel_name(a, kernel_a);
    b = orr_kernel_name(b, kernel_b);
    const char *at = a, *other = b;
    char c;
    do {
        c = orr_op_name_next(a, &at);
        if (c != orr_op_name_next(b, &other)) {
            return false;
        }
    } while (c != '\0');
    return true;
}

/* Hash of a row: collectives by kind, size and NPUs, others by kind and name. */
static uint64_t hash_of(const struct orrery_node *node)
{
    uint64_t hash = UINT64_C(0xCBF29CE484222325) ^ (uint64_t)node->kind << 1 ^ node->remote;
    if (node->collective == NULL) {
        return hash_name(hash * UINT64_C(0x100000001B3), node->name);
    }
    hash = hash_name(hash, node->collective);
    return (hash ^ node->bytes ^ (uint64_t)node->group_npus << 40) * UINT64_C(0x9E3779B97F4A7C15);
}

static bool matches(const struct orrery_summary_row *row, const struct orrery_node *node)
{
    if (row->kind != node->kind || row->remote != node->remote) {
        return false;
    }
    if (node->collective == NULL) {
        return same_name(row->name, node->name);
    }
    return row->npus == node->group_npus && row->bytes_each == node->bytes &&
           strcmp(row->name, node->collective) == 0;
}

static uint32_t slot_of(const struct orr_summary *summary, const struct orrery_node *node)
{
    const uint32_t mask = 2 * summary->capacity - 1;
    uint64_t hash = hash_of(node);
    uint32_t slot = (uint32_t)(hash ^ hash >> 32) & mask;
    while (summary->table[slot] != 0 && !matches(&summary->row[summary->table[slot] - 1], node)) {
        slot = (slot + 1) & mask;
    }
    return slot;
}

static struct orrery_node key_of(const struct orrery_summary_row *row)
{
    const bool collective = row->kind == ORRERY_NODE_COLLECTIVE;
    return (struct orrery_node){.kind = row->kind,
                                .remote = row->remote,
                                .name = row->name,
                                .collective = collective ? row->name : NULL,
                                .bytes = row->bytes_each,
                                .group_npus = row->npus};
}

static bool grow(struct orr_summary *summary)
{
    const uint32_t capacity = summary->capacity == 0 ? FIRST_ROWS : 2 * summary->capacity;
    void *rows = orr_heap_realloc(summary->row, capacity * sizeof *summary->row);
    if (rows == NULL) {
        return false;
    }
    summary->row = rows;
    uint32_t *table = orr_heap_calloc(2 * (size_t)capacity, sizeof *table);
    if (table == NULL) {
        return false;
    }
    orr_heap_free(summary->table);
    summary->table = table;
    summary->capacity = capacity;
    for (uint32_t r = 0; r < summary->rows; r++) {
        const struct orrery_node key = key_of(&summary->row[r]);
        table[slot_of(summary, &key)] = r + 1;
    }
    return true;
}

/* Merges names, because nodes of one row can have different ones. */
static bool merge_names(struct orr_summary *summary, struct orrery_summary_row *row,
                        const struct orrery_node *node)
{
    if (node->collective == NULL && !row->several_names &&
        ((row->name != node->name && strcmp(row->name, node->name) != 0) ||
         orr_is_kernel_name(node->name))) {
        row->name = orr_op_name(summary->arena, node->name);
        row->several_names = true;
    }
    return row->name != NULL;
}

/* The row of a node, created if missing; UINT32_MAX: out of memory. */
static uint32_t row_of(struct orr_summary *summary, const struct orrery_node *node)
{
    if (summary->rows == summary->capacity && !grow(summary)) {
        return UINT32_MAX;
    }
    const uint32_t slot = slot_of(summary, node);
    if (summary->table[slot] == 0) {
        const bool collective = node->collective != NULL;
        summary->row[summary->rows++] =
            (struct orrery_summary_row){.kind = node->kind,
                                        .remote = node->remote,
                                        .name = collective ? node->collective : node->name,
                                        .npus = collective ? node->group_npus : 0,
                                        .bytes_each = collective ? node->bytes : 0,
                                        .shortest_ps = INT64_MAX};
        summary->table[slot] = summary->rows;
    }
    const uint32_t index = summary->table[slot] - 1;
    return merge_names(summary, &summary->row[index], node) ? index : UINT32_MAX;
}

/* Adds a node that `npus` equivalent NPUs ran. */
static void add_node(struct orrery_summary_row *row, const struct orrery_node *node, uint32_t npus)
{
    const int64_t time = node->end_ps - node->transfer_ps;
    row->count += npus;
    row->bytes += (orr_sum)node->bytes * npus;
    row->flops += (orr_sum)node->flops * npus;
    row->time_ps += (orr_sum)time * npus;
    row->waiting_ps += (orr_sum)(node->transfer_ps - node->start_ps) * npus;
    row->shortest_ps = time < row->shortest_ps ? time : row->shortest_ps;
    row->longest_ps = time > row->longest_ps ? time : row->longest_ps;
}

/* ---- exposed time of one NPU ---- */

static int compare_ran(const void *a, const void *b)
{
    const struct ran *first = a, *second = b;
    if (first->activity != second->activity) {
        return first->activity < second->activity ? -1 : 1;
    }
    if (first->start != second->start) {
        return first->start < second->start ? -1 : 1;
    }
    return (first->node > second->node) - (first->node < second->node);
}

/* Time of [start, end) that no interval from *at on covers; advances *at past intervals that ended.
 */
static sim_time uncovered(const struct sweep *sweep, sim_time start, sim_time end, size_t *at)
{
    while (*at < sweep->busy_count && sweep->busy[*at].end <= start) {
        (*at)++;
    }
    sim_time left = end - start;
    for (size_t i = *at; i < sweep->busy_count && sweep->busy[i].start < end; i++) {
        const sim_time from = sweep->busy[i].start > start ? sweep->busy[i].start : start;
        const sim_time to = sweep->busy[i].end < end ? sweep->busy[i].end : end;
        left -= to - from;
    }
    return left;
}

/* Merges the activity's nodes [first, last) into the busy intervals. */
static void merge(struct sweep *sweep, size_t first, size_t last)
{
    size_t count = 0, old = 0;
    while (old < sweep->busy_count || first < last) {
        const bool take_old = first == last || (old < sweep->busy_count &&
                                                sweep->busy[old].start <= sweep->ran[first].start);
        const struct interval next =
            take_old ? sweep->busy[old]
                     : (struct interval){sweep->ran[first].start, sweep->ran[first].end};
        old += take_old ? 1 : 0;
        first += take_old ? 0 : 1;
        if (count != 0 && next.start <= sweep->merged[count - 1].end) {
            if (next.end > sweep->merged[count - 1].end) {
                sweep->merged[count - 1].end = next.end;
            }
        } else {
            sweep->merged[count++] = next;
        }
    }
    struct interval *swap = sweep->busy;
    sweep->busy = sweep->merged;
    sweep->merged = swap;
    sweep->busy_count = count;
}

static void expose(struct sweep *sweep)
{
    sweep->busy_count = 0;
    for (size_t first = 0, last; first < sweep->count; first = last) {
        size_t at = 0;
        sim_time covered = -1;
        for (last = first;
             last < sweep->count && sweep->ran[last].activity == sweep->ran[first].activity;
             last++) {
            const struct ran *ran = &sweep->ran[last];
            const sim_time start = ran->start > covered ? ran->start : covered;
            if (ran->end > start) {
                struct orrery_summary_row *row = &sweep->summary->row[ran->row];
                *(ran->activity == ACT_WAITING ? &row->exposed_waiting_ps : &row->exposed_ps) +=
                    (orr_sum)uncovered(sweep, start, ran->end, &at) * sweep->npus;
                covered = ran->end;
            }
        }
        merge(sweep, first, last);
    }
}

static void add_wait(struct sweep *sweep, const struct orrery_node *node, const struct ran *of)
{
    if (node->transfer_ps > node->start_ps) {
        struct ran *wait = &sweep->ran[sweep->count++];
        *wait = *of;
        wait->activity = ACT_WAITING;
        wait->start = node->start_ps;
        wait->end = node->transfer_ps;
    }
}

static bool add_npu(struct orrery *job, struct sweep *sweep, uint32_t rank)
{
    const size_t nodes = orrery_nodes(job, rank);
    const struct orr_trace *trace = job->traces[orr_slot_of(job, orr_rank(rank)).slot];
    sweep->count = 0;
    for (uint32_t i = 0; i < nodes; i++) {
        struct orrery_node node;
        (void)orrery_node(job, rank, i, &node);
        if (!node.ran || node.kind == ORRERY_NODE_OTHER) {
            continue;
        }
        const uint32_t row = row_of(sweep->summary, &node);
        if (row == UINT32_MAX) {
            return false;
        }
        add_node(&sweep->summary->row[row], &node, job->fold.class_size);
        const struct ran ran = {.start = node.transfer_ps,
                                .end = node.end_ps,
                                .node = i,
                                .row = row,
                                .activity =
                                    orr_wl_activity_of(job->layers.engine, &trace->node[i])};
        sweep->ran[sweep->count++] = ran;
        add_wait(sweep, &node, &ran);
    }
    qsort(sweep->ran, sweep->count, sizeof *sweep->ran, compare_ran);
    expose(sweep);
    return true;
}

/* ---- the entire job ---- */

static int compare_rows(const void *a, const void *b)
{
    const struct orrery_summary_row *first = a, *second = b;
    const orr_sum exposed = first->exposed_ps + first->exposed_waiting_ps;
    const orr_sum other = second->exposed_ps + second->exposed_waiting_ps;
    if (exposed != other) {
        return exposed > other ? -1 : 1;
    }
    if (first->time_ps != second->time_ps) {
        return first->time_ps > second->time_ps ? -1 : 1;
    }
    if (first->kind != second->kind) {
        return first->kind < second->kind ? -1 : 1;
    }
    const int order = strcmp(first->name, second->name);
    if (order != 0 || first->bytes_each == second->bytes_each) {
        return order != 0 ? order : (first->npus > second->npus) - (first->npus < second->npus);
    }
    return first->bytes_each > second->bytes_each ? -1 : 1;
}

static size_t longest_trace(const struct orrery *job)
{
    size_t longest = 0;
    for (uint32_t slot = 0; slot < job->fold.slots; slot++) {
        const size_t nodes = orrery_nodes(job, orr_fold_rank(&job->fold, orr_slot(slot)).rank);
        longest = nodes > longest ? nodes : longest;
    }
    return longest;
}

static enum orr_status fill(struct orrery *job, struct orr_summary *summary)
{
    const size_t longest = 2 * longest_trace(job) + 1;
    struct sweep sweep = {.summary = summary,
                          .npus = job->fold.class_size,
                          .ran = orr_heap_calloc(longest, sizeof *sweep.ran),
                          .busy = orr_heap_calloc(longest, sizeof *sweep.busy),
                          .merged = orr_heap_calloc(longest, sizeof *sweep.merged)};
    bool good = sweep.ran != NULL && sweep.busy != NULL && sweep.merged != NULL;
    for (uint32_t slot = 0; slot < job->fold.slots && good; slot++) {
        good = add_npu(job, &sweep, orr_fold_rank(&job->fold, orr_slot(slot)).rank);
    }
    orr_heap_free(sweep.ran);
    orr_heap_free(sweep.busy);
    orr_heap_free(sweep.merged);
    return good ? ORR_OK : orr_diag_no_memory(&job->diag, "the summary");
}

void orr_summary_destroy(struct orrery *job)
{
    if (job->found.summary != NULL) {
        orr_heap_free(job->found.summary->row);
        orr_heap_free(job->found.summary->table);
    }
}

enum orrery_status orrery_summarize(struct orrery *job, size_t *rows)
{
    *rows = 0;
    if (!job->ran || (job->requests.record & ORRERY_RECORD_NODES) == 0) {
        return orr_reject_call(job, "summary: expected a job that has run and recorded its nodes");
    }
    if (job->found.summary == NULL) {
        struct orr_summary *summary = orr_arena_alloc(job->arena, sizeof *summary);
        if (summary == NULL) {
            return orr_finish_call(job, orr_diag_no_memory(&job->diag, "the summary"));
        }
        summary->arena = job->arena;
        job->found.summary = summary;
        const enum orr_status status = fill(job, summary);
        if (status != ORR_OK) {
            return orr_finish_call(job, status);
        }
        if (summary->rows != 0) {
            qsort(summary->row, summary->rows, sizeof *summary->row, compare_rows);
        }
    }
    *rows = job->found.summary->rows;
    return ORRERY_OK;
}

enum orrery_status orrery_summary(const struct orrery *job, size_t index,
                                  struct orrery_summary_row *row)
{
    if (job->found.summary == NULL || index >= job->found.summary->rows) {
        return orr_reject_index(job, "row of the summary", index,
                                job->found.summary != NULL ? (size_t)job->found.summary->rows : 0);
    }
    *row = job->found.summary->row[index];
    return ORRERY_OK;
}

double orrery_bus_bandwidth(const struct orrery_summary_row *row)
{
    if (row->kind != ORRERY_NODE_COLLECTIVE || row->time_ps <= 0 || row->npus < 2) {
        return 0;
    }
    const double others = (double)(row->npus - 1) / row->npus;
    double factor = 1;
    if (strcmp(row->name, orr_coll_kind_name(COLL_ALL_REDUCE)) == 0) {
        factor = 2 * others;
    } else if (strcmp(row->name, orr_coll_kind_name(COLL_ALL_GATHER)) == 0) {
        factor = row->npus - 1; /* `bytes` is each NPU's contribution */
    } else if (strcmp(row->name, orr_coll_kind_name(COLL_REDUCE_SCATTER)) == 0 ||
               strcmp(row->name, orr_coll_kind_name(COLL_ALL_TO_ALL)) == 0) {
        factor = others;
    }
    return factor * (double)row->bytes / ((double)row->time_ps * 1e-12);
}

double orr_loaded_seconds_at_peak(const struct orrery *job)
{
    if (!(job->compute.stated_peak_flops > 0)) {
        return 0;
    }
    double seconds = 1 / job->compute.stated_peak_flops;
    for (unsigned type = 0; type < ORR_PRODUCT_TYPES; type++) {
        const double peak = job->compute.stated_product_peak_flops[type];
        const double share = job->files.job_description.product_share[type];
        seconds += peak > 0 ? share * (1 / peak - 1 / job->compute.stated_peak_flops) : 0;
    }
    return seconds;
}

void orrery_rates(const struct orrery *job, struct orrery_rates *rates)
{
    *rates = (struct orrery_rates){0};
    const double wall_ps = (double)orrery_wall_ps(job);
    if (!job->ran || wall_ps <= 0) {
        return;
    }
    rates->tokens_per_s = job->files.job_description.tokens * 1e12 / wall_ps;
    rates->samples_per_s = job->files.job_description.samples * 1e12 / wall_ps;
    rates->model_flops_per_s = job->files.job_description.model_flops * 1e12 / wall_ps;
    rates->model_flops_utilization =
        rates->model_flops_per_s * orr_loaded_seconds_at_peak(job) / (double)job->npus;
    if (rates->model_flops_utilization > 0) {
        rates->fp8_share = job->files.job_description.product_share[ORR_PRODUCT_FP8];
        rates->fp4_share = job->files.job_description.product_share[ORR_PRODUCT_FP4];
    }
}
