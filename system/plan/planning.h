/* Planning of an operation: its dimensions, its chunks, and the phases of each. */
#ifndef ORR_SYSTEM_PLAN_PLANNING_H
#define ORR_SYSTEM_PLAN_PLANNING_H

#include "core/fold.h"
#include "system/ccl/ccl.h"
#include "system/collectives/program.h"
#include "system/plan/operation.h"

struct coll_forest;
struct coll_rings;
struct net_config;
struct orr_arena;
struct orr_conf;
struct orr_conf_list;
struct orr_diag;
struct sys;
struct sys_collective;
struct sys_config;
struct sys_group;
struct sys_phase;

/* ---- plan_operation.c ---- */
/* Plans a new operation: dimensions, algorithms, chunks, phases. Error: memory. */
enum orr_status orr_sys_plan_operation(struct sys *sys, struct sys_operation *operation,
                                       struct orr_diag *diag);

/* ---- plan_phases.c: the same in two steps, with autotuning between ---- */
/* Fills the dimensions. */
void orr_sys_plan_dims(const struct sys *sys, struct sys_operation *operation);
/* Plans the rest of an operation whose tuning is set. Error: memory. */
enum orr_status orr_sys_plan_tuned(struct sys *sys, struct sys_operation *operation,
                                   struct orr_diag *diag);
/* Number of chunks of a collective. */
uint64_t orr_sys_plan_chunks(const struct sys *sys, const struct sys_collective *request);
/* Checks that a collective can be planned on the platform: chunks and bytes are within limits, and
 * trees fit. Errors: the reason, without location. */
enum orr_status orr_sys_plan_check(const struct sys *sys, const struct sys_collective *request,
                                   struct orr_diag *diag);

/* ---- trees_config.c: keys about trees in the system section ----
 *
 * Errors of all: location, expected and found; memory. */
enum orr_status orr_sys_read_trees(struct orr_arena *arena, const struct orr_conf *map,
                                   const struct orr_conf_list *texts, struct sys_config *config,
                                   struct orr_diag *diag);
enum orr_status orr_sys_read_tree_paths(struct orr_arena *arena, const struct orr_conf *map,
                                        const struct orr_conf_list *texts,
                                        struct sys_config *config, struct orr_diag *diag);
/* Whether an algorithm that needs user trees is named for the dimension. */
bool orr_sys_uses_user_trees(const struct sys_config *config, unsigned dim);
/* Parses "search" or "search NUMBER", the value of `trees`, into tree_keys.search; false: it is
 * neither. (tree_search.c) */
bool orr_sys_parse_tree_search(const char *text, struct sys_config *config);
/* Reads the mapping `chunks_of`; NULL: absent. */
enum orr_status orr_sys_read_chunks(const struct orr_conf *map, struct sys_config *config,
                                    struct orr_diag *diag);
/* Checks the keys about trees against each other, the named algorithms and the network; `map` is
 * the section. */
enum orr_status orr_sys_check_tree_keys(const struct orr_conf *map, const struct sys_config *config,
                                        const struct net_config *net, struct orr_diag *diag);

/* ---- tree_channels.c ---- */
/* The network channel (1 + index) of a tree's channel in the slice of the two ranks; 0: none. */
uint32_t orr_sys_tree_channel(const struct sys *sys, unsigned dim, struct orr_rank src,
                              struct orr_rank dst, uint32_t channel);

/* ---- chunk_count.c ---- */
/* Number of chunks of a collective; its bytes must be at least as many. O(dims). */
uint64_t orr_sys_chunk_count(const struct sys *sys, const struct sys_operation *operation);
/* Number of variants (trees, rings or directions) between which chunks alternate. */
uint32_t orr_sys_variant_count(const struct sys *sys, const struct sys_operation *operation,
                               const struct coll_algorithm *algorithm);
/* The rings on links for a phase in the operation's only dimension; NULL: none. */
const struct coll_rings *orr_sys_phase_rings(const struct sys *sys,
                                             const struct sys_operation *operation);
/* Checks that a forest can be found, that the user trees match the size of the group, that a group
 * has the rings that are named for it, and that there are no more chunks than bytes. */
enum orr_status orr_sys_check_algorithms(const struct sys *sys,
                                         const struct sys_collective *request,
                                         struct orr_diag *diag);

/* ---- phase_forest.c ---- */
/* The trees on links for an operation in its only dimension, which spans all NPUs of a graph; found
 * once for a kind and root. Errors, without location: it does not, or the graph has none (NULL
 * then). orr_net_forest has the cost. */
enum orr_status orr_sys_phase_forest(const struct sys *sys, const struct sys_operation *operation,
                                     const struct coll_forest **out, struct orr_diag *diag);

/* ---- uneven_sizes.c ---- */
/* coll_args.size of a stream (the context) of an uneven collective: bytes of a block of its phase,
 * between indices of the phase's dimension. O(members) with several dimensions, else O(1). */
uint64_t orr_sys_uneven_size(const void *stream, uint32_t source, uint32_t block);

/* ---- schedulers.c ---- */
/* Creates the load tracker that outlives collectives if the scheduler keeps loads. False: no
 * memory. */
bool orr_sys_loads_create(struct sys *sys);
/* The NPU starts a collective. The first collective of NPU 0 in an instant resets the loads. */
void orr_sys_loads_start(struct sys *sys, struct orr_slot npu);

/* ---- phase_args.c ---- */
/* Send bandwidth of an NPU on a dimension with its algorithm, bytes/s. */
double orr_sys_dim_bandwidth(const struct sys *sys, const struct sys_operation *operation,
                             unsigned d);
/* Message overhead on the dimension, divided by the ports that an NPU's messages share. */
sim_time orr_sys_dim_overhead(const struct sys *sys, const struct sys_operation *operation,
                              unsigned d);
/* Arguments of the phase's program for the member with index 0 in its dimension. */
struct coll_args orr_sys_phase_args(const struct sys_operation *operation,
                                    const struct sys_phase *phase);
/* Arguments of the phase's program for the stream's member. */
struct coll_args orr_sys_args_of(const struct sys_stream *stream);
/* Output bytes of a phase, by whole divisions (sys_policy.truncates_blocks). */
uint64_t orr_sys_truncated_output(const struct sys_phase *phase, uint32_t n);

/* ---- phase_order.c: one chunk-phase at a time ---- */
/* Computes the service order of a planned operation by simulating one member; all members are
 * equivalent. Error: memory. */
enum orr_status orr_sys_phase_order_create(const struct sys *sys, struct sys_operation *operation,
                                           struct orr_diag *diag);

/* ---- ccl_groups.c ---- */
/* What a CCL is asked for: a collective of `bytes` (Orrery's count), or an exchange of tokens by
 * kernels of their own. */
struct sys_ccl_request {
    enum coll_kind kind;
    uint64_t bytes;
    bool tokens;
};
/* The CCL's choice in the group; caches the group's shape. False: no memory. O(1), the first call
 * of a group O(size). */
bool orr_sys_group_choice(const struct sys *sys, struct sys_group *group,
                          const struct sys_ccl_request *request, struct sys_ccl_choice *out);

/* ---- fold_ccl.c ---- */
/* The folded digits that a CCL collective distinguishes in the group. O(size x digits). */
uint64_t orr_sys_ccl_unfoldable(const struct sys *sys, const struct sys_group *group,
                                const struct orr_fold *fold);

/* ---- fold_check.c ---- */
/* orr_sys_planner_create without predictors. */
enum orr_status orr_sys_planner_open(struct sys **out, const struct sys_config *config,
                                     const struct net_config *net, struct orr_arena *arena,
                                     struct orr_diag *diag);

#endif
