/* The `cnn` section of a workload; see cnn.h. */
#include "core/conf/conf_read.h"
#include "core/conf/keys.h"
#include "workload/gen/cnn/cnn.h"
#include "workload/gen/graph_job.h"
#include "workload/model/kinds/kinds.h"

#define COUNT(keys) (sizeof(keys) / sizeof *(keys))

struct input_section {
    int64_t channels, height, width;
};

#define INPUT(key, max, value, text)                                                               \
    {                                                                                              \
        .name = #key, .type = ORR_KEY_INTEGER, .offset = offsetof(struct input_section, key),      \
        .low = 1, .high = max, .default_text = value, .doc = text                                  \
    }

static const struct orr_key input_keys[] = {
    INPUT(channels, 1e6, "3", "channels of an image"),
    INPUT(height, 1e6, "224", "pixels of a column"),
    INPUT(width, 1e6, "224", "pixels of a row"),
};

static const struct orr_key_table input_table = {"the input section", input_keys, COUNT(input_keys),
                                                 NULL};

struct section {
    const struct orr_conf *input;
    struct orr_conf_list layers;
};

static const struct orr_key keys[] = {
    {.name = "input",
     .type = ORR_KEY_NODE,
     .offset = offsetof(struct section, input),
     .table = &input_table,
     .doc = "the shape of a sample"},
    {.name = "layers",
     .type = ORR_KEY_NODE,
     .offset = offsetof(struct section, layers),
     .required = true,
     .list = true,
     .min = 1,
     .max = 10000,
     .table = &orr_cnn_layer_table,
     .example = "layers: [{conv: {out: 64, kernel: 3}}, {dense: {out: 1000}}]",
     .doc = "the layers, from the images to the scores"},
};

const struct orr_key_table orr_cnn_key_table = {"the cnn section", keys, COUNT(keys), NULL};

static enum orr_status add_images(struct cnn_build *build, const struct orr_conf *map)
{
    struct input_section input = {0};
    enum orr_status status =
        orr_conf_read(map, input_table.owner, input_keys, COUNT(input_keys), &input, build->diag);
    const int64_t sizes[] = {input.channels, input.height, input.width};
    const struct model_data data = {.shape = {3, sizes}};
    const struct model_op_spec spec = {.kind = &orr_model_kind_data, .name = "images"};
    return status == ORR_OK ? orr_model_add(build->builder, &spec, &data, &build->tip, build->diag)
                            : status;
}

static enum orr_status add_layers(const struct orr_conf *map, struct cnn_build *build)
{
    struct section section = {.input = NULL};
    enum orr_status status =
        orr_conf_read(map, orr_cnn_key_table.owner, keys, COUNT(keys), &section, build->diag);
    const struct orr_conf *const *layer = section.layers.values;
    if (status == ORR_OK) {
        status = add_images(build, section.input);
    }
    for (size_t i = 0; i < section.layers.count && status == ORR_OK; i++) {
        status = orr_cnn_add_layer(build, layer[i]);
    }
    return status == ORR_OK ? orr_cnn_add_loss(build) : status;
}

static enum orr_status read_model(struct orr_arena *arena, const struct gen_sections *sections,
                                  uint32_t npus, void **out, struct orr_diag *diag)
{
    struct graph_job *job = NULL;
    enum orr_status status = orr_graph_job_begin(arena, sections, npus, &job, diag);
    if (status != ORR_OK) {
        return status;
    }
    *out = job;
    const struct model_info info = {.name = "cnn",
                                    .element_bytes = job->plan.element_bytes,
                                    .max_ops = 2 * CNN_MAX_OPS}; /* with views, images and loss */
    struct cnn_build build = {.arena = arena, .diag = diag};
    build.builder = orr_model_builder_create(arena, &info, diag);
    if (build.builder == NULL) {
        return ORR_ERR_MEMORY;
    }
    status = add_layers(sections->model, &build);
    if (status == ORR_OK) {
        status = orr_model_finish(build.builder, &job->graph, diag);
    }
    return status == ORR_OK ? orr_gen_data_parallel_check(&job->plan, "cnn", diag) : status;
}

const struct gen_model_ops orr_cnn_model = {
    .name = "cnn",
    .summary = "convolutional networks: layers and residual blocks",
    .keys = &orr_cnn_key_table,
    .read = read_model,
    .plan = orr_graph_job_plan,
    .totals = orr_graph_job_totals,
    .program = orr_graph_job_program,
    .operators = orr_graph_job_operators,
};
