/* Colours of nodes; see trace_colour.h. */
#include "workload/trace/trace_colour.h"

#include <string.h>

#include "workload/trace/trace_ops.h"

static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash = hash * UINT64_C(0x9E3779B97F4A7C15) + value + 1; /* not symmetric */
    hash = (hash ^ hash >> 32) * UINT64_C(0xD6E8FEB86659FD93);
    return hash ^ hash >> 29;
}

static uint64_t mix_text(uint64_t hash, const char *text)
{
    for (; *text != '\0'; text++) {
        hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001B3);
    }
    return mix(hash, 1);
}

/* ---- of a node by itself ---- */

static uint64_t name_colour(const struct orr_node *node)
{
    const unsigned what = node->kind == ORR_NODE_COMP ? node->comm & ORR_COMP_DELAY : node->comm;
    const uint64_t kind = node->kind | (uint64_t)orr_node_device(node) << 8 | (uint64_t)what << 16;
    return mix_text(mix(kind, 3), node->name);
}

static uint64_t mix_extra(uint64_t hash, const struct orr_node_extra *extra)
{
    hash = mix(hash, extra->priority | (uint64_t)extra->root << 32);
    hash = mix(hash, extra->tag | (uint64_t)extra->involved_mask << 32);
    hash = mix(hash, extra->inputs_values != NULL ? mix_text(5, extra->inputs_values) : 0);
    return mix(hash, extra->input_count | (uint64_t)extra->output_count << 32);
}

static uint64_t exact_colour(const struct orr_trace *trace, uint32_t index, uint64_t name)
{
    const struct orr_node *node = &trace->node[index];
    const struct orr_node_extra *extra = orr_trace_extra(trace, node);
    uint64_t hash = mix(mix(name, node->amount), node->duration_ps);
    hash = mix(hash, node->flags | (uint64_t)node->op << 8 | (uint64_t)node->comm << 16);
    hash = node->kind == ORR_NODE_SEND || node->kind == ORR_NODE_RECV
               ? mix(hash, node->of.p2p.peer | (uint64_t)node->of.p2p.tag << 32)
               : mix(hash, node->of.tensor_bytes);
    hash = node->group != 0 ? mix_text(hash, trace->groups[node->group - 1]) : hash;
    return extra != NULL ? mix_extra(hash, extra) : hash;
}

/* ---- of its surroundings ---- */

/* Sums do not depend on the order of the nodes summed. */
static uint64_t sum_of_parents(const struct orr_colours *colours, const uint64_t *of, uint32_t node)
{
    uint64_t sum = 0;
    for (uint32_t p = colours->parents.first[node]; p < colours->parents.first[node + 1]; p++) {
        sum += mix(of[colours->parents.parent[p]], 7);
    }
    return sum;
}

static uint64_t sum_of_children(const struct orr_colours *colours, const uint64_t *of,
                                uint32_t node)
{
    const struct orr_trace *trace = colours->trace;
    uint64_t sum = 0;
    for (uint32_t e = trace->node[node].first_child; e < orr_trace_child_end(trace, node); e++) {
        sum += mix(of[trace->children[e]], 11);
    }
    return sum;
}

static void look_before(struct orr_colours *colours)
{
    for (uint32_t i = 0; i < colours->trace->nodes; i++) {
        const uint32_t node = colours->order[i];
        colours->before[node] =
            mix(colours->colour[node], sum_of_parents(colours, colours->before, node));
    }
}

static void look_behind(struct orr_colours *colours)
{
    for (uint32_t i = colours->trace->nodes; i-- > 0;) {
        const uint32_t node = colours->order[i];
        colours->behind[node] =
            mix(colours->colour[node], sum_of_children(colours, colours->behind, node));
    }
}

/* Each time round, nodes are told from each other by more distant relatives of relatives. */
static void look_around(struct orr_colours *colours, unsigned times)
{
    for (unsigned round = 0; round < times; round++) {
        look_before(colours);
        look_behind(colours);
        for (uint32_t i = 0; i < colours->trace->nodes; i++) {
            colours->colour[i] = mix(colours->before[i], colours->behind[i]);
        }
    }
}

static void look_near(struct orr_colours *colours, unsigned edges)
{
    const uint32_t nodes = colours->trace->nodes;
    for (unsigned round = 0; round < edges; round++) {
        for (uint32_t i = 0; i < nodes; i++) {
            colours->before[i] =
                mix(mix(colours->colour[i], sum_of_parents(colours, colours->colour, i)),
                    sum_of_children(colours, colours->colour, i));
        }
        for (uint32_t i = 0; i < nodes; i++) {
            colours->colour[i] = colours->before[i];
        }
    }
}

static void start(struct orr_colours *colours, bool exact)
{
    for (uint32_t i = 0; i < colours->trace->nodes; i++) {
        colours->colour[i] =
            exact ? exact_colour(colours->trace, i, colours->name[i]) : colours->name[i];
    }
}

static void keep(struct orr_colours *colours, const uint64_t *what)
{
    for (uint32_t i = 0; i < colours->trace->nodes; i++) {
        colours->kept[i] = what[i];
    }
}

static void mix_kept(struct orr_colours *colours)
{
    for (uint32_t i = 0; i < colours->trace->nodes; i++) {
        colours->colour[i] = mix(colours->colour[i], colours->kept[i]);
    }
}

/* Kinds and names of all around, and all attributes of what is so many edges away. */
static void look_closely(struct orr_colours *colours, unsigned edges)
{
    start(colours, true);
    look_near(colours, edges);
    keep(colours, colours->colour);
    start(colours, false);
    look_around(colours, 2);
    mix_kept(colours);
}

static void look_one_way(struct orr_colours *colours, enum orr_colouring colouring)
{
    start(colours, false);
    if (colouring == ORR_COLOUR_BEHIND) {
        look_behind(colours);
        keep(colours, colours->behind);
    } else {
        look_before(colours);
        keep(colours, colours->before);
    }
    look_near(colours, 2);
    mix_kept(colours);
}

void orr_colours_set(struct orr_colours *colours, enum orr_colouring colouring)
{
    switch (colouring) {
    case ORR_COLOUR_ALIKE:
    case ORR_COLOUR_SELF:
        look_closely(colours, colouring == ORR_COLOUR_ALIKE ? 2 : 0);
        return;
    case ORR_COLOUR_BEFORE:
    case ORR_COLOUR_BEHIND:
        look_one_way(colours, colouring);
        return;
    default:
        break;
    }
    start(colours, colouring == ORR_COLOUR_EXACT);
    if (colouring == ORR_COLOUR_NEAR) {
        look_near(colours, 2);
    } else if (colouring != ORR_COLOUR_NAME) {
        look_around(colours, colouring == ORR_COLOUR_EXACT ? 3 : 2);
    }
}

enum orr_status orr_colours_init(struct orr_arena *arena, const struct orr_trace *trace,
                                 struct orr_colours *out, struct orr_diag *diag)
{
    *out = (struct orr_colours){.trace = trace,
                                .colour = orr_arena_array(arena, trace->nodes, sizeof *out->colour),
                                .name = orr_arena_array(arena, trace->nodes, sizeof *out->name),
                                .before = orr_arena_array(arena, trace->nodes, sizeof *out->before),
                                .behind = orr_arena_array(arena, trace->nodes, sizeof *out->behind),
                                .kept = orr_arena_array(arena, trace->nodes, sizeof *out->kept)};
    if (out->colour == NULL || out->name == NULL || out->before == NULL || out->behind == NULL ||
        out->kept == NULL) {
        return orr_diag_no_memory(diag, "the comparison of traces");
    }
    for (uint32_t i = 0; i < trace->nodes; i++) {
        out->name[i] = name_colour(&trace->node[i]);
    }
    const enum orr_status status = orr_parents_build(arena, trace, &out->parents, diag);
    return status == ORR_OK ? orr_trace_order(arena, trace, &out->order, diag) : status;
}
