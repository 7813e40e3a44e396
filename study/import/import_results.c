/* The numbers of a model, as a table of results; see import_study.h. */
#include "report/results/result.h"
#include "study/import/import_study.h"

static const struct orr_import_study *study_of(const void *row)
{
    return row;
}

static struct orr_value name(const void *row)
{
    return orr_text_value(study_of(row)->launch.shape.name);
}

static struct orr_value flops(const void *row)
{
    const struct orr_shape_counts *counts = &study_of(row)->counts;
    return orr_real_value(counts->product_flops + counts->mixer_flops);
}

#define OF(member) .offset = offsetof(struct orr_import_study, member)
#define U64(member) .type = ORR_RESULT_U64, .unit = ORR_UNIT_COUNT, OF(member)
#define REAL(member) .type = ORR_RESULT_REAL, .unit = ORR_UNIT_FLOPS, OF(member)

static const struct orr_result of_model[] = {
    {.name = "model_type",
     .label = "model type",
     ORR_TEXT_OF(name),
     .meaning = "the family, as the file names it"},
    {.name = "layers",
     .label = "layers",
     .type = ORR_RESULT_U32,
     .unit = ORR_UNIT_COUNT,
     OF(launch.shape.layers),
     .meaning = "those of an encoder included"},
    {.name = "parameters",
     .label = "parameters",
     U64(counts.parameters),
     .meaning = "of the model, without modules of multi-token prediction"},
    {.name = "active_parameters",
     .label = "active parameters",
     U64(counts.active_parameters),
     .meaning = "those that a token meets, embedding and head included"},
    {.name = "embedding_parameters",
     .label = "embedding",
     U64(counts.embedding_parameters),
     .meaning = "of the embedding's table"},
    {.name = "mtp_parameters",
     .label = "multi-token prediction",
     U64(counts.mtp_parameters),
     .meaning = "of its modules, which share embedding and head"},
    {.name = "sequence",
     .label = "sequence",
     U64(sequence),
     .meaning = "tokens at which the operations are counted"},
    {.name = "flops_per_token",
     .label = "operations a token",
     .type = ORR_RESULT_REAL,
     .unit = ORR_UNIT_FLOPS,
     .value = flops,
     .meaning =
         "of a training step, 3 x forward: products but for routers, and attention with causal "
         "pairs at half"},
    {.name = "product_flops_per_token",
     .label = "  of products",
     REAL(counts.product_flops),
     .meaning = "6 x weights of products that a token meets"},
    {.name = "mixer_flops_per_token",
     .label = "  of attention and scans",
     REAL(counts.mixer_flops),
     .meaning = "scores and values, or the scan of Mamba layers"},
    {.name = "mtp_flops_per_token",
     .label = "  of multi-token prediction",
     REAL(counts.mtp_flops),
     .optional = true,
     .meaning = "of its modules with their heads; not in `flops_per_token`"},
    {.name = "kv_bytes_per_token",
     .label = "keys and values a token",
     .type = ORR_RESULT_REAL,
     .unit = ORR_UNIT_BYTES,
     OF(counts.kv_bytes),
     .meaning = "kept at 2 bytes an element; windows unbounded"},
    {.name = "element",
     .label = "element",
     .type = ORR_RESULT_TEXT,
     OF(launch.element),
     .meaning = "its type of number, as the file says it"}};

const struct orr_result_table orr_import_model_results = {.title = "A model",
                                                          .place = "model",
                                                          .meaning =
                                                              "`model` of `orrery import --json`.",
                                                          ORR_RESULT_TABLE(of_model),
                                                          .forms = ORR_IN_JSON | ORR_IN_TABLE};

/* ---- values ---- */

#define OF_VALUE(member)                                                                           \
    .type = ORR_RESULT_TEXT, .offset = offsetof(struct orr_launch_value, member)

static const struct orr_result of_value[] = {
    {.name = "path",
     .label = "value",
     OF_VALUE(path),
     .width = -30,
     .meaning = "its path in a workload file, `parallel.tensor`"},
    {.name = "value", .label = "is", OF_VALUE(text), .width = -14, .meaning = "as it is written"},
    {.name = "key",
     .label = "from",
     OF_VALUE(key),
     .width = -38,
     .meaning = "the key that says it"},
    {.name = "file", .label = "of", OF_VALUE(file), .meaning = "the file that says it"}};

const struct orr_result_table orr_import_value_results = {
    .title = "A value of a launch file",
    .place = "values",
    .meaning = "An entry of `values` of `orrery import --json`, a line of its table and CSV.",
    ORR_RESULT_TABLE(of_value),
    .forms = ORR_IN_JSON | ORR_IN_CSV | ORR_IN_TABLE};
