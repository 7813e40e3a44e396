/* Hierarchical: k members in k/g groups of g neighbours. First g - 1 rounds of a reduce-scatter in
 * the groups, in each of which every member sends S/g to the next of its group; then 2 (k/g - 1)
 * rounds of a ring across the groups, among those of equal places, of S/g/(k/g); then g - 1 rounds
 * of an all-gather in the groups. */
#include "system/whole/whole_private.h"

static void act(struct sys *sys, uint32_t handle, uint32_t member)
{
    const struct whole_run *run = whole_run_at(sys, handle);
    const uint32_t k = whole_size(run->operation), group = run->group, groups = k / group;
    const bool across = run->round >= group - 1 && run->round < run->rounds - (group - 1);
    const uint32_t place = member % group;
    const uint32_t to = across ? (member + group) % k : member - place + (place + 1) % group;
    const uint64_t bytes = run->bytes / group / (across ? groups : 1);
    orr_whole_send(sys, handle, &(struct whole_send){.from = member, .to = to, .bytes = bytes});
}

static void start(struct sys *sys, struct sys_operation *operation)
{
    const uint32_t group = operation->whole->number, groups = whole_size(operation) / group;
    const uint32_t handle = orr_whole_new_run(sys, &orr_whole_hierarchical, operation);
    if (handle == SYS_NONE) {
        return;
    }
    struct whole_run *run = whole_run_at(sys, handle);
    run->group = group;
    run->rounds = 2 * (group - 1) + 2 * (groups - 1);
    run->bytes = operation->bytes;
    orr_whole_rounds_start(sys, handle);
}

const struct whole_ops orr_whole_hierarchical = {
    .start = start, .delivered = orr_whole_rounds_delivered, .act = act};
