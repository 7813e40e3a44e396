/* Items: an edge of the model in one pass, with the number of transfers that each device waits for
 * and the flows on each link. Computed once and kept until the edge or one of its two operators is
 * set. */
#include "planner/evaluator/eval_private.h"

const struct eval_route *orr_eval_item_route(struct evaluator *evaluator, uint32_t item,
                                             const struct eval_transfer *transfer, uint32_t *to)
{
    const bool back = item % 2 == 1;
    const uint32_t from = back ? transfer->to : transfer->from;
    *to = back ? transfer->from : transfer->to;
    const struct eval_route *route = eval_route_of(&evaluator->ways, from, *to, item / 2);
    if (route == NULL) {
        eval_fail(evaluator);
    }
    return route;
}

static bool same_devices(const struct eval_op *a, const struct eval_op *b)
{
    return a->device.count == b->device.count &&
           memcmp(a->device.items, b->device.items, a->device.count * sizeof(uint32_t)) == 0;
}

static void compute_transfers(struct evaluator *evaluator, uint32_t item, struct eval_item *out)
{
    size_t count;
    const struct eval_transfer *transfer = eval_transfers(evaluator, item, &count);
    uint32_t *due = out->due.items;
    double end = 0;
    out->equal = true;
    out->hops = 0;
    out->start = count == 0 ? 0 : INFINITY;
    for (size_t i = 0; i < count; i++) {
        uint32_t to;
        const struct eval_route *route = orr_eval_item_route(evaluator, item, &transfer[i], &to);
        if (route == NULL) {
            return;
        }
        due[to]++;
        out->hops += route->hops;
        out->start = fmin(out->start, route->start);
        end = fmax(end, route->start + route->tail);
        out->equal = out->equal && transfer[i].bytes == transfer[0].bytes;
    }
    out->bytes = count == 0 ? 0 : eval_wire_bytes(&evaluator->ways, transfer[0].bytes);
    out->extra = end - out->start;
}

void orr_eval_compute_item(struct evaluator *evaluator, uint32_t item)
{
    struct eval_item *out = eval_item_at(evaluator, item);
    const struct eval_sending *sending = &evaluator->sending[item / 2];
    const struct eval_edge *edge = &evaluator->edge[item / 2];
    if (out->known) {
        return;
    }
    out->known = true;
    out->aligned = sending->transfer.count == 0 &&
                   same_devices(&evaluator->op[edge->from], &evaluator->op[edge->to]) &&
                   sending->local.count == evaluator->op[edge->to].device.count;
    out->start = out->extra = 0;
    if (out->aligned) {
        return;
    }
    uint32_t *due = orr_eval_reserve(&out->due, evaluator->setup.devices, sizeof *due);
    if (due == NULL) {
        eval_fail(evaluator);
        return;
    }
    memset(due, 0, evaluator->setup.devices * sizeof *due);
    const uint32_t *local = sending->local.items;
    for (size_t i = 0; i < sending->local.count; i++) {
        due[local[i]]++;
    }
    compute_transfers(evaluator, item, out);
}

const float *orr_eval_item_flows(struct evaluator *evaluator, uint32_t item)
{
    struct eval_item *out = eval_item_at(evaluator, item);
    const uint32_t links = evaluator->ways.links;
    if (out->flows.count != 0) {
        return out->flows.items;
    }
    float *flows = orr_eval_reserve(&out->flows, links, sizeof *flows);
    size_t count;
    const struct eval_transfer *transfer = eval_transfers(evaluator, item, &count);
    if (flows == NULL) {
        eval_fail(evaluator);
        return NULL;
    }
    memset(flows, 0, links * sizeof *flows);
    for (size_t i = 0; i < count; i++) {
        uint32_t to;
        const struct eval_route *route = orr_eval_item_route(evaluator, item, &transfer[i], &to);
        if (route == NULL) {
            return NULL;
        }
        const uint32_t *link = eval_route_links(&evaluator->ways, route);
        for (uint32_t h = 0; h < route->hops; h++) {
            flows[link[h]] += 1;
        }
    }
    out->flows.count = links;
    return flows;
}
