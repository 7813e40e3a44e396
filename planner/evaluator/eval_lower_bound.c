/* Lower bound of the iteration time: the maximum over all links of bytes / capacity. It needs no
 * run, so that a search can reject slow strategies without one. The loads of each edge and of each
 * operator's all-reduces are kept until these are set. */
#include "planner/evaluator/eval_private.h"

/* Makes `load` an array of zeros, [links]. NULL: memory is out. */
static double *begin(struct evaluator *evaluator, struct eval_array *load)
{
    const uint32_t links = evaluator->ways.links;
    double *bytes = orr_eval_reserve(load, links, sizeof *bytes);
    if (bytes == NULL) {
        eval_fail(evaluator);
        return NULL;
    }
    memset(bytes, 0, links * sizeof *bytes);
    load->count = links;
    return bytes;
}

/* The bytes of an edge on each link, in both passes. */
static void load_edge(struct evaluator *evaluator, uint32_t edge)
{
    struct eval_sending *sending = &evaluator->sending[edge];
    const struct eval_transfer *transfer = sending->transfer.items;
    const uint32_t passes = evaluator->setup.forward_only ? 1 : 2;
    double *bytes = begin(evaluator, &sending->load);
    for (size_t i = 0; i < sending->transfer.count && bytes != NULL; i++) {
        const double wire =
            transfer[i].bytes == 0 ? 0 : eval_wire_bytes(&evaluator->ways, transfer[i].bytes);
        for (uint32_t pass = 0; pass < passes && wire > 0; pass++) {
            uint32_t to;
            const struct eval_route *route =
                orr_eval_item_route(evaluator, 2 * edge + pass, &transfer[i], &to);
            for (uint32_t h = 0; route != NULL && h < route->hops; h++) {
                bytes[eval_route_links(&evaluator->ways, route)[h]] += wire;
            }
        }
    }
}

static void load_op(struct evaluator *evaluator, struct eval_op *op)
{
    const struct eval_gradient *gradient = op->reduce.items;
    double *bytes = begin(evaluator, &op->load);
    for (size_t i = 0; i < op->reduce.count && bytes != NULL; i++) {
        for (uint32_t r = 0; r < gradient[i].set->rings; r++) {
            const struct eval_ring *ring = &gradient[i].set->ring[r];
            for (uint32_t l = 0; l < ring->links; l++) {
                bytes[ring->link[l]] += gradient[i].bytes * gradient[i].rounds * ring->load[l];
            }
        }
    }
}

static void add(const struct evaluator *evaluator, const struct eval_array *load)
{
    const double *bytes = load->items;
    for (size_t l = 0; l < load->count; l++) {
        evaluator->used[l] += bytes[l];
    }
}

double orr_eval_lower_bound(struct evaluator *evaluator)
{
    double max = 0;
    memset(evaluator->used, 0, evaluator->ways.links * sizeof *evaluator->used);
    for (uint32_t e = 0; e < evaluator->setup.edges; e++) {
        struct eval_sending *sending = &evaluator->sending[e];
        if (sending->load.count == 0 && sending->transfer.count != 0) {
            load_edge(evaluator, e);
        }
        add(evaluator, &sending->load);
    }
    for (uint32_t op = 0; op < evaluator->setup.ops; op++) {
        struct eval_op *at = &evaluator->op[op];
        if (at->load.count == 0 && at->reduce.count != 0) {
            load_op(evaluator, at);
        }
        add(evaluator, &at->load);
    }
    for (uint32_t l = 0; l < evaluator->ways.links; l++) {
        max = eval_max(max, evaluator->used[l] / evaluator->ways.capacity[l]);
    }
    return max;
}
