/* Advice on measurements that would identify a parameter; warnings and notes. */
#include <inttypes.h>
#include <string.h>

#include "core/strings.h"
#include "planner/fit_collectives/collfit_private.h"
#include "system/ccl/ccl.h"
#include "system/collectives/program.h"

/* ---- coverage of the measurements ---- */

/* Flags: properties that the fitted rows cover. */
enum {
    HAS_SMALL = 1u << 0,  /* below 1 MiB, other than all-to-alls */
    HAS_COUNTS = 1u << 1, /* two different numbers of NPUs among these */
    HAS_NODE = 1u << 2,   /* among these some in one node */
    HAS_NODE_COUNTS = 1u << 3,
    HAS_NODE_LARGE = 1u << 4, /* 64 MiB and more in one node */
    HAS_OUTER = 1u << 5,      /* several nodes */
    HAS_OUTER_LARGE = 1u << 6,
    HAS_THREE_NODES = 1u << 7, /* all-reduces below 1 MiB on three numbers of nodes */
    HAS_TREE = 1u << 8,        /* all-reduces of several nodes */
    HAS_TREE_LARGE = 1u << 9,
    HAS_TINY = 1u << 10,   /* up to 64 KiB */
    HAS_MIDDLE = 1u << 11, /* three sizes from 64 KiB to 4 MiB */
    HAS_DIRECT = 1u << 12, /* all-to-alls */
    HAS_DIRECT_SMALL = 1u << 13,
    HAS_DIRECT_LARGE = 1u << 14,
    HAS_DIRECT_NODES = 1u << 15, /* on two numbers of nodes */
    HAS_NVLS = 1u << 16,         /* all-reduces that can use NVLS */
    HAS_NVLS_LARGE = 1u << 17
};

enum { MAX_DIFFERENT = 3 };

/* A set of up to MAX_DIFFERENT numbers. */
struct different {
    uint64_t number[MAX_DIFFERENT];
    unsigned count;
};

static void add_different(struct different *all, uint64_t number)
{
    for (unsigned i = 0; i < all->count; i++) {
        if (all->number[i] == number) {
            return;
        }
    }
    if (all->count < MAX_DIFFERENT) {
        all->number[all->count++] = number;
    }
}

struct coverage {
    unsigned has;
    struct different npus, node_npus, nodes, direct_nodes, middle;
};

static const uint64_t tiny = UINT64_C(64) << 10, middle = UINT64_C(4) << 20,
                      large = UINT64_C(64) << 20;

static void cover_all_to_all(struct coverage *coverage, const struct orr_measured_row *row,
                             uint32_t nodes)
{
    add_different(&coverage->direct_nodes, nodes);
    coverage->has |= HAS_DIRECT | (row->bytes < COLLFIT_LARGE ? HAS_DIRECT_SMALL : 0u) |
                     (row->bytes >= large ? HAS_DIRECT_LARGE : 0u) | (nodes > 1 ? HAS_OUTER : 0u);
}

static void cover_small(struct coverage *coverage, const struct orr_measured_row *row,
                        uint32_t nodes)
{
    add_different(&coverage->npus, row->npus);
    coverage->has |= HAS_SMALL | (row->bytes <= tiny ? HAS_TINY : 0u);
    if (nodes == 1) {
        add_different(&coverage->node_npus, row->npus);
        coverage->has |= HAS_NODE;
    }
    if (row->kind == COLL_ALL_REDUCE) {
        add_different(&coverage->nodes, nodes);
    }
}

static void cover_row(struct coverage *coverage, const struct collfit *fit, size_t i)
{
    const struct orr_measured_row *row = &fit->measured.row[i];
    const uint32_t nodes = fit->shape[i].nodes;
    const bool big = row->bytes >= large, tree = row->kind == COLL_ALL_REDUCE && nodes > 1;
    if (orr_collfit_row_uses(fit, i, COLLFIT_SCALES + SYS_CCL_ALL_TO_ALL_LATENCY)) {
        cover_all_to_all(coverage, row, nodes);
        return;
    }
    if (row->bytes < COLLFIT_LARGE) {
        cover_small(coverage, row, nodes);
    }
    if (row->bytes >= tiny && row->bytes <= middle) {
        add_different(&coverage->middle, row->bytes);
    }
    if (orr_collfit_row_uses(fit, i, COLLFIT_SCALES + SYS_CCL_NVLS_BANDWIDTH)) {
        coverage->has |= HAS_NVLS | (big ? HAS_NVLS_LARGE : 0u);
    }
    coverage->has |=
        nodes == 1 ? (big ? HAS_NODE_LARGE : 0u) : HAS_OUTER | (big ? HAS_OUTER_LARGE : 0u);
    coverage->has |= tree ? HAS_TREE | (row->bytes >= COLLFIT_LARGE ? HAS_TREE_LARGE : 0u) : 0u;
}

static unsigned find_coverage(const struct collfit *fit)
{
    struct coverage coverage = {.has = 0};
    for (size_t i = 0; i < fit->measured.rows; i++) {
        if (!fit->split.held[i]) {
            cover_row(&coverage, fit, i);
        }
    }
    return coverage.has | (coverage.npus.count > 1 ? HAS_COUNTS : 0u) |
           (coverage.node_npus.count > 1 ? HAS_NODE_COUNTS : 0u) |
           (coverage.nodes.count > 2 ? HAS_THREE_NODES : 0u) |
           (coverage.direct_nodes.count > 1 ? HAS_DIRECT_NODES : 0u) |
           (coverage.middle.count > 2 ? HAS_MIDDLE : 0u);
}

/* ---- advice ---- */

enum { MAX_NEEDS = 3 };

/* Requirements of a parameter. The advice is the first that the rows do not cover. */
static const struct need {
    unsigned has;
    const char *text;
} launch_needs[MAX_NEEDS] = {{HAS_SMALL, "sizes below 1 MiB"},
                             {HAS_COUNTS, "all-reduces on a second number of GPUs"}},
  needs[SYS_CCL_SCALES][MAX_NEEDS] = {
      [SYS_CCL_INNER_BANDWIDTH] = {{HAS_NODE_LARGE, "sizes of 64 MiB and more in one node"}},
      [SYS_CCL_OUTER_BANDWIDTH] = {{HAS_OUTER, "all-reduces on two nodes"},
                                   {HAS_OUTER_LARGE, "sizes of 64 MiB and more on several nodes"}},
      [SYS_CCL_INNER_LATENCY] = {{HAS_NODE, "all-reduces below 1 MiB in one node"},
                                 {HAS_NODE_COUNTS,
                                  "all-reduces on a second number of GPUs in one node"}},
      [SYS_CCL_OUTER_LATENCY] = {{HAS_OUTER, "all-reduces on two nodes"},
                                 {HAS_SMALL, "all-reduces below 1 MiB on several nodes"},
                                 {HAS_THREE_NODES, "all-reduces on three numbers of nodes"}},
      [SYS_CCL_TREE_LATENCY] = {{HAS_TREE, "all-reduces on two nodes"},
                                {HAS_SMALL, "all-reduces below 1 MiB on several nodes"},
                                {HAS_THREE_NODES, "all-reduces on three numbers of nodes"}},
      [SYS_CCL_TREE_BANDWIDTH] = {{HAS_TREE, "all-reduces on two nodes"},
                                  {HAS_TREE_LARGE,
                                   "all-reduces of 1 MiB and more on several nodes"},
                                  {HAS_THREE_NODES, "all-reduces on three numbers of nodes"}},
      [SYS_CCL_LL_LATENCY] = {{HAS_TINY, "sizes up to 64 KiB"},
                              {HAS_COUNTS, "all-reduces on a second number of GPUs"}},
      [SYS_CCL_LL_BANDWIDTH] = {{HAS_SMALL, "sizes between 16 KiB and 1 MiB"}},
      [SYS_CCL_LL128_LATENCY] = {{HAS_MIDDLE, "sizes between 64 KiB and 4 MiB"},
                                 {HAS_COUNTS, "all-reduces on a second number of GPUs"}},
      [SYS_CCL_LL128_BANDWIDTH] = {{HAS_MIDDLE, "sizes between 64 KiB and 4 MiB"},
                                   {HAS_COUNTS, "all-reduces on a second number of GPUs"}},
      [SYS_CCL_NVLS_BANDWIDTH] = {{HAS_NVLS, "all-reduces on 8 GPUs of a node"},
                                  {HAS_NVLS_LARGE,
                                   "all-reduces of 64 MiB and more on 8 GPUs of a node"}},
      [SYS_CCL_ALL_TO_ALL_LATENCY] = {{HAS_DIRECT, "alltoall_perf"},
                                      {HAS_DIRECT_SMALL, "alltoall_perf below 1 MiB"}},
      [SYS_CCL_ALL_TO_ALL_NODE] = {{HAS_DIRECT, "alltoall_perf on several nodes"},
                                   {HAS_DIRECT_SMALL, "alltoall_perf below 1 MiB"},
                                   {HAS_DIRECT_NODES, "alltoall_perf on two numbers of nodes"}},
      [SYS_CCL_ALL_TO_ALL_BANDWIDTH] = {{HAS_DIRECT, "alltoall_perf"},
                                        {HAS_DIRECT_LARGE, "alltoall_perf of 64 MiB and more"}}};

/* Whether the time of any group of the platform depends on a scale. */
static bool has_scale(const struct collfit *fit, enum sys_ccl_scale scale)
{
    struct orr_diag diag;
    struct sys_ccl_shape all;
    orr_diag_init(&diag);
    if (orr_sys_ccl_shape_of_all(fit->platform_library, &fit->network, &all, &diag) != ORR_OK) {
        return true;
    }
    struct sys_ccl_shape node = all;
    node.npus = node.node_npus;
    node.nodes = 1;
    for (unsigned kind = 0; kind < COLL_KINDS; kind++) {
        if (fit->platform_library->ops->uses(fit->platform_library, &all, (enum coll_kind)kind,
                                             scale) ||
            fit->platform_library->ops->uses(fit->platform_library, &node, (enum coll_kind)kind,
                                             scale)) {
            return true;
        }
    }
    return false;
}

const char *orr_collfit_advice(const struct collfit *fit, size_t param)
{
    const unsigned has = find_coverage(fit);
    const enum sys_ccl_scale scale = (enum sys_ccl_scale)(param - COLLFIT_SCALES);
    const struct need *need = param == COLLFIT_LAUNCH ? launch_needs : needs[scale];
    if (param != COLLFIT_LAUNCH && !has_scale(fit, scale)) {
        return "nothing: no group of this platform uses it";
    }
    for (unsigned i = 0; i < MAX_NEEDS && need[i].text != NULL; i++) {
        if ((has & need[i].has) == 0) {
            return need[i].text;
        }
    }
    return "more sizes of what was measured, or further numbers of GPUs";
}

/* ---- warnings and notes ---- */

enum { TEXT_BYTES = 512 };

static void warn_bounds(const struct collfit *fit, struct fit_notes *note_list)
{
    for (size_t k = 0; k < COLLFIT_PARAMS; k++) {
        const struct orr_fit_parameter_row *row = &fit->parameter[k];
        if (row->at_bound != NULL) {
            const bool sheet = row->at_bound[0] == 'h' && !orr_collfit_is_latency(k);
            orr_fitrep_add_note(
                note_list,
                orr_arena_printf(note_list->arena, "%s met its bound of %.4g%s%s: %s", row->name,
                                 row->value, row->unit[0] != '\0' ? " " : "", row->unit,
                                 sheet ? "the data sheet's bandwidth, or three spreads from "
                                         "the prior; do the platform's bandwidths fit the "
                                         "machine?"
                                       : "three spreads from the prior; were the rows "
                                         "measured on this platform?"));
        }
    }
}

/* Counts the fitted rows of a collective, and their sizes (up to MAX_DIFFERENT). */
static size_t count_rows(const struct collfit *fit, enum coll_kind kind, unsigned *sizes)
{
    struct different different = {.count = 0};
    size_t rows = 0;
    for (size_t i = 0; i < fit->measured.rows; i++) {
        if (!fit->split.held[i] && fit->measured.row[i].kind == kind) {
            add_different(&different, fit->measured.row[i].bytes);
            rows++;
        }
    }
    *sizes = different.count;
    return rows;
}

static void note_collectives(const struct collfit *fit, struct fit_notes *warnings,
                             struct fit_notes *notes)
{
    char unmeasured[TEXT_BYTES] = "";
    for (unsigned kind = 0; kind < COLL_BARRIER; kind++) {
        const char *name = orr_coll_kind_name((enum coll_kind)kind);
        const size_t used = strlen(unmeasured);
        unsigned sizes;
        if (count_rows(fit, (enum coll_kind)kind, &sizes) == 0) {
            (void)snprintf(unmeasured + used, sizeof unmeasured - used, "%s%s",
                           used > 0 ? ", " : "", name);
        } else if (sizes < MAX_DIFFERENT) {
            orr_fitrep_add_note(warnings,
                                orr_arena_printf(warnings->arena,
                                                 "%s was fitted to %u size%s only, which "
                                                 "determines bandwidth or latency, not both",
                                                 name, sizes, orr_plural(sizes)));
        }
    }
    if (unmeasured[0] != '\0') {
        orr_fitrep_add_note(
            notes, orr_arena_printf(notes->arena,
                                    "nothing was fitted to %s: their times follow from links and "
                                    "protocols that other collectives determine, and from priors",
                                    unmeasured));
    }
}

static void note_limits(const struct collfit *fit, struct fit_notes *notes)
{
    size_t free_params = 0;
    for (size_t k = 0; k < COLLFIT_PARAMS; k++) {
        free_params += fit->parameter[k].fixed ? 0 : 1;
    }
    if (!orr_collfit_has_small(fit)) {
        orr_fitrep_add_note(notes, "no fitted row is below 1 MiB, where latencies count: they stay "
                                   "as they were, and the launch is what large sizes leave");
    }
    if (fit->split.fitted < free_params) {
        orr_fitrep_add_note(
            notes,
            orr_arena_printf(
                notes->arena,
                "%zu row%s for %zu parameters: what rows do not determine stays near its prior",
                fit->split.fitted, orr_plural(fit->split.fitted), free_params));
    }
    if (!fit->fit.converged) {
        orr_fitrep_add_note(notes, "the search ran out of steps where two algorithms take equally "
                                   "long; its cost may go down a little further");
    }
    if (fit->platform_library->launch_ps == 0) {
        orr_fitrep_add_note(notes, "the platform has no launch (launch: 0), and keeps none");
    }
}

static void note_reader(const struct collfit *fit, struct fit_notes *notes)
{
    for (size_t i = 0; i < fit->measured.notes; i++) {
        const struct orr_measured_note *note = &fit->measured.note[i];
        orr_fitrep_add_note(
            notes,
            orr_arena_printf(notes->arena, "%" PRIu64 " %s (first at %s:%" PRIu32 ")", note->count,
                             note->text, fit->measured.file[note->file].path, note->line));
    }
}

enum orr_status orr_collfit_add_notes(struct collfit *fit, struct orr_arena *arena,
                                      struct orr_diag *diag)
{
    struct fit_notes warnings, notes;
    enum orr_status status = orr_fitrep_notes_init(&warnings, arena, diag);
    if (status == ORR_OK) {
        status = orr_fitrep_notes_init(&notes, arena, diag);
    }
    if (status != ORR_OK) {
        return status;
    }
    if (!fit->input.keep) {
        warn_bounds(fit, &warnings);
        note_collectives(fit, &warnings, &notes);
        note_limits(fit, &notes);
    }
    note_reader(fit, &notes);
    fit->warning = warnings.text;
    fit->warnings = warnings.count;
    fit->note = notes.text;
    fit->notes = notes.count;
    return warnings.no_memory || notes.no_memory ? orr_diag_no_memory(diag, "the notes of a fit")
                                                 : ORR_OK;
}
