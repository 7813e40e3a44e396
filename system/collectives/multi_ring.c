/* Multi-ring: the ring algorithm around several rings of the members, which share no link; chunks
 * alternate between them. Ring and blocks are those of ring.c on places of the ring, translated to
 * members here. Without rings it is one ring in the order of the group. */
#include "system/collectives/rings.h"

#include "system/collectives/algorithm_parts.h"

/* The algorithm on places. */
static const struct coll_algorithm *on_places(void)
{
    return orr_coll_for(COLL_FOR_RING);
}

static const struct coll_ring *ring_of(const struct coll_args *args)
{
    return args->rings != NULL && args->rings->n == args->n
               ? &args->rings->ring[args->variant % args->rings->rings]
               : NULL;
}

/* The arguments of the member's place. */
static struct coll_args placed(const struct coll_args *args, const struct coll_ring *ring)
{
    struct coll_args place = *args;
    place.rank = ring != NULL ? ring->at[args->rank] : args->rank;
    return place;
}

static uint32_t member_at(const struct coll_ring *ring, uint32_t place)
{
    return ring != NULL ? ring->order[place] : place;
}

static bool supports(enum coll_kind kind, uint32_t n)
{
    return n >= 1 && !coll_is_rooted(kind) && kind != COLL_ALL_TO_ALL;
}

static uint32_t sends(const struct coll_args *args)
{
    return on_places()->sends(args);
}

static uint32_t recvs(const struct coll_args *args)
{
    return on_places()->recvs(args);
}

static void send(const struct coll_args *args, uint32_t k, struct coll_send *out)
{
    const struct coll_ring *ring = ring_of(args);
    const struct coll_args place = placed(args, ring);
    on_places()->send(&place, k, out);
    out->peer = member_at(ring, out->peer);
}

static void recv(const struct coll_args *args, uint32_t k, struct coll_recv *out)
{
    const struct coll_ring *ring = ring_of(args);
    const struct coll_args place = placed(args, ring);
    on_places()->recv(&place, k, out);
    out->peer = member_at(ring, out->peer);
}

/* A visit of blocks by the members that have them. */
struct member_visit {
    const struct coll_ring *ring;
    coll_block_fn visit;
    void *context;
};

static void visit_member(void *context, uint32_t block)
{
    const struct member_visit *member = context;
    member->visit(member->context, member_at(member->ring, block));
}

static void blocks(const struct coll_args *args, uint32_t k, coll_block_fn visit, void *context)
{
    const struct coll_ring *ring = ring_of(args);
    const struct coll_args place = placed(args, ring);
    struct member_visit member = {ring, visit, context};
    on_places()->blocks(&place, k, visit_member, &member);
}

static uint32_t steps(enum coll_kind kind, uint32_t n)
{
    return on_places()->steps(kind, n);
}

static bool repeats(enum coll_kind kind)
{
    return kind != COLL_ALL_TO_ALL && on_places()->repeats(kind);
}

const struct coll_algorithm orr_coll_multi_ring = {
    .name = "multi_ring",
    .summary = "chunks alternate between the rings on a graph's links",
    .in_order = true,
    .around = true,
    .varies = true,
    .on_rings = true,
    .lanes = 1,
    .supports = supports,
    .sends = sends,
    .recvs = recvs,
    .send = send,
    .recv = recv,
    .blocks = blocks,
    .steps = steps,
    .repeats = repeats,
};
