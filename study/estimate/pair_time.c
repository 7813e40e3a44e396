/* A forward pass beside a whole backward pass on a rank (DualPipe); see estimate_private.h. Each is
 * a chain of computations and exchanges; the gradients of weights hang off the second one. A rank
 * computes one operator at a time: of those that are ready one of the forward pass first, then
 * gradients of weights, then the backward pass, as their nodes are numbered. Exchanges of a group
 * follow each other. */
#include <math.h>

#include "core/arena.h"
#include "study/estimate/estimate_private.h"
#include "workload/parallel/recompute.h"

/* A link of a chain: a computation, or an exchange; and a gradient of weights, ready with it. */
struct link {
    double compute;
    struct est_exchange exchange;
    double weights;
    struct est_exchange regather;
};

struct chain {
    struct link *link;
    uint32_t count, at;
    double ready;
};

struct pair {
    struct chain chain[2]; /* forward, backward */
    double lane[EST_LANES], compute;
    double pace; /* of computing beside exchanges of tokens */
    /* Gradients of weights, in the order in which they become ready. */
    double *ready, *seconds;
    uint32_t first, last;
};

/* ---- chains ---- */

static void add(struct chain *chain, struct link link)
{
    if (link.compute > 0 || link.exchange.seconds > 0 || link.weights > 0) {
        chain->link[chain->count++] = link;
    }
}

static void add_forward(struct chain *chain, const struct est_op *op)
{
    add(chain, op->exchanges ? (struct link){.exchange = op->to}
                             : (struct link){.compute = op->forward + op->ring_forward});
}

static void add_backward(const struct est_job *job, const struct est_block *block,
                         struct chain *chain)
{
    const bool all = block->computed_again;
    for (uint32_t i = 0; i < block->block->ops && all; i++) {
        add_forward(chain, &block->op[i]);
    }
    for (uint32_t i = block->block->ops; i-- > 0;) {
        const struct est_op *op = &block->op[i];
        if (!all && est_is_again(job, block, i)) {
            add_forward(chain, op);
        }
        add(chain, (struct link){.compute = op->exchanges ? 0 : op->input + op->ring_input,
                                 .exchange = op->exchanges ? op->back : (struct est_exchange){0},
                                 .weights = op->has_weights ? op->weights : 0,
                                 .regather = op->regather});
    }
}

static uint32_t count_ops(const struct est_job *job, const struct est_chunk *chunk)
{
    uint32_t ops = 1;
    for (uint32_t l = chunk->range.first; l < chunk->range.end; l++) {
        ops += job->layer[l]->block->ops;
    }
    return ops;
}

static bool make_chains(const struct est_job *job, const struct est_chunk *forward,
                        const struct est_chunk *backward, struct pair *pair)
{
    const uint32_t ops = count_ops(job, backward);
    pair->chain[0].link =
        orr_arena_array(job->arena, count_ops(job, forward), sizeof *pair->chain[0].link);
    pair->chain[1].link = orr_arena_array(job->arena, 2u * ops, sizeof *pair->chain[1].link);
    pair->ready = orr_arena_array(job->arena, ops, sizeof *pair->ready);
    pair->seconds = orr_arena_array(job->arena, ops, sizeof *pair->seconds);
    if (pair->chain[0].link == NULL || pair->chain[1].link == NULL || pair->ready == NULL ||
        pair->seconds == NULL) {
        return false;
    }
    for (uint32_t l = forward->range.first; l < forward->range.end; l++) {
        for (uint32_t i = 0; i < job->layer[l]->block->ops; i++) {
            add_forward(&pair->chain[0], &job->layer[l]->op[i]);
        }
    }
    for (uint32_t l = backward->range.end; l-- > backward->range.first;) {
        add_backward(job, job->layer[l], &pair->chain[1]);
    }
    return true;
}

/* ---- running ---- */

static const struct link *next_link(const struct chain *chain)
{
    return chain->at < chain->count ? &chain->link[chain->at] : NULL;
}

/* What a link of the backward pass leaves behind. */
static void hang_weights(struct pair *pair, const struct link *link, double ready)
{
    if (link->weights > 0) {
        pair->ready[pair->last] = est_communicate(pair->lane, &link->regather, ready);
        pair->seconds[pair->last++] = link->weights;
    }
}

/* Runs the exchanges that are next, the chain that is there earlier first. */
static void run_exchanges(struct pair *pair)
{
    for (;;) {
        struct chain *next = NULL;
        for (unsigned i = 0; i < 2; i++) {
            struct chain *chain = &pair->chain[i];
            const struct link *link = next_link(chain);
            next =
                link != NULL && link->compute <= 0 && (next == NULL || chain->ready < next->ready)
                    ? chain
                    : next;
        }
        if (next == NULL) {
            return;
        }
        const struct link *link = &next->link[next->at++];
        hang_weights(pair, link, next->ready);
        next->ready = est_communicate(pair->lane, &link->exchange, next->ready);
    }
}

/* When a computation ends: while tokens of experts are exchanged by kernels that hold SMs it is
 * slower. */
static double end_of(const struct pair *pair, double begin, double seconds)
{
    const double busy = pair->lane[EST_EXPERT] - begin;
    if (pair->pace <= 1 || busy <= 0) {
        return begin + seconds;
    }
    return seconds * pair->pace <= busy ? begin + seconds * pair->pace
                                        : begin + seconds + busy * (1 - 1 / pair->pace);
}

/* The next computation; false: there is none. */
static bool compute(struct pair *pair)
{
    enum { FORWARD, WEIGHTS, BACKWARD, KINDS };
    const double ready[KINDS] = {
        next_link(&pair->chain[0]) != NULL ? pair->chain[0].ready : INFINITY,
        pair->first < pair->last ? pair->ready[pair->first] : INFINITY,
        next_link(&pair->chain[1]) != NULL ? pair->chain[1].ready : INFINITY};
    const double soonest = fmin(ready[FORWARD], fmin(ready[WEIGHTS], ready[BACKWARD]));
    const double now = fmax(pair->compute, soonest);
    if (isinf(soonest)) {
        return false;
    }
    if (ready[FORWARD] > now && ready[WEIGHTS] <= now) {
        pair->compute = end_of(pair, now, pair->seconds[pair->first++]);
        return true;
    }
    struct chain *chain = &pair->chain[ready[FORWARD] <= now ? 0 : 1];
    const struct link *link = &chain->link[chain->at++];
    hang_weights(pair, link, chain->ready);
    pair->compute = chain->ready = end_of(pair, now, link->compute);
    return true;
}

double orr_est_both(struct est_job *job, const struct est_chunk *forward,
                    const struct est_chunk *backward)
{
    struct pair pair = {.pace = job->plan->layout.node > 0 ? job->costs->token_pace : 1};
    if (!make_chains(job, forward, backward, &pair)) {
        job->no_memory = true;
        return 0;
    }
    do {
        run_exchanges(&pair);
    } while (compute(&pair));
    return fmax(pair.compute, fmax(pair.chain[0].ready, pair.chain[1].ready));
}
