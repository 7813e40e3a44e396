/* Files of a plan (docs/file-formats.md). The same plan gives the same files, which can be read
 * back: `orrery run platform.yml workload.yml`. */
#ifndef ORR_PLANNER_PLAN_FILE_PLAN_WRITE_H
#define ORR_PLANNER_PLAN_FILE_PLAN_WRITE_H

#include <stdio.h>

#include "core/status.h"

struct net_graph;
struct net_route_options;
struct orr_diag;
struct plan_job;
struct strategy;

/* Writes a graph as the section `network` of a platform: links, rings and paths, routing by table,
 * equal shares. O(links + hops). (plan_network.c) */
void orr_plan_write_network(FILE *out, const struct net_graph *graph,
                            const struct net_route_options *routes);

/* Writes the platform: the network (that of the job if it is fixed), and the device's sections.
 * (plan_platform.c) */
void orr_plan_write_platform(FILE *out, const struct plan_job *job, const struct net_graph *graph,
                             const struct net_route_options *routes);

/* Writes the model as a file by itself, with the plan's batch. */
void orr_plan_write_model(FILE *out, const struct plan_job *job);

/* Paths of the parts of a workload; NULL: inline (profile NULL: none). */
struct plan_names {
    const char *model, *strategy, *profile;
};

/* Writes the workload: the model with the strategy. Returns 0, or 1 if memory is out. */
int orr_plan_write_workload(FILE *out, const struct plan_job *job, const struct strategy *strategy,
                            const struct plan_names *names);

/* Copies the profile of the job into a folder as profile.json; if it is a list of profiles, each as
 * profile_1.json, ... and their list as profile.json, so that the folder can be moved. Does nothing
 * without a profile. Error: a file that is one of the plan's own profiles, which is not
 * overwritten. (plan_profile.c) */
enum orr_status orr_plan_write_profiles(const struct plan_job *job, const char *folder,
                                        struct orr_diag *diag);

#endif
