/* The utilization of the network in a run: links as CSV, the traffic between servers as CSV or as a
 * picture, and the bandwidth tax. */
#ifndef ORR_REPORT_NETWORK_USE_H
#define ORR_REPORT_NETWORK_USE_H

#include <stdio.h>

#include "core/status.h"
#include "core/time.h"
#include "orrery/orrery.h"
#include "report/results/results.h"
#include "report/table_text.h"

struct net_flows;
struct net_graph;
struct orr_diag;
struct orr_fold;
struct orrery;

/* A finished run, or a traffic matrix. */
struct orr_network_use {
    const struct orrery *job; /* a job of traces; NULL: task graphs, by their network and flows */
    const struct net_graph *network;
    const struct net_flows *flows;
    const struct orr_fold *fold; /* of task graphs: the flows are those of the representatives */
    const uint64_t *matrix;      /* without a run: bytes, [servers * servers], row to column */
    sim_time duration_ps;        /* the denominator of utilization */
    uint32_t servers;            /* senders and receivers are the NPUs 0..servers-1 */
    const char *title;           /* the job's name on the picture; NULL: made from its parts */
};

/* The title of a job of Orrery's own files: its workload and its platform. `text` holds
 * ORR_TITLE_BYTES. (network_use.c) */
enum { ORR_TITLE_BYTES = 256 };
const char *orr_job_title(const struct orrery *job, char *text);

/* The utilization of a job of traces. */
struct orr_network_use orr_network_use_of(const struct orrery *job);

/* Errors: the job's network is a stack of dimensions, and not a graph with links. */
enum orr_status orr_link_stats_check(const struct orrery *job, struct orr_diag *diag);

/* Fills the results of a link. */
void orr_link_row(const struct orr_network_use *use, const struct orrery_link *link,
                  struct orr_link_row *row);

/* Bytes of whole packets: `demand` as flows got them, `sent` as all NPUs sent them, including hosts
 * that forward. sent / demand is the bandwidth tax (TopoOpt, NSDI'23, section 5.4), 1 without
 * traffic. */
struct orr_network_bytes {
    double demand, sent;
};
/* Of a run of task graphs. */
struct orr_network_bytes orr_network_bytes(const struct orr_network_use *use);
double orr_bandwidth_tax(const struct orr_network_use *use);

/* Bytes of whole packets that hosts forwarded for others (net_passes_host): of all hosts together,
 * of the host that forwarded the most, and its share of the limit; all 0 without a limit. O(all
 * paths). */
struct orr_forwarded {
    uint64_t bytes, max;
    double utilization;
};
struct orr_forwarded orr_network_forwarded(const struct orr_network_use *use,
                                           double limit_bytes_per_s);

/* Writers for struct orr_output; the context is a struct orr_network_use. */
int orr_link_stats_write(FILE *out, const void *context);
int orr_traffic_csv_write(FILE *out, const void *context);
int orr_traffic_svg_write(FILE *out, const void *context); /* charts/traffic_svg.c */

/* Output of the traffic matrix: a picture if the name ends in .svg, O(paths); else CSV, O(servers^2
 * + paths). */
struct orr_output orr_traffic_output(const char *path);

/* Checks before a run. Errors: more than the 16384 servers that CSV takes. `path` may be NULL. */
enum orr_status orr_traffic_check(const char *path, uint32_t servers, struct orr_diag *diag);

/* The bytes of a pair of servers, by an index from 0; false after the last. A pair may occur
 * several times. */
bool orr_traffic_pair(const struct orr_network_use *use, size_t index, struct orrery_pair *pair);

#endif
