/* Color refinement of nodes; see trace_color.h. */
#include "workload/trace/trace_color.h"

#include <string.h>

#include "core/diag.h"
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

static uint64_t name_color(const struct orr_node *node)
{
    const unsigned what = node->kind == ORR_NODE_COMP ? node->comm & ORR_COMP_DELAY : node->comm;
    const uint64_t kind = node->kind | (uint64_t)orr_node_device(node) << 8 | (uint64_t)what << 16;
    return mix_text(mix(kind, 3), node->name);
}

static uint64_t mix_numbers(uint64_t hash, const uint64_t *numbers, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        hash = mix(hash, numbers[i]);
    }
    return mix(hash, count);
}

static uint64_t mix_sizes(uint64_t hash, const struct orr_comm_sizes *sizes)
{
    return mix_numbers(mix_numbers(mix(hash, sizes->differ), sizes->send, sizes->send_count),
                       sizes->recv, sizes->recv_count);
}

static uint64_t mix_extra(uint64_t hash, const struct orr_node_extra *extra)
{
    hash = mix(hash, extra->priority | (uint64_t)extra->root << 32);
    hash = mix(hash, extra->tag | (uint64_t)extra->involved_mask << 32);
    hash = orr_comm_is_uneven(&extra->sizes) ? mix_sizes(hash, &extra->sizes) : hash;
    hash = mix(hash, extra->inputs_values != NULL ? mix_text(5, extra->inputs_values) : 0);
    return mix(hash, extra->input_count | (uint64_t)extra->output_count << 32);
}

static uint64_t exact_color(const struct orr_trace *trace, uint32_t index, uint64_t name)
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

/* Sums do not depend on the order of the nodes. */
static uint64_t sum_of_parents(const struct orr_colors *colors, const uint64_t *of, uint32_t node)
{
    uint64_t sum = 0;
    for (uint32_t p = colors->parents.first[node]; p < colors->parents.first[node + 1]; p++) {
        sum += mix(of[colors->parents.parent[p]], 7);
    }
    return sum;
}

static uint64_t sum_of_children(const struct orr_colors *colors, const uint64_t *of, uint32_t node)
{
    const struct orr_trace *trace = colors->trace;
    uint64_t sum = 0;
    for (uint32_t e = trace->node[node].first_child; e < orr_trace_child_end(trace, node); e++) {
        sum += mix(of[trace->children[e]], 11);
    }
    return sum;
}

static void refine_by_ancestors(struct orr_colors *colors)
{
    for (uint32_t i = 0; i < colors->trace->nodes; i++) {
        const uint32_t node = colors->order[i];
        colors->before[node] =
            mix(colors->color[node], sum_of_parents(colors, colors->before, node));
    }
}

static void refine_by_descendants(struct orr_colors *colors)
{
    for (uint32_t i = colors->trace->nodes; i-- > 0;) {
        const uint32_t node = colors->order[i];
        colors->behind[node] =
            mix(colors->color[node], sum_of_children(colors, colors->behind, node));
    }
}

/* Each round distinguishes nodes by more distant relatives. */
static void refine(struct orr_colors *colors, unsigned times)
{
    for (unsigned round = 0; round < times; round++) {
        refine_by_ancestors(colors);
        refine_by_descendants(colors);
        for (uint32_t i = 0; i < colors->trace->nodes; i++) {
            colors->color[i] = mix(colors->before[i], colors->behind[i]);
        }
    }
}

static void refine_near(struct orr_colors *colors, unsigned edges)
{
    const uint32_t nodes = colors->trace->nodes;
    for (unsigned round = 0; round < edges; round++) {
        for (uint32_t i = 0; i < nodes; i++) {
            colors->before[i] = mix(mix(colors->color[i], sum_of_parents(colors, colors->color, i)),
                                    sum_of_children(colors, colors->color, i));
        }
        for (uint32_t i = 0; i < nodes; i++) {
            colors->color[i] = colors->before[i];
        }
    }
}

static void start(struct orr_colors *colors, bool exact)
{
    for (uint32_t i = 0; i < colors->trace->nodes; i++) {
        colors->color[i] = exact ? exact_color(colors->trace, i, colors->name[i]) : colors->name[i];
    }
}

static void keep(struct orr_colors *colors, const uint64_t *what)
{
    for (uint32_t i = 0; i < colors->trace->nodes; i++) {
        colors->kept[i] = what[i];
    }
}

static void mix_kept(struct orr_colors *colors)
{
    for (uint32_t i = 0; i < colors->trace->nodes; i++) {
        colors->color[i] = mix(colors->color[i], colors->kept[i]);
    }
}

/* Kinds and names of all ancestors and descendants, and all attributes of nodes up to `edges` edges
 * away. */
static void refine_exact(struct orr_colors *colors, unsigned edges)
{
    start(colors, true);
    refine_near(colors, edges);
    keep(colors, colors->color);
    start(colors, false);
    refine(colors, 2);
    mix_kept(colors);
}

static void refine_one_direction(struct orr_colors *colors, enum orr_coloring coloring)
{
    start(colors, false);
    if (coloring == ORR_COLOR_DESCENDANTS) {
        refine_by_descendants(colors);
        keep(colors, colors->behind);
    } else {
        refine_by_ancestors(colors);
        keep(colors, colors->before);
    }
    refine_near(colors, 2);
    mix_kept(colors);
}

void orr_colors_set(struct orr_colors *colors, enum orr_coloring coloring)
{
    switch (coloring) {
    case ORR_COLOR_NEAR_EXACT:
    case ORR_COLOR_SELF_EXACT:
        refine_exact(colors, coloring == ORR_COLOR_NEAR_EXACT ? 2 : 0);
        return;
    case ORR_COLOR_ANCESTORS:
    case ORR_COLOR_DESCENDANTS:
        refine_one_direction(colors, coloring);
        return;
    default:
        break;
    }
    start(colors, coloring == ORR_COLOR_EXACT);
    if (coloring == ORR_COLOR_NEAR) {
        refine_near(colors, 2);
    } else if (coloring != ORR_COLOR_NAME) {
        refine(colors, coloring == ORR_COLOR_EXACT ? 3 : 2);
    }
}

enum orr_status orr_colors_init(struct orr_arena *arena, const struct orr_trace *trace,
                                struct orr_colors *out, struct orr_diag *diag)
{
    *out = (struct orr_colors){.trace = trace,
                               .color = orr_arena_array(arena, trace->nodes, sizeof *out->color),
                               .name = orr_arena_array(arena, trace->nodes, sizeof *out->name),
                               .before = orr_arena_array(arena, trace->nodes, sizeof *out->before),
                               .behind = orr_arena_array(arena, trace->nodes, sizeof *out->behind),
                               .kept = orr_arena_array(arena, trace->nodes, sizeof *out->kept)};
    if (out->color == NULL || out->name == NULL || out->before == NULL || out->behind == NULL ||
        out->kept == NULL) {
        return orr_diag_no_memory(diag, "the comparison of traces");
    }
    for (uint32_t i = 0; i < trace->nodes; i++) {
        out->name[i] = name_color(&trace->node[i]);
    }
    const enum orr_status status = orr_parents_build(arena, trace, &out->parents, diag);
    return status == ORR_OK ? orr_trace_order(arena, trace, &out->order, diag) : status;
}
