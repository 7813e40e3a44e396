/* Color refinement; see link_classes.h.
 *
 * The program has a row for each source s and node v (what enters v of s's flow), a row for each
 * arc (its load), and a column for each source and arc (s's flow on it), whose color is that of its
 * three rows. Colors are 64-bit hashes: two that differ are taken for equal with a chance below
 * 1e-6 for 1e6 rows, and what is computed with classes is checked without them. */
#include "network/bounds/link_classes.h"

#include <stdlib.h>

#include "core/arena.h"

enum { MAX_ROUNDS = 200 };
static const double max_columns = 5e7;

struct refinement {
    const struct cap_graph *graph;
    uint64_t *row;       /* [npus * nodes] */
    uint64_t *sum;       /* [nodes] */
    uint64_t *arc, *add; /* [arcs] */
    uint64_t *sorted;    /* [max(arcs, npus * nodes)] */
};

static uint64_t mix(uint64_t value)
{
    value = (value ^ (value >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    value = (value ^ (value >> 27)) * UINT64_C(0x94d049bb133111eb);
    return value ^ (value >> 31);
}

static uint64_t join(uint64_t a, uint64_t b)
{
    return mix(a + UINT64_C(0x9e3779b97f4a7c15) * (b + 1));
}

static int compare(const void *a, const void *b)
{
    const uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
    return left < right ? -1 : left > right;
}

static uint32_t count_colors(struct refinement *refinement, const uint64_t *color, size_t count)
{
    uint32_t colors = 0;
    for (size_t i = 0; i < count; i++) {
        refinement->sorted[i] = color[i];
    }
    qsort(refinement->sorted, count, sizeof *refinement->sorted, compare);
    for (size_t i = 0; i < count; i++) {
        colors += i == 0 || refinement->sorted[i] != refinement->sorted[i - 1];
    }
    return colors;
}

static void start(struct refinement *refinement)
{
    const struct cap_graph *graph = refinement->graph;
    for (uint32_t s = 0; s < graph->npus; s++) {
        for (uint32_t v = 0; v < graph->nodes; v++) {
            refinement->row[(size_t)s * graph->nodes + v] = v == s ? 1 : v < graph->npus ? 2 : 3;
        }
    }
    for (uint32_t i = 0; i < graph->arcs; i++) {
        refinement->arc[i] = mix(graph->arc[i].capacity);
    }
}

/* New colors of a source's rows, and what its columns add to those of arcs. */
static void refine_source(struct refinement *refinement, uint32_t source)
{
    const struct cap_graph *graph = refinement->graph;
    uint64_t *row = refinement->row + (size_t)source * graph->nodes;
    for (uint32_t v = 0; v < graph->nodes; v++) {
        refinement->sum[v] = 0;
    }
    for (uint32_t i = 0; i < graph->arcs; i++) {
        const struct cap_arc *arc = &graph->arc[i];
        const uint64_t column = join(join(row[arc->from], row[arc->to]), refinement->arc[i]);
        refinement->sum[arc->to] += mix(column ^ 1);
        refinement->sum[arc->from] += mix(column ^ 2);
        refinement->add[i] += mix(column ^ 3);
    }
    for (uint32_t v = 0; v < graph->nodes; v++) {
        row[v] = join(row[v], refinement->sum[v]);
    }
}

static void refine(struct refinement *refinement)
{
    const struct cap_graph *graph = refinement->graph;
    for (uint32_t i = 0; i < graph->arcs; i++) {
        refinement->add[i] = 0;
    }
    for (uint32_t s = 0; s < graph->npus; s++) {
        refine_source(refinement, s);
    }
    for (uint32_t i = 0; i < graph->arcs; i++) {
        refinement->arc[i] = join(refinement->arc[i], refinement->add[i]);
    }
}

/* Refines until a round tells no more rows apart. */
static void refine_all(struct refinement *refinement)
{
    const struct cap_graph *graph = refinement->graph;
    const size_t rows = (size_t)graph->npus * graph->nodes;
    uint32_t colors = 0, before = 0;
    start(refinement);
    for (uint32_t round = 0; round < MAX_ROUNDS && (round == 0 || colors > before); round++) {
        refine(refinement);
        before = colors;
        colors = count_colors(refinement, refinement->row, rows) +
                 count_colors(refinement, refinement->arc, graph->arcs);
    }
}

/* ---- classes ---- */

/* Numbers the colors in their order; `sorted` is scratch. Returns how many there are. */
static uint32_t number_colors(struct refinement *refinement, const uint64_t *color, uint32_t count,
                              uint32_t *number)
{
    const uint32_t colors = count_colors(refinement, color, count);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (i == 0 || refinement->sorted[i] != refinement->sorted[i - 1]) {
            refinement->sorted[kept++] = refinement->sorted[i];
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t low = 0;
        for (uint32_t high = colors; high - low > 1;) {
            const uint32_t middle = low + (high - low) / 2;
            *(refinement->sorted[middle] <= color[i] ? &low : &high) = middle;
        }
        number[i] = low;
    }
    return colors;
}

static bool allocate(struct refinement *refinement, struct orr_arena *arena)
{
    const struct cap_graph *graph = refinement->graph;
    const size_t rows = (size_t)graph->npus * graph->nodes;
    refinement->row = orr_arena_array(arena, rows, sizeof(uint64_t));
    refinement->sum = orr_arena_array(arena, graph->nodes, sizeof(uint64_t));
    refinement->arc = orr_arena_array(arena, (size_t)graph->arcs + 1, sizeof(uint64_t));
    refinement->add = orr_arena_array(arena, (size_t)graph->arcs + 1, sizeof(uint64_t));
    refinement->sorted = orr_arena_array(arena, rows + graph->arcs, sizeof(uint64_t));
    return refinement->row != NULL && refinement->sum != NULL && refinement->arc != NULL &&
           refinement->add != NULL && refinement->sorted != NULL;
}

/* Colors of arcs, and of NPUs into `sum`. */
static bool find_colors(struct refinement *refinement, struct orr_arena *arena)
{
    const struct cap_graph *graph = refinement->graph;
    if (!allocate(refinement, arena)) {
        return false;
    }
    refine_all(refinement);
    for (uint32_t s = 0; s < graph->npus; s++) {
        refinement->sum[s] = refinement->row[(size_t)s * graph->nodes + s];
    }
    return true;
}

/* Every arc and NPU alone, with its number as color. */
static bool number_all(struct refinement *refinement, struct orr_arena *arena)
{
    const struct cap_graph *graph = refinement->graph;
    const size_t most = (size_t)graph->arcs + graph->nodes;
    refinement->arc = orr_arena_array(arena, most, sizeof(uint64_t));
    refinement->sum = orr_arena_array(arena, most, sizeof(uint64_t));
    refinement->sorted = orr_arena_array(arena, most, sizeof(uint64_t));
    if (refinement->arc == NULL || refinement->sum == NULL || refinement->sorted == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < most; i++) {
        refinement->arc[i] = refinement->sum[i] = i;
    }
    return true;
}

enum orr_status orr_link_classes(const struct even_paths *paths, struct orr_arena *arena,
                                 struct link_classes *out)
{
    const struct cap_graph *graph = paths->graph;
    struct refinement refinement = {.graph = graph};
    uint32_t *class_of = orr_arena_array(arena, (size_t)graph->arcs + 1, sizeof *class_of);
    uint32_t *source_class = orr_arena_array(arena, graph->npus, sizeof *source_class);
    uint32_t *source = orr_arena_array(arena, graph->npus, sizeof *source);
    uint32_t *members = orr_arena_array(arena, graph->npus, sizeof *members);
    *out = (struct link_classes){.refined = (double)graph->npus * graph->arcs <= max_columns};
    if (class_of == NULL || source_class == NULL || source == NULL || members == NULL ||
        !(out->refined ? find_colors(&refinement, arena) : number_all(&refinement, arena))) {
        return ORR_ERR_MEMORY;
    }
    out->classes = number_colors(&refinement, refinement.arc, graph->arcs, class_of);
    out->sources = number_colors(&refinement, refinement.sum, graph->npus, source_class);
    for (uint32_t s = graph->npus; s-- > 0;) {
        source[source_class[s]] = s;
        members[source_class[s]]++;
    }
    out->class_of = class_of;
    out->source = source;
    out->members = members;
    return ORR_OK;
}
