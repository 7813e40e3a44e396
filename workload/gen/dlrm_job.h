/* A recommendation model as a job; shared by dlrm.c and dlrm_read.c. */
#ifndef ORR_WORKLOAD_GEN_DLRM_JOB_H
#define ORR_WORKLOAD_GEN_DLRM_JOB_H

#include "workload/gen/dlrm.h"
#include "workload/gen/graph_job.h"
#include "workload/parallel/graph/graph_tables.h"

enum dlrm_interaction { DLRM_DOT, DLRM_CAT };

enum { DLRM_MAX_LAYERS = 64 };

struct dlrm_mlp {
    uint64_t width[DLRM_MAX_LAYERS + 1]; /* of the input, then of each layer */
    unsigned layers;
};

struct dlrm_job {
    struct graph_job job; /* its graph has the tables first */
    uint64_t tables, rows, embedding, lookups;
    uint64_t row_state_bytes; /* optimizer state of a row */
    enum dlrm_interaction interaction;
    enum rank_sharding sharding;
    struct dlrm_mlp bottom, top;
    const struct orr_conf *section; /* for the locations of errors */
};

/* Reads the model. Requires job->job.plan. */
enum orr_status orr_dlrm_read(const struct orr_conf *section, struct dlrm_job *job,
                              struct orr_diag *diag);

uint64_t orr_dlrm_layer_parameters(const struct dlrm_mlp *mlp, unsigned layer);
uint64_t orr_dlrm_mlp_parameters(const struct dlrm_job *job); /* both MLPs */

#endif
