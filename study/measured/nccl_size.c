/* The number of NPUs of a run of nccl-tests: from its devices' lines, and if these are truncated
 * from the rows: busbw / algbw is 2 (n - 1) / n for an all-reduce and (n - 1) / n if each of n
 * ranks has a part, and a rank's larger buffer has n parts of `count` elements. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "study/measured/nccl_run.h"

/* The possible numbers of NPUs, inclusive. */
struct npu_range {
    double low, high;
};

/* ---- from the rows ---- */

static bool has_parts(enum coll_kind kind)
{
    return kind == COLL_ALL_GATHER || kind == COLL_REDUCE_SCATTER || kind == COLL_ALL_TO_ALL ||
           kind == COLL_GATHER || kind == COLL_SCATTER;
}

static void narrow(struct npu_range *npu_range, double low, double high)
{
    npu_range->low = low > npu_range->low ? low : npu_range->low;
    npu_range->high = high < npu_range->high ? high : npu_range->high;
}

static void by_count(struct npu_range *npu_range, const struct nccl_result *result)
{
    uint64_t part;
    if (result->type_bytes == 0 || result->count == 0 ||
        __builtin_mul_overflow(result->count, (uint64_t)result->type_bytes, &part) ||
        result->bytes % part != 0 || result->bytes / part < 2) {
        return;
    }
    const uint64_t parts = result->bytes / part;
    narrow(npu_range, (double)parts, (double)parts);
}

/* The n whose (n - 1) / n is the share. */
static double npus_of(double share)
{
    return share < 1 ? 1 / (1 - share) : INFINITY;
}

/* Both bandwidths are rounded, so that their ratio is known within bounds. */
static void by_bandwidth(struct npu_range *npu_range, enum coll_kind kind,
                         const struct nccl_result *result)
{
    const double slack = 1e-4, steps = kind == COLL_ALL_REDUCE ? 2 : 1;
    const struct measured_number *alg = &result->algbw, *bus = &result->busbw;
    const double min = (bus->value - bus->half) / (alg->value + alg->half) / steps;
    const double max = alg->value > alg->half
                           ? (bus->value + bus->half) / (alg->value - alg->half) / steps
                           : INFINITY;
    if (kind == COLL_ALL_REDUCE || has_parts(kind)) {
        narrow(npu_range, ceil(npus_of(min) * (1 - slack)), floor(npus_of(max) * (1 + slack)));
    } else if (min > 1 + slack || max < 1 - slack) {
        npu_range->high = 0;
    }
}

static enum orr_status by_rows(const struct orr_measured_build *build, const struct nccl_run *run,
                               enum coll_kind kind, struct npu_range *npu_range)
{
    *npu_range = (struct npu_range){2, INFINITY};
    for (size_t i = 0; i < run->results; i++) {
        const struct nccl_result *result = &run->result[i];
        if (has_parts(kind)) {
            by_count(npu_range, result);
        }
        by_bandwidth(npu_range, kind, result);
        if (!(npu_range->low <= npu_range->high) || isinf(npu_range->low)) {
            return orr_measured_fail(build, result->line, result->column,
                                     "busbw is %.4g times algbw, which %s has on no number of NPUs "
                                     "that the rows before allow: is it another collective, or of "
                                     "another run?",
                                     result->busbw.value / result->algbw.value,
                                     orr_coll_kind_name(kind));
        }
    }
    return ORR_OK;
}

static bool contains(const struct npu_range *npu_range, double npus)
{
    return npus >= npu_range->low && npus <= npu_range->high;
}

/* ---- from the devices ---- */

/* The devices' lines of the first group: other groups run at the same time. */
struct devices {
    uint32_t members, processes, hosts; /* processes: of all groups; 0: not known */
    uint32_t weight;                    /* devices of a member */
    uint64_t listed;                    /* devices */
    uint32_t last_rank;
    uint32_t min_on_host, max_on_host;
    bool contiguous, grouped;
};

/* True if ranks are 0, 1, ... without a gap, in any order; marks[members]. */
static bool ranks_are_contiguous(const struct nccl_run *run, bool *marks, uint32_t weight)
{
    for (size_t i = 0; i < run->members; i++) {
        const uint32_t rank = run->member[i].rank;
        if (rank % weight != 0 || rank / weight >= run->members || marks[rank / weight]) {
            return false;
        }
        marks[rank / weight] = true;
    }
    return true;
}

/* Devices of a member: 1, or all devices of a process, whose first ranks have that distance. */
static uint32_t weight_of(const struct nccl_run *run)
{
    const uint32_t of_process = run->threads * run->gpus;
    if (!run->processes || of_process < 2) {
        return 1;
    }
    for (size_t i = 0; i < run->members; i++) {
        if (run->member[i].rank % of_process != 0) {
            return 1;
        }
    }
    return of_process;
}

/* counts[hosts]: members of the group on each host. */
static void count_hosts(const struct nccl_run *run, struct devices *out, uint32_t *counts)
{
    bool pids = true;
    for (size_t i = 0; i < run->members; i++) {
        const struct nccl_member *member = &run->member[i];
        if (member->group != run->member[0].group) {
            out->grouped = true;
        } else {
            out->members++;
            out->hosts += counts[member->host]++ == 0 ? 1 : 0;
        }
        out->last_rank = member->rank > out->last_rank ? member->rank : out->last_rank;
        out->processes += i == 0 || member->pid != run->member[i - 1].pid ||
                                  member->host != run->member[i - 1].host
                              ? 1
                              : 0;
        pids = pids && member->pid != 0;
    }
    out->processes = pids ? out->processes : 0;
    out->min_on_host = UINT32_MAX;
    for (uint32_t i = 0; i < run->hosts.count; i++) {
        if (counts[i] > 0) {
            out->min_on_host = counts[i] < out->min_on_host ? counts[i] : out->min_on_host;
            out->max_on_host = counts[i] > out->max_on_host ? counts[i] : out->max_on_host;
        }
    }
}

static enum orr_status count_devices(const struct orr_measured_build *build,
                                     const struct nccl_run *run, struct devices *out)
{
    *out = (struct devices){.weight = weight_of(run)};
    if (run->members == 0) {
        return ORR_OK;
    }
    bool *marks = orr_arena_array(build->arena, run->members, sizeof *marks);
    uint32_t *counts = orr_arena_array(build->arena, run->hosts.count, sizeof *counts);
    if (marks == NULL || counts == NULL) {
        return orr_measured_no_memory(build);
    }
    out->contiguous = !run->cut && ranks_are_contiguous(run, marks, out->weight);
    count_hosts(run, out, counts);
    out->listed = (uint64_t)out->members * out->weight;
    return ORR_OK;
}

/* ---- both ---- */

/* Processes times the devices of each; 0: not known. */
static uint64_t of_processes(const struct nccl_run *run, const struct devices *devices)
{
    return devices->grouped ? 0 : (uint64_t)devices->processes * run->threads * run->gpus;
}

static bool is_possible(const struct npu_range *npu_range, const struct devices *devices,
                        double npus)
{
    return npus >= 2 && npus <= INT32_MAX && contains(npu_range, npus) &&
           npus >= (double)devices->listed &&
           (devices->members == 0 || devices->grouped || npus > (double)devices->last_rank);
}

/* Formats the numbers that the rows allow: "16", "14 to 18", "12 or more". Returns `text`. */
enum { SPAN_BYTES = 64 };
static const char *range_text(const struct npu_range *npu_range, char *text)
{
    if (npu_range->low == npu_range->high) {
        (void)snprintf(text, SPAN_BYTES, "%.0f", npu_range->low);
    } else if (isfinite(npu_range->high)) {
        (void)snprintf(text, SPAN_BYTES, "%.0f to %.0f", npu_range->low, npu_range->high);
    } else {
        (void)snprintf(text, SPAN_BYTES, "%.0f or more", npu_range->low);
    }
    return text;
}

static enum orr_status fail_npus(const struct orr_measured_build *build, const struct nccl_run *run,
                                 const struct npu_range *npu_range, const struct devices *devices)
{
    char text[SPAN_BYTES];
    const uint32_t user_count = build->inputs->npus;
    if (user_count > 0) {
        return orr_measured_fail(build, run->line, run->column,
                                 "%" PRIu32 " NPUs are given, but the rows and the devices' lines "
                                 "allow %s",
                                 user_count, range_text(npu_range, text));
    }
    if (devices->contiguous) {
        return orr_measured_fail(build, run->line, run->column,
                                 "%" PRIu64 " devices are listed, but the bandwidths are those of "
                                 "%s NPUs: are lines missing? Set the number of NPUs (--npus)",
                                 devices->listed, range_text(npu_range, text));
    }
    return orr_measured_fail(build, run->line, run->column,
                             "%s, and the bandwidths may be those of %s NPUs: set the number "
                             "of NPUs (--npus)",
                             devices->members > 0 ? "not all devices are listed"
                                                  : "no devices are listed",
                             range_text(npu_range, text));
}

/* The only multiple of the user's NPUs of a node that the rows allow; 0: several. */
static double only_multiple(const struct npu_range *npu_range, uint32_t per_node)
{
    if (per_node == 0 || !isfinite(npu_range->high)) {
        return 0;
    }
    const double first = ceil(npu_range->low / per_node) * per_node;
    return first + per_node > npu_range->high ? first : 0;
}

static enum orr_status find_npus(const struct orr_measured_build *build, const struct nccl_run *run,
                                 const struct npu_range *npu_range, const struct devices *devices,
                                 uint32_t *npus)
{
    const bool cut = devices->members > 0 && !devices->contiguous;
    const uint32_t user_count = build->inputs->npus;
    const double candidates[] = {
        devices->contiguous ? (double)devices->listed : 0,
        npu_range->low == npu_range->high && !devices->contiguous ? npu_range->low : 0,
        user_count,
        devices->contiguous || user_count > 0
            ? 0
            : only_multiple(npu_range, build->inputs->npus_per_node),
        run->cut && user_count == 0 ? (double)of_processes(run, devices) : 0,
        cut && user_count == 0 && isfinite(npu_range->high) ? (double)devices->last_rank + 1 : 0,
    };
    for (size_t i = 0; i < sizeof candidates / sizeof *candidates; i++) {
        if (is_possible(npu_range, devices, candidates[i])) {
            *npus = (uint32_t)candidates[i];
            return ORR_OK;
        }
    }
    return fail_npus(build, run, npu_range, devices);
}

/* ---- nodes ---- */

/* True if ranks are on hosts as with so many on each: block by block, or round-robin. */
static bool matches_layout(const struct orr_measured_build *build, const struct nccl_run *run,
                           uint32_t per_node, bool in_turns)
{
    const uint32_t hosts = run->hosts.count;
    uint32_t *owner = orr_arena_array(build->arena, hosts, sizeof *owner);
    uint32_t *home = orr_arena_array(build->arena, hosts, sizeof *home);
    for (size_t i = 0; owner != NULL && home != NULL && i < run->members; i++) {
        const struct nccl_member *member = &run->member[i];
        const uint32_t node = in_turns ? member->rank % hosts : member->rank / per_node;
        if (node >= hosts || (owner[node] != 0 && owner[node] != member->host + 1) ||
            (home[member->host] != 0 && home[member->host] != node + 1)) {
            return false;
        }
        owner[node] = member->host + 1;
        home[member->host] = node + 1;
    }
    return owner != NULL && home != NULL;
}

/* NPUs of a node from a truncated list of devices; 0: not known. */
static uint32_t by_cut_devices(const struct orr_measured_build *build, const struct nccl_run *run,
                               const struct devices *devices, uint32_t npus)
{
    const bool ends = of_processes(run, devices) == npus || devices->last_rank + 1 == npus;
    if (devices->hosts == 0 || devices->grouped || !ends || npus % devices->hosts != 0) {
        return 0;
    }
    const uint32_t per_node = npus / devices->hosts;
    return devices->max_on_host <= per_node && (matches_layout(build, run, per_node, false) ||
                                                matches_layout(build, run, per_node, true))
               ? per_node
               : 0;
}

static enum orr_status find_node(const struct orr_measured_build *build, const struct nccl_run *run,
                                 const struct devices *devices, struct nccl_size *out)
{
    const uint32_t user_count = build->inputs->npus_per_node;
    if (devices->contiguous && out->npus == devices->listed) {
        out->npus_per_node = devices->max_on_host * devices->weight;
        return devices->min_on_host == devices->max_on_host
                   ? ORR_OK
                   : orr_measured_fail(build, run->line, run->column,
                                       "hosts have %" PRIu32 " to %" PRIu32 " devices: expected as "
                                       "many on each",
                                       devices->min_on_host * devices->weight, out->npus_per_node);
    }
    out->npus_per_node =
        user_count > 0 ? user_count : by_cut_devices(build, run, devices, out->npus);
    if (out->npus_per_node == 0) {
        return orr_measured_fail(build, run->line, run->column,
                                 "the number of nodes of the %" PRIu32
                                 " NPUs does not follow from the "
                                 "devices' lines: set the NPUs of a node (--npus-per-node)",
                                 out->npus);
    }
    return out->npus % out->npus_per_node == 0
               ? ORR_OK
               : orr_measured_fail(build, run->line, run->column,
                                   "%" PRIu32 " NPUs are no whole number of nodes of %" PRIu32
                                   " NPUs",
                                   out->npus, out->npus_per_node);
}

/* The number of runs of one device each whose lines were printed in turn, as nccl-tests without MPI
 * under mpirun do: each has a rank 0 and no other. 0: there are other ranks. */
static size_t single_runs(const struct nccl_run *run)
{
    for (size_t i = 0; i < run->members; i++) {
        if (run->member[i].rank != 0) {
            return 0;
        }
    }
    return run->threads * run->gpus > 1 ? 0 : run->members;
}

/* The same by the rows, where no devices are listed: data moves, but none between devices. */
static bool moves_nothing(const struct nccl_run *run, enum coll_kind kind)
{
    const struct nccl_result *last = &run->result[run->results - 1];
    return run->members == 0 && (kind == COLL_ALL_REDUCE || has_parts(kind)) &&
           last->busbw.value <= 0 && last->algbw.value >= 1;
}

static enum orr_status fail_single(const struct orr_measured_build *build,
                                   const struct nccl_run *run, size_t runs)
{
    static const char why[] = "where a collective needs at least 2: were nccl-tests built without "
                              "MPI?";
    return runs > 1 ? orr_measured_fail(build, run->line, run->column,
                                        "these are %zu runs of one device each, %s", runs, why)
                    : orr_measured_fail(build, run->line, run->column,
                                        "the run is of one device, %s", why);
}

/* Two members of one rank: the lines of several runs are mixed. */
static bool is_mixed(const struct nccl_run *run)
{
    for (size_t i = 1; i < run->members; i++) {
        if (run->member[i].rank == run->member[0].rank) {
            return true;
        }
    }
    return false;
}

enum orr_status orr_nccl_size(const struct orr_measured_build *build, const struct nccl_run *run,
                              enum coll_kind kind, struct nccl_size *out)
{
    struct npu_range npu_range;
    struct devices devices;
    enum orr_status status = count_devices(build, run, &devices);
    const size_t singles = single_runs(run);
    if (status == ORR_OK && !run->cut && (singles > 0 || moves_nothing(run, kind))) {
        return fail_single(build, run, singles);
    }
    if (status == ORR_OK && is_mixed(run)) {
        return orr_measured_fail(build, run->line, run->column,
                                 "the lines of several runs are mixed: rank %" PRIu32
                                 " is listed twice; keep the output of each run in a file",
                                 run->member[0].rank);
    }
    if (status == ORR_OK) {
        status = by_rows(build, run, kind, &npu_range);
    }
    if (status == ORR_OK) {
        status = find_npus(build, run, &npu_range, &devices, &out->npus);
    }
    return status == ORR_OK ? find_node(build, run, &devices, out) : status;
}
