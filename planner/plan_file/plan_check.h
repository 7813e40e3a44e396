/* What keys of a plan must hold together, each with its place and why (plan_check.c). */
#ifndef ORR_PLANNER_PLAN_FILE_PLAN_CHECK_H
#define ORR_PLANNER_PLAN_FILE_PLAN_CHECK_H

#include "planner/plan_file/plan_job.h"

/* A size; `off` is not one. */
enum orr_status orr_plan_read_memory(const struct orr_conf *node, uint64_t *bytes,
                                     struct orr_diag *diag);

/* A network that is there is a graph of as many NPUs, and has its links. */
enum orr_status orr_plan_check_network(const struct plan_job *job,
                                       const struct orr_conf *interfaces, struct orr_diag *diag);

/* Of SiP-ML's plans: there is a network, whose flows share links. */
enum orr_status orr_plan_check_sip_ml(const struct plan_job *job, struct orr_diag *diag);

/* Servers and interfaces that make a topology, and groups that divide the servers. */
enum orr_status orr_plan_check_servers(const struct plan_job *job, struct orr_diag *diag);
enum orr_status orr_plan_check_panels(const struct plan_job *job, const struct orr_conf *panels,
                                      struct orr_diag *diag);

/* Operators of the model have each dimension that is to be split. */
enum orr_status orr_plan_check_dimensions(const struct plan_job *job, const struct orr_conf *search,
                                          struct orr_diag *diag);
/* A strategy splits these alone, but for data parallelism. */
enum orr_status orr_plan_check_splits(const struct plan_job *job, const struct strategy *strategy,
                                      const struct orr_conf *node, struct orr_diag *diag);

/* A strategy to begin with is of these servers, by what it says, and groups; it splits what the
 * search may split. */
enum orr_status orr_plan_check_start_devices(const struct plan_job *job,
                                             const struct orr_conf *node, struct orr_diag *diag);
enum orr_status orr_plan_check_start(const struct plan_job *job, const struct orr_conf *node,
                                     struct orr_diag *diag);
enum orr_status orr_plan_check_compare(const struct plan_job *job, struct orr_diag *diag);

/* Last: data parallelism is possible at all, and something tells times; of SiP-ML's plans their
 * search looks at both. */
enum orr_status orr_plan_check_job(struct orr_arena *arena, const struct plan_job *job,
                                   struct orr_diag *diag);

#endif
