/* Forest: every block goes along a spanning tree of its own, from its rank (all-gather), towards it
 * (reduce-scatter), or first the one and then the other (all-reduce); a broadcast along trees from
 * the root. Chunks alternate between variants of the trees. A rank's receives are in the order of
 * forest.h, so that a count of them says which blocks have come. Without trees it is a ring. */
#include "system/collectives/forest.h"

#include "system/collectives/algorithm_parts.h"

static const struct coll_algorithm *without_trees(void)
{
    return orr_coll_for(COLL_FOR_RING);
}

static bool has_trees(const struct coll_args *args)
{
    return args->forest != NULL && args->forest->n == args->n && args->n > 1;
}

static const struct coll_forest_part *reduce_of(const struct coll_args *args)
{
    const bool reduces = args->kind == COLL_ALL_REDUCE || args->kind == COLL_REDUCE_SCATTER;
    return reduces ? &args->forest->reduce : NULL;
}

static const struct coll_forest_part *gather_of(const struct coll_args *args)
{
    return args->kind != COLL_REDUCE_SCATTER ? &args->forest->gather : NULL;
}

static size_t index_of(const struct coll_args *args, const struct coll_forest_part *part,
                       uint32_t rank)
{
    return (size_t)(args->variant % part->units) * args->n + rank;
}

static uint32_t count_of(const uint32_t *first, size_t at)
{
    return first[at + 1] - first[at];
}

static uint32_t sends_of(const struct coll_args *args, const struct coll_forest_part *part)
{
    return part != NULL ? count_of(part->first_send, index_of(args, part, args->rank)) : 0;
}

static uint32_t recvs_of(const struct coll_args *args, const struct coll_forest_part *part,
                         uint32_t rank)
{
    return part != NULL ? count_of(part->first_recv, index_of(args, part, rank)) : 0;
}

static uint64_t bytes_of(const struct coll_args *args, uint32_t block)
{
    return args->kind == COLL_BROADCAST ? args->bytes : coll_bytes_of(args, block, block);
}

static bool supports(enum coll_kind kind, uint32_t n)
{
    return n >= 1 && (kind == COLL_ALL_GATHER || kind == COLL_REDUCE_SCATTER ||
                      kind == COLL_ALL_REDUCE || kind == COLL_BROADCAST);
}

static uint32_t sends(const struct coll_args *args)
{
    return has_trees(args) ? sends_of(args, reduce_of(args)) + sends_of(args, gather_of(args))
                           : without_trees()->sends(args);
}

static uint32_t recvs(const struct coll_args *args)
{
    return has_trees(args) ? recvs_of(args, reduce_of(args), args->rank) +
                                 recvs_of(args, gather_of(args), args->rank)
                           : without_trees()->recvs(args);
}

/* The k-th send, and its part. */
static const struct coll_forest_send *find_send(const struct coll_args *args, uint32_t k,
                                                const struct coll_forest_part **part)
{
    const uint32_t before = sends_of(args, reduce_of(args));
    *part = k < before ? reduce_of(args) : gather_of(args);
    return &(*part)->send[(*part)->first_send[index_of(args, *part, args->rank)] +
                          (k < before ? k : k - before)];
}

static void send(const struct coll_args *args, uint32_t k, struct coll_send *out)
{
    if (!has_trees(args)) {
        without_trees()->send(args, k, out);
        return;
    }
    const struct coll_forest_part *part, *reduce = reduce_of(args);
    const struct coll_forest_send *found = find_send(args, k, &part);
    *out = (struct coll_send){.peer = found->peer,
                              .peer_recv = found->peer_recv,
                              .need = found->need,
                              .up = part == reduce,
                              .bytes = bytes_of(args, found->block)};
    if (part != reduce && reduce != NULL) {
        out->peer_recv += recvs_of(args, reduce, found->peer);
        out->need = found->block == args->rank ? reduce->own[index_of(args, reduce, args->rank)]
                                               : found->need + recvs_of(args, reduce, args->rank);
    }
}

static void recv(const struct coll_args *args, uint32_t k, struct coll_recv *out)
{
    if (!has_trees(args)) {
        without_trees()->recv(args, k, out);
        return;
    }
    const uint32_t before = recvs_of(args, reduce_of(args), args->rank);
    const struct coll_forest_part *part = k < before ? reduce_of(args) : gather_of(args);
    const struct coll_forest_recv *found =
        &part->recv[part->first_recv[index_of(args, part, args->rank)] +
                    (k < before ? k : k - before)];
    *out = (struct coll_recv){
        .peer = found->peer, .reduce = k < before, .bytes = bytes_of(args, found->block)};
}

static void blocks(const struct coll_args *args, uint32_t k, coll_block_fn visit, void *context)
{
    const struct coll_forest_part *part;
    if (!has_trees(args)) {
        without_trees()->blocks(args, k, visit, context);
    } else if (args->kind == COLL_BROADCAST) {
        coll_visit_all(args, visit, context);
    } else {
        visit(context, find_send(args, k, &part)->block);
    }
}

/* Of trees of any depth: as many as around a ring at most. */
static uint32_t steps(enum coll_kind kind, uint32_t n)
{
    return without_trees()->steps(kind, n);
}

const struct coll_algorithm orr_coll_forest = {
    .name = "forest",
    .summary = "each block along a spanning tree of its own, at the bound of a graph's cuts",
    .in_order = true,
    .by_name = true,
    .varies = true,
    .on_forest = true,
    .lanes = 1,
    .supports = supports,
    .sends = sends,
    .recvs = recvs,
    .send = send,
    .recv = recv,
    .blocks = blocks,
    .steps = steps};
