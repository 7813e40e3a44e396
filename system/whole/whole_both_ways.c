/* Steady rings both ways (SiP-ML, SIGCOMM'21, SiP-Ring, whose nodes have a fibre in each
 * direction): as a steady ring (whole_ring_stream.c), but of the x bytes that a member sends around
 * a ring ceil(x / 2) go to the next and floor(x / 2) to the one before, both at once. Between two
 * members these are the same, which gets one message of all, as by a steady ring.
 *
 * A way that a ring names leads one way; the other goes over the link between the two members, or
 * by routes. */
#include "system/whole/whole_private.h"

static bool has_two_ways(const struct whole_run *run)
{
    return whole_size(run->operation) > 2;
}

static uint32_t messages(const struct whole_run *run)
{
    return whole_members(run->operation) * (has_two_ways(run) ? 2 : 1);
}

static bool nth(const struct whole_run *run, uint32_t member, uint32_t index,
                struct whole_send *out)
{
    const uint32_t members = whole_size(run->operation);
    const bool back = index == 1, two = has_two_ways(run);
    const uint64_t half = two ? run->bytes / 2 : 0;
    *out = (struct whole_send){.from = member,
                               .to = back ? whole_previous(run->ring, members, member)
                                          : whole_next(run->ring, members, member),
                               .channel = back ? whole_channel_back(run->ring)
                                               : whole_channel_from(run->ring, member),
                               .bytes = back ? half : run->bytes - half};
    return index < (two ? 2 : 1);
}

/* There is one round only, which is not worth preparing, and may have messages of two sizes. */
static uint64_t shape(const struct whole_run *run)
{
    (void)run;
    return WHOLE_SHAPE_UNKNOWN;
}

static void start(struct sys *sys, struct sys_operation *operation)
{
    orr_whole_streams_start(sys, &orr_whole_both_ways, operation);
}

const struct whole_ops orr_whole_both_ways = {.start = start,
                                              .delivered = orr_whole_rounds_delivered,
                                              .act = orr_whole_rounds_act,
                                              .messages = messages,
                                              .nth = nth,
                                              .shape = shape};
