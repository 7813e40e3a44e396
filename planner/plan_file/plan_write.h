/* What came out of a plan, as files (docs/file-formats.md). What is written is the same for the
 * same plan, and reads back: `orrery run platform.yml workload.yml` runs it. */
#ifndef ORR_PLANNER_PLAN_FILE_PLAN_WRITE_H
#define ORR_PLANNER_PLAN_FILE_PLAN_WRITE_H

#include <stdio.h>

#include "planner/plan_file/plan_job.h"

/* A graph as the section `network` of a platform: its links, rings and paths, which are taken by
 * table, and equal shares. O(links + hops). (plan_network.c) */
void orr_plan_write_network(FILE *out, const struct net_graph *graph,
                            const struct net_route_options *routes);

/* The platform: the network, or that of the job where links stay, with the device's sections.
 * (plan_platform.c) */
void orr_plan_write_platform(FILE *out, const struct plan_job *job, const struct net_graph *graph,
                             const struct net_route_options *routes);

/* The model as a file of its own, with the batch of the plan. */
void orr_plan_write_model(FILE *out, const struct plan_job *job);

/* Where a workload finds its parts; NULL: in the workload itself (of the profile: none). */
struct plan_names {
    const char *model, *strategy, *profile;
};

/* The workload of the model under the strategy. 0, or 1 when memory is out. */
int orr_plan_write_workload(FILE *out, const struct plan_job *job, const struct strategy *strategy,
                            const struct plan_names *names);

/* Copies the profile of the job into a folder as profile.json, or, of a list of profiles, each as
 * profile_1.json, ... with profile.json as their list, so that the folder can be moved. Without a
 * profile: nothing. A file that is one of the plan's own profiles is refused and stays.
 * (plan_profile.c) */
enum orr_status orr_plan_write_profiles(const struct plan_job *job, const char *folder,
                                        struct orr_diag *diag);

#endif
