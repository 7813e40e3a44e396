/* Shared by the libraries. */
#ifndef ORR_SYSTEM_CCL_CCL_PRIVATE_H
#define ORR_SYSTEM_CCL_CCL_PRIVATE_H

#include "system/ccl/ccl.h"

struct net_config;
struct net_graph;
struct orr_arena;
struct orr_conf;
struct orr_diag;

enum { ORR_DGX1_GPUS = 8, ORR_DGX1_LINKS = 6 }; /* NVLinks of a GPU */

extern const struct sys_ccl_ops orr_sys_nccl, orr_sys_rccl;

/* Sets library->home (ccl_graph.c). O(links). */
enum orr_status orr_sys_ccl_graph_nodes(struct orr_arena *arena, const struct net_graph *graph,
                                        struct sys_ccl *library, struct orr_diag *diag);

/* Sets the bandwidths of a shape: the least of the ranks (NULL: the first `count`). */
void orr_sys_ccl_graph_bandwidths(const struct sys_ccl *library, const struct net_graph *graph,
                                  const uint32_t *ranks, uint32_t count, struct sys_ccl_shape *out);

/* Whether links between NPUs join the NPUs of a node. */
bool orr_sys_ccl_graph_is_mesh(const struct net_graph *graph);

/* Says which nodes and bandwidths the library takes. */
void orr_sys_ccl_graph_note(const struct sys_ccl *library, const struct net_config *network,
                            const struct orr_conf *map, struct orr_diag *diag);

#endif
