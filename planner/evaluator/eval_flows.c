/* Transfers in flight: single flows and pools of flows. The rate of a flow is the minimum of the
 * equal shares of its links. A pool is many flows of equal bytes that started at once; it drains
 * from each link at the link's share. Before a change, orr_eval_flows_settle advances all transfers
 * at the old shares; after the last change of an instant the shares are computed once.
 * The rates are below max-min fair ones: capacity that a flow cannot use because of its bottleneck
 * link is not given to other flows. */
#include "planner/evaluator/eval_private.h"

enum {
    POOL_FLOWS_PER_LINK = 4, /* minimum mean flows a link for a pool */
    FEW_FLOWS = 64,          /* with at most this many, each ends in a step of its own */
    BATCHES = 16             /* with more: steps of the mean time left / BATCHES */
};

void orr_eval_flows_begin(struct evaluator *evaluator)
{
    for (size_t i = 0; i < evaluator->pool.count; i++) {
        eval_pool_at(evaluator, (uint32_t)i)->active = false;
        eval_pool_at(evaluator, (uint32_t)i)->taken = false;
    }
    evaluator->flow.count = evaluator->joining.count = 0;
    evaluator->in_flight = evaluator->pools = 0;
    evaluator->next_end = EVAL_NEVER;
    memset(evaluator->count, 0, evaluator->ways.links * sizeof *evaluator->count);
}

/* ---- joining ---- */

void orr_eval_mark(struct evaluator *evaluator, struct eval_cohort cohort, uint8_t value)
{
    const uint32_t *set = evaluator->set.items;
    if (cohort.count == EVAL_ALL_DEVICES) {
        memset(evaluator->mark, value, evaluator->setup.devices);
        return;
    }
    for (uint32_t i = 0; i < cohort.count; i++) {
        evaluator->mark[set[cohort.first + i]] = value;
    }
}

static void join_flow(struct evaluator *evaluator, uint32_t item,
                      const struct eval_transfer *transfer)
{
    uint32_t to;
    const struct eval_route *route = orr_eval_item_route(evaluator, item, transfer, &to);
    struct eval_flow *flow =
        orr_eval_reserve(&evaluator->flow, evaluator->flow.count + 1, sizeof *flow);
    if (route == NULL || flow == NULL) {
        eval_fail(evaluator);
        return;
    }
    flow[evaluator->flow.count++] = (struct eval_flow){
        .left = eval_wire_bytes(&evaluator->ways, transfer->bytes),
        .extra = route->start - eval_item_at(evaluator, item)->start + route->tail,
        .link = eval_route_links(&evaluator->ways, route),
        .hops = route->hops,
        .item = item,
        .to = to};
    const uint32_t *link = eval_route_links(&evaluator->ways, route);
    for (uint32_t h = 0; h < route->hops; h++) {
        evaluator->count[link[h]] += 1;
    }
    evaluator->in_flight++;
}

/* Visits the transfers of an item from a cohort. */
typedef void (*visit_fn)(struct evaluator *evaluator, uint32_t item,
                         const struct eval_transfer *transfer, void *context);

static void visit_pooled(struct evaluator *evaluator, const struct eval_pooled *pooled,
                         visit_fn visit, void *context)
{
    size_t count;
    const struct eval_transfer *transfer = eval_transfers(evaluator, pooled->item, &count);
    const bool whole = pooled->from.count == EVAL_ALL_DEVICES;
    if (!whole) {
        orr_eval_mark(evaluator, pooled->from, 1);
    }
    for (size_t i = 0; i < count && !evaluator->failed; i++) {
        const uint32_t from = pooled->item % 2 == 0 ? transfer[i].from : transfer[i].to;
        if (whole || evaluator->mark[from] != 0) {
            visit(evaluator, pooled->item, &transfer[i], context);
        }
    }
    if (!whole) {
        orr_eval_mark(evaluator, pooled->from, 0);
    }
}

static void visit_flow(struct evaluator *evaluator, uint32_t item,
                       const struct eval_transfer *transfer, void *context)
{
    (void)context;
    join_flow(evaluator, item, transfer);
}

static void visit_into_pool(struct evaluator *evaluator, uint32_t item,
                            const struct eval_transfer *transfer, void *context)
{
    float *flows = context;
    uint32_t to;
    const struct eval_route *route = orr_eval_item_route(evaluator, item, transfer, &to);
    const uint32_t *link = route != NULL ? eval_route_links(&evaluator->ways, route) : NULL;
    for (uint32_t h = 0; route != NULL && h < route->hops; h++) {
        flows[link[h]] += 1;
    }
}

static struct eval_pool *new_pool(struct evaluator *evaluator)
{
    struct eval_pool *pool = evaluator->pool.items;
    size_t at = 0;
    while (at < evaluator->pool.count && pool[at].taken) {
        at++;
    }
    if (at == evaluator->pool.count) {
        pool = orr_eval_reserve(&evaluator->pool, at + 1, sizeof *pool);
        if (pool == NULL) {
            eval_fail(evaluator);
            return NULL;
        }
        pool[at] = (struct eval_pool){.taken = false};
        evaluator->pool.count++;
    }
    const uint32_t links = evaluator->ways.links;
    if (orr_eval_reserve(&pool[at].flows, links, sizeof(float)) == NULL ||
        orr_eval_reserve(&pool[at].left, links, sizeof(float)) == NULL) {
        eval_fail(evaluator);
        return NULL;
    }
    pool[at].pooled.count = 0;
    pool[at].extra = 0;
    memset(pool[at].flows.items, 0, links * sizeof(float));
    return &pool[at];
}

static void add_to_pool(struct evaluator *evaluator, struct eval_pool *pool,
                        const struct eval_pooled *pooled)
{
    float *restrict sum = pool->flows.items;
    struct eval_pooled *kept =
        orr_eval_reserve(&pool->pooled, pool->pooled.count + 1, sizeof *kept);
    if (kept == NULL) {
        eval_fail(evaluator);
        return;
    }
    kept[pool->pooled.count++] = *pooled;
    pool->extra = eval_max(pool->extra, eval_item_at(evaluator, pooled->item)->extra);
    if (pooled->from.count != EVAL_ALL_DEVICES) {
        visit_pooled(evaluator, pooled, visit_into_pool, sum);
        return;
    }
    const float *restrict flows = orr_eval_item_flows(evaluator, pooled->item);
    for (uint32_t l = 0; flows != NULL && l < evaluator->ways.links; l++) {
        sum[l] += flows[l];
    }
}

static void start_pool(struct evaluator *evaluator, struct eval_pool *pool, double bytes)
{
    const float *flows = pool->flows.items;
    float *left = pool->left.items;
    for (uint32_t l = 0; l < evaluator->ways.links; l++) {
        left[l] = flows[l] > 0 ? (float)bytes : 0;
        evaluator->count[l] += (double)flows[l];
    }
    pool->active = pool->taken = true;
    evaluator->pools++;
    evaluator->in_flight++;
}

/* Whether the joining items of `bytes` bytes a transfer are enough for a pool. */
static bool is_pool_worth(const struct evaluator *evaluator, double bytes)
{
    const struct eval_pooled *joining = evaluator->joining.items;
    uint64_t hops = 0;
    for (size_t i = 0; i < evaluator->joining.count; i++) {
        const struct eval_item *item = eval_item_at(evaluator, joining[i].item);
        hops += item->equal && item->bytes == bytes ? item->hops : 0;
    }
    return hops >= (uint64_t)POOL_FLOWS_PER_LINK * evaluator->ways.links;
}

static void join_pool(struct evaluator *evaluator, double bytes)
{
    struct eval_pooled *joining = evaluator->joining.items;
    struct eval_pool *pool = new_pool(evaluator);
    size_t kept = 0;
    for (size_t i = 0; i < evaluator->joining.count && pool != NULL; i++) {
        const struct eval_item *item = eval_item_at(evaluator, joining[i].item);
        if (item->equal && item->bytes == bytes) {
            add_to_pool(evaluator, pool, &joining[i]);
        } else {
            joining[kept++] = joining[i];
        }
    }
    evaluator->joining.count = kept;
    if (pool != NULL) {
        start_pool(evaluator, pool, bytes);
    }
}

void orr_eval_join(struct evaluator *evaluator)
{
    evaluator->changed = true;
    while (evaluator->joining.count != 0 && !evaluator->failed) {
        const struct eval_pooled *joining = evaluator->joining.items;
        const struct eval_pooled last = joining[evaluator->joining.count - 1];
        const struct eval_item *item = eval_item_at(evaluator, last.item);
        if (item->equal && is_pool_worth(evaluator, item->bytes)) {
            join_pool(evaluator, item->bytes);
        } else {
            evaluator->joining.count--;
            visit_pooled(evaluator, &last, visit_flow, NULL);
        }
    }
}

/* ---- shares ---- */

static void settle_pool(struct evaluator *evaluator, struct eval_pool *pool, double elapsed)
{
    const float *restrict flows = pool->flows.items;
    float *restrict left = pool->left.items;
    const double *restrict share = evaluator->share;
    double *restrict count = evaluator->count;
    const uint32_t links = evaluator->ways.links;
    for (uint32_t l = 0; l < links; l++) {
        const float before = left[l];
        const float after = (float)((double)before - share[l] * elapsed);
        left[l] = after > 0 ? after : 0;
        count[l] -= before > 0 && !(after > 0) ? (double)flows[l] : 0;
    }
}

void orr_eval_flows_settle(struct evaluator *evaluator)
{
    const double elapsed = evaluator->now - evaluator->since;
    struct eval_flow *flow = evaluator->flow.items;
    for (size_t i = 0; i < evaluator->flow.count; i++) {
        flow[i].left = eval_max(0, flow[i].left - flow[i].rate * elapsed);
    }
    for (size_t i = 0; i < evaluator->pool.count; i++) {
        struct eval_pool *pool = eval_pool_at(evaluator, (uint32_t)i);
        if (pool->active) {
            settle_pool(evaluator, pool, elapsed);
        }
    }
}

static void share_flow(struct evaluator *evaluator, struct eval_flow *flow)
{
    double min = INFINITY;
    for (uint32_t h = 0; h < flow->hops; h++) {
        min = eval_min(min, evaluator->share[flow->link[h]]);
    }
    flow->rate = min;
    flow->finish = evaluator->now + flow->left / min;
    evaluator->next_end = eval_min(evaluator->next_end, flow->finish);
}

/* Maximum, in LANES partial maxima that the compiler can vectorize. */
static float max_of(const float *drain_s, uint32_t count)
{
    enum { LANES = 8 };
    float longest[LANES] = {0};
    uint32_t i = 0;
    for (; i + LANES <= count; i += LANES) {
        for (uint32_t k = 0; k < LANES; k++) {
            longest[k] = drain_s[i + k] > longest[k] ? drain_s[i + k] : longest[k];
        }
    }
    for (; i < count; i++) {
        longest[0] = drain_s[i] > longest[0] ? drain_s[i] : longest[0];
    }
    for (uint32_t k = 1; k < LANES; k++) {
        longest[0] = longest[k] > longest[0] ? longest[k] : longest[0];
    }
    return longest[0];
}

/* On links without flows the share is NaN; the comparison of max_of ignores it. */
static void share_pool(struct evaluator *evaluator, struct eval_pool *pool)
{
    const float *restrict left = pool->left.items;
    const double *restrict share = evaluator->share;
    float *restrict drain_s = evaluator->drain_s;
    const uint32_t links = evaluator->ways.links;
    for (uint32_t l = 0; l < links; l++) {
        drain_s[l] = left[l] / (float)share[l];
    }
    pool->finish = evaluator->now + (double)max_of(drain_s, links);
    evaluator->next_end = eval_min(evaluator->next_end, pool->finish);
}

void orr_eval_flows_share(struct evaluator *evaluator)
{
    evaluator->next_end = EVAL_NEVER;
    if (evaluator->in_flight == 0) {
        return;
    }
    for (size_t i = 0; i < evaluator->flow.count; i++) {
        share_flow(evaluator, eval_flow_at(evaluator, (uint32_t)i));
    }
    for (size_t i = 0; i < evaluator->pool.count; i++) {
        if (eval_pool_at(evaluator, (uint32_t)i)->active) {
            share_pool(evaluator, eval_pool_at(evaluator, (uint32_t)i));
        }
    }
}

/* ---- ending ---- */

static void end_flow(struct evaluator *evaluator, const struct eval_flow *flow)
{
    for (uint32_t h = 0; h < flow->hops; h++) {
        evaluator->count[flow->link[h]] -= 1;
    }
    evaluator->in_flight--;
    orr_eval_post(evaluator, &(struct eval_event){.time = flow->finish + flow->extra,
                                                  .kind = EVAL_ARRIVE,
                                                  .index = flow->item,
                                                  .cohort = {.first = flow->to, .count = 1}});
}

static void end_pool(struct evaluator *evaluator, uint32_t index)
{
    struct eval_pool *pool = eval_pool_at(evaluator, index);
    const float *flows = pool->flows.items, *left = pool->left.items;
    for (uint32_t l = 0; l < evaluator->ways.links; l++) {
        evaluator->count[l] -= left[l] > 0 ? (double)flows[l] : 0;
    }
    pool->active = false;
    evaluator->pools--;
    evaluator->in_flight--;
    orr_eval_post(evaluator, &(struct eval_event){.time = pool->finish + pool->extra,
                                                  .kind = EVAL_POOL_ARRIVES,
                                                  .index = index});
}

double orr_eval_flows_until(const struct evaluator *evaluator)
{
    const struct eval_flow *flow = evaluator->flow.items;
    const size_t count = evaluator->flow.count;
    double sum = 0;
    if (count <= FEW_FLOWS) {
        return evaluator->next_end;
    }
    for (size_t i = 0; i < count; i++) {
        sum += flow[i].finish - evaluator->next_end;
    }
    return evaluator->next_end + sum / (double)count / BATCHES;
}

void orr_eval_flows_end(struct evaluator *evaluator, double until)
{
    struct eval_flow *flow = evaluator->flow.items;
    const double limit = until + 1e-15;
    size_t kept = 0;
    evaluator->changed = true;
    for (size_t i = 0; i < evaluator->flow.count; i++) {
        if (flow[i].finish <= limit) {
            end_flow(evaluator, &flow[i]);
        } else {
            flow[kept++] = flow[i];
        }
    }
    evaluator->flow.count = kept;
    for (uint32_t i = 0; i < evaluator->pool.count; i++) {
        if (eval_pool_at(evaluator, i)->active && eval_pool_at(evaluator, i)->finish <= limit) {
            end_pool(evaluator, i);
        }
    }
}
