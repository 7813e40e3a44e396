/* Recommendation models (DLRM, Naumov et al. 2019): embedding tables for sparse features, spread
 * over all NPUs (model-parallel); a bottom MLP for dense features, the interaction, and a top MLP
 * (data-parallel). Pooled vectors are exchanged between tables and MLPs (section 4.1 there;
 * Mudigere et al., ISCA 2022, section 3). docs/how-to/generated-dlrm.md gives the formulas. */
#ifndef ORR_WORKLOAD_GEN_DLRM_H
#define ORR_WORKLOAD_GEN_DLRM_H

#include "workload/model/model_builder.h"
#include "workload/parallel/parallel_plan.h"

enum dlrm_interaction { DLRM_DOT, DLRM_CAT };

/* Sharding of the tables: each table on one NPU, or the rows of every table over all NPUs. */
enum dlrm_sharding { DLRM_BY_TABLE, DLRM_BY_ROW };

enum { DLRM_MAX_LAYERS = 64 };

struct dlrm_mlp {
    uint64_t width[DLRM_MAX_LAYERS + 1]; /* of the input, then of each layer */
    unsigned layers;
};

struct dlrm_job {
    struct gen_plan plan;
    uint64_t tables, rows, embedding, lookups;
    uint64_t row_state_bytes; /* optimizer state of a row */
    enum dlrm_interaction interaction;
    enum dlrm_sharding sharding;
    struct dlrm_mlp bottom, top;
    const struct orr_conf *section; /* for the locations of errors */
};

extern const struct orr_key_table orr_dlrm_key_table;

/* Reads the model. Requires job->plan. */
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

struct gen_work orr_dlrm_lookup(const struct dlrm_job *job);
struct gen_work orr_dlrm_row_update(const struct dlrm_job *job);
struct gen_work orr_dlrm_interaction(const struct dlrm_job *job, bool backward);

/* ---- results ---- */

struct gen_emitter;

void orr_dlrm_totals(const struct dlrm_job *job, struct gen_totals *totals);
void orr_dlrm_memory(const struct dlrm_job *job, struct gen_memory *memory);
void orr_dlrm_emit(const struct dlrm_job *job, struct gen_emitter *emitter);

struct gen_model_ops;
extern const struct gen_model_ops orr_dlrm_model;

#endif
