/* Edge coloring of a multigraph with Kempe chains (edge_colors.h). */
#include "network/wavelengths/edge_colors.h"

#include <stddef.h>

#include "core/arena.h"
#include "core/diag.h"
#include "core/rng.h"

struct coloring {
    const struct edge_colors *graph;
    uint32_t *color; /* [edges] */
    uint32_t *at;    /* [nodes * colors] edge of a color at a node; EDGE_NO_COLOR: none */
    struct orr_rng rng;
    uint64_t steps;
};

static uint32_t *edge_at(struct coloring *coloring, uint32_t node, uint32_t color)
{
    return &coloring->at[(size_t)node * coloring->graph->colors + color];
}

static bool is_free(struct coloring *coloring, uint32_t node, uint32_t color)
{
    return *edge_at(coloring, node, color) == EDGE_NO_COLOR;
}

static void set_color(struct coloring *coloring, uint32_t edge, uint32_t color)
{
    const struct edge_ends *ends = &coloring->graph->edge[edge];
    *edge_at(coloring, ends->a, color) = edge;
    *edge_at(coloring, ends->b, color) = edge;
    coloring->color[edge] = color;
}

static void clear_color(struct coloring *coloring, uint32_t edge)
{
    const struct edge_ends *ends = &coloring->graph->edge[edge];
    *edge_at(coloring, ends->a, coloring->color[edge]) = EDGE_NO_COLOR;
    *edge_at(coloring, ends->b, coloring->color[edge]) = EDGE_NO_COLOR;
    coloring->color[edge] = EDGE_NO_COLOR;
}

static uint32_t other_end(const struct coloring *coloring, uint32_t edge, uint32_t node)
{
    const struct edge_ends *ends = &coloring->graph->edge[edge];
    return ends->a == node ? ends->b : ends->a;
}

/* A Kempe chain: a path whose edges alternate between two colors; `next` is the color of its first
 * edge. */
struct chain {
    uint32_t start, next, other;
};

static void swap_colors(struct chain *chain)
{
    const uint32_t next = chain->other;
    chain->other = chain->next;
    chain->next = next;
}

/* The last node of a chain. */
static uint32_t chain_end(struct coloring *coloring, struct chain chain)
{
    uint32_t node = chain.start;
    for (uint32_t edge; (edge = *edge_at(coloring, node, chain.next)) != EDGE_NO_COLOR;) {
        node = other_end(coloring, edge, node);
        swap_colors(&chain);
        coloring->steps++;
    }
    return node;
}

/* Swaps the two colors along a chain, edge by edge: an edge gets its new color after the next edge
 * lost it. `other` is free at the start. */
static void flip(struct coloring *coloring, struct chain chain)
{
    uint32_t node = chain.start, edge = *edge_at(coloring, node, chain.next);
    if (edge != EDGE_NO_COLOR) {
        clear_color(coloring, edge);
    }
    while (edge != EDGE_NO_COLOR) {
        node = other_end(coloring, edge, node);
        const uint32_t after = *edge_at(coloring, node, chain.other);
        if (after != EDGE_NO_COLOR) {
            clear_color(coloring, after);
        }
        set_color(coloring, edge, chain.other);
        swap_colors(&chain);
        edge = after;
    }
}

/* Tries a color that is free at both ends. */
static bool color_with_free(struct coloring *coloring, uint32_t edge)
{
    const struct edge_ends *ends = &coloring->graph->edge[edge];
    for (uint32_t color = 0; color < coloring->graph->colors; color++) {
        if (is_free(coloring, ends->a, color) && is_free(coloring, ends->b, color)) {
            set_color(coloring, edge, color);
            return true;
        }
    }
    return false;
}

/* Tries a Kempe chain: makes a color that is free at one end free at the other, if the chain does
 * not return. */
static bool color_by_kempe_chain(struct coloring *coloring, uint32_t edge)
{
    const struct edge_ends *ends = &coloring->graph->edge[edge];
    const uint32_t colors = coloring->graph->colors;
    for (uint32_t a = 0; a < colors; a++) {
        for (uint32_t b = 0; is_free(coloring, ends->a, a) && b < colors; b++) {
            const struct chain chain = {.start = ends->b, .next = a, .other = b};
            if (is_free(coloring, ends->b, b) && chain_end(coloring, chain) != ends->a) {
                flip(coloring, chain);
                set_color(coloring, edge, a);
                return true;
            }
        }
    }
    return false;
}

/* Takes a color that is free at one end from an edge at the other end, which is returned.
 * EDGE_NO_COLOR: no color is free at either end. */
static uint32_t color_by_eviction(struct coloring *coloring, uint32_t edge)
{
    const struct edge_ends *ends = &coloring->graph->edge[edge];
    const uint32_t colors = coloring->graph->colors;
    const bool turned = orr_rng_below(&coloring->rng, 2) == 1;
    const uint32_t here = turned ? ends->b : ends->a, there = turned ? ends->a : ends->b;
    const uint64_t first = orr_rng_next(&coloring->rng);
    for (uint32_t i = 0; i < colors; i++) {
        const uint32_t color = (uint32_t)((first + i) % colors);
        if (is_free(coloring, here, color)) {
            const uint32_t evicted = *edge_at(coloring, there, color);
            clear_color(coloring, evicted);
            set_color(coloring, edge, color);
            return evicted;
        }
    }
    return EDGE_NO_COLOR;
}

/* Colors an edge, and the edges that lost their color to it. */
static bool insert(struct coloring *coloring, uint32_t edge)
{
    while (!color_with_free(coloring, edge) && !color_by_kempe_chain(coloring, edge)) {
        coloring->steps += coloring->graph->colors;
        const uint32_t evicted = coloring->steps < coloring->graph->patience
                                     ? color_by_eviction(coloring, edge)
                                     : EDGE_NO_COLOR;
        if (evicted == EDGE_NO_COLOR) {
            return false;
        }
        edge = evicted;
    }
    return true;
}

enum orr_status orr_edge_colors(struct orr_arena *scratch, const struct edge_colors *graph,
                                uint32_t *color, bool *found, struct orr_diag *diag)
{
    const size_t places = (size_t)graph->nodes * graph->colors;
    struct coloring coloring = {.graph = graph, .color = color};
    coloring.at = orr_arena_array(scratch, places, sizeof *coloring.at);
    if (coloring.at == NULL) {
        return orr_diag_no_memory(diag, "colours of links");
    }
    orr_rng_init(&coloring.rng, 0, 0);
    for (size_t i = 0; i < places; i++) {
        coloring.at[i] = EDGE_NO_COLOR;
    }
    for (uint32_t edge = 0; edge < graph->edges; edge++) {
        color[edge] = EDGE_NO_COLOR;
    }
    *found = true;
    for (uint32_t edge = 0; edge < graph->edges && *found; edge++) {
        *found = insert(&coloring, edge);
    }
    return ORR_OK;
}
