/* Bidirectional ring streams (SiP-ML, SIGCOMM'21, SiP-Ring, whose nodes have a fiber in each
 * direction): as a ring stream (mono_ring_stream.c), but of the x bytes that a member sends around
 * a ring ceil(x / 2) go to the next and floor(x / 2) to the previous member, concurrently. With two
 * members these are the same member, which gets one message of all bytes.
 *
 * A route that a ring names has one direction. The other direction uses the link between the two
 * members, or routes. */
#include "system/monolithic/mono_private.h"

static bool is_bidirectional(const struct mono_run *run)
{
    return mono_size(run->operation) > 2;
}

static uint32_t messages(const struct mono_run *run)
{
    return mono_members(run->operation) * (is_bidirectional(run) ? 2 : 1);
}

static bool nth(const struct mono_run *run, uint32_t member, uint32_t index, struct mono_send *out)
{
    const uint32_t members = mono_size(run->operation);
    const bool back = index == 1, both_ways = is_bidirectional(run);
    const uint64_t half = both_ways ? run->bytes / 2 : 0;
    *out = (struct mono_send){.from = member,
                              .to = back ? mono_previous(run->ring, members, member)
                                         : mono_next(run->ring, members, member),
                              .channel = back ? mono_channel_back(run->ring)
                                              : mono_channel_from(run->ring, member),
                              .bytes = back ? half : run->bytes - half};
    return index < (both_ways ? 2 : 1);
}

/* One round only: a batch is not worth its preparation, and the messages may have two sizes. */
static uint64_t shape(const struct mono_run *run)
{
    (void)run;
    return MONO_SHAPE_UNKNOWN;
}

static void start(struct sys *sys, struct sys_operation *operation)
{
    orr_mono_streams_start(sys, &orr_mono_bidir_ring_stream, operation);
}

const struct mono_ops orr_mono_bidir_ring_stream = {.start = start,
                                                    .delivered = orr_mono_rounds_delivered,
                                                    .act = orr_mono_rounds_act,
                                                    .messages = messages,
                                                    .nth = nth,
                                                    .shape = shape};
