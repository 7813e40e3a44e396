/* Traffic metrics of a strategy: bandwidth tax (TopoOpt, section 5.5), hops of transfers, and the
 * distribution of loads over links. */
#include "core/diag.h"
#include "planner/evaluator/eval_private.h"

struct traffic {
    struct evaluator *evaluator;
    double *transfers, *reduces; /* [links], bytes on the wire */
    double *sent;                /* payload bytes that NPUs send or forward */
    struct eval_traffic *out;
};

/* A byte counts once for each NPU that sends it: its source, and those that forward it. */
static bool is_sent_by_npu(const struct eval_routes *ways, uint32_t link)
{
    return link < ways->graph->links && ways->graph->link[link].from < ways->graph->npus;
}

static void add_item(const struct traffic *traffic, uint32_t item)
{
    struct evaluator *evaluator = traffic->evaluator;
    size_t count;
    const struct eval_transfer *transfer = eval_transfers(evaluator, item, &count);
    for (size_t i = 0; i < count; i++) {
        uint32_t to;
        const struct eval_route *route =
            transfer[i].bytes == 0 ? NULL : orr_eval_item_route(evaluator, item, &transfer[i], &to);
        const double payload = (double)transfer[i].bytes;
        for (uint32_t h = 0; route != NULL && h < route->hops; h++) {
            const uint32_t link = eval_route_links(&evaluator->ways, route)[h];
            traffic->transfers[link] += eval_wire_bytes(&evaluator->ways, transfer[i].bytes);
            *traffic->sent += is_sent_by_npu(&evaluator->ways, link) ? payload : 0;
            traffic->out->hops_mean += link < evaluator->ways.graph->links ? payload : 0;
        }
        traffic->out->transfer_bytes += payload;
    }
}

static void add_gradient(const struct traffic *traffic, const struct eval_gradient *gradient)
{
    const struct eval_ring_set *set = gradient->set;
    const uint32_t each = set->holders.exchange ? set->holders.count - 1 : 1;
    const double bytes = gradient->bytes * gradient->rounds;
    const double payload = gradient->payload * gradient->rounds;
    for (uint32_t r = 0; r < set->rings; r++) {
        const struct eval_ring *ring = &set->ring[r];
        for (uint32_t i = 0; i < ring->links; i++) {
            traffic->reduces[ring->link[i]] += bytes * ring->load[i];
            *traffic->sent += is_sent_by_npu(&traffic->evaluator->ways, ring->link[i])
                                  ? payload * ring->load[i]
                                  : 0;
        }
    }
    traffic->out->reduce_bytes += payload * set->shares * set->members * each;
}

static struct eval_load load_of(const struct eval_routes *ways, const double *bytes,
                                const double *more)
{
    const uint32_t links = ways->graph->links;
    struct eval_load load = {.min = links == 0 ? 0 : INFINITY};
    for (uint32_t l = 0; l < links; l++) {
        const double seconds = (bytes[l] + more[l]) / ways->capacity[l];
        load.mean += seconds / links;
        load.min = fmin(load.min, seconds);
        load.max = fmax(load.max, seconds);
    }
    return load;
}

static void count(const struct traffic *traffic)
{
    const struct eval_routes *ways = &traffic->evaluator->ways;
    struct eval_traffic *out = traffic->out;
    const double demand = out->transfer_bytes + out->reduce_bytes;
    out->tax = demand > 0 ? *traffic->sent / demand : 1;
    out->hops_mean = out->transfer_bytes > 0 ? out->hops_mean / out->transfer_bytes : 0;
    out->all = load_of(ways, traffic->transfers, traffic->reduces);
    memset(traffic->reduces, 0, ways->links * sizeof *traffic->reduces);
    out->transfers = load_of(ways, traffic->transfers, traffic->reduces);
}

/* Bytes on every link, in the evaluator's scratch arrays. */
static void gather(const struct traffic *traffic)
{
    const struct evaluator *evaluator = traffic->evaluator;
    const uint32_t step = evaluator->setup.forward_only ? 2 : 1; /* backward items are odd */
    *traffic->out = (struct eval_traffic){.transfer_bytes = 0};
    traffic->evaluator->failed = false;
    memset(traffic->transfers, 0, evaluator->ways.links * sizeof *traffic->transfers);
    memset(traffic->reduces, 0, evaluator->ways.links * sizeof *traffic->reduces);
    for (uint32_t item = 0; item < 2 * evaluator->setup.edges; item += step) {
        add_item(traffic, item);
    }
    for (uint32_t op = 0; op < evaluator->setup.ops; op++) {
        const struct eval_gradient *gradient = evaluator->op[op].reduce.items;
        for (size_t i = 0; i < evaluator->op[op].reduce.count; i++) {
            add_gradient(traffic, &gradient[i]);
        }
    }
}

enum orr_status orr_eval_traffic(struct evaluator *evaluator, struct eval_traffic *out,
                                 struct eval_link_bytes *link, struct orr_diag *diag)
{
    double sent = 0;
    const struct traffic traffic = {.evaluator = evaluator,
                                    .sent = &sent,
                                    .transfers = evaluator->used,
                                    .reduces = evaluator->share,
                                    .out = out};
    gather(&traffic);
    for (uint32_t l = 0; link != NULL && l < evaluator->ways.graph->links; l++) {
        link[l] = (struct eval_link_bytes){(uint64_t)(traffic.transfers[l] + 0.5),
                                           (uint64_t)(traffic.reduces[l] + 0.5)};
    }
    count(&traffic);
    return evaluator->failed ? orr_diag_no_memory(diag, "the traffic of a strategy") : ORR_OK;
}
