/* What a loaded job was made of, for those above who plan with it. Everything belongs to the job.
 */
#ifndef ORR_SIM_LOADED_JOB_H
#define ORR_SIM_LOADED_JOB_H

#include <stdint.h>

struct gen_model;
struct net_config;
struct sys_ccl;
struct sys_mono;

struct orr_conf;
struct orr_strategy_job;
struct orrery;
struct tg_graph;
struct wl_compute;

/* Its network. */
const struct net_config *orr_loaded_network(const struct orrery *job);

/* The `network` section of its files; NULL: none. */
const struct orr_conf *orr_loaded_network_section(const struct orrery *job);

/* How its task graph's all-reduces run: the workload's choice, else the default. */
const struct sys_mono *orr_loaded_all_reduce(const struct orrery *job);

/* Its model and strategy (sim/load/strategy_job.h), and the task graph that they are lowered to;
 * NULL: the workload is none. */
const struct orr_strategy_job *orr_loaded_strategy(const struct orrery *job);
const struct tg_graph *orr_loaded_strategy_graph(const struct orrery *job);

/* Its generated model; NULL: the workload is none. */
const struct gen_model *orr_loaded_model(const struct orrery *job);

/* How its NPUs compute, the library of its collectives (NULL: none), and the bytes of an NPU's
 * memory (0: no limit). */
const struct wl_compute *orr_loaded_compute(const struct orrery *job);
const struct sys_ccl *orr_loaded_library(const struct orrery *job);
uint64_t orr_loaded_capacity(const struct orrery *job);

/* The seconds of one useful operation at the peak of an NPU: of the type that does it, on average;
 * 0: no peak is stated. (summary.c) */
double orr_loaded_seconds_at_peak(const struct orrery *job);

#endif
