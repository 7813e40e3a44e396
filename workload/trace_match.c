/* Matching nodes of two traces; see trace_match.h.
 *
 * Colourings are tried from the finest to the coarsest. In each, what is matched already leads to
 * its neighbours: two of the same colour are matched when they are parents, or children, of a
 * matched pair. Then nodes of a colour are matched in the order of their ids, each pair leading on,
 * so that of several equal parts one is not taken for half of another. */
#include "workload/trace_match.h"

#include <stdlib.h>
#include <string.h>

#include "workload/trace_colour.h"

struct coloured {
    uint64_t colour;
    uint32_t node;
};

/* One of the two traces. */
struct side {
    struct orr_colours colours;
    uint32_t *match;       /* [nodes] in the other */
    struct coloured *list; /* [nodes] those without a match */
    struct coloured *near; /* [nodes] neighbours without a match */
    uint32_t listed, nears;
};

struct matcher {
    struct side a, b;
    uint32_t *queue; /* nodes of a whose neighbours are to be looked at */
    uint32_t queued;
};

/* ---- alike ---- */

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
           a->involved_mask == b->involved_mask && same_text(a->inputs_values, b->inputs_values) &&
           a->input_count == b->input_count && a->output_count == b->output_count &&
           same_texts(a->inputs, b->inputs, a->input_count) &&
           same_texts(a->outputs, b->outputs, a->output_count);
}

bool orr_specs_alike(const struct orr_node_spec *a, const struct orr_node_spec *b)
{
    return a->kind == b->kind && a->comm == b->comm && a->flags == b->flags &&
           strcmp(a->name, b->name) == 0 && a->duration_ps == b->duration_ps &&
           a->num_ops == b->num_ops && a->op == b->op && a->tensor_bytes == b->tensor_bytes &&
           a->comm_bytes == b->comm_bytes && a->src == b->src && a->dst == b->dst &&
           a->tag == b->tag && same_text(a->group, b->group) && same_extras(a, b);
}

/* ---- pairs ---- */

static int compare_coloured(const void *a, const void *b)
{
    const struct coloured *first = a, *second = b;
    if (first->colour != second->colour) {
        return first->colour < second->colour ? -1 : 1;
    }
    return first->node < second->node ? -1 : 1;
}

static void sort_coloured(struct coloured *list, uint32_t count)
{
    if (count > 1) {
        qsort(list, count, sizeof *list, compare_coloured);
    }
}

static void match_pair(struct matcher *matcher, uint32_t in_a, uint32_t in_b)
{
    matcher->a.match[in_a] = in_b;
    matcher->b.match[in_b] = in_a;
    matcher->queue[matcher->queued++] = in_a;
}

/* Matches nodes of equal colour of two sorted lists in their order. */
static void match_near(struct matcher *matcher)
{
    const struct coloured *a = matcher->a.near, *b = matcher->b.near;
    for (uint32_t i = 0, j = 0; i < matcher->a.nears && j < matcher->b.nears;) {
        if (a[i].colour == b[j].colour) {
            match_pair(matcher, a[i++].node, b[j++].node);
        } else if (a[i].colour < b[j].colour) {
            i++;
        } else {
            j++;
        }
    }
}

static void note_near(struct side *side, uint32_t node)
{
    if (side->match[node] == ORR_NO_MATCH) {
        side->near[side->nears++] = (struct coloured){side->colours.colour[node], node};
    }
}

static void note_children(struct side *side, uint32_t node)
{
    const struct orr_trace *trace = side->colours.trace;
    side->nears = 0;
    for (uint32_t e = trace->node[node].first_child; e < orr_trace_child_end(trace, node); e++) {
        note_near(side, trace->children[e]);
    }
    sort_coloured(side->near, side->nears);
}

static void note_parents(struct side *side, uint32_t node)
{
    const struct orr_parents *parents = &side->colours.parents;
    side->nears = 0;
    for (uint32_t p = parents->first[node]; p < parents->first[node + 1]; p++) {
        note_near(side, parents->parent[p]);
    }
    sort_coloured(side->near, side->nears);
}

/* Looks at the neighbours of all that is in the queue, and of what comes into it. */
static void lead_on(struct matcher *matcher, uint32_t head)
{
    for (; head < matcher->queued; head++) {
        const uint32_t in_a = matcher->queue[head], in_b = matcher->a.match[in_a];
        note_children(&matcher->a, in_a);
        note_children(&matcher->b, in_b);
        match_near(matcher);
        note_parents(&matcher->a, in_a);
        note_parents(&matcher->b, in_b);
        match_near(matcher);
    }
}

/* ---- rounds ---- */

static void list_unmatched(struct side *side)
{
    side->listed = 0;
    for (uint32_t i = 0; i < side->colours.trace->nodes; i++) {
        if (side->match[i] == ORR_NO_MATCH) {
            side->list[side->listed++] = (struct coloured){side->colours.colour[i], i};
        }
    }
    sort_coloured(side->list, side->listed);
}

static void match_listed(struct matcher *matcher)
{
    const struct side *a = &matcher->a, *b = &matcher->b;
    for (uint32_t i = 0, j = 0; i < a->listed && j < b->listed;) {
        const struct coloured *first = &a->list[i], *second = &b->list[j];
        if (a->match[first->node] != ORR_NO_MATCH) {
            i++;
        } else if (b->match[second->node] != ORR_NO_MATCH) {
            j++;
        } else if (first->colour == second->colour) {
            const uint32_t head = matcher->queued;
            match_pair(matcher, first->node, second->node);
            lead_on(matcher, head);
        } else if (first->colour < second->colour) {
            i++;
        } else {
            j++;
        }
    }
}

/* Whether both have nodes without a match. */
static bool match_round(struct matcher *matcher, enum orr_colouring colouring)
{
    orr_colours_set(&matcher->a.colours, colouring);
    orr_colours_set(&matcher->b.colours, colouring);
    lead_on(matcher, 0); /* the queue holds all pairs, each once */
    list_unmatched(&matcher->a);
    list_unmatched(&matcher->b);
    match_listed(matcher);
    const uint32_t pairs = matcher->queued;
    return pairs < matcher->a.colours.trace->nodes && pairs < matcher->b.colours.trace->nodes;
}

static enum orr_status side_init(struct orr_arena *arena, struct side *side,
                                 const struct orr_trace *trace, struct orr_diag *diag)
{
    side->match = orr_arena_array(arena, trace->nodes, sizeof *side->match);
    side->list = orr_arena_array(arena, trace->nodes, sizeof *side->list);
    side->near = orr_arena_array(arena, trace->nodes, sizeof *side->near);
    if (side->match == NULL || side->list == NULL || side->near == NULL) {
        return orr_diag_no_memory(diag, "the comparison of traces");
    }
    for (uint32_t i = 0; i < trace->nodes; i++) {
        side->match[i] = ORR_NO_MATCH;
    }
    return orr_colours_init(arena, trace, &side->colours, diag);
}

enum orr_status orr_trace_match(struct orr_arena *arena, const struct orr_trace *a,
                                const struct orr_trace *b, struct orr_trace_match *out,
                                struct orr_diag *diag)
{
    struct matcher matcher = {.queue = orr_arena_array(arena, a->nodes, sizeof *matcher.queue)};
    enum orr_status status =
        matcher.queue != NULL ? ORR_OK : orr_diag_no_memory(diag, "the comparison of traces");
    if (status == ORR_OK) {
        status = side_init(arena, &matcher.a, a, diag);
    }
    if (status == ORR_OK) {
        status = side_init(arena, &matcher.b, b, diag);
    }
    if (status != ORR_OK) {
        return status;
    }
    for (unsigned i = 0; i < ORR_COLOURINGS && match_round(&matcher, (enum orr_colouring)i); i++) {
    }
    *out = (struct orr_trace_match){.b_of_a = matcher.a.match, .a_of_b = matcher.b.match};
    return ORR_OK;
}
