/* The activity of a node, and the collective that it requests. */
#ifndef ORR_WORKLOAD_ENGINE_NODE_REQUESTS_H
#define ORR_WORKLOAD_ENGINE_NODE_REQUESTS_H

#include "workload/engine/engine.h"

/* In order of precedence: an instant counts for the first activity of the NPU. */
enum wl_activity {
    ACT_COMPUTE,
    ACT_CPU,
    ACT_LOCAL_MEMORY,
    ACT_REMOTE_MEMORY,
    ACT_COMMUNICATION,
    ACT_WAITING,
    ACTIVITIES
};

enum wl_activity orr_wl_activity_of(const struct wl_engine *engine, const struct orr_node *node);

/* Whether a memory node accesses the NPU's own memory. */
bool orr_wl_is_local(const struct wl_engine *engine, const struct orr_node *node);

/* Whether the node takes its recorded duration. */
bool orr_wl_is_replayed(const struct wl_engine *engine, const struct orr_node *node);

/* The kind of a value of enum orr_trace_comm. */
enum coll_kind orr_wl_coll_kind(uint8_t comm);

/* Mask of the dimensions that a collective of all NPUs involves; all ones if the node does not name
 * any. */
uint32_t orr_wl_dim_mask(const struct orr_trace *trace, const struct orr_node *node);

/* The collective of a node of that kind. */
struct sys_collective orr_wl_collective_of(const struct wl_engine *engine, struct orr_slot npu,
                                           uint32_t node);

#endif
