/* Likely causes of gaps; see measured_causes.h.
 *
 * Each cause is a change of the platform. One row of each class of sizes is simulated with it: a
 * class is measured r times as slow as expected, so r t / t' as slow as with the change, where t is
 * the row's simulated time and t' that on the changed platform. A cause is likely if all classes
 * become normal. Of these the one is likeliest that leaves least: the sum of |log(r t / t')|, of
 * the bandwidth whole, of the other classes half. */
#include "study/bench/measured_causes.h"

#include <math.h>
#include <string.h>

#include "core/arena.h"
#include "orrery/orrery.h"
#include "orrery/study.h"
#include "study/bench/measured_statistics.h"
#include "system/collectives/program.h"

enum {
    INNER = 1,
    OUTER = 2,
    ALL_REDUCE = 4,
    SETTING = 8, /* of the library, not a fault */
    FASTER = 16,
    ONE_NIC = 32,
    PCIE = 64,
    LIBRARY = 128 /* says something about a library only */
};

/* Bytes/s of a GPU through PCIe 4 and 5, 16 lanes. */
static const double pcie_bytes_per_s[] = {32e9, 64e9};

/* `flags`: groups and gaps for which a cause is tried. */
struct hypothesis {
    const char *text;
    unsigned flags;
    double factor;      /* of bandwidth: INNER of links in a node, OUTER between nodes */
    const char *set[6]; /* ends with NULL */
};

#define NO_NVLS "system.library.nvls=false", "system.library.nvls_tree=false"
#define NO_TREE "system.library.tree_latency=1000", "system.library.tree_bandwidth=0.001"
#define SLOW_START "system.library.outer_latency=2"

#define HALF_THE_NICS "half of the NICs, or all at half their rate"
#define NO_GPU_DIRECT                                                                              \
    "no GPU-direct: NICs go through the memory of the host, at a quarter to half of their rate"
#define HALF_THE_NVLINKS "half of the NVLinks"
#define LATE_START                                                                                 \
    "a late start: slow launches by the host, or a network that delays small messages (TCP, EFA)"
#define ONE_RAIL "one rail: a single NIC of each node"
#define PCIE_FOR_NVLINK " in place of NVLink (NCCL_P2P_DISABLE, or NVLinks that are down)"

/* Faults of the network come with switches that reduce and without: what is slow is often set up in
 * other ways too. */
static const struct hypothesis hypotheses[] = {
    {"no NVLS: GPUs reduce in a ring or tree, not their switches (NCCL_NVLS_ENABLE=0, or a virtual "
     "machine without multicast)",
     ALL_REDUCE | SETTING,
     1,
     {NO_NVLS}},
    {"a ring in place of a tree (NCCL_ALGO=Ring)",
     ALL_REDUCE | OUTER | SETTING,
     1,
     {NO_TREE, NO_NVLS}},
    {HALF_THE_NICS, OUTER, 0.5, {NULL}},
    {HALF_THE_NICS, ALL_REDUCE | OUTER | LIBRARY, 0.5, {NO_TREE, NO_NVLS}},
    {NO_GPU_DIRECT, OUTER, 0.5, {SLOW_START}},
    {NO_GPU_DIRECT, OUTER, 0.38, {SLOW_START}},
    {NO_GPU_DIRECT, OUTER, 0.28, {SLOW_START}},
    {NO_GPU_DIRECT, ALL_REDUCE | OUTER | LIBRARY, 0.5, {SLOW_START, NO_TREE, NO_NVLS}},
    {NO_GPU_DIRECT, ALL_REDUCE | OUTER | LIBRARY, 0.28, {SLOW_START, NO_TREE, NO_NVLS}},
    {ONE_RAIL, OUTER | ONE_NIC, 1, {NULL}},
    {ONE_RAIL, ALL_REDUCE | OUTER | ONE_NIC | LIBRARY, 1, {NO_TREE, NO_NVLS}},
    {"PCIe 5" PCIE_FOR_NVLINK, INNER | PCIE, 1, {NO_NVLS}},
    {"PCIe 4" PCIE_FOR_NVLINK, INNER | PCIE, 0, {NO_NVLS}},
    {HALF_THE_NVLINKS, INNER, 0.5, {NULL}},
    {HALF_THE_NVLINKS, ALL_REDUCE | INNER | LIBRARY, 0.5, {NO_NVLS}},
    {LATE_START, LIBRARY, 1, {"system.library.launch=50 us"}},
    {LATE_START, LIBRARY, 1, {"system.library.launch=150 us"}},
    {"NVLS: switches reduce, which the platform does not say",
     ALL_REDUCE | SETTING | FASTER,
     1,
     {"system.library.nvls=true", "system.library.nvls_tree=true"}},
    {"NICs of twice the rate", OUTER | FASTER, 2, {NULL}},
    {"NVLinks of twice the rate", INNER | FASTER, 2, {NULL}}};

enum { HYPOTHESES = sizeof hypotheses / sizeof *hypotheses };

static const char too_fast[] =
    "wrong data or another platform: links of this one cannot carry as much";

/* ---- what is tried ---- */

/* A row of each class that the block has, and how much longer it took than expected. */
struct symptom {
    const struct orr_measured_point *point[ORR_MEASURED_CLASSES];
    double ratio[ORR_MEASURED_CLASSES];
    enum orr_measured_class class_of_largest;
};

struct trial {
    const struct orr_measured_bench *bench;
    const struct orr_measured_block *block;
    const struct symptom *symptom;
    struct orr_measured_change change[HYPOTHESES];
    struct orr_measured_point point[HYPOTHESES * ORR_MEASURED_CLASSES];
    bool tried[HYPOTHESES];
};

static struct symptom symptom_of(const struct orr_measured_bench *bench,
                                 const struct orr_measured_block *block)
{
    struct symptom symptom = {.class_of_largest = ORR_MEASURED_LATENCY};
    size_t first = block->first;
    for (unsigned c = 0; c < ORR_MEASURED_CLASSES; c++) {
        const size_t rows = block->sizes[c].rows;
        if (rows > 0) {
            symptom.point[c] = &bench->point[first + (c == ORR_MEASURED_LATENCY ? 0 : rows / 2)];
            symptom.ratio[c] = block->sizes[c].ratio;
            symptom.class_of_largest = (enum orr_measured_class)c;
        }
        first += rows;
    }
    const unsigned largest = symptom.class_of_largest;
    symptom.point[largest] = &bench->point[block->first + block->count - 1];
    symptom.ratio[largest] = 1 / (1 + block->gap);
    return symptom;
}

static uint32_t nodes_of(const struct orr_measured_block *block)
{
    return block->table->npus / block->table->npus_per_node;
}

/* The factor of a hypothesis about bandwidth on this group; 0: it does not apply. */
static double factor_of(const struct orr_measured_bench *bench,
                        const struct orr_measured_block *block, const struct hypothesis *of)
{
    const uint32_t each = block->table->npus_per_node;
    if ((of->flags & ONE_NIC) != 0) {
        return each > 2 ? 1.0 / each : 0;
    }
    if ((of->flags & PCIE) == 0) {
        return of->factor;
    }
    const double bytes_per_s = pcie_bytes_per_s[of->factor > 0 ? 1 : 0];
    return bench->inner_bytes_per_s > 1.5 * bytes_per_s ? bytes_per_s / bench->inner_bytes_per_s
                                                        : 0;
}

static bool applies(const struct orr_measured_block *block, const struct hypothesis *of, bool slow)
{
    const bool all_reduce = block->table->kind == COLL_ALL_REDUCE;
    return ((of->flags & FASTER) == 0) == slow && ((of->flags & ALL_REDUCE) == 0 || all_reduce) &&
           ((of->flags & OUTER) == 0 || nodes_of(block) > 1) &&
           ((of->flags & INNER) == 0 || block->table->npus_per_node > 1);
}

/* Describes the change. Platforms without a library have no settings of one. */
static bool set_change(const struct orr_measured_bench *bench,
                       const struct orr_measured_block *block, const struct hypothesis *of,
                       struct orr_measured_change *change)
{
    const double factor = factor_of(bench, block, of);
    *change = (struct orr_measured_change){.scales = 0};
    if (factor <= 0 || (!bench->uses_ccl && (of->flags & (SETTING | LIBRARY)) != 0)) {
        return false;
    }
    for (unsigned i = 0; bench->uses_ccl && of->set[i] != NULL; i++) {
        change->set[change->sets++] = of->set[i];
    }
    const unsigned first = (of->flags & OUTER) != 0 ? 1 : 0, end = first == 0 ? 1 : bench->dims;
    for (unsigned d = first; fabs(factor - 1) > 1e-9 && d < end && change->scales < 2; d++) {
        change->scale[change->scales++] = (struct orrery_scale){ORRERY_BANDWIDTH, d, factor};
    }
    return true;
}

static void run_trial(void *context, unsigned index)
{
    struct trial *trial = context;
    const unsigned h = index / ORR_MEASURED_CLASSES, c = index % ORR_MEASURED_CLASSES;
    const struct orr_measured_point *of = trial->symptom->point[c];
    if (trial->tried[h] && of != NULL) {
        trial->point[index] = *of;
        orr_measured_bench_run_point(trial->bench, &trial->change[h], &trial->point[index]);
    }
}

/* ---- what they leave ---- */

#define SETTING_NORMAL 0.1

/* How much is left unexplained; INFINITY: a class is not normal, or the change is none here. */
static double left_by(const struct trial *trial, unsigned h)
{
    /* What is called normal for a setting has to be near it. */
    const double largest_gap =
        (hypotheses[h].flags & SETTING) != 0 ? SETTING_NORMAL : ORR_MEASURED_NORMAL;
    double left = 0, before = 0;
    for (unsigned c = 0; c < ORR_MEASURED_CLASSES; c++) {
        const struct orr_measured_point *of = trial->symptom->point[c];
        const struct orr_measured_point *with = &trial->point[h * ORR_MEASURED_CLASSES + c];
        if (of == NULL) {
            continue;
        }
        if (with->status != ORRERY_OK || with->wall_ps <= 0) {
            return INFINITY;
        }
        const double ratio = trial->symptom->ratio[c] * (double)of->wall_ps / (double)with->wall_ps;
        const double weight = c == trial->symptom->class_of_largest ? 1 : 0.5;
        left += weight * fabs(log(ratio));
        before += weight * fabs(log(trial->symptom->ratio[c]));
        if (!orr_measured_ratio_is_normal((enum orr_measured_class)c, ratio) ||
            (c == trial->symptom->class_of_largest && c == ORR_MEASURED_BANDWIDTH &&
             fabs(1 / ratio - 1) > largest_gap)) {
            return INFINITY;
        }
    }
    return left < before - 1e-6 ? left : INFINITY;
}

static struct orr_measured_cause cause_of(const struct trial *trial, unsigned h)
{
    const unsigned largest = trial->symptom->class_of_largest;
    const struct orr_measured_point *with = &trial->point[h * ORR_MEASURED_CLASSES + largest];
    const double bandwidth = orr_measured_bus_bandwidth(with->row, (double)with->wall_ps * 1e-12);
    return (struct orr_measured_cause){.text = hypotheses[h].text,
                                       .is_setting = (hypotheses[h].flags & SETTING) != 0,
                                       .bandwidth = bandwidth,
                                       .gap = trial->block->measured_bandwidth / bandwidth - 1};
}

/* Keeps the likeliest, of equal ones the first of the list; of one text the better. */
static void keep(struct trial *trial, struct orr_measured_block *block)
{
    const double tie = 0.01;
    double left[HYPOTHESES];
    for (unsigned h = 0; h < HYPOTHESES; h++) {
        left[h] = trial->tried[h] ? left_by(trial, h) : INFINITY;
    }
    while (block->causes < ORR_MEASURED_MAX_CAUSES) {
        unsigned best = 0;
        for (unsigned h = 1; h < HYPOTHESES; h++) {
            best = left[h] < left[best] - tie ? h : best;
        }
        if (isinf(left[best])) {
            return;
        }
        block->cause[block->causes++] = cause_of(trial, best);
        for (unsigned h = 0; h < HYPOTHESES; h++) {
            left[h] = strcmp(hypotheses[h].text, hypotheses[best].text) == 0 ? INFINITY : left[h];
        }
    }
}

/* ---- more than links carry ---- */

/* The most bus bandwidth that the links of a node and the NICs allow; INFINITY: not known. */
static double most_bandwidth(const struct orr_measured_bench *bench,
                             const struct orr_measured_block *block)
{
    const enum coll_kind kind = block->table->kind;
    const double n = block->table->npus, nodes = nodes_of(block), each = n / nodes;
    const double part = (n - 1) / n;
    const bool rooted = kind == COLL_BROADCAST || kind == COLL_REDUCE;
    if (nodes < 2) { /* switches that reduce take each byte once */
        return bench->inner_bytes_per_s <= 0
                   ? INFINITY
                   : bench->inner_bytes_per_s * (kind == COLL_ALL_REDUCE ? 2 * part : 1);
    }
    if (bench->outer_bytes_per_s <= 0) {
        return INFINITY;
    }
    if (kind == COLL_ALL_TO_ALL || kind == COLL_GATHER || kind == COLL_SCATTER) {
        return bench->outer_bytes_per_s * (n - 1) / (n - each);
    }
    return bench->outer_bytes_per_s * each * (rooted ? 1 : part / ((nodes - 1) / nodes));
}

static void find(struct trial *trial, struct orr_measured_block *block)
{
    const struct symptom symptom = symptom_of(trial->bench, block);
    const bool slow = block->normal || block->gap < 0;
    trial->block = block;
    trial->symptom = &symptom;
    for (unsigned h = 0; h < HYPOTHESES; h++) {
        trial->tried[h] = trial->bench->dims > 0 && applies(block, &hypotheses[h], slow) &&
                          set_change(trial->bench, block, &hypotheses[h], &trial->change[h]);
    }
    orrery_parallel(trial->bench->threads, HYPOTHESES * ORR_MEASURED_CLASSES, run_trial, trial);
    keep(trial, block);
    if (block->causes == 0 && block->measured_bandwidth > most_bandwidth(trial->bench, block)) {
        block->cause[block->causes++] = (struct orr_measured_cause){.text = too_fast};
    }
}

enum orr_status orr_measured_find_causes(struct orr_measured_bench *bench, struct orr_diag *diag)
{
    struct trial *trial = orr_heap_calloc(1, sizeof *trial);
    if (trial == NULL) {
        return orr_diag_no_memory(diag, "causes");
    }
    trial->bench = bench;
    for (size_t b = 0; b < bench->blocks; b++) {
        if (!orr_measured_block_is_normal(&bench->block[b])) {
            find(trial, &bench->block[b]);
        }
    }
    orr_heap_free(trial);
    return ORR_OK;
}
