/* Deduplication of traces modulo renaming of ranks and groups; see trace_dedup.h.
 *
 * A rank's groups are numbered by the order of its trace's table. Groups of equal number, size and
 * shape (distances of their ranks from the first) are a family, and get the name of its first
 * group. If the members of a group number it differently, nothing is renamed. A peer is its
 * distance from the rank. Two traces are equal if everything else is equal. */
#include "sim/trace_dedup.h"

#include "core/arena.h"
#include "core/diag.h"
#include "core/fold.h"
#include "system/sys_groups.h"
#include "system/sys_position.h"
#include "workload/trace/trace.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

struct family {
    uint32_t number, size;
    uint64_t shape;
    const char *name;
};

struct dedup {
    struct orr_arena *arena;
    const struct sys *listed;
    uint32_t npus, groups;
    struct family *family; /* [families] */
    uint32_t families;
    uint32_t *family_of; /* [groups] 1 + the family; 0: none yet */
};

/* ---- families ---- */

static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * UINT64_C(0x9E3779B97F4A7C15);
    return hash ^ hash >> 29;
}

static uint64_t shape_of(const struct sys *listed, uint32_t group)
{
    uint64_t hash = 1;
    const uint32_t first = orr_sys_group_rank(listed, group, sys_position(0)).rank;
    for (uint32_t i = 1; i < orr_sys_group_size(listed, group); i++) {
        hash = mix(hash, (uint64_t)orr_sys_group_rank(listed, group, sys_position(i)).rank - first);
    }
    return hash;
}

/* Adds a group to the family of its number and shape; false: its members disagree. */
static bool add_to_family(struct dedup *dedup, uint32_t group, uint32_t number)
{
    const uint32_t known = dedup->family_of[group];
    if (known != 0) {
        return dedup->family[known - 1].number == number;
    }
    const uint32_t size = orr_sys_group_size(dedup->listed, group);
    const uint64_t shape = shape_of(dedup->listed, group);
    uint32_t f = 0;
    while (f < dedup->families &&
           (dedup->family[f].number != number || dedup->family[f].size != size ||
            dedup->family[f].shape != shape)) {
        f++;
    }
    if (f == dedup->families) {
        dedup->family[dedup->families++] =
            (struct family){number, size, shape, orr_sys_group_name(dedup->listed, group)};
    }
    dedup->family_of[group] = f + 1;
    return true;
}

static bool find_families(struct dedup *dedup, const struct orr_trace *const *by_rank)
{
    for (uint32_t rank = 0; rank < dedup->npus; rank++) {
        for (uint32_t i = 0; i < by_rank[rank]->group_count; i++) {
            const char *name = by_rank[rank]->groups[i];
            const uint32_t group = orr_sys_group_named(dedup->listed, name, orr_rank(rank));
            if (group == UINT32_MAX || (group != 0 && !add_to_family(dedup, group, i))) {
                return false;
            }
        }
    }
    return true;
}

/* ---- equality ---- */

/* A trace from the view of a rank. */
struct rank_view {
    const struct orr_trace *trace;
    uint32_t rank;
};

static bool has_peer(const struct orr_node *node)
{
    return node->kind == ORR_NODE_SEND || node->kind == ORR_NODE_RECV;
}

static uint32_t offset_of(const struct dedup *dedup, const struct rank_view *rank_view,
                          const struct orr_node *node)
{
    const uint32_t peer = orr_node_peer(node, rank_view->rank, dedup->npus);
    return peer >= rank_view->rank ? peer - rank_view->rank : peer + dedup->npus - rank_view->rank;
}

static const char *group_name(const struct dedup *dedup, const struct rank_view *rank_view,
                              uint32_t index)
{
    const char *name = rank_view->trace->groups[index];
    const uint32_t group = orr_sys_group_named(dedup->listed, name, orr_rank(rank_view->rank));
    return group == 0 ? name : dedup->family[dedup->family_of[group] - 1].name;
}

static uint64_t hash_node(const struct dedup *dedup, const struct rank_view *rank_view,
                          const struct orr_node *node)
{
    uint64_t hash = mix(node->id, node->kind);
    hash = mix(mix(hash, node->amount), node->duration_ps);
    hash = mix(mix(hash, node->group), node->first_child);
    return has_peer(node) ? mix(mix(hash, offset_of(dedup, rank_view, node)), node->of.p2p.tag)
                          : mix(hash, node->of.tensor_bytes);
}

static uint64_t hash_view(const struct dedup *dedup, const struct rank_view *rank_view)
{
    uint64_t hash = rank_view->trace->nodes;
    for (uint32_t i = 0; i < rank_view->trace->nodes; i++) {
        hash = mix(hash, hash_node(dedup, rank_view, &rank_view->trace->node[i]));
    }
    for (uint32_t e = 0; rank_view->trace->prefix != NULL && e < rank_view->trace->edges; e++) {
        hash = mix(hash, rank_view->trace->prefix[e]);
    }
    return hash;
}

static bool same_node(const struct dedup *dedup, const struct rank_view *a,
                      const struct rank_view *b, uint32_t index)
{
    const struct orr_node *first = &a->trace->node[index], *second = &b->trace->node[index];
    const bool same = first->id == second->id && first->duration_ps == second->duration_ps &&
                      first->amount == second->amount && first->group == second->group &&
                      first->first_child == second->first_child && first->kind == second->kind &&
                      first->comm == second->comm && first->flags == second->flags &&
                      first->op == second->op && first->extra == second->extra &&
                      strcmp(first->name, second->name) == 0;
    if (!same || !has_peer(first)) {
        return same && first->of.tensor_bytes == second->of.tensor_bytes;
    }
    return first->of.p2p.tag == second->of.p2p.tag &&
           offset_of(dedup, a, first) == offset_of(dedup, b, second);
}

/* Compares rare attributes, if they have no texts. */
static bool same_extras(const struct orr_trace *a, const struct orr_trace *b)
{
    for (uint32_t i = 0; i < a->extra_count; i++) {
        const struct orr_node_extra *first = &a->extras[i], *second = &b->extras[i];
        if (first->priority != second->priority || first->root != second->root ||
            first->tag != second->tag || first->has_involved_dim != second->has_involved_dim ||
            first->involved_dims != second->involved_dims ||
            first->involved_mask != second->involved_mask ||
            !orr_comm_sizes_equal(&first->sizes, &second->sizes) || first->inputs_values != NULL ||
            second->inputs_values != NULL || first->input_count + first->output_count != 0 ||
            second->input_count + second->output_count != 0) {
            return false;
        }
    }
    return true;
}

/* Whether edges depend on equal nodes, and on equal prefixes of them. */
static bool same_edges(const struct orr_trace *a, const struct orr_trace *b)
{
    if (a->edges != b->edges || (a->prefix == NULL) != (b->prefix == NULL)) {
        return false;
    }
    return a->edges == 0 ||
           (memcmp(a->children, b->children, a->edges * sizeof *a->children) == 0 &&
            (a->prefix == NULL || memcmp(a->prefix, b->prefix, a->edges * sizeof *a->prefix) == 0));
}

static bool same_views(const struct dedup *dedup, const struct rank_view *a,
                       const struct rank_view *b)
{
    const struct orr_trace *first = a->trace, *second = b->trace;
    bool same = first->nodes == second->nodes && first->group_count == second->group_count &&
                first->extra_count == second->extra_count && same_extras(first, second) &&
                same_edges(first, second);
    for (uint32_t i = 0; i < first->group_count && same; i++) {
        same = strcmp(group_name(dedup, a, i), group_name(dedup, b, i)) == 0;
    }
    for (uint32_t i = 0; i < first->nodes && same; i++) {
        same = same_node(dedup, a, b, i);
    }
    return same;
}

/* ---- templates ---- */

static const struct orr_trace *make_template(const struct dedup *dedup,
                                             const struct rank_view *rank_view)
{
    const struct orr_trace *from = rank_view->trace;
    struct orr_trace *made = orr_arena_alloc(dedup->arena, sizeof *made);
    struct orr_node *node = orr_arena_array(dedup->arena, from->nodes, sizeof *node);
    const char **groups = orr_arena_array(dedup->arena, from->group_count, sizeof *groups);
    if (made == NULL || node == NULL || groups == NULL) {
        return NULL;
    }
    for (uint32_t i = 0; i < from->nodes; i++) {
        node[i] = from->node[i];
        if (has_peer(&node[i])) {
            node[i].of.p2p.peer = offset_of(dedup, rank_view, &from->node[i]);
            node[i].flags |= ORR_NODE_RELATIVE_PEER;
        }
    }
    for (uint32_t i = 0; i < from->group_count; i++) {
        groups[i] = group_name(dedup, rank_view, i);
    }
    *made = *from;
    made->node = node;
    made->groups = groups;
    return made;
}

/* Hash table of views, with open addressing: the lowest rank of each distinct view. */
struct view_table {
    uint64_t *hash;
    uint32_t *rank; /* 1 + the rank; 0: free */
    uint32_t mask;
};

/* The lowest rank with the same view as this rank; the rank itself if it is the first. */
static uint32_t first_equal(const struct dedup *dedup, struct view_table *view_table,
                            const struct orr_trace *const *by_rank, uint32_t rank)
{
    const struct rank_view rank_view = {by_rank[rank], rank};
    const uint64_t hash = hash_view(dedup, &rank_view);
    uint32_t slot = (uint32_t)hash & view_table->mask;
    for (; view_table->rank[slot] != 0; slot = (slot + 1) & view_table->mask) {
        const struct rank_view other = {by_rank[view_table->rank[slot] - 1],
                                        view_table->rank[slot] - 1};
        if (view_table->hash[slot] == hash && same_views(dedup, &rank_view, &other)) {
            return view_table->rank[slot] - 1;
        }
    }
    view_table->hash[slot] = hash;
    view_table->rank[slot] = rank + 1;
    return rank;
}

/* Sets first_of[rank]: the lowest rank with the same view. Returns the number of distinct views; 0:
 * out of memory. */
static uint32_t find_equal(const struct dedup *dedup, const struct orr_trace *const *by_rank,
                           uint32_t *first_of)
{
    uint32_t slots = 2, views = 0;
    while (slots < 2 * dedup->npus) {
        slots *= 2;
    }
    struct view_table view_table = {.hash = orr_heap_calloc(slots, sizeof *view_table.hash),
                                    .rank = orr_heap_calloc(slots, sizeof *view_table.rank),
                                    .mask = slots - 1};
    for (uint32_t rank = 0;
         rank < dedup->npus && view_table.hash != NULL && view_table.rank != NULL; rank++) {
        first_of[rank] = first_equal(dedup, &view_table, by_rank, rank);
        views += first_of[rank] == rank ? 1 : 0;
    }
    orr_heap_free(view_table.hash);
    orr_heap_free(view_table.rank);
    return views;
}

static uint32_t distinct_traces(const struct orr_trace *const *by_rank, uint32_t npus)
{
    uint32_t count = 0;
    for (uint32_t rank = 0; rank < npus; rank++) {
        count += rank == 0 || by_rank[rank] != by_rank[rank - 1] ? 1 : 0;
    }
    return count;
}

static enum orr_status rename_groups(const struct dedup *dedup, struct wl_group_names *names,
                                     struct orr_diag *diag)
{
    const char **name = orr_arena_array(dedup->arena, dedup->groups, sizeof *name);
    if (name == NULL) {
        return orr_diag_no_memory(diag, "communicator groups");
    }
    for (uint32_t group = 0; group < dedup->groups; group++) {
        const uint32_t family = dedup->family_of[group];
        name[group] =
            family != 0 ? dedup->family[family - 1].name : orr_sys_group_name(dedup->listed, group);
    }
    *names = (struct wl_group_names){.name = name, .count = dedup->groups};
    return ORR_OK;
}

static enum orr_status replace(const struct dedup *dedup, const struct orr_trace **by_rank,
                               const uint32_t *first_of, struct orr_diag *diag)
{
    const struct orr_trace **made = orr_heap_calloc(dedup->npus, sizeof *made);
    enum orr_status status = made != NULL ? ORR_OK : orr_diag_no_memory(diag, "the traces");
    for (uint32_t rank = 0; rank < dedup->npus && status == ORR_OK; rank++) {
        const struct rank_view rank_view = {by_rank[rank], rank};
        made[rank] =
            first_of[rank] == rank ? make_template(dedup, &rank_view) : made[first_of[rank]];
        status = made[rank] != NULL ? ORR_OK : orr_diag_no_memory(diag, "the traces");
    }
    if (status == ORR_OK) {
        memcpy((void *)by_rank, (const void *)made, dedup->npus * sizeof *made);
    }
    orr_heap_free((void *)made);
    return status;
}

enum orr_status orr_wl_dedup_traces(struct orr_arena *arena, const struct sys *listed,
                                    const struct orr_trace **by_rank, uint32_t npus,
                                    struct wl_group_names *names, struct orr_diag *diag)
{
    struct dedup dedup = {
        .arena = arena, .listed = listed, .npus = npus, .groups = orr_sys_groups(listed)};
    *names = (struct wl_group_names){.name = NULL};
    dedup.family = orr_heap_calloc(dedup.groups, sizeof *dedup.family);
    dedup.family_of = orr_heap_calloc(dedup.groups, sizeof *dedup.family_of);
    uint32_t *first_of = orr_heap_calloc(npus, sizeof *first_of);
    enum orr_status status = ORR_OK;
    if (dedup.family == NULL || dedup.family_of == NULL || first_of == NULL) {
        status = orr_diag_no_memory(diag, "the traces");
    } else if (find_families(&dedup, by_rank)) {
        const uint32_t views = find_equal(&dedup, by_rank, first_of);
        if (views == 0) {
            status = orr_diag_no_memory(diag, "the traces");
        } else if (views < distinct_traces(by_rank, npus)) {
            status = replace(&dedup, by_rank, first_of, diag);
            status = status == ORR_OK ? rename_groups(&dedup, names, diag) : status;
        }
    }
    orr_heap_free(dedup.family);
    orr_heap_free(dedup.family_of);
    orr_heap_free(first_of);
    return status;
}
