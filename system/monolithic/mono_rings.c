/* Synchronous rings: an all-reduce of S bytes among k members takes 2 (k - 1) rounds, in each of
 * which every member sends S/k to the next. If the network has r rings for groups of k, each
 * carries S/k/r with its own rounds. Small all-reduces, S <= 18000 (k - 1), take one round with the
 * bytes of all. */
#include "system/monolithic/mono_private.h"

enum { SMALL_BYTES_PER_STEP = 18000 };

uint32_t orr_mono_member_at(const struct net_ring *ring, uint32_t position)
{
    if (ring == NULL) {
        return position;
    }
    return ring->order != NULL ? ring->order[position]
                               : (uint32_t)((uint64_t)position * mono_step(ring) % ring->npus);
}

/* The step and the number of members are coprime. */
uint32_t orr_mono_position(const struct net_ring *ring, uint32_t member)
{
    uint32_t position = member;
    if (ring != NULL && ring->order != NULL) {
        return ring->at[member];
    }
    for (position = 0; ring != NULL && orr_mono_member_at(ring, position) != member;) {
        position++;
    }
    return ring != NULL ? position : member;
}

static bool nth(const struct mono_run *run, uint32_t member, uint32_t index, struct mono_send *out)
{
    *out = (struct mono_send){.from = member,
                              .to = mono_next(run->ring, mono_size(run->operation), member),
                              .channel = mono_channel_from(run->ring, member),
                              .bytes = run->bytes};
    return index == 0;
}

/* To the next around the ring. */
static uint64_t shape(const struct mono_run *run)
{
    (void)run;
    return MONO_SHAPE_RING;
}

void orr_mono_ring_start(struct sys *sys, const struct mono_ops *ops,
                         struct sys_operation *operation, const struct net_ring *ring,
                         uint32_t rounds, uint64_t bytes)
{
    const uint32_t handle = orr_mono_new_run(sys, ops, operation);
    if (handle == SYS_NONE) {
        return;
    }
    struct mono_run *run = mono_run_at(sys, handle);
    run->ring = ring;
    run->rounds = rounds;
    run->bytes = bytes;
    orr_mono_rounds_start(sys, handle);
}

struct sys_ring_rounds orr_sys_ring_rounds(uint64_t bytes, uint64_t members, uint32_t rings)
{
    const uint64_t k = members;
    const bool small = bytes <= SMALL_BYTES_PER_STEP * (k - 1);
    return (struct sys_ring_rounds){.rounds = small ? 1 : (uint32_t)(2 * (k - 1)),
                                    .bytes =
                                        (small ? bytes * 2 * (k - 1) / k / k : bytes / k) / rings};
}

static void start(struct sys *sys, struct sys_operation *operation)
{
    const struct mono_rings *rings = orr_mono_rings_of(sys, operation);
    if (rings == NULL) {
        return;
    }
    const struct sys_ring_rounds each =
        orr_sys_ring_rounds(operation->bytes, mono_size(operation), rings->count);
    for (uint32_t i = 0; i < rings->count; i++) {
        orr_mono_ring_start(sys, &orr_mono_ring, operation, rings->ring[i], each.rounds,
                            each.bytes);
    }
}

const struct mono_ops orr_mono_ring = {.start = start,
                                       .delivered = orr_mono_rounds_delivered,
                                       .act = orr_mono_rounds_act,
                                       .nth = nth,
                                       .shape = shape};
