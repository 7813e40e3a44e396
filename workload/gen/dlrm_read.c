/* The `dlrm` section of a workload; see dlrm.h. */
#include <inttypes.h>

#include "core/conf/conf_read.h"
#include "core/conf/keys.h"
#include "workload/gen/data_parallel.h"
#include "workload/gen/dlrm_job.h"
#include "workload/parallel/parallel_plan.h"

#define COUNT(keys) (sizeof(keys) / sizeof *(keys))

static const char *const interactions[] = {"dot", "cat", NULL};
static const char *const shardings[] = {"table", "row", NULL};
enum { AS_FITS = 2 }; /* neither is set */

struct section {
    int64_t tables, rows, embedding, lookups, dense, row_state_bytes;
    struct orr_conf_list bottom, top;
    unsigned interaction, sharding;
};

#define AT(member) offsetof(struct section, member)
#define NUMBER(key, min, max, text)                                                                \
    .name = #key, .type = ORR_KEY_INTEGER, .offset = AT(key), .low = min, .high = max, .doc = text

static const struct orr_key keys[] = {
    {NUMBER(tables, 1, 1e6, "embedding tables, one for each sparse feature"), .required = true,
     .example = "tables: 26"},
    {NUMBER(rows, 1, 1e12, "rows of a table"), .required = true, .example = "rows: 1000000"},
    {NUMBER(embedding, 1, 1e6, "width of a row"), .required = true, .example = "embedding: 64"},
    {NUMBER(lookups, 1, 1e6, "rows that a sample reads from each table, which are added up"),
     .default_text = "1"},
    {NUMBER(dense, 1, 1e6, "dense features of a sample"), .required = true, .example = "dense: 13"},
    {NUMBER(bottom, 1, 1e7, "widths of the layers that the dense features go through"),
     .required = true, .list = true, .min = 1, .max = DLRM_MAX_LAYERS,
     .example = "bottom: [512, 256, 64]"},
    {NUMBER(top, 1, 1e7, "widths of the layers after the interaction"), .required = true,
     .list = true, .min = 1, .max = DLRM_MAX_LAYERS, .example = "top: [512, 256, 1]"},
    {.name = "interaction",
     .type = ORR_KEY_CHOICE,
     .offset = AT(interaction),
     .choices = interactions,
     .default_text = "dot",
     .doc = "products of all pairs of vectors and the dense one, or all vectors in a row (cat)"},
    {.name = "sharding",
     .type = ORR_KEY_CHOICE,
     .offset = AT(sharding),
     .choices = shardings,
     .absent = "table; row when there are fewer tables than NPUs",
     .doc = "unsplit tables on NPUs, or the rows of every table over all NPUs"},
    {NUMBER(row_state_bytes, 0, 1e6, "optimizer state of a row: 4 of row-wise AdaGrad, 0 of SGD"),
     .default_text = "4"},
};

const struct orr_key_table orr_dlrm_key_table = {"the dlrm section", keys, COUNT(keys), NULL};

static void fill_mlp(uint64_t input, const struct orr_conf_list *widths, struct dlrm_mlp *mlp)
{
    const int64_t *width = widths->values;
    mlp->layers = (unsigned)widths->count;
    mlp->width[0] = input;
    for (unsigned l = 0; l < mlp->layers; l++) {
        mlp->width[l + 1] = (uint64_t)width[l];
    }
}

static void fill(const struct section *section, struct dlrm_job *job)
{
    job->tables = (uint64_t)section->tables;
    job->rows = (uint64_t)section->rows;
    job->embedding = (uint64_t)section->embedding;
    job->lookups = (uint64_t)section->lookups;
    job->row_state_bytes = (uint64_t)section->row_state_bytes;
    job->interaction = (enum dlrm_interaction)section->interaction;
    job->sharding = (enum rank_sharding)section->sharding;
    if (section->sharding == AS_FITS) {
        job->sharding = job->tables < job->job.plan.layout.npus ? RANK_BY_ROW : RANK_BY_TABLE;
    }
    fill_mlp((uint64_t)section->dense, &section->bottom, &job->bottom);
    const uint64_t pairs = job->interaction == DLRM_DOT ? job->tables * (job->tables + 1) / 2
                                                        : job->tables * job->embedding;
    fill_mlp(pairs + job->bottom.width[job->bottom.layers], &section->top, &job->top);
}

static enum orr_status check(const struct dlrm_job *job, struct orr_diag *diag)
{
    const uint64_t last = job->bottom.width[job->bottom.layers];
    if (job->interaction == DLRM_DOT && last != job->embedding) {
        return orr_gen_fail(job->section, "bottom", diag,
                            "products with rows of %" PRIu64
                            " need a last layer of this width, got "
                            "%" PRIu64 " (interaction: cat takes any)",
                            job->embedding, last);
    }
    if (job->job.plan.pipeline.micros > 1) {
        return orr_gen_fail(
            job->job.plan.training, "micro_batch", diag,
            "a dlrm takes a rank's part of the batch at once; expected %" PRIu64 ", got %" PRIu64,
            job->job.plan.micro_batch * job->job.plan.pipeline.micros, job->job.plan.micro_batch);
    }
    return ORR_OK;
}

enum orr_status orr_dlrm_read(const struct orr_conf *map, struct dlrm_job *job,
                              struct orr_diag *diag)
{
    struct section section = {.sharding = AS_FITS};
    job->section = map;
    enum orr_status status =
        orr_conf_read(map, orr_dlrm_key_table.owner, keys, COUNT(keys), &section, diag);
    if (status == ORR_OK) {
        fill(&section, job);
        status = orr_gen_data_parallel_check(&job->job.plan, "dlrm", diag);
    }
    return status == ORR_OK ? check(job, diag) : status;
}
