/* A model under a parallelization strategy as a workload: `workload: {model: ..., strategy: ...}`
 * becomes a task graph in memory, and runs as one. */
#ifndef ORR_SIM_LOAD_STRATEGY_JOB_H
#define ORR_SIM_LOAD_STRATEGY_JOB_H

#include "core/conf/keys.h"
#include "workload/model/op_graph.h"
#include "workload/model/part_time.h"
#include "workload/strategy/strategy.h"

struct orr_arena;
struct orr_conf;
struct orr_diag;
struct tg_graph;
struct wl_compute;

/* A model and its strategy. */
struct orr_strategy_job {
    const struct orr_conf *section; /* of the strategy; NULL: data parallelism */
    struct model_speed speed;       /* measured times, and overheads of parts */
    struct model_graph model;
    struct strategy strategy; /* set once the platform's NPUs are known */
};

/* Reads the model of a workload section that runs by its sections parallel and training, not by a
 * strategy: a file relative to the section's, a shipped one by name, or a section. Errors: a
 * generated model; keys of strategies; those of orr_own_model_create. */
struct gen_model;
enum orr_status orr_operators_job_read(struct orr_arena *arena, const struct orr_conf *workload,
                                       uint32_t npus, struct gen_model *out, struct orr_diag *diag);

/* The keys of workload.part_times. */
extern const struct orr_key_table orr_part_times_table;
enum orr_status orr_part_times_read(const struct orr_conf *map, struct model_speed *out,
                                    struct orr_diag *diag);

/* Reads the model and its times, and opens the strategy of a workload section. Model and strategy
 * are files relative to the section's, or sections. Everything is in the arena. */
enum orr_status orr_strategy_job_open(struct orr_arena *arena, const struct orr_conf *workload,
                                      struct orr_strategy_job *out, struct orr_diag *diag);

/* The number of devices that the strategy sets; 0: not set. Errors: those of the strategy's keys.
 */
enum orr_status orr_strategy_job_devices(const struct orr_strategy_job *from, uint32_t *devices,
                                         struct orr_diag *diag);

/* Reads the strategy for `npus` NPUs. Errors: those of orr_strategy_read. */
enum orr_status orr_strategy_job_read(struct orr_arena *arena, struct orr_strategy_job *from,
                                      uint32_t npus, struct orr_diag *diag);

/* Lowers it to a task graph, with groups of NPUs as copies; parts without a measured time use the
 * roofline. Errors: parts without any time; too many tasks. */
enum orr_status orr_strategy_job_lower(struct orr_arena *arena, const struct orr_strategy_job *from,
                                       const struct wl_compute *compute, struct tg_graph *out,
                                       struct orr_diag *diag);

#endif
