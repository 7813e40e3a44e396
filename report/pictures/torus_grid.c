/* Tori as grids; see torus_grid.h. */
#include "report/pictures/torus_grid.h"

#include <math.h>

struct orr_grid orr_grid(const uint32_t size[3], double width, double height)
{
    const double depth = size[2] - 1.0;
    const struct orr_point deeper = {0.75 * width + 6, 0.5 * height + 7};
    return (struct orr_grid){.size = {size[0], size[1], size[2]},
                             .across = width + 32 + depth * deeper.x,
                             .down = height + 34 + depth * deeper.y,
                             .deeper = deeper};
}

static void coordinates(const uint32_t size[3], uint32_t index, uint32_t at[3])
{
    at[0] = index % size[0];
    at[1] = index / size[0] % size[1];
    at[2] = index / size[0] / size[1];
}

struct orr_point orr_grid_at(const struct orr_grid *grid, uint32_t index)
{
    uint32_t at[3];
    coordinates(grid->size, index, at);
    return (struct orr_point){at[0] * grid->across + at[2] * grid->deeper.x,
                              at[2] * grid->deeper.y - at[1] * grid->down};
}

struct orr_point orr_grid_aside(const struct orr_grid *grid, uint32_t from, uint32_t to)
{
    uint32_t a[3], b[3];
    coordinates(grid->size, from, a);
    coordinates(grid->size, to, b);
    const double depth = grid->size[2] - 1.0;
    if (a[0] + 1 < b[0] || b[0] + 1 < a[0]) {
        return (struct orr_point){0, -0.6 * (grid->down - depth * grid->deeper.y)};
    }
    if (a[1] + 1 < b[1] || b[1] + 1 < a[1]) {
        return (struct orr_point){-0.6 * (grid->across - depth * grid->deeper.x), 0};
    }
    if (a[2] + 1 < b[2] || b[2] + 1 < a[2]) {
        return (struct orr_point){grid->deeper.x, -grid->deeper.y};
    }
    return (struct orr_point){0, 0};
}

/* ---- detection ---- */

static bool are_neighbours(const uint32_t size[3], uint32_t from, uint32_t to)
{
    uint32_t a[3], b[3], apart = 0;
    coordinates(size, from, a);
    coordinates(size, to, b);
    for (unsigned d = 0; d < 3; d++) {
        const uint32_t ahead = (b[d] + size[d] - a[d]) % size[d];
        apart += ahead == 0 ? 0 : ahead == 1 || ahead + 1 == size[d] ? 1 : 2;
    }
    return apart == 1;
}

static uint32_t links_of(const uint32_t size[3])
{
    uint32_t links = 0;
    for (unsigned d = 0; d < 3; d++) {
        links += size[d] > 2 ? 2 : size[d] - 1;
    }
    return links;
}

static bool is_torus(const struct net_graph *graph, const uint32_t size[3])
{
    bool is = (uint64_t)links_of(size) * graph->npus == graph->links;
    for (uint32_t i = 0; is && i < graph->links; i++) {
        is = are_neighbours(size, graph->link[i].from, graph->link[i].to);
    }
    return is;
}

bool orr_grid_find(const struct net_graph *graph, uint32_t size[3])
{
    const uint32_t npus = graph->npus;
    for (size[2] = 1; graph->nodes == npus && size[2] <= npus / 4; size[2]++) {
        const uint32_t plane = npus / size[2];
        for (size[0] = 2; npus % size[2] == 0 && size[0] <= plane / 2; size[0]++) {
            size[1] = plane / size[0];
            if (plane % size[0] == 0 && is_torus(graph, size)) {
                return true;
            }
        }
    }
    return false;
}
