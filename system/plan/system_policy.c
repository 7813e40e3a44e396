/* The policies; docs/how-to/astra-sim-rules.md gives the reasons. */
#include "core/evq.h"
#include "system/sys_policy.h"

const struct sys_policy orr_sys_policy_default = {
    .name = "default",
    .group_endpoint_ps = -1,
    .order = ORR_ORDER_LABEL,
};

/* Queues and flows in order of arrival (docs/models.md, section 4). */
const struct sys_policy orr_sys_policy_task_graph = {
    .name = "task_graph",
    .group_endpoint_ps = -1,
    .order = ORR_ORDER_INSERTION,
    .key_by_start = true,
};

const struct sys_policy orr_sys_policy_astra_sim = {
    .name = "astra-sim",
    .astra_steps = true,
    .admit_chunks = true,
    .full_last_chunk = true,
    .minimum_chunk = true,
    .pair_by_issue = true,
    .replay_broadcast = true,
    .flat_groups = true,
    .one_comm_slot = true,
    .five_parts = true,
    .warns_of_unmatched = true,
    .ignores_rules = true,
    .sparse_wakeup = true,
    .memory_is_remote = true,
    .tags = 500000000,
    .group_endpoint_ps = 10 * ORR_PS_PER_NS,
    .order = ORR_ORDER_INSERTION,
};
