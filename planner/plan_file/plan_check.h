/* Checks of a plan file across keys. Errors have the location of the key and the reason
 * (plan_check.c). */
#ifndef ORR_PLANNER_PLAN_FILE_PLAN_CHECK_H
#define ORR_PLANNER_PLAN_FILE_PLAN_CHECK_H

#include <stdint.h>

#include "core/status.h"

struct orr_arena;
struct orr_conf;
struct orr_diag;
struct plan_job;
struct strategy;

/* Parses a size of memory; `off` is an error. */
enum orr_status orr_plan_read_memory(const struct orr_conf *node, uint64_t *bytes,
                                     struct orr_diag *diag);

/* Checks the section network: a graph with as many NPUs as servers, and no section interfaces. */
enum orr_status orr_plan_check_network(const struct plan_job *job,
                                       const struct orr_conf *interfaces, struct orr_diag *diag);

/* Checks that the servers and interfaces allow a topology, and that groups divide the servers; that
 * panels have enough ports. */
enum orr_status orr_plan_check_servers(const struct plan_job *job, struct orr_diag *diag);
enum orr_status orr_plan_check_panels(const struct plan_job *job, const struct orr_conf *panels,
                                      struct orr_diag *diag);

/* Checks that the model has operators with each dimension of plan.search.dimensions. */
enum orr_status orr_plan_check_dimensions(const struct plan_job *job, const struct orr_conf *search,
                                          struct orr_diag *diag);
/* Checks that a strategy splits only these dimensions, or is data-parallel. */
enum orr_status orr_plan_check_splits(const struct plan_job *job, const struct strategy *strategy,
                                      const struct orr_conf *node, struct orr_diag *diag);

/* Checks a start strategy: its number of devices, and its groups and splits. */
enum orr_status orr_plan_check_start_devices(const struct plan_job *job,
                                             const struct orr_conf *node, struct orr_diag *diag);
enum orr_status orr_plan_check_start(const struct plan_job *job, const struct orr_conf *node,
                                     struct orr_diag *diag);
/* Checks the fabrics of plan.compare. Those whose links are circuits are told and left out; the
 * others stay, in the arena. */
enum orr_status orr_plan_check_compare(struct orr_arena *arena, struct plan_job *job,
                                       struct orr_diag *diag);

/* The last check: data parallelism is possible and has times. Planners on given networks
 * check both. */
enum orr_status orr_plan_check_job(struct orr_arena *arena, const struct plan_job *job,
                                   struct orr_diag *diag);

#endif
