/* Traffic of a strategy on the links, for orrery plan. */
#ifndef ORR_CLI_PLAN_PLAN_TRAFFIC_H
#define ORR_CLI_PLAN_PLAN_TRAFFIC_H

#include <stdio.h>

struct eval_link_bytes;
struct eval_traffic;
struct net_graph;

/* Prints lines of the table, and fields of the JSON object, each with a comma behind it. */
void orr_plan_traffic_table(const struct eval_traffic *traffic);
void orr_plan_traffic_json(FILE *out, const struct eval_traffic *traffic);

/* Traffic of each link of a graph, one way; parallel links together. */
struct orr_plan_link_stats {
    const struct net_graph *graph;
    const struct eval_link_bytes *link; /* [links] */
};

/* A writer for struct orr_output; the context is a struct orr_plan_link_stats. */
int orr_plan_link_stats_write(FILE *out, const void *context);

#endif
