/* Uneven collectives: finds, before the run, what every member of one sends and receives, and
 * checks that the members agree (docs/file-formats.md). */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "system/collectives/program.h"
#include "system/sys_collective.h"
#include "system/sys_groups.h"
#include "workload/engine/engine_private.h"

/* A collective of an NPU. Those of one group and ordinal are one collective. */
struct item {
    uint32_t group, ordinal, slot, node;
};

static int compare_items(const void *a, const void *b)
{
    const struct item *x = a, *y = b;
    if (x->group != y->group) {
        return x->group < y->group ? -1 : 1;
    }
    if (x->ordinal != y->ordinal) {
        return x->ordinal < y->ordinal ? -1 : 1;
    }
    return x->slot != y->slot ? (x->slot < y->slot ? -1 : 1) : 0;
}

/* One collective with its members by place in the user's order. */
struct meeting {
    const struct wl_engine *engine;
    const struct item *item; /* [items] */
    uint32_t items;
    uint32_t group, n;
    const struct item **member; /* [n], NULL: no such collective on the member */
    struct orr_diag *diag;
};

static const struct orr_trace *trace_of(const struct meeting *meeting, uint32_t place)
{
    return meeting->engine->npu[meeting->member[place]->slot].trace;
}

static const struct orr_node *node_of(const struct meeting *meeting, uint32_t place)
{
    return &trace_of(meeting, place)->node[meeting->member[place]->node];
}

static const struct orr_comm_sizes none = {.send = NULL};

static const struct orr_comm_sizes *sizes_of(const struct orr_trace *trace,
                                             const struct orr_node *node)
{
    const struct orr_node_extra *extra = orr_trace_extra(trace, node);
    return extra != NULL ? &extra->sizes : &none;
}

static const struct orr_comm_sizes *sizes_at(const struct meeting *meeting, uint32_t place)
{
    return meeting->member[place] != NULL
               ? sizes_of(trace_of(meeting, place), node_of(meeting, place))
               : &none;
}

static uint32_t npu_at(const struct meeting *meeting, uint32_t place)
{
    return wl_rank(meeting->engine, orr_slot(meeting->member[place]->slot)).rank;
}

static uint64_t sum(const uint64_t *bytes, uint32_t count)
{
    uint64_t all = 0;
    for (uint32_t i = 0; i < count; i++) {
        all += bytes[i];
    }
    return all;
}

static enum orr_status fail(const struct meeting *meeting, uint32_t place, const char *format, ...)
    ORR_PRINTF(3, 4);

static enum orr_status fail(const struct meeting *meeting, uint32_t place, const char *format, ...)
{
    const struct orr_location file = orr_location_file(trace_of(meeting, place)->path);
    const struct orr_node *node = node_of(meeting, place);
    char text[512];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return orr_diag_fail(meeting->diag, ORR_ERR_INPUT, &file, "node %" PRIu64 " (%s) of NPU %u %s",
                         node->id, node->name, npu_at(meeting, place), text);
}

/* ---- checks of a member by itself ---- */

static enum orr_status check_count(const struct meeting *meeting, uint32_t place, const char *name,
                                   uint32_t count, bool allowed)
{
    if (count == 0 || (count == meeting->n && allowed)) {
        return ORR_OK;
    }
    return allowed ? fail(meeting, place,
                          "has %" PRIu32 " values in \"%s\"; expected one for each of the %" PRIu32
                          " members of its group",
                          count, name, meeting->n)
                   : fail(meeting, place,
                          "has the attribute \"%s\"; expected only in all-to-alls, and %s", name,
                          strcmp(name, ORR_SEND_SIZES) == 0 ? "reduce-scatters" : "all-gathers");
}

static enum orr_status check_total(const struct meeting *meeting, uint32_t place,
                                   enum coll_kind kind)
{
    const struct orr_comm_sizes *sizes = sizes_at(meeting, place);
    const uint64_t bytes = node_of(meeting, place)->amount;
    const bool gathers = kind == COLL_ALL_GATHER;
    const uint32_t count = gathers ? sizes->recv_count : sizes->send_count;
    if (count == 0) {
        return kind == COLL_ALL_TO_ALL && sizes->recv_count != 0
                   ? fail(meeting, place, "has \"%s\" without \"%s\"", ORR_RECV_SIZES,
                          ORR_SEND_SIZES)
                   : ORR_OK;
    }
    const uint64_t own = gathers ? sizes->recv[place] : sum(sizes->send, count);
    return own == bytes
               ? ORR_OK
               : fail(meeting, place, "has comm_size %" PRIu64 "; expected %" PRIu64 ", %s \"%s\"",
                      bytes, own, gathers ? "its own part of" : "the sum of",
                      gathers ? ORR_RECV_SIZES : ORR_SEND_SIZES);
}

static enum orr_status check_member(const struct meeting *meeting, uint32_t place,
                                    enum coll_kind kind)
{
    const struct orr_comm_sizes *sizes = sizes_at(meeting, place);
    enum orr_status status = check_count(meeting, place, ORR_SEND_SIZES, sizes->send_count,
                                         kind == COLL_ALL_TO_ALL || kind == COLL_REDUCE_SCATTER);
    if (status == ORR_OK) {
        status = check_count(meeting, place, ORR_RECV_SIZES, sizes->recv_count,
                             kind == COLL_ALL_TO_ALL || kind == COLL_ALL_GATHER);
    }
    if (status == ORR_OK && sizes->differ && !coll_kind_is_uneven(kind)) {
        status = fail(meeting, place,
                      "has the attribute \"%s\"; expected only in all-to-alls, all-gathers and "
                      "reduce-scatters",
                      ORR_SIZES_DIFFER);
    }
    if (status == ORR_OK && meeting->group == 0 &&
        orr_wl_dim_mask(trace_of(meeting, place), node_of(meeting, place)) != UINT32_MAX) {
        status = fail(meeting, place,
                      "is uneven and involves some dimensions only (involved_dim); give its group "
                      "instead (pg_name)");
    }
    return status == ORR_OK ? check_total(meeting, place, kind) : status;
}

/* ---- rows ---- */

static const uint64_t *even_row(const struct meeting *meeting, uint64_t bytes)
{
    uint64_t *row = orr_arena_array(meeting->engine->parts.arena, meeting->n, sizeof *row);
    const uint64_t part = bytes / meeting->n + (bytes % meeting->n != 0 ? 1 : 0);
    for (uint32_t i = 0; row != NULL && i < meeting->n; i++) {
        row[i] = part;
    }
    return row;
}

/* Each pair of an all-to-all agrees on what goes from one to the other. */
static enum orr_status check_pairs(const struct meeting *meeting, const uint64_t *const *row)
{
    for (uint32_t to = 0; to < meeting->n; to++) {
        const struct orr_comm_sizes *sizes = sizes_at(meeting, to);
        for (uint32_t from = 0; from < meeting->n && sizes->recv_count != 0; from++) {
            if (meeting->member[from] == NULL || row[from][to] == sizes->recv[from]) {
                continue;
            }
            return fail(meeting, from,
                        "sends %" PRIu64 " bytes to NPU %u, which expects %" PRIu64
                        " from it (node %" PRIu64 "); NPU %u sends %" PRIu64
                        " bytes in all, NPU %u expects %" PRIu64 " in all",
                        row[from][to], npu_at(meeting, to), sizes->recv[from],
                        node_of(meeting, to)->id, npu_at(meeting, from), sum(row[from], meeting->n),
                        npu_at(meeting, to), sum(sizes->recv, meeting->n));
        }
    }
    return ORR_OK;
}

static enum orr_status fill_pairs(const struct meeting *meeting, const uint64_t **row)
{
    for (uint32_t i = 0; i < meeting->n; i++) {
        const struct orr_comm_sizes *sizes = sizes_at(meeting, i);
        const uint64_t bytes = meeting->member[i] != NULL ? node_of(meeting, i)->amount : 0;
        row[i] = sizes->send_count != 0 ? sizes->send : even_row(meeting, bytes);
        if (row[i] == NULL) {
            return orr_diag_no_memory(meeting->diag, "the sizes of a collective");
        }
    }
    return check_pairs(meeting, row);
}

/* What a member of an all-gather or a reduce-scatter says of the part of itself. */
static uint64_t own_part(const struct meeting *meeting, uint32_t place, enum coll_kind kind)
{
    const struct orr_comm_sizes *sizes = sizes_at(meeting, place);
    const uint64_t bytes = node_of(meeting, place)->amount;
    if (kind == COLL_ALL_GATHER) {
        return bytes;
    }
    return sizes->send_count != 0 ? sizes->send[place]
                                  : bytes / meeting->n + (bytes % meeting->n != 0 ? 1 : 0);
}

/* Each member agrees with the parts. */
static enum orr_status check_parts(const struct meeting *meeting, const uint64_t *part,
                                   enum coll_kind kind)
{
    const bool gathers = kind == COLL_ALL_GATHER;
    for (uint32_t i = 0; i < meeting->n; i++) {
        const struct orr_comm_sizes *sizes = sizes_at(meeting, i);
        const uint64_t *said = gathers ? sizes->recv : sizes->send;
        for (uint32_t k = 0; k < meeting->n && said != NULL; k++) {
            if (said[k] == part[k] || meeting->member[k] == NULL) {
                continue;
            }
            return fail(meeting, i,
                        "expects %" PRIu64 " bytes %s NPU %u, which %s %" PRIu64 " (node %" PRIu64
                        "); NPU %u expects %" PRIu64 " bytes in all, the members %s %" PRIu64,
                        said[k], gathers ? "from" : "to be kept by", npu_at(meeting, k),
                        gathers ? "contributes" : "keeps", part[k], node_of(meeting, k)->id,
                        npu_at(meeting, i), sum(said, meeting->n), gathers ? "contribute" : "keep",
                        sum(part, meeting->n));
        }
    }
    return ORR_OK;
}

static enum orr_status fill_parts(const struct meeting *meeting, const uint64_t **row,
                                  enum coll_kind kind)
{
    uint64_t *part = orr_arena_array(meeting->engine->parts.arena, meeting->n, sizeof *part);
    if (part == NULL) {
        return orr_diag_no_memory(meeting->diag, "the sizes of a collective");
    }
    for (uint32_t i = 0; i < meeting->n; i++) {
        part[i] = meeting->member[i] != NULL ? own_part(meeting, i, kind) : 0;
    }
    row[0] = part;
    return check_parts(meeting, part, kind);
}

/* ---- one collective ---- */

static bool is_even(const struct meeting *meeting, const uint64_t *const *row, uint32_t rows)
{
    for (uint32_t i = 0; i < meeting->n; i++) {
        if (meeting->member[i] == NULL ||
            node_of(meeting, i)->amount != node_of(meeting, 0)->amount) {
            return false;
        }
    }
    for (uint32_t i = 0; i < rows; i++) {
        for (uint32_t k = 0; k < meeting->n; k++) {
            if (row[i][k] != row[0][0]) {
                return false;
            }
        }
    }
    return true;
}

static uint64_t largest_of(const struct meeting *meeting, const uint64_t *const *row,
                           enum coll_kind kind)
{
    uint64_t largest = 0;
    for (uint32_t i = 0; i < meeting->n; i++) {
        uint64_t bytes = row[0][i];
        if (kind == COLL_ALL_TO_ALL) {
            uint64_t received = 0;
            for (uint32_t k = 0; k < meeting->n; k++) {
                received += row[k][i];
            }
            bytes = sum(row[i], meeting->n);
            bytes = bytes > received ? bytes : received;
        }
        largest = bytes > largest ? bytes : largest;
    }
    return kind == COLL_REDUCE_SCATTER
               ? (largest > UINT64_MAX / meeting->n ? UINT64_MAX : largest * meeting->n)
               : largest;
}

/* Sorts the rows by position; the group's positions need not be in the user's order. */
static const struct sys_sizes *make_sizes(const struct meeting *meeting, const uint64_t **row,
                                          enum coll_kind kind)
{
    struct orr_arena *arena = meeting->engine->parts.arena;
    const struct sys *sys = meeting->engine->parts.sys;
    uint32_t count;
    const uint32_t *given = orr_sys_group_ranks(sys, meeting->group, &count);
    struct sys_sizes *sizes = orr_arena_alloc(arena, sizeof *sizes);
    const uint64_t **by_position = orr_arena_array(arena, count, sizeof *by_position);
    uint32_t *column = orr_arena_array(arena, count, sizeof *column);
    if (sizes == NULL || by_position == NULL || column == NULL) {
        return NULL;
    }
    for (uint32_t place = 0; place < count; place++) {
        const uint32_t position =
            given != NULL
                ? orr_sys_group_position(sys, meeting->group, orr_rank(given[place])).position
                : place;
        column[position] = place;
        by_position[position] = kind == COLL_ALL_TO_ALL ? row[place] : row[0];
    }
    *sizes = (struct sys_sizes){
        .row = by_position, .column = column, .largest = largest_of(meeting, row, kind)};
    return sizes;
}

/* *out: NULL if the collective is even, or its members do not even agree on its kind. */
static enum orr_status agree(const struct meeting *meeting, const struct sys_sizes **out)
{
    uint32_t first = 0;
    while (meeting->member[first] == NULL) {
        first++;
    }
    const enum coll_kind kind = orr_wl_coll_kind(node_of(meeting, first)->comm);
    enum orr_status status = ORR_OK;
    for (uint32_t i = 0; i < meeting->n && status == ORR_OK; i++) {
        if (meeting->member[i] == NULL) {
            continue;
        }
        if (orr_wl_coll_kind(node_of(meeting, i)->comm) != kind) {
            return ORR_OK; /* a deadlock report tells */
        }
        status = check_member(meeting, i, kind);
    }
    const uint32_t rows = kind == COLL_ALL_TO_ALL ? meeting->n : 1;
    const uint64_t **row = orr_arena_array(meeting->engine->parts.arena, rows, sizeof *row);
    if (status != ORR_OK || row == NULL) {
        return status != ORR_OK ? status
                                : orr_diag_no_memory(meeting->diag, "the sizes of a collective");
    }
    status = kind == COLL_ALL_TO_ALL ? fill_pairs(meeting, row) : fill_parts(meeting, row, kind);
    if (status != ORR_OK || is_even(meeting, row, rows)) {
        return status;
    }
    *out = make_sizes(meeting, row, kind);
    return *out != NULL ? ORR_OK : orr_diag_no_memory(meeting->diag, "the sizes of a collective");
}

static enum orr_status meet(struct meeting *meeting)
{
    const struct wl_engine *engine = meeting->engine;
    const struct sys *sys = engine->parts.sys;
    uint32_t count;
    const uint32_t *given = orr_sys_group_ranks(sys, meeting->group, &count);
    const struct sys_sizes *sizes = NULL;
    meeting->n = count;
    meeting->member = orr_arena_array(engine->parts.arena, count, sizeof *meeting->member);
    if (meeting->member == NULL) {
        return orr_diag_no_memory(meeting->diag, "the sizes of a collective");
    }
    for (uint32_t place = 0; place < count; place++) {
        const struct orr_slot slot =
            wl_slot(engine, orr_rank(given != NULL ? given[place] : place));
        for (uint32_t i = 0; i < meeting->items; i++) {
            meeting->member[place] =
                meeting->item[i].slot == slot.slot ? &meeting->item[i] : meeting->member[place];
        }
    }
    const enum orr_status status = agree(meeting, &sizes);
    for (uint32_t i = 0; i < meeting->items && sizes != NULL; i++) {
        struct wl_npu *npu = &engine->npu[meeting->item[i].slot];
        npu->uneven[npu->uneven_count++] =
            (struct wl_uneven){.node = meeting->item[i].node, .sizes = sizes};
    }
    return status;
}

/* ---- all collectives ---- */

static bool has_uneven(const struct orr_trace *trace)
{
    for (uint32_t i = 0; i < trace->extra_count; i++) {
        if (orr_comm_is_uneven(&trace->extras[i].sizes)) {
            return true;
        }
    }
    return false;
}

static bool any_uneven(const struct wl_engine *engine)
{
    for (uint32_t i = 0; i < engine->npus; i++) {
        if ((i == 0 || engine->npu[i].trace != engine->npu[i - 1].trace) &&
            has_uneven(engine->npu[i].trace)) {
            return true;
        }
    }
    return false;
}

/* Lists the collectives of all NPUs; NULL items: counts them. */
static size_t list_items(const struct wl_engine *engine, struct item *items)
{
    size_t count = 0;
    for (uint32_t slot = 0; slot < engine->npus; slot++) {
        const struct wl_npu *npu = &engine->npu[slot];
        for (uint32_t i = 0; i < npu->trace->nodes; i++) {
            const struct orr_node *node = &npu->trace->node[i];
            if (node->kind != ORR_NODE_COLL || orr_wl_is_replayed(engine, node)) {
                continue;
            }
            if (items != NULL) {
                items[count] = (struct item){
                    .group = node->group != 0 ? npu->groups[node->group - 1] : npu->all,
                    .ordinal = npu->layout->ordinal[i],
                    .slot = slot,
                    .node = i};
            }
            count++;
        }
    }
    return count;
}

static int compare_nodes(const void *a, const void *b)
{
    const struct wl_uneven *x = a, *y = b;
    return x->node < y->node ? -1 : x->node > y->node;
}

static enum orr_status meet_all(struct wl_engine *engine, const struct item *items, size_t count,
                                struct orr_diag *diag)
{
    enum orr_status status = ORR_OK;
    for (size_t first = 0, end; first < count && status == ORR_OK; first = end) {
        bool uneven = false;
        for (end = first; end < count && items[end].group == items[first].group &&
                          items[end].ordinal == items[first].ordinal;
             end++) {
            const struct orr_trace *trace = engine->npu[items[end].slot].trace;
            uneven = uneven || orr_comm_is_uneven(sizes_of(trace, &trace->node[items[end].node]));
        }
        struct meeting meeting = {.engine = engine,
                                  .item = &items[first],
                                  .items = (uint32_t)(end - first),
                                  .group = items[first].group,
                                  .diag = diag};
        status = uneven ? meet(&meeting) : ORR_OK;
    }
    return status;
}

/* The lists of the NPUs; before they are filled, their counts are those of all collectives. */
static enum orr_status allocate(struct wl_engine *engine, const struct item *items, size_t count,
                                struct orr_diag *diag)
{
    for (size_t i = 0; i < count; i++) {
        engine->npu[items[i].slot].uneven_count++;
    }
    for (uint32_t i = 0; i < engine->npus; i++) {
        struct wl_npu *npu = &engine->npu[i];
        npu->uneven = orr_arena_array(engine->parts.arena, npu->uneven_count, sizeof *npu->uneven);
        if (npu->uneven == NULL && npu->uneven_count != 0) {
            return orr_diag_no_memory(diag, "the sizes of collectives");
        }
        npu->uneven_count = 0;
    }
    return ORR_OK;
}

enum orr_status orr_wl_uneven_create(struct wl_engine *engine, struct orr_diag *diag)
{
    if (engine->parts.policy->ignores_rules || engine->parts.policy->pair_by_issue ||
        !any_uneven(engine)) {
        return ORR_OK;
    }
    const size_t count = list_items(engine, NULL);
    struct item *items = orr_heap_calloc(count + 1, sizeof *items);
    if (items == NULL) {
        return orr_diag_no_memory(diag, "the sizes of collectives");
    }
    (void)list_items(engine, items);
    qsort(items, count, sizeof *items, compare_items);
    enum orr_status status = allocate(engine, items, count, diag);
    if (status == ORR_OK) {
        status = meet_all(engine, items, count, diag);
    }
    for (uint32_t i = 0; i < engine->npus && status == ORR_OK; i++) {
        struct wl_npu *npu = &engine->npu[i];
        if (npu->uneven_count != 0) {
            qsort(npu->uneven, npu->uneven_count, sizeof *npu->uneven, compare_nodes);
        }
    }
    orr_heap_free(items);
    return status;
}
