/* The balanced graph: see sipml_graph.h. */
#include "sipml/search/sipml_graph.h"

struct sipml_range orr_sipml_parents(const struct sipml_graph *graph, uint32_t op,
                                     const struct sipml_link *link, uint32_t part)
{
    const uint32_t first = graph->first_part[link->from];
    const uint64_t a = orr_sipml_parts_of(graph, link->from), b = orr_sipml_parts_of(graph, op);
    if (link->kind == SIPML_ALL) {
        return (struct sipml_range){first, first + (uint32_t)a};
    }
    uint64_t low = part * a / b, end = ((part + UINT64_C(1)) * a + b - 1) / b;
    low -= link->halo && low > 0;
    end += link->halo && end < a;
    return (struct sipml_range){first + (uint32_t)low, first + (uint32_t)end};
}

uint64_t orr_sipml_dependencies(const struct sipml_graph *graph)
{
    uint64_t pairs = 0;
    for (uint32_t op = 0; op < graph->ops; op++) {
        const uint32_t parts = orr_sipml_parts_of(graph, op);
        for (uint32_t l = graph->first_link[op]; l < graph->first_link[op + 1]; l++) {
            const struct sipml_link *link = &graph->link[l];
            const bool all = link->kind == SIPML_ALL;
            for (uint32_t i = 0; i < parts && !link->untimed; i += all ? parts : 1) {
                const struct sipml_range range = orr_sipml_parents(graph, op, link, i);
                pairs += (uint64_t)(range.end - range.first) * (all ? parts : 1);
            }
        }
    }
    return pairs;
}
