/* The policies; docs/how-to/astra-sim-rules.md gives the reasons. */
#include "core/evq.h"
#include "system/astra/astra_stepping.h"
#include "system/step/stepping.h"
#include "system/sys_policy.h"

const struct sys_policy orr_sys_policy_default = {
    .name = "default",
    .chunks = &orr_sys_chunks_by_turns,
    .group_endpoint_ps = -1,
    .order = ORR_ORDER_LABEL,
};

/* Queues and flows in order of arrival (docs/models.md, section 4). */
const struct sys_policy orr_sys_policy_task_graph = {
    .name = "task_graph",
    .chunks = &orr_sys_chunks_by_turns,
    .group_endpoint_ps = -1,
    .order = ORR_ORDER_INSERTION,
    .key_by_start = true,
    .not_folded = "a task graph's events are ordered by insertion",
    .folds_by_rotation = true,
};

const struct sys_policy orr_sys_policy_astra_sim = {
    .name = "astra-sim",
    .chunks = &orr_astra_chunks,
    .pair_by_issue = true,
    .shared_custom_space = true,
    .group_endpoint_ps = 10 * ORR_PS_PER_NS,
    .equal_chunks = true,
    .minimum_chunk = true,
    .truncates_blocks = true,
    .flat_groups = true,
    .closed_groups = true,
    .schedules_whole_only = true,
    .schedules_one_dim = true,
    .keeps_loads = true,
    .ordered_in_one_pass = true,
    .second_half_backwards = true,
    .trees_all_reduce = true,
    .tree_turns_by_platform = true,
    .replay_broadcast = true,
    .one_comm_slot = true,
    .memory_is_remote = true,
    .skip_without_bytes = true,
    .five_parts = true,
    .warns_of_unmatched = true,
    .ignores_rules = true,
    .sparse_wakeup = true,
    .tags = 500000000,
    .whole_ns = true,
    .free_ports = true,
    .ignores_departures = true,
    .order = ORR_ORDER_INSERTION,
    .not_folded = "the reference's rules order events by insertion",
};
