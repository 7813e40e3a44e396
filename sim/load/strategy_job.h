/* A model under a strategy as a workload: `workload: {model: ..., strategy: ...}` becomes a task
 * graph in memory, and runs as one. */
#ifndef ORR_SIM_LOAD_STRATEGY_JOB_H
#define ORR_SIM_LOAD_STRATEGY_JOB_H

#include "workload/workload.h"

/* A model and how it is split. */
struct orr_strategy_job {
    const struct orr_conf *section; /* of the strategy; NULL: data parallelism */
    struct model_speed speed;       /* what was measured, and what parts take beside their work */
    struct model_graph model;
    struct strategy strategy; /* once the platform's NPUs are known */
};

/* The keys of workload.part_times. */
extern const struct orr_key_table orr_part_times_table;
enum orr_status orr_part_times_read(const struct orr_conf *map, struct model_speed *out,
                                    struct orr_diag *diag);

/* Reads the model and its times, and opens the strategy of a workload section; model and strategy
 * are files beside the section's, or the sections themselves. Everything lives in the arena. */
enum orr_status orr_strategy_job_open(struct orr_arena *arena, const struct orr_conf *workload,
                                      struct orr_strategy_job *out, struct orr_diag *diag);

/* How many devices the strategy says that it is for; 0: as many as there are.
 * Errors: what the keys of strategies refuse. */
enum orr_status orr_strategy_job_devices(const struct orr_strategy_job *from, uint32_t *devices,
                                         struct orr_diag *diag);

/* Reads the strategy for a cluster of so many NPUs. Errors: those of orr_strategy_read. */
enum orr_status orr_strategy_job_read(struct orr_arena *arena, struct orr_strategy_job *from,
                                      uint32_t npus, struct orr_diag *diag);

/* Makes the task graph, with groups of NPUs as copies; what was not measured takes the time of the
 * roofline. Errors: parts whose time nothing says; more tasks than there are numbers. */
enum orr_status orr_strategy_job_lower(struct orr_arena *arena, const struct orr_strategy_job *from,
                                       const struct wl_compute *compute, struct tg_graph *out,
                                       struct orr_diag *diag);

#endif
