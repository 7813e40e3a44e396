/* What is told of a plan (plan_text.c, plan_json.c, plan_tables.c). All return 0, or 1 when memory
 * is out or nothing more can be written. */
#ifndef ORR_PLANNER_PLAN_FILE_PLAN_REPORT_H
#define ORR_PLANNER_PLAN_FILE_PLAN_REPORT_H

#include <stdio.h>

#include "planner/plan_file/plan_result.h"

/* For people, and for programs. */
int orr_plan_text(FILE *out, const struct plan_result *solution);
int orr_plan_json(FILE *out, const struct plan_result *solution);

/* As CSV, a line each: the steps of rings; the paths of transfers; what was tried, and what became
 * of it; the ports of panels that are joined; the other fabrics. Of a network that stays there are
 * no rings and no ports. */
int orr_plan_rings_csv(FILE *out, const struct plan_result *solution);
int orr_plan_routes_csv(FILE *out, const struct plan_result *solution);
int orr_plan_tried_csv(FILE *out, const struct plan_result *solution);
int orr_plan_ports_csv(FILE *out, const struct plan_result *solution);
int orr_plan_fabrics_csv(FILE *out, const struct plan_result *solution);

/* The rings of all servers as NCCL reads graphs, a graph for each group (finder/nccl_graph.h). */
int orr_plan_nccl(FILE *out, const struct plan_result *solution);

/* "rings +1 +11, pairs 1": what a class of groups has, and what is matched; cut to `bytes`. */
char *orr_plan_jumps(const struct finder_topology *topology, const struct finder_class *class,
                     char *text, size_t bytes);

/* ---- figures of a plan (plan_metrics.c) ---- */

struct plan_metrics {
    uint64_t reduce_bytes, transfer_bytes;        /* on the wire */
    uint32_t data_parallel, whole, placed, split; /* operators: by samples over all; on one server
                                                     as usual, or on another; otherwise */
    uint32_t measured, computing; /* operators whose parts have measured times; servers that have
                                     parts of any */
    uint64_t memory_bytes;        /* of the fullest device */
    uint32_t fullest;
    double mean_path; /* hops between two servers */
    uint32_t longest_path;
    double tax;     /* bytes over links / bytes sent; 0: not known, of a network that stays */
    uint32_t links; /* each way */
};
enum orr_status orr_plan_metrics(const struct plan_result *solution, struct plan_metrics *out,
                                 struct orr_diag *diag);

#endif
