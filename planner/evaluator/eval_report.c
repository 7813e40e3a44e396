/* Bytes on every link, and the critical resource: the one with the longest busy time among links
 * (transmission), devices (computation) and all-reduces (latencies of rounds). The first two are
 * lower bounds of the iteration time. */
#include "core/diag.h"
#include "planner/evaluator/eval_private.h"

struct report {
    struct evaluator *evaluator;
    double *bytes;   /* [links] */
    double *compute; /* [devices] */
};

static void add_item(const struct report *report, uint32_t item)
{
    struct evaluator *evaluator = report->evaluator;
    size_t count;
    const struct eval_transfer *transfer = eval_transfers(evaluator, item, &count);
    for (size_t i = 0; i < count && !evaluator->failed; i++) {
        uint32_t to;
        const struct eval_route *route = orr_eval_item_route(evaluator, item, &transfer[i], &to);
        const double bytes =
            transfer[i].bytes == 0 ? 0 : eval_wire_bytes(&evaluator->ways, transfer[i].bytes);
        for (uint32_t h = 0; route != NULL && h < route->hops; h++) {
            report->bytes[eval_route_links(&evaluator->ways, route)[h]] += bytes;
        }
    }
}

static void add_gradient(const struct report *report, const struct eval_gradient *gradient)
{
    for (uint32_t r = 0; r < gradient->set->rings; r++) {
        const struct eval_ring *ring = &gradient->set->ring[r];
        for (uint32_t i = 0; i < ring->links; i++) {
            report->bytes[ring->link[i]] += gradient->bytes * gradient->rounds * ring->load[i];
        }
    }
}

static double latency_of(const struct eval_gradient *gradient)
{
    return gradient->set->ring->latency * gradient->rounds;
}

static void keep_max(struct eval_critical *critical, enum eval_resource resource, uint32_t index,
                     double seconds)
{
    const sim_time busy_ps = (sim_time)(fmin(seconds, 9e6) * 1e12 + 0.5);
    if (busy_ps > critical->busy_ps) {
        *critical = (struct eval_critical){resource, index, busy_ps};
    }
}

static void add_op(const struct report *report, uint32_t index, struct eval_critical *critical)
{
    const struct eval_op *op = &report->evaluator->op[index];
    const uint32_t *device = op->device.items, *times = op->times.items;
    const struct eval_gradient *gradient = op->reduce.items;
    const double back = report->evaluator->setup.forward_only ? 0 : op->seconds[1];
    const double seconds = op->seconds[0] + back;
    for (size_t i = 0; i < op->device.count; i++) {
        report->compute[device[i]] += times[device[i]] * seconds;
    }
    for (size_t i = 0; i < op->reduce.count; i++) {
        add_gradient(report, &gradient[i]);
        keep_max(critical, EVAL_LATENCY, index, latency_of(&gradient[i]));
    }
}

static void find_critical(const struct report *report, struct eval_critical *critical)
{
    const struct evaluator *evaluator = report->evaluator;
    *critical = (struct eval_critical){.resource = EVAL_DEVICE};
    for (uint32_t op = 0; op < evaluator->setup.ops; op++) {
        add_op(report, op, critical);
    }
    for (uint32_t l = 0; l < evaluator->ways.links; l++) {
        keep_max(critical, EVAL_LINK, l, report->bytes[l] / evaluator->ways.capacity[l]);
    }
    for (uint32_t d = 0; d < evaluator->setup.devices; d++) {
        keep_max(critical, EVAL_DEVICE, d, report->compute[d]);
    }
}

enum orr_status orr_eval_report(struct evaluator *evaluator, uint64_t *link_bytes,
                                struct eval_critical *critical, struct orr_diag *diag)
{
    struct eval_critical found;
    const uint32_t step = evaluator->setup.forward_only ? 2 : 1; /* backward items are odd */
    const struct report report = {
        .evaluator = evaluator, .bytes = evaluator->used, .compute = evaluator->ends};
    memset(report.bytes, 0, evaluator->ways.links * sizeof *report.bytes);
    memset(report.compute, 0, evaluator->setup.devices * sizeof *report.compute);
    evaluator->failed = false;
    for (uint32_t item = 0; item < 2 * evaluator->setup.edges; item += step) {
        add_item(&report, item);
    }
    find_critical(&report, &found);
    if (evaluator->failed) {
        return orr_diag_no_memory(diag, "the evaluation of a strategy");
    }
    for (uint32_t l = 0; link_bytes != NULL && l < evaluator->ways.graph->links; l++) {
        link_bytes[l] = (uint64_t)(report.bytes[l] + 0.5);
    }
    if (critical != NULL) {
        *critical = found;
    }
    return ORR_OK;
}
