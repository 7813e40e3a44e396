/* Circuits that are set for a job's demands (network/allocation.h): the job is run once, on one
 * switch with the bandwidth of all circuits of an NPU, to learn what it sends; then the network is
 * the graph of these demands. */
#ifndef ORR_SIM_LOAD_PILOT_RUN_H
#define ORR_SIM_LOAD_PILOT_RUN_H

#include "sim/orrery_private.h"

/* What was found out before the run, for people. */
struct orr_pilot_result {
    uint32_t group;   /* NPUs so many apart do alike */
    uint32_t demands; /* pairs with bytes, of the first group */
    double weight;    /* of bytes inside of a group, as it was chosen, of so many that were tried */
    uint32_t weights;
    bool once; /* circuits are set once: */
    struct net_circuit_report report;
    sim_time switch_ps;         /* what an iteration takes on the switch */
    struct net_windows windows; /* of an earlier run */
};

/* How the job is built, of what its handle has: a single one by orr_build. With job->iterations of
 * 1 it runs once, however often it is to run. */
struct orr_builder {
    enum orr_status (*build)(struct orrery *job, const void *context);
    const void *context;
};

/* Once all else is known, before the job is built: makes the graph of a network that awaits
 * demands, and does nothing with any other. With several weights each is simulated, and the fastest
 * kept, of equal ones the first. Costs a run on the switch, one for each weight where there are
 * several, and one for circuits by what comes next. Errors: what a run says; those of
 * orr_net_allocated_graph. */
enum orr_status orr_pilot_run(struct orrery *job, const struct orr_builder *builder);

/* After the run: warns where circuits were never set anew. */
void orr_pilot_run_warn(struct orrery *job);

#endif
