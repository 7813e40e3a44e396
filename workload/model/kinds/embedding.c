/* Embedding tables: rows are looked up and added up to one vector (a sparse feature of a
 * recommendation model, Naumov et al. 2019), or give one vector for each number of the input
 * (tokens). The backward pass reads and writes each row that was read, with its state. Also learned
 * position embeddings that are added to tokens.
 *
 * Split by rows a part gives a partial sum of the output, by columns a slice. An unsplit table
 * stays on one device (TopoOpt, section 2.1), and its gradient is never reduced as a whole. */
#include <string.h>

#include "core/saturate.h"
#include "workload/model/kinds/kinds.h"
#include "workload/model/op_graph.h"
#include "workload/trace/trace.h"

static const struct orr_key keys[] = {
    MODEL_ENTRY_KEYS,
    {MODEL_INTEGER(model_embedding, rows, 1, 1e12, "rows of the table"), .required = true,
     .example = "rows: 10000000"},
    {MODEL_INTEGER(model_embedding, columns, 1, 1e7, "width of a row"), .required = true,
     .example = "columns: 128"},
    {MODEL_INTEGER(model_embedding, lookups, 1, 1e9, "rows that a sample reads"),
     .absent = "the numbers of the input; 1 without one"},
    {MODEL_INTEGER(model_embedding, row_state_bytes, 0, 1e6,
                   "optimizer state of a row, read and written with it"),
     .default_text = "0"},
    {.name = "pooled",
     .type = ORR_KEY_BOOL,
     .offset = offsetof(struct model_embedding, pooled),
     .default_text = "true",
     .doc = "the rows are added up; false: a token for each"},
};

static void split(struct model_draft *draft, const struct model_embedding *table)
{
    const uint8_t last = table->pooled ? 1 : 2;
    if (!table->pooled) {
        orr_model_add_axis_dim(draft, "tokens", 1, draft->op.shape.size[0], MODEL_WEIGHTS_COPIED);
    }
    orr_model_add_dim(draft, (struct model_dim){.name = "rows",
                                                .cut = {orr_model_all(), orr_model_all()},
                                                .gives = MODEL_GIVES_PARTIAL_SUM,
                                                .axis = MODEL_NO_AXIS,
                                                .weights = MODEL_WEIGHTS_SLICED,
                                                .size = (uint64_t)table->rows});
    orr_model_add_dim(draft, (struct model_dim){.name = "columns",
                                                .cut = {orr_model_all(), orr_model_all()},
                                                .gives = MODEL_GIVES_SLICE,
                                                .axis = last,
                                                .weights = MODEL_WEIGHTS_SLICED,
                                                .size = (uint64_t)table->columns});
}

static enum orr_status fill(const void *attributes, struct model_draft *draft,
                            struct orr_diag *diag)
{
    const struct model_embedding *table = attributes;
    const uint64_t rows = (uint64_t)table->rows, columns = (uint64_t)table->columns;
    const uint64_t come = draft->inputs == 0 ? 1 : orr_model_elements(&draft->input[0].shape);
    const uint64_t lookups = table->lookups != 0 ? (uint64_t)table->lookups : come;
    struct model_op *op = &draft->op;
    (void)diag;
    op->op_kind = ORR_OP_MEMORY;
    op->table = table->pooled;
    op->weights = sat_times(rows, columns);
    op->shape = table->pooled ? (struct model_shape){.axes = 1, .size = {columns}}
                              : (struct model_shape){.axes = 2, .size = {lookups, columns}};
    const uint64_t row = sat_times(columns, draft->element_bytes);
    const uint64_t state = sat_plus(row, (uint64_t)table->row_state_bytes);
    op->forward = (struct model_work){.flops = sat_times(lookups, columns),
                                      .inner_bytes = sat_times(lookups, row),
                                      .output_bytes = orr_model_output_bytes(draft)};
    op->backward = (struct model_work){.flops = op->forward.flops,
                                       .inner_bytes = sat_times(2, sat_times(lookups, state)),
                                       .output_bytes = op->forward.output_bytes};
    split(draft, table);
    return ORR_OK;
}

static void cut(void *attributes, struct model_input *input, const struct model_op *whole,
                const char *dim, uint64_t parts)
{
    struct model_embedding *table = attributes;
    (void)input, (void)whole;
    if (strcmp(dim, "rows") == 0) {
        table->rows = orr_model_cut_size(table->rows, parts);
    } else if (strcmp(dim, "columns") == 0) {
        table->columns = orr_model_cut_size(table->columns, parts);
    }
}

/* ---- positions ---- */

static const struct orr_key position_keys[] = {
    MODEL_ENTRY_KEYS,
    {MODEL_INTEGER(model_position, rows, 0, 1e9, "learned rows: of positions, of kinds of tokens"),
     .required = true, .example = "rows: 512"},
};

static enum orr_status fill_position(const void *attributes, struct model_draft *draft,
                                     struct orr_diag *diag)
{
    const struct model_position *position = attributes;
    const struct model_shape *in = &draft->input[0].shape;
    const enum orr_status status = orr_model_check_axes(draft, 2, 0, diag);
    if (status == ORR_OK) {
        draft->op.shape = *in;
        draft->op.weights = sat_times((uint64_t)position->rows, in->size[1]);
        orr_model_stream(draft, orr_model_elements(in), 2, 3);
        draft->op.kept_bytes = position->dropout ? orr_model_elements(in) : 0;
        orr_model_add_axis_dim(draft, "tokens", 1, in->size[0], MODEL_WEIGHTS_COPIED);
    }
    return status;
}

const struct model_kind_ops orr_model_kind_embedding = {
    .name = "embedding",
    .summary = "rows of a table that are looked up",
    .table = {"an embedding", keys, sizeof keys / sizeof *keys, NULL},
    .attributes = sizeof(struct model_embedding),
    .max_inputs = 1,
    .is_lookup = true,
    .fill = fill,
    .cut = cut,
};

const struct model_kind_ops orr_model_kind_position = {
    .name = "position",
    .summary = "learned rows, one added to each token",
    .table = {"an embedding of positions", position_keys,
              sizeof position_keys / sizeof *position_keys, NULL},
    .attributes = sizeof(struct model_position),
    .min_inputs = 1,
    .max_inputs = 1,
    .fill = fill_position,
};
