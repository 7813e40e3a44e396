/* What communication costs a layout on a network: a collective of a family's groups, a message
 * between stages, each alone. With a communication library the time of a collective is the
 * library's; else that of its bytes over the dimension that takes the longest, and of its steps. */
#ifndef ORR_STUDY_ESTIMATE_GROUP_COSTS_H
#define ORR_STUDY_ESTIMATE_GROUP_COSTS_H

#include "core/status.h"
#include "workload/parallel/layout_parts.h"
#include "workload/trace/trace.h"

struct net_config;
struct orr_diag;
struct orr_group_costs;
struct orr_group_shape;
struct sys_ccl;

/* The groups of a layout, each found when it is first asked for. */
struct orr_layout_groups {
    struct orr_group_costs *costs;
    const struct gen_layout *layout;
    const struct orr_group_shape *shape[GEN_FAMILIES]; /* NULL: not yet */
    bool no_memory;
};

/* Both must outlive the costs. library NULL: none. The network must have dimensions. */
enum orr_status orr_group_costs_create(const struct net_config *network,
                                       const struct sys_ccl *library, struct orr_group_costs **out,
                                       struct orr_diag *diag);
void orr_group_costs_destroy(struct orr_group_costs *costs);

/* Seconds of a collective of `bytes` (as in traces: all-gather one rank's part) among the ranks of
 * the family's first group; 0 for a group of one. Where memory is out groups->no_memory is set.
 * O(1) but for a shape that was not asked for before: O(ranks log ranks). */
double orr_collective_seconds(struct orr_layout_groups *groups, enum gen_family family,
                              enum orr_trace_comm comm, uint64_t bytes);

/* The same of an exchange of tokens of experts that goes by nodes: `bytes` over the nodes,
 * `node_bytes` within the node at the same time. */
double orr_token_seconds(struct orr_layout_groups *groups, uint64_t bytes, uint64_t node_bytes);

/* The outermost dimension in which members of the family's first group differ; -1: none, or where
 * memory is out. */
int orr_group_outermost(struct orr_layout_groups *groups, enum gen_family family);

/* Whether members of it differ in a dimension. */
bool orr_group_spans(struct orr_layout_groups *groups, enum gen_family family, int dim);

/* The outermost dimension between two pipeline stages; -1: none. */
int orr_message_outermost(const struct orr_layout_groups *groups, uint32_t from, uint32_t to);

/* Seconds of a message from a rank to the next of its ring of keys and values, on the slowest hop.
 * O(ring x dims). */
double orr_ring_seconds(const struct orr_layout_groups *groups, uint64_t bytes);

/* Seconds of a message between ranks of two pipeline stages. O(dims). */
double orr_message_seconds(const struct orr_layout_groups *groups, uint32_t from, uint32_t to,
                           uint64_t bytes);

#endif
