/* Hierarchical all-reduce in two levels, servers and the network between them, in rounds.
 *
 * k members form k/g groups of g neighbors, the GPUs of a server each. First a reduce-scatter in
 * the groups: g - 1 rounds in which each member sends S/g to the next member of its group; or one
 * round in which it sends S/g to each of the others (sharded parameter server). Then an all-reduce
 * across the groups, among members of equal positions: 2 (k/g - 1) rounds of a ring of S/g/(k/g);
 * or one stream with as many bytes in total; if the network has rings for these members, around all
 * of them at once. Then an all-gather in the groups, the reverse of the reduce-scatter.
 *
 * Or each member is a server of g GPUs, which take 2 S/g over their bandwidth (FlexNet's time
 * inside servers, see docs/models.md); then all members use the network's rings. */
#include "system/monolithic/mono_private.h"

static uint32_t groups_of(const struct mono_run *run)
{
    return mono_size(run->operation) / run->group;
}

static uint32_t rounds_inside(const struct mono_run *run)
{
    const bool at_once = run->operation->whole->inside == SYS_MONO_SHARDED && run->group > 1;
    return at_once ? 1 : run->group - 1;
}

static uint32_t rounds_across(const struct mono_run *run)
{
    const bool at_once = run->operation->whole->across == SYS_MONO_STREAM && groups_of(run) > 1;
    return at_once ? 1 : 2 * (groups_of(run) - 1);
}

static bool is_across(const struct mono_run *run)
{
    const uint32_t inside = rounds_inside(run);
    return run->round >= inside && run->round < run->rounds - inside;
}

static uint32_t sends_inside(const struct mono_run *run)
{
    return run->operation->whole->inside == SYS_MONO_SHARDED ? run->group - 1 : 1;
}

static uint32_t messages(const struct mono_run *run)
{
    uint32_t rings = 0;
    if (!is_across(run)) {
        return mono_size(run->operation) * sends_inside(run);
    }
    for (uint32_t position = 0; position < run->group; position++) {
        rings += run->across[position]->count;
    }
    return groups_of(run) * rings;
}

/* To the next member of the same position, around each of their rings; a stream is rounded up. */
static bool nth_across(const struct mono_run *run, uint32_t member, uint32_t index,
                       struct mono_send *out)
{
    const uint32_t groups = groups_of(run), position = member % run->group;
    const struct mono_rings *rings = run->across[position];
    const uint64_t part = run->bytes / run->group;
    const bool stream = run->operation->whole->across == SYS_MONO_STREAM;
    const uint64_t bytes = stream ? 2 * part - 2 * part / groups : part / groups;
    if (index == rings->count) {
        return false;
    }
    const struct net_ring *ring = rings->ring[index];
    const uint32_t next = mono_next(ring, groups, member / run->group);
    *out = (struct mono_send){.from = member,
                              .to = next * run->group + position,
                              .channel = mono_channel_from(ring, member / run->group),
                              .bytes =
                                  bytes / rings->count + (stream && index < bytes % rings->count)};
    return true;
}

/* To the next member of its group, or to all others. */
static bool nth(const struct mono_run *run, uint32_t member, uint32_t index, struct mono_send *out)
{
    const uint32_t group = run->group, position = member % group;
    if (is_across(run)) {
        return nth_across(run, member, index, out);
    }
    *out = (struct mono_send){.from = member,
                              .to = member - position + (position + 1 + index) % group,
                              .bytes = run->bytes / group};
    return index < sends_inside(run);
}

/* Inside groups, and across them. With several rings, odd bytes or other positions may differ. */
static uint64_t shape(const struct mono_run *run)
{
    if (!is_across(run)) {
        const bool sharded = run->operation->whole->inside == SYS_MONO_SHARDED;
        return (uint64_t)run->group << 2 | (sharded ? MONO_SHAPE_SHARDED : MONO_SHAPE_INSIDE);
    }
    for (uint32_t position = 0; position < run->group; position++) {
        if (run->across[position]->count != 1) {
            return MONO_SHAPE_UNKNOWN;
        }
    }
    return (uint64_t)run->group << 2 | MONO_SHAPE_ACROSS;
}

/* Across servers. */
static void over(struct sys *sys, struct sys_operation *operation)
{
    const bool stream = operation->whole->across == SYS_MONO_STREAM;
    (stream ? &orr_mono_ring_stream : &orr_mono_ring)->start(sys, operation);
}

static void start(struct sys *sys, struct sys_operation *operation)
{
    const struct sys_mono *choice = operation->whole;
    if (choice->inner_bytes_per_s > 0) {
        const double together = choice->inner_bytes_per_s * choice->number;
        orr_mono_post_over(sys, operation, orr_time_of_bytes(operation->bytes, together / 2));
        return;
    }
    const uint32_t handle = orr_mono_new_run(sys, &orr_mono_hierarchical, operation);
    if (handle == SYS_NONE) {
        return;
    }
    struct mono_run *run = mono_run_at(sys, handle);
    run->across = orr_mono_rings_across(sys, operation, choice->number);
    if (run->across == NULL) {
        return;
    }
    run->group = choice->number;
    run->rounds = 2 * rounds_inside(run) + rounds_across(run);
    run->bytes = operation->bytes;
    orr_mono_rounds_start(sys, handle);
}

const struct mono_ops orr_mono_hierarchical = {.start = start,
                                               .delivered = orr_mono_rounds_delivered,
                                               .act = orr_mono_rounds_act,
                                               .nth = nth,
                                               .shape = shape,
                                               .messages = messages,
                                               .over = over};
