/* Matches the nodes of two traces; see trace_match.h.
 *
 * Colorings are tried from the finest to the coarsest. In each, matches propagate to neighbors: two
 * nodes of one color are matched if they are parents, or children, of a matched pair. The ties of a
 * node encode which matched nodes are its neighbors; of several neighbors of one color, those with
 * equal ties are matched. Order: first unique ones; then one pair of several candidates, after
 * which its neighbors come first again; then any with equal colors. If nothing propagates any more,
 * the nodes of one color are matched in the order of their ids, and each pair propagates again. So
 * a node of one of several equal subgraphs is not matched into another one. */
#include "workload/trace/trace_match.h"

#include <stdlib.h>
#include <string.h>

#include "core/arena.h"
#include "core/diag.h"
#include "workload/trace/trace.h"
#include "workload/trace/trace_color.h"

struct colored {
    uint64_t color, ties;
    uint32_t node;
};

/* One of the two traces. */
struct side {
    struct orr_colors colors;
    uint32_t *match;      /* [nodes] match in the other trace */
    uint64_t *ties;       /* [nodes] sum over matched neighbors */
    struct colored *list; /* [nodes] unmatched nodes */
    struct colored *near; /* [nodes] unmatched neighbors */
    uint32_t listed, nears;
};

/* Which neighbors are matched. */
enum choice {
    CHOOSE_ONLY,  /* those unique in color and ties */
    CHOOSE_ONE,   /* one pair of equal color and ties */
    CHOOSE_COLOR, /* all of equal color */
    CHOICES
};

/* Queues of nodes of trace a whose neighbors will be visited, one for each choice. */
struct agenda {
    uint32_t *node; /* [nodes] */
    bool *listed;   /* [nodes] */
    uint32_t count;
};

struct matcher {
    struct side a, b;
    struct agenda agenda[CHOICES];
    uint32_t *pairs; /* matched nodes of a, in order of matching */
    uint32_t matched;
    uint64_t budget; /* neighbors that CHOOSE_ONE may still visit */
};

enum { VISITS_PER_EDGE = 8 };

/* ---- equality ---- */

static bool same_text(const char *a, const char *b)
{
    return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

static bool same_texts(const char *const *a, const char *const *b, uint32_t count)
{
    uint32_t i = 0;
    while (i < count && strcmp(a[i], b[i]) == 0) {
        i++;
    }
    return i == count;
}

static bool same_extras(const struct orr_node_spec *a, const struct orr_node_spec *b)
{
    return a->priority == b->priority && a->root == b->root &&
           a->has_involved_dim == b->has_involved_dim && a->involved_dims == b->involved_dims &&
           a->involved_mask == b->involved_mask && orr_comm_sizes_equal(&a->sizes, &b->sizes) &&
           same_text(a->inputs_values, b->inputs_values) && a->input_count == b->input_count &&
           a->output_count == b->output_count && same_texts(a->inputs, b->inputs, a->input_count) &&
           same_texts(a->outputs, b->outputs, a->output_count);
}

bool orr_specs_equal(const struct orr_node_spec *a, const struct orr_node_spec *b)
{
    return a->kind == b->kind && a->comm == b->comm && a->flags == b->flags &&
           strcmp(a->name, b->name) == 0 && a->duration_ps == b->duration_ps &&
           a->num_ops == b->num_ops && a->op == b->op && a->access == b->access &&
           a->tensor_bytes == b->tensor_bytes && a->comm_bytes == b->comm_bytes &&
           a->src == b->src && a->dst == b->dst && a->tag == b->tag &&
           same_text(a->group, b->group) && same_extras(a, b);
}

/* ---- pairs ---- */

static int ascending(uint64_t a, uint64_t b)
{
    return a < b ? -1 : a > b ? 1 : 0;
}

static int compare_colored(const void *a, const void *b)
{
    const struct colored *first = a, *second = b;
    int order = ascending(first->color, second->color);
    order = order != 0 ? order : ascending(first->ties, second->ties);
    return order != 0 ? order : ascending(first->node, second->node);
}

static void sort_colored(struct colored *list, uint32_t count)
{
    if (count > 1) {
        qsort(list, count, sizeof *list, compare_colored);
    }
}

/* The tie of a pair, different for its children and its parents. */
static uint64_t tie_of(uint32_t pair, uint64_t direction)
{
    uint64_t hash = ((uint64_t)pair + 1) * UINT64_C(0x9E3779B97F4A7C15) ^ direction;
    hash = (hash ^ hash >> 32) * UINT64_C(0xD6E8FEB86659FD93);
    return hash ^ hash >> 29;
}

static void tie_neighbors(struct side *side, uint32_t node, uint32_t pair)
{
    const struct orr_trace *trace = side->colors.trace;
    const struct orr_parents *parents = &side->colors.parents;
    for (uint32_t e = trace->node[node].first_child; e < orr_trace_child_end(trace, node); e++) {
        side->ties[trace->children[e]] += tie_of(pair, 0);
    }
    for (uint32_t p = parents->first[node]; p < parents->first[node + 1]; p++) {
        side->ties[parents->parent[p]] += tie_of(pair, UINT64_C(0xA5A5A5A5) << 32);
    }
}

static void agenda_push(struct agenda *agenda, uint32_t node)
{
    if (!agenda->listed[node]) {
        agenda->listed[node] = true;
        agenda->node[agenda->count++] = node;
    }
}

static void match_pair(struct matcher *matcher, uint32_t in_a, uint32_t in_b)
{
    matcher->a.match[in_a] = in_b;
    matcher->b.match[in_b] = in_a;
    matcher->pairs[matcher->matched++] = in_a;
    tie_neighbors(&matcher->a, in_a, in_a);
    tie_neighbors(&matcher->b, in_b, in_a);
    agenda_push(&matcher->agenda[CHOOSE_ONLY], in_a);
}

/* ---- neighbors ---- */

/* The end of the nodes from `begin` on with one color, and with the same ties unless the choice is
 * CHOOSE_COLOR. */
static uint32_t end_of_class(const struct side *side, uint32_t begin, enum choice choice)
{
    uint32_t end = begin + 1;
    while (end < side->nears && side->near[end].color == side->near[begin].color &&
           (choice == CHOOSE_COLOR || side->near[end].ties == side->near[begin].ties)) {
        end++;
    }
    return end;
}

/* The number of pairs to match of two classes with a and b nodes. */
static uint32_t chosen(uint32_t a, uint32_t b, enum choice choice)
{
    return choice == CHOOSE_ONLY  ? (a == 1 && b == 1 ? 1 : 0)
           : choice == CHOOSE_ONE ? 1
           : a < b                ? a
                                  : b;
}

/* Matches nodes of two sorted lists, class by class; with CHOOSE_ONE, of one class. */
static void match_near(struct matcher *matcher, enum choice choice)
{
    const struct side *a = &matcher->a, *b = &matcher->b;
    uint32_t left = choice == CHOOSE_ONE ? 1 : UINT32_MAX;
    for (uint32_t i = 0, j = 0; i < a->nears && j < b->nears && left != 0;) {
        int order = ascending(a->near[i].color, b->near[j].color);
        if (order == 0 && choice != CHOOSE_COLOR) {
            order = ascending(a->near[i].ties, b->near[j].ties);
        }
        const uint32_t i_end = order <= 0 ? end_of_class(a, i, choice) : i;
        const uint32_t j_end = order >= 0 ? end_of_class(b, j, choice) : j;
        const uint32_t pairs = order == 0 ? chosen(i_end - i, j_end - j, choice) : 0;
        for (uint32_t k = 0; k < pairs; k++) {
            match_pair(matcher, a->near[i + k].node, b->near[j + k].node);
        }
        left -= pairs != 0 ? 1 : 0;
        i = i_end;
        j = j_end;
    }
}

static void list_near(struct side *side, uint32_t node)
{
    if (side->match[node] == ORR_NO_MATCH) {
        side->near[side->nears++] =
            (struct colored){side->colors.color[node], side->ties[node], node};
    }
}

static void list_children(struct side *side, uint32_t node)
{
    const struct orr_trace *trace = side->colors.trace;
    side->nears = 0;
    for (uint32_t e = trace->node[node].first_child; e < orr_trace_child_end(trace, node); e++) {
        list_near(side, trace->children[e]);
    }
    sort_colored(side->near, side->nears);
}

static void list_parents(struct side *side, uint32_t node)
{
    const struct orr_parents *parents = &side->colors.parents;
    side->nears = 0;
    for (uint32_t p = parents->first[node]; p < parents->first[node + 1]; p++) {
        list_near(side, parents->parent[p]);
    }
    sort_colored(side->near, side->nears);
}

/* Matches the neighbors of a pair; true if unmatched ones remain on both sides. */
static bool visit_neighbors(struct matcher *matcher, uint32_t in_a, enum choice choice)
{
    struct side *a = &matcher->a, *b = &matcher->b;
    const uint32_t in_b = a->match[in_a], before = matcher->matched;
    list_children(a, in_a);
    list_children(b, in_b);
    uint32_t max = a->nears < b->nears ? a->nears : b->nears;
    uint64_t looks = (uint64_t)a->nears + b->nears;
    match_near(matcher, choice);
    list_parents(a, in_a);
    list_parents(b, in_b);
    max += a->nears < b->nears ? a->nears : b->nears;
    looks += (uint64_t)a->nears + b->nears;
    match_near(matcher, choice);
    if (choice == CHOOSE_ONE) {
        matcher->budget -= looks < matcher->budget ? looks : matcher->budget;
    }
    return matcher->matched - before < max;
}

/* Visits the neighbors of all nodes on the agenda, including those added meanwhile. */
static void propagate(struct matcher *matcher)
{
    for (unsigned choice = 0; choice < CHOICES;) {
        struct agenda *agenda = &matcher->agenda[choice];
        if (agenda->count == 0) {
            choice++;
            continue;
        }
        const uint32_t node = agenda->node[--agenda->count], before = matcher->matched;
        agenda->listed[node] = false;
        const bool left = visit_neighbors(matcher, node, (enum choice)choice);
        const bool has_more =
            choice == CHOOSE_ONE && matcher->matched != before && matcher->budget != 0;
        if (left && has_more) {
            agenda_push(agenda, node);
        } else if (left && choice + 1 < CHOICES) {
            agenda_push(&matcher->agenda[choice + 1], node);
        }
        choice = 0;
    }
}

/* ---- rounds ---- */

static void list_unmatched(struct side *side)
{
    side->listed = 0;
    for (uint32_t i = 0; i < side->colors.trace->nodes; i++) {
        if (side->match[i] == ORR_NO_MATCH) {
            side->list[side->listed++] = (struct colored){side->colors.color[i], 0, i};
        }
    }
    sort_colored(side->list, side->listed);
}

static void match_listed(struct matcher *matcher)
{
    const struct side *a = &matcher->a, *b = &matcher->b;
    for (uint32_t i = 0, j = 0; i < a->listed && j < b->listed;) {
        const struct colored *first = &a->list[i], *second = &b->list[j];
        if (a->match[first->node] != ORR_NO_MATCH) {
            i++;
        } else if (b->match[second->node] != ORR_NO_MATCH) {
            j++;
        } else if (first->color == second->color) {
            match_pair(matcher, first->node, second->node);
            propagate(matcher);
        } else if (first->color < second->color) {
            i++;
        } else {
            j++;
        }
    }
}

/* Runs one coloring; returns whether both traces still have unmatched nodes. */
static bool match_round(struct matcher *matcher, enum orr_coloring coloring)
{
    const struct orr_trace *a = matcher->a.colors.trace, *b = matcher->b.colors.trace;
    orr_colors_set(&matcher->a.colors, coloring);
    orr_colors_set(&matcher->b.colors, coloring);
    matcher->budget = VISITS_PER_EDGE * ((uint64_t)a->nodes + b->nodes + a->edges + b->edges);
    for (uint32_t i = matcher->matched; i-- > 0;) {
        agenda_push(&matcher->agenda[CHOOSE_ONLY], matcher->pairs[i]);
    }
    propagate(matcher);
    list_unmatched(&matcher->a);
    list_unmatched(&matcher->b);
    match_listed(matcher);
    return matcher->matched < a->nodes && matcher->matched < b->nodes;
}

static enum orr_status side_init(struct orr_arena *arena, struct side *side,
                                 const struct orr_trace *trace, struct orr_diag *diag)
{
    side->match = orr_arena_array(arena, trace->nodes, sizeof *side->match);
    side->list = orr_arena_array(arena, trace->nodes, sizeof *side->list);
    side->near = orr_arena_array(arena, trace->nodes, sizeof *side->near);
    side->ties = orr_arena_array(arena, trace->nodes, sizeof *side->ties);
    if (side->match == NULL || side->list == NULL || side->near == NULL || side->ties == NULL) {
        return orr_diag_no_memory(diag, "the comparison of traces");
    }
    for (uint32_t i = 0; i < trace->nodes; i++) {
        side->match[i] = ORR_NO_MATCH;
    }
    return orr_colors_init(arena, trace, &side->colors, diag);
}

static enum orr_status matcher_init(struct orr_arena *arena, struct matcher *matcher,
                                    const struct orr_trace *a, const struct orr_trace *b,
                                    struct orr_diag *diag)
{
    matcher->pairs = orr_arena_array(arena, a->nodes, sizeof *matcher->pairs);
    bool ok = matcher->pairs != NULL;
    for (unsigned choice = 0; choice < CHOICES; choice++) {
        struct agenda *agenda = &matcher->agenda[choice];
        agenda->node = orr_arena_array(arena, a->nodes, sizeof *agenda->node);
        agenda->listed = orr_arena_array(arena, a->nodes, sizeof *agenda->listed);
        ok = ok && agenda->node != NULL && agenda->listed != NULL;
    }
    if (!ok) {
        return orr_diag_no_memory(diag, "the comparison of traces");
    }
    const enum orr_status status = side_init(arena, &matcher->a, a, diag);
    return status == ORR_OK ? side_init(arena, &matcher->b, b, diag) : status;
}

enum orr_status orr_trace_match(struct orr_arena *arena, const struct orr_trace *a,
                                const struct orr_trace *b, struct orr_trace_match *out,
                                struct orr_diag *diag)
{
    struct matcher matcher = {.matched = 0};
    const enum orr_status status = matcher_init(arena, &matcher, a, b, diag);
    if (status != ORR_OK) {
        return status;
    }
    for (unsigned i = 0; i < ORR_COLORINGS && match_round(&matcher, (enum orr_coloring)i); i++) {
    }
    *out = (struct orr_trace_match){.b_of_a = matcher.a.match, .a_of_b = matcher.b.match};
    return ORR_OK;
}
