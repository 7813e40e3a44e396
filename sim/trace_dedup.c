/* Finding traces that are the same but for names; see trace_dedup.h.
 *
 * The groups that a rank's trace names are numbered in the order of the trace's table. Groups of
 * one number, size and shape (the distances of their ranks from the first) are a family, and get
 * the name of the family's first group; a group that its members number differently is in no
 * family, and then nothing is renamed. A peer is the distance from the rank. Two traces are the
 * same when all else is equal. */
#include "sim/trace_dedup.h"

#include <string.h>

struct family {
    uint32_t number, size;
    uint64_t shape;
    const char *name;
};

struct finder {
    struct orr_arena *arena;
    const struct sys *listed;
    uint32_t npus, groups;
    struct family *family; /* [families] */
    uint32_t families;
    uint32_t *family_of; /* [groups] one more than the family; 0: none yet */
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

/* Puts a group into the family of its number and shape; false when its members disagree. */
static bool join_family(struct finder *finder, uint32_t group, uint32_t number)
{
    const uint32_t known = finder->family_of[group];
    if (known != 0) {
        return finder->family[known - 1].number == number;
    }
    const uint32_t size = orr_sys_group_size(finder->listed, group);
    const uint64_t shape = shape_of(finder->listed, group);
    uint32_t f = 0;
    while (f < finder->families &&
           (finder->family[f].number != number || finder->family[f].size != size ||
            finder->family[f].shape != shape)) {
        f++;
    }
    if (f == finder->families) {
        finder->family[finder->families++] =
            (struct family){number, size, shape, orr_sys_group_name(finder->listed, group)};
    }
    finder->family_of[group] = f + 1;
    return true;
}

static bool is_world(const char *name)
{
    return name[0] == '\0' || strcmp(name, "0") == 0;
}

static bool find_families(struct finder *finder, const struct orr_trace *const *by_rank)
{
    for (uint32_t rank = 0; rank < finder->npus; rank++) {
        for (uint32_t i = 0; i < by_rank[rank]->group_count; i++) {
            const char *name = by_rank[rank]->groups[i];
            const uint32_t group =
                is_world(name) ? 0 : orr_sys_group_find(finder->listed, name, orr_rank(rank));
            if (group == UINT32_MAX || (group != 0 && !join_family(finder, group, i))) {
                return false;
            }
        }
    }
    return true;
}

/* ---- equality ---- */

/* A trace as a rank sees it. */
struct view {
    const struct orr_trace *trace;
    uint32_t rank;
};

static bool has_peer(const struct orr_node *node)
{
    return node->kind == ORR_NODE_SEND || node->kind == ORR_NODE_RECV;
}

static uint32_t offset_of(const struct finder *finder, const struct view *view,
                          const struct orr_node *node)
{
    const uint32_t peer = orr_node_peer(node, view->rank, finder->npus);
    return peer >= view->rank ? peer - view->rank : peer + finder->npus - view->rank;
}

static const char *group_name(const struct finder *finder, const struct view *view, uint32_t index)
{
    const char *name = view->trace->groups[index];
    if (is_world(name)) {
        return name;
    }
    const uint32_t group = orr_sys_group_find(finder->listed, name, orr_rank(view->rank));
    return finder->family[finder->family_of[group] - 1].name;
}

static uint64_t hash_node(const struct finder *finder, const struct view *view,
                          const struct orr_node *node)
{
    uint64_t hash = mix(node->id, node->kind);
    hash = mix(mix(hash, node->amount), node->duration_ps);
    hash = mix(mix(hash, node->group), node->first_child);
    return has_peer(node) ? mix(mix(hash, offset_of(finder, view, node)), node->of.p2p.tag)
                          : mix(hash, node->of.tensor_bytes);
}

static uint64_t hash_view(const struct finder *finder, const struct view *view)
{
    uint64_t hash = view->trace->nodes;
    for (uint32_t i = 0; i < view->trace->nodes; i++) {
        hash = mix(hash, hash_node(finder, view, &view->trace->node[i]));
    }
    for (uint32_t e = 0; view->trace->prefix != NULL && e < view->trace->edges; e++) {
        hash = mix(hash, view->trace->prefix[e]);
    }
    return hash;
}

static bool same_node(const struct finder *finder, const struct view *a, const struct view *b,
                      uint32_t index)
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
           offset_of(finder, a, first) == offset_of(finder, b, second);
}

/* Rare attributes are compared where they have no texts of their own. */
static bool same_extras(const struct orr_trace *a, const struct orr_trace *b)
{
    for (uint32_t i = 0; i < a->extra_count; i++) {
        const struct orr_node_extra *first = &a->extras[i], *second = &b->extras[i];
        if (first->priority != second->priority || first->root != second->root ||
            first->tag != second->tag || first->has_involved_dim != second->has_involved_dim ||
            first->involved_dims != second->involved_dims ||
            first->involved_mask != second->involved_mask || first->inputs_values != NULL ||
            second->inputs_values != NULL || first->input_count + first->output_count != 0 ||
            second->input_count + second->output_count != 0) {
            return false;
        }
    }
    return true;
}

/* Edges wait for the same nodes, and for as much of them. */
static bool same_edges(const struct orr_trace *a, const struct orr_trace *b)
{
    if (a->edges != b->edges || (a->prefix == NULL) != (b->prefix == NULL)) {
        return false;
    }
    return a->edges == 0 ||
           (memcmp(a->children, b->children, a->edges * sizeof *a->children) == 0 &&
            (a->prefix == NULL || memcmp(a->prefix, b->prefix, a->edges * sizeof *a->prefix) == 0));
}

static bool same_views(const struct finder *finder, const struct view *a, const struct view *b)
{
    const struct orr_trace *first = a->trace, *second = b->trace;
    bool same = first->nodes == second->nodes && first->group_count == second->group_count &&
                first->extra_count == second->extra_count && same_extras(first, second) &&
                same_edges(first, second);
    for (uint32_t i = 0; i < first->group_count && same; i++) {
        same = strcmp(group_name(finder, a, i), group_name(finder, b, i)) == 0;
    }
    for (uint32_t i = 0; i < first->nodes && same; i++) {
        same = same_node(finder, a, b, i);
    }
    return same;
}

/* ---- templates ---- */

static const struct orr_trace *make_template(const struct finder *finder, const struct view *view)
{
    const struct orr_trace *from = view->trace;
    struct orr_trace *made = orr_arena_alloc(finder->arena, sizeof *made);
    struct orr_node *node = orr_arena_array(finder->arena, from->nodes, sizeof *node);
    const char **groups = orr_arena_array(finder->arena, from->group_count, sizeof *groups);
    if (made == NULL || node == NULL || groups == NULL) {
        return NULL;
    }
    for (uint32_t i = 0; i < from->nodes; i++) {
        node[i] = from->node[i];
        if (has_peer(&node[i])) {
            node[i].of.p2p.peer = offset_of(finder, view, &from->node[i]);
            node[i].flags |= ORR_NODE_RELATIVE_PEER;
        }
    }
    for (uint32_t i = 0; i < from->group_count; i++) {
        groups[i] = group_name(finder, view, i);
    }
    *made = *from;
    made->node = node;
    made->groups = groups;
    return made;
}

/* Views by hash: an open-addressed table of the lowest ranks of their kind. */
struct table {
    uint64_t *hash;
    uint32_t *rank; /* one more; 0: free */
    uint32_t mask;
};

/* The lowest rank whose view is the same as this rank's, which is itself when it is the first. */
static uint32_t first_alike(const struct finder *finder, struct table *table,
                            const struct orr_trace *const *by_rank, uint32_t rank)
{
    const struct view view = {by_rank[rank], rank};
    const uint64_t hash = hash_view(finder, &view);
    uint32_t slot = (uint32_t)hash & table->mask;
    for (; table->rank[slot] != 0; slot = (slot + 1) & table->mask) {
        const struct view other = {by_rank[table->rank[slot] - 1], table->rank[slot] - 1};
        if (table->hash[slot] == hash && same_views(finder, &view, &other)) {
            return table->rank[slot] - 1;
        }
    }
    table->hash[slot] = hash;
    table->rank[slot] = rank + 1;
    return rank;
}

/* alike[rank]: the lowest rank with the same view. Returns how many views there are; 0: no memory.
 */
static uint32_t find_alike(const struct finder *finder, const struct orr_trace *const *by_rank,
                           uint32_t *alike)
{
    uint32_t slots = 2, views = 0;
    while (slots < 2 * finder->npus) {
        slots *= 2;
    }
    struct table table = {.hash = orr_heap_calloc(slots, sizeof *table.hash),
                          .rank = orr_heap_calloc(slots, sizeof *table.rank),
                          .mask = slots - 1};
    for (uint32_t rank = 0; rank < finder->npus && table.hash != NULL && table.rank != NULL;
         rank++) {
        alike[rank] = first_alike(finder, &table, by_rank, rank);
        views += alike[rank] == rank ? 1 : 0;
    }
    orr_heap_free(table.hash);
    orr_heap_free(table.rank);
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

static enum orr_status rename_groups(const struct finder *finder, struct wl_group_names *names,
                                     struct orr_diag *diag)
{
    const char **name = orr_arena_array(finder->arena, finder->groups, sizeof *name);
    if (name == NULL) {
        return orr_diag_no_memory(diag, "communicator groups");
    }
    for (uint32_t group = 0; group < finder->groups; group++) {
        const uint32_t family = finder->family_of[group];
        name[group] = family != 0 ? finder->family[family - 1].name
                                  : orr_sys_group_name(finder->listed, group);
    }
    *names = (struct wl_group_names){.name = name, .count = finder->groups};
    return ORR_OK;
}

static enum orr_status replace(const struct finder *finder, const struct orr_trace **by_rank,
                               const uint32_t *alike, struct orr_diag *diag)
{
    const struct orr_trace **made = orr_heap_calloc(finder->npus, sizeof *made);
    enum orr_status status = made != NULL ? ORR_OK : orr_diag_no_memory(diag, "the traces");
    for (uint32_t rank = 0; rank < finder->npus && status == ORR_OK; rank++) {
        const struct view view = {by_rank[rank], rank};
        made[rank] = alike[rank] == rank ? make_template(finder, &view) : made[alike[rank]];
        status = made[rank] != NULL ? ORR_OK : orr_diag_no_memory(diag, "the traces");
    }
    if (status == ORR_OK) {
        memcpy((void *)by_rank, (const void *)made, finder->npus * sizeof *made);
    }
    orr_heap_free((void *)made);
    return status;
}

enum orr_status orr_wl_dedup_traces(struct orr_arena *arena, const struct sys *listed,
                                    const struct orr_trace **by_rank, uint32_t npus,
                                    struct wl_group_names *names, struct orr_diag *diag)
{
    struct finder finder = {
        .arena = arena, .listed = listed, .npus = npus, .groups = orr_sys_groups(listed)};
    *names = (struct wl_group_names){.name = NULL};
    finder.family = orr_heap_calloc(finder.groups, sizeof *finder.family);
    finder.family_of = orr_heap_calloc(finder.groups, sizeof *finder.family_of);
    uint32_t *alike = orr_heap_calloc(npus, sizeof *alike);
    enum orr_status status = ORR_OK;
    if (finder.family == NULL || finder.family_of == NULL || alike == NULL) {
        status = orr_diag_no_memory(diag, "the traces");
    } else if (find_families(&finder, by_rank)) {
        const uint32_t views = find_alike(&finder, by_rank, alike);
        if (views == 0) {
            status = orr_diag_no_memory(diag, "the traces");
        } else if (views < distinct_traces(by_rank, npus)) {
            status = replace(&finder, by_rank, alike, diag);
            status = status == ORR_OK ? rename_groups(&finder, names, diag) : status;
        }
    }
    orr_heap_free(finder.family);
    orr_heap_free(finder.family_of);
    orr_heap_free(alike);
    return status;
}
