/* How a run used the network: links as CSV, the traffic between servers as CSV or as a
 * picture, and the bandwidth tax. */
#ifndef ORR_REPORT_NETWORK_USE_H
#define ORR_REPORT_NETWORK_USE_H

#include <stdio.h>

#include "network/network.h"
#include "orrery/orrery.h"
#include "report/results/results.h"
#include "report/table_text.h"

/* A run that is over. */
struct orr_network_use {
    const struct orrery *job; /* of traces; NULL: of task graphs, by their network and flows */
    const struct net_graph *network;
    const struct net_flows *flows;
    const struct orr_fold *fold; /* of task graphs: flows are those of who stands for the others */
    const uint64_t *matrix; /* no run: the bytes themselves, [servers * servers], row to column */
    sim_time duration_ps;   /* what utilization is of */
    uint32_t servers;       /* NPUs 0..servers-1, between which there is traffic */
    const char *title;      /* the job's name, on the picture; NULL: what it is made of says it */
};

/* What a job of own files is called: its workload and its platform. `text` holds ORR_TITLE_BYTES.
 * (network_use.c) */
enum { ORR_TITLE_BYTES = 256 };
const char *orr_job_title(const struct orrery *job, char *text);

/* Of a job of traces. */
struct orr_network_use orr_network_use_of(const struct orrery *job);

/* Errors: the job's network has dimensions, and no links to tell of. */
enum orr_status orr_link_stats_check(const struct orrery *job, struct orr_diag *diag);

/* What is told of a link of it. */
void orr_link_row(const struct orr_network_use *use, const struct orrery_link *link,
                  struct orr_link_row *row);

/* Bytes of whole packets: as handed to flows; and as NPUs sent them, those that pass them on too.
 * Their quotient is the bandwidth tax (TopoOpt, NSDI'23, section 5.4), 1 without traffic. */
struct orr_network_bytes {
    double demand, sent;
};
/* Of task graphs. */
struct orr_network_bytes orr_network_bytes(const struct orr_network_use *use);
double orr_bandwidth_tax(const struct orr_network_use *use);

/* Bytes of whole packets that hosts passed on for others (net_passes_host): all of them together,
 * and that which passed on most, with the part that this is of what it may; all 0 without a limit.
 * O(all paths). */
struct orr_forwarded {
    uint64_t bytes, max;
    double utilization;
};
struct orr_forwarded orr_network_forwarded(const struct orr_network_use *use,
                                           double limit_bytes_per_s);

/* Writers for struct orr_output; the context is a struct orr_network_use. */
int orr_link_stats_write(FILE *out, const void *context);
int orr_traffic_csv_write(FILE *out, const void *context);
int orr_traffic_svg_write(FILE *out, const void *context); /* traffic_svg.c */

/* The traffic matrix to a file: a picture where the name ends in .svg, O(paths), else CSV,
 * O(servers^2 + paths). */
struct orr_output orr_traffic_output(const char *path);

/* Before a run. Errors: more servers than CSV takes, 16384. `path` may be NULL. */
enum orr_status orr_traffic_check(const char *path, uint32_t servers, struct orr_diag *diag);

/* Bytes from one server to another, by an index from 0 on; false after the last. The same two may
 * come again. */
bool orr_traffic_pair(const struct orr_network_use *use, size_t index, struct orrery_pair *pair);

#endif
