/* Pilot run for demand-aware circuits (network/allocation.h): the job runs once on one switch with
 * the bandwidth of all circuits of an NPU, to measure its traffic; then the network becomes the
 * graph of these demands. */
#ifndef ORR_SIM_LOAD_PILOT_RUN_H
#define ORR_SIM_LOAD_PILOT_RUN_H

#include "network/allocation.h"

struct orrery;

/* The result of the pilot run, for reports. */
struct orr_pilot_result {
    uint32_t group;   /* NPUs this far apart are equivalent */
    uint32_t demands; /* pairs with bytes, of the first group */
    double weight;    /* chosen weight of the bytes inside a group, of `weights` candidates */
    uint32_t weights;
    bool once; /* circuits are set once; their report follows */
    struct net_circuit_report report;
    sim_time switch_ps;         /* iteration time on the switch */
    struct net_windows windows; /* recorded by an earlier run */
};

/* How the job is built from its handle: orr_build for a single one. With job->iterations = 1 it
 * runs once, whatever number of iterations the main run has. */
struct orr_builder {
    enum orr_status (*build)(struct orrery *job, const void *context);
    const void *context;
};

/* Call before the job is built: makes the graph of a network that awaits demands; no effect on
 * other networks. With several weights each is simulated, and the fastest kept, ties to the first.
 * Cost: a run on the switch, one for each of several weights, and one for the estimate `next`.
 * Errors: those of the runs, and of orr_net_allocated_graph. */
enum orr_status orr_pilot_run(struct orrery *job, const struct orr_builder *builder);

/* After the run: warns if circuits were never reconfigured. */
void orr_pilot_run_warn(struct orrery *job);

#endif
