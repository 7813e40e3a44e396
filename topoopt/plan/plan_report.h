/* Reports of a plan (plan_text.c, plan_json.c, plan_tables.c). All functions return 0, or 1 if
 * memory is out or the output cannot be written. */
#ifndef ORR_TOPOOPT_PLAN_PLAN_REPORT_H
#define ORR_TOPOOPT_PLAN_PLAN_REPORT_H

#include <stdio.h>

#include "topoopt/plan/plan_result.h"

/* As text for people, and as JSON. */
int orr_plan_text(FILE *out, const struct plan_result *solution);
int orr_plan_json(FILE *out, const struct plan_result *solution);

/* As CSV, one line for each: step of a ring; path of a transfer; attempt with its outcome;
 * crossconnect of a panel; other fabric. With a fixed network there are no rings and no ports. */
int orr_plan_rings_csv(FILE *out, const struct plan_result *solution);
int orr_plan_routes_csv(FILE *out, const struct plan_result *solution);
int orr_plan_tried_csv(FILE *out, const struct plan_result *solution);
int orr_plan_ports_csv(FILE *out, const struct plan_result *solution);
int orr_plan_fabrics_csv(FILE *out, const struct plan_result *solution);

/* The rings of all servers as NCCL graphs, one for each group (finder/nccl_graph.h). */
int orr_plan_nccl(FILE *out, const struct plan_result *solution);

/* Describes the jumps of a class, "+1 +11", or "over links of others"; truncated to `bytes`.
 * Returns `text`. */
char *orr_plan_jumps(const struct finder_topology *topology, const struct finder_class *class,
                     char *text, size_t bytes);

/* ---- metrics of a plan (plan_metrics.c) ---- */

struct plan_metrics {
    uint64_t reduce_bytes, transfer_bytes; /* on the wire */
    /* Operators: split by samples over all servers; whole on the server of data parallelism; whole
     * on another server; split otherwise. */
    uint32_t data_parallel, whole, placed, split;
    uint32_t measured, computing; /* operators with measured times; servers with parts */
    uint64_t memory_bytes;        /* of the fullest device */
    uint32_t fullest;
    double mean_path; /* mean hops between two servers */
    uint32_t longest_path;
    double tax;     /* bytes over links / bytes sent; 0: unknown (fixed network) */
    uint32_t links; /* directed */
};
enum orr_status orr_plan_metrics(const struct plan_result *solution, struct plan_metrics *out,
                                 struct orr_diag *diag);

#endif
