/* Efficiency curves; see efficiency.h. */
#include "workload/roofline/efficiency.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "core/conf/conf.h"
#include "core/conf/conf_read.h"
#include "core/conf/keys.h"
#include "core/units.h"
#include "workload/trace/op_kind.h"

#define COUNT(keys) (sizeof(keys) / sizeof *(keys))

enum { MAX_POINTS = 64 };

static const double min_share = 0.001;
static const double zero = 0, one = 1; /* the constant curve 1 */
static const struct wl_curve all = {.points = 1, .log_size = &zero, .share = &one};

/* The scope of an entry: whole layers, or the operators of a layer. */
enum scope { SCOPE_OPERATOR, SCOPE_LAYER };
static const char *const scopes[] = {"operator", "layer", NULL};

/* One entry for each kind, and one for whole layers. */
enum { LAYERS = ORR_OP_KINDS, ENTRIES };

/* ---- curves ---- */

double orr_wl_curve_at(const struct wl_curve *curve, double size)
{
    const size_t last = curve->points - 1;
    if (last == 0 || !(size > 0)) {
        return curve->share[0];
    }
    const double at = log(size);
    if (at < curve->log_size[0]) {
        return curve->share[0];
    }
    size_t i = 0;
    while (i < last && at >= curve->log_size[i + 1]) {
        i++;
    }
    if (i == last) {
        return curve->share[last];
    }
    const double from = curve->log_size[i], to = curve->log_size[i + 1];
    return curve->share[i] + (curve->share[i + 1] - curve->share[i]) * ((at - from) / (to - from));
}

bool orr_wl_curves_agree(const struct wl_curve *a, const struct wl_curve *b)
{
    if (a->share == &one || b->share == &one || a->points != b->points) {
        return false;
    }
    for (size_t i = 0; i < a->points; i++) {
        if (a->share[i] != b->share[i] || a->log_size[i] != b->log_size[i]) {
            return false;
        }
    }
    return true;
}

/* ---- reading ---- */

struct entry {
    unsigned kind, scope;
    const struct orr_conf *points, *bandwidth;
    sim_time constant_ps;
};

static const struct orr_key entry_keys[] = {
    {.name = "kind",
     .type = ORR_KEY_CHOICE,
     .offset = offsetof(struct entry, kind),
     .required = true,
     .choices = orr_op_kind_names,
     .example = "kind: gemm",
     .doc = "which operations; default: those of no other entry; gemm_fp8, gemm_fp4: products of "
            "these types, else as gemm; scan: recurrences of state-space layers, else as "
            "attention; cast: to another type, else "
            "as elementwise"},
    {.name = "points",
     .type = ORR_KEY_NODE,
     .offset = offsetof(struct entry, points),
     .default_text = "1",
     .example = "points: [[1 GFLOP, 0.35], [1 TFLOP, 0.7]]",
     .doc = "share of the peak, a number or pairs of operations and share"},
    {.name = "bandwidth",
     .type = ORR_KEY_NODE,
     .offset = offsetof(struct entry, bandwidth),
     .default_text = "1",
     .example = "bandwidth: [[64 KiB, 0.1], [64 MiB, 0.8]]",
     .doc = "share of the memory bandwidth, a number or pairs of bytes and share"},
    {.name = "constant",
     .type = ORR_KEY_TIME,
     .offset = offsetof(struct entry, constant_ps),
     .default_text = "0 ns",
     .example = "constant: 105 us",
     .doc = "added to the time of each such operation, for its launch and small operations that "
            "come with it"},
    {.name = "scope",
     .type = ORR_KEY_CHOICE,
     .offset = offsetof(struct entry, scope),
     .choices = scopes,
     .default_text = "operator",
     .doc = "layer, for the kind default alone: operations are whole layers, and operators of a "
            "layer (all other kinds) do not take it"},
};

/* "1e9 FLOP", "35 GFLOP": parsed as a rate per second. */
static enum orr_status read_operations(const struct orr_conf *node, double *out,
                                       struct orr_diag *diag)
{
    char rate[64];
    const bool fits = node->kind == ORR_CONF_SCALAR && strlen(node->text) + 3 <= sizeof rate;
    (void)snprintf(rate, sizeof rate, "%s/s", fits ? node->text : "");
    return orr_parse_compute_rate(rate, out)
               ? ORR_OK
               : orr_conf_expected(node, "operations such as \"35 GFLOP\"", diag);
}

static enum orr_status read_size(const struct orr_conf *node, bool bytes, double *out,
                                 struct orr_diag *diag)
{
    if (!bytes) {
        return read_operations(node, out, diag);
    }
    uint64_t size = 0;
    const enum orr_status status = orr_conf_bytes(node, &size, diag);
    *out = (double)size;
    return status == ORR_OK && size == 0 ? orr_conf_expected(node, "a size above 0", diag) : status;
}

static enum orr_status read_point(const struct orr_conf *pair, bool bytes, double *log_size,
                                  double *share, struct orr_diag *diag)
{
    if (pair->kind != ORR_CONF_LIST || pair->count != 2) {
        return orr_conf_expected(
            pair, bytes ? "a pair such as [64 MiB, 0.8]" : "a pair such as [35 GFLOP, 0.5]", diag);
    }
    double size = 0;
    const enum orr_status status = read_size(pair->item[0], bytes, &size, diag);
    if (status != ORR_OK) {
        return status;
    }
    *log_size = log(size);
    return orr_conf_number(pair->item[1], min_share, 1, share, diag);
}

static enum orr_status read_points(struct orr_arena *arena, const struct orr_conf *list, bool bytes,
                                   struct wl_curve *curve, struct orr_diag *diag)
{
    double *log_size = orr_arena_array(arena, list->count, sizeof *log_size);
    double *share = orr_arena_array(arena, list->count, sizeof *share);
    if (log_size == NULL || share == NULL) {
        return orr_diag_no_memory(diag, "an efficiency curve");
    }
    for (size_t i = 0; i < list->count; i++) {
        const enum orr_status status =
            read_point(list->item[i], bytes, &log_size[i], &share[i], diag);
        if (status != ORR_OK) {
            return status;
        }
        if (i > 0 && !(log_size[i] > log_size[i - 1])) {
            return orr_conf_expected(list->item[i]->item[0],
                                     "a size above that of the point before it", diag);
        }
    }
    *curve = (struct wl_curve){.points = list->count, .log_size = log_size, .share = share};
    return ORR_OK;
}

/* A number is a curve of one point; NULL: the constant 1. */
static enum orr_status read_curve(struct orr_arena *arena, const struct orr_conf *node, bool bytes,
                                  struct wl_curve *curve, struct orr_diag *diag)
{
    if (node == NULL) {
        *curve = all;
        return ORR_OK;
    }
    if (node->kind == ORR_CONF_LIST && node->count > 0 && node->count <= MAX_POINTS) {
        return read_points(arena, node, bytes, curve, diag);
    }
    if (node->kind != ORR_CONF_SCALAR) {
        return orr_conf_expected(node, "a number, or a list of 1 to 64 pairs", diag);
    }
    double *share = orr_arena_alloc(arena, sizeof *share);
    if (share == NULL) {
        return orr_diag_no_memory(diag, "an efficiency curve");
    }
    *curve = (struct wl_curve){.points = 1, .log_size = &zero, .share = share};
    return orr_conf_number(node, min_share, 1, share, diag);
}

/* Entries as they were read. Of a kind that another stands for, what is left out has no points, or
 * a constant below 0. */
struct entries {
    struct wl_kind_efficiency share[ENTRIES];
    bool given[ENTRIES];
};

/* Sets *at to the entry's index. */
static enum orr_status check_entry(const struct orr_conf *map, const struct entry *entry,
                                   const struct entries *read, unsigned *at, struct orr_diag *diag)
{
    if (entry->scope == SCOPE_LAYER && entry->kind != ORR_OP_DEFAULT) {
        return orr_conf_expected(orr_conf_get(map, "scope"),
                                 "operator, because only the kind default may be of whole layers",
                                 diag);
    }
    *at = entry->scope == SCOPE_LAYER ? LAYERS : entry->kind;
    if (read->given[*at]) {
        const struct orr_location location = orr_conf_location(map);
        return orr_diag_fail(diag, ORR_ERR_INPUT, &location,
                             "%s: the kind \"%s\" has an entry already", map->path,
                             orr_op_kind_names[entry->kind]);
    }
    return ORR_OK;
}

static enum orr_status read_entry(struct orr_arena *arena, const struct orr_conf *map,
                                  struct entries *read, struct orr_diag *diag)
{
    struct entry entry = {0};
    unsigned at = 0;
    enum orr_status status =
        orr_conf_read(map, "an efficiency curve", entry_keys, COUNT(entry_keys), &entry, diag);
    if (status == ORR_OK) {
        status = check_entry(map, &entry, read, &at, diag);
    }
    if (status != ORR_OK) {
        return status;
    }
    struct wl_kind_efficiency *share = &read->share[at];
    const bool follows = at < ORR_OP_KINDS && orr_wl_stands_for(at) != ORR_OP_DEFAULT;
    read->given[at] = true;
    share->constant_ps = follows && orr_conf_get(map, "constant") == NULL ? -1 : entry.constant_ps;
    if (!follows || entry.points != NULL) {
        status = read_curve(arena, entry.points, false, &share->peak, diag);
    }
    if (status == ORR_OK && (!follows || entry.bandwidth != NULL)) {
        status = read_curve(arena, entry.bandwidth, true, &share->memory, diag);
    }
    return status;
}

/* ---- kinds without an entry ---- */

/* The entry of whole layers does not apply to operators: these reach 1, which may be unexpected. */
static void warn_missing_kinds(const struct orr_conf *list, const bool *lacks,
                               struct orr_diag *diag)
{
    char kinds[64] = "";
    for (unsigned kind = 0; kind < ORR_OP_KINDS; kind++) {
        if (lacks[kind] && orr_wl_stands_for(kind) == ORR_OP_DEFAULT) {
            const size_t length = strlen(kinds);
            (void)snprintf(kinds + length, sizeof kinds - length, "%s%s", length > 0 ? ", " : "",
                           orr_op_kind_names[kind]);
        }
    }
    if (kinds[0] != '\0') {
        const struct orr_location location = orr_conf_location(list);
        orr_diag_warn(diag, &location,
                      "%s%sexpected an entry for each kind of operators, or {kind: default, scope: "
                      "operator} for those without: the entry of whole layers does not apply to "
                      "them, so the whole peak and bandwidth are assumed for %s",
                      list->path, list->path[0] != '\0' ? ": " : "", kinds);
    }
}

/* What the entry of a kind leaves out is that of the kind which stands for it. */
static void follow(enum orr_op_kind kind, struct wl_efficiency *efficiency)
{
    struct wl_kind_efficiency *own = &efficiency->of[kind];
    const struct wl_kind_efficiency *from = &efficiency->of[orr_wl_stands_for(kind)];
    if (!efficiency->own[kind]) {
        *own = *from;
        return;
    }
    own->peak = own->peak.points != 0 ? own->peak : from->peak;
    own->memory = own->memory.points != 0 ? own->memory : from->memory;
    own->constant_ps = own->constant_ps >= 0 ? own->constant_ps : from->constant_ps;
}

/* Kinds without an entry use that of `default`, which must exist. */
static enum orr_status apply_default(const struct orr_conf *list, const struct entries *read,
                                     struct wl_efficiency *efficiency, struct orr_diag *diag)
{
    const struct wl_kind_efficiency *share = read->share;
    const bool of_operators = read->given[ORR_OP_DEFAULT];
    const bool of_layers = read->given[LAYERS];
    bool lacks[ORR_OP_KINDS] = {false};
    if (!of_operators && !of_layers) {
        const struct orr_location location = orr_conf_location(list);
        return orr_diag_fail(diag, ORR_ERR_INPUT, &location,
                             "%s%sa list of curves needs an entry for operations of unknown kind, "
                             "such as {kind: default, points: 0.5}",
                             list->path, list->path[0] != '\0' ? ": " : "");
    }
    const struct wl_kind_efficiency others =
        of_operators ? share[ORR_OP_DEFAULT] : (struct wl_kind_efficiency){all, all, 0};
    for (unsigned kind = 0; kind < ORR_OP_KINDS; kind++) {
        const bool has_entry = efficiency->own[kind] = read->given[kind];
        efficiency->of[kind] = has_entry ? share[kind] : others;
        lacks[kind] = !has_entry && !of_operators && kind != ORR_OP_DEFAULT;
    }
    for (unsigned kind = 0; kind < ORR_OP_KINDS; kind++) {
        if (orr_wl_stands_for(kind) != ORR_OP_DEFAULT) {
            follow(kind, efficiency);
        }
    }
    if (of_layers) {
        efficiency->of[ORR_OP_DEFAULT] = share[LAYERS];
    }
    warn_missing_kinds(list, lacks, diag);
    return ORR_OK;
}

enum orr_status orr_wl_efficiency_read(struct orr_arena *arena, const struct orr_conf *node,
                                       double *share, const struct wl_efficiency **out,
                                       struct orr_diag *diag)
{
    *share = 1;
    *out = NULL;
    if (node == NULL) {
        return ORR_OK;
    }
    if (node->kind == ORR_CONF_SCALAR) {
        return orr_conf_number(node, min_share, 1, share, diag);
    }
    if (node->kind != ORR_CONF_LIST || node->count == 0) {
        return orr_conf_expected(node, "a number from 0.001 to 1 or a list of curves", diag);
    }
    struct wl_efficiency *efficiency = orr_arena_alloc(arena, sizeof *efficiency);
    if (efficiency == NULL) {
        return orr_diag_no_memory(diag, "the efficiency curves");
    }
    struct entries read = {.given = {false}};
    enum orr_status status = ORR_OK;
    for (size_t i = 0; i < node->count && status == ORR_OK; i++) {
        status = read_entry(arena, node->item[i], &read, diag);
    }
    *out = efficiency;
    return status == ORR_OK ? apply_default(node, &read, efficiency, diag) : status;
}
