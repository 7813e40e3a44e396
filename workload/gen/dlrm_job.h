/* A recommendation model as a job; shared by dlrm.c and dlrm_read.c. */
#ifndef ORR_WORKLOAD_GEN_DLRM_JOB_H
#define ORR_WORKLOAD_GEN_DLRM_JOB_H

#include "workload/gen/dlrm.h"
#include "workload/gen/graph_job.h"

enum dlrm_interaction { DLRM_DOT, DLRM_CAT };

/* Sharding of the tables: each table on one NPU, or the rows of every table over all NPUs. */
enum dlrm_sharding { DLRM_BY_TABLE, DLRM_BY_ROW };

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
    enum dlrm_sharding sharding;
    struct dlrm_mlp bottom, top;
    const struct orr_conf *section; /* for the locations of errors */
};

/* Reads the model. Requires job->job.plan. */
enum orr_status orr_dlrm_read(const struct orr_conf *section, struct dlrm_job *job,
                              struct orr_diag *diag);

/* ---- sizes and work of an NPU, for its part of the batch ---- */

uint64_t orr_dlrm_layer_parameters(const struct dlrm_mlp *mlp, unsigned layer);
uint64_t orr_dlrm_mlp_parameters(const struct dlrm_job *job); /* both MLPs */

/* Rows of tables that the NPU with the most rows holds, and that it reads in a step. */
uint64_t orr_dlrm_held_rows(const struct dlrm_job *job);
uint64_t orr_dlrm_read_rows(const struct dlrm_job *job);

/* Pooled vectors of the NPU with the most tables, for all samples. By row: partial sums of all
 * tables. */
uint64_t orr_dlrm_pooled_vectors(const struct dlrm_job *job);

/* Bytes of a rank's exchange of the pooled vectors, or of their gradients. By table: an all-to-all
 * with the send size of the NPU with the most tables. By row: the size of a reduce-scatter, or the
 * total of an all-gather. */
uint64_t orr_dlrm_exchange_bytes(const struct dlrm_job *job);

#endif
