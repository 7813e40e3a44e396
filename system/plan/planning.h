/* What plans an operation: its dimensions, its chunks, and the phases of each. */
#ifndef ORR_SYSTEM_PLAN_PLANNING_H
#define ORR_SYSTEM_PLAN_PLANNING_H

#include "system/plan/operation.h"

/* ---- plan_operation.c ---- */
/* Fills dims, algorithms, chunks and plans of a new operation. */
enum orr_status orr_sys_plan_operation(struct sys *sys, struct sys_operation *operation,
                                       struct orr_diag *diag);

/* ---- plan_phases.c: the same in two steps, between which its algorithms are picked ---- */
/* Fills the dims. */
void orr_sys_plan_dims(const struct sys *sys, struct sys_operation *operation);
/* Fills the rest of an operation whose pick is known. */
enum orr_status orr_sys_plan_tuned(struct sys *sys, struct sys_operation *operation,
                                   struct orr_diag *diag);
/* Into how many chunks a collective is split. */
uint64_t orr_sys_plan_chunks(const struct sys *sys, const struct sys_collective *request);
/* Whether a collective can be planned on the platform. */
enum orr_status orr_sys_plan_check(const struct sys *sys, const struct sys_collective *request,
                                   struct orr_diag *diag);

/* ---- trees_config.c: keys of the system section about trees ---- */
enum orr_status orr_sys_read_trees(struct orr_arena *arena, const struct orr_conf *map,
                                   const struct orr_conf_list *texts, struct sys_config *config,
                                   struct orr_diag *diag);
enum orr_status orr_sys_read_tree_paths(struct orr_arena *arena, const struct orr_conf *map,
                                        const struct orr_conf_list *texts,
                                        struct sys_config *config, struct orr_diag *diag);
/* Whether an algorithm is named, in the dimension, that goes along trees that are given. */
bool orr_sys_uses_user_trees(const struct sys_config *config, unsigned dim);
/* Whether the text of `trees` is "search", with their number or without. (tree_search.c) */
bool orr_sys_parse_tree_search(const char *text, struct sys_config *config);
/* The mapping `chunks_of`; NULL: it is not there. */
enum orr_status orr_sys_read_chunks(const struct orr_conf *map, struct sys_config *config,
                                    struct orr_diag *diag);
/* Whether they fit each other, the algorithms that are named and the network; `map` is the section.
 */
enum orr_status orr_sys_check_tree_keys(const struct orr_conf *map, const struct sys_config *config,
                                        const struct net_config *net, struct orr_diag *diag);

/* ---- tree_channels.c ---- */
/* The network's channel, 1 + its index, of one of a tree's in the slice that two ranks are in; 0:
 * they have none. */
uint32_t orr_sys_tree_channel(const struct sys *sys, unsigned dim, struct orr_rank src,
                              struct orr_rank dst, uint32_t channel);

/* ---- chunk_count.c ---- */
/* How many chunks a collective is split into that has as many bytes at least. O(dims). */
uint64_t orr_sys_chunk_count(const struct sys *sys, const struct sys_operation *operation);
/* How many trees, or other variants, the chunks take in turns. */
uint32_t orr_sys_variant_count(const struct sys *sys, const struct coll_algorithm *algorithm);
/* Whether the trees that a collective is to run by are those of its members, and it has as many
 * bytes as chunks that are asked for. */
enum orr_status orr_sys_check_trees(const struct sys *sys, const struct sys_collective *request,
                                    struct orr_diag *diag);

/* ---- schedulers.c ---- */
/* The tracker that outlives collectives, where the scheduler has one. False: no memory. */
bool orr_sys_loads_create(struct sys *sys);
/* The NPU starts a collective: NPU 0's first one of an instant resets the loads. */
void orr_sys_loads_start(struct sys *sys, struct orr_slot npu);

/* ---- phase_args.c ---- */
/* What an NPU can send on a dimension with the algorithm that runs there, in bytes/s. */
double orr_sys_dim_bandwidth(const struct sys *sys, const struct sys_operation *operation,
                             unsigned d);
/* What a message costs there beside its bytes, as an NPU's ports share its messages. */
sim_time orr_sys_dim_overhead(const struct sys *sys, const struct sys_operation *operation,
                              unsigned d);
/* Arguments of the phase's program for a member of rank 0 in its dimension. */
struct coll_args orr_sys_phase_args(const struct sys_operation *operation,
                                    const struct sys_phase *phase);
/* Arguments of the program of the stream's phase, for the stream's member. */
struct coll_args orr_sys_args_of(const struct sys_stream *stream);
/* What comes out of a phase as the reference has it, truncated. */
uint64_t orr_astra_final_bytes(const struct sys_phase *phase, uint32_t n);

/* ---- phase_order.c: one chunk-phase at a time ---- */
/* Works the order out for a planned operation, by a simulation of one member (all are alike). */
enum orr_status orr_sys_phase_order_create(const struct sys *sys, struct sys_operation *operation,
                                           struct orr_diag *diag);

/* ---- ccl_groups.c ---- */
/* How the system's library does a collective of so many bytes, as Orrery counts them, in the group,
 * whose shape is known from then on; false: no memory. O(1), the first time O(size). */
bool orr_sys_group_choice(const struct sys *sys, struct sys_group *group, enum coll_kind kind,
                          uint64_t bytes, struct sys_ccl_choice *out);

/* ---- fold_ccl.c ---- */
/* The folded digits that a collective of a library tells apart in the group. O(size x digits). */
uint64_t orr_sys_ccl_unfoldable(const struct sys *sys, const struct sys_group *group,
                                const struct orr_fold *fold);

/* ---- fold_check.c ---- */
/* orr_sys_planner_create without what goes up. */
enum orr_status orr_sys_planner_open(struct sys **out, const struct sys_config *config,
                                     const struct net_config *net, struct orr_arena *arena,
                                     struct orr_diag *diag);

#endif
