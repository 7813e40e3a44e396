/* The `cnn` section of a workload; see cnn.h. */
#include "core/conf/conf_read.h"
#include "core/conf/keys.h"
#include "workload/gen/cnn/cnn_layers.h"
#include "workload/gen/data_parallel.h"

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

static enum orr_status read_input(const struct orr_conf *map, struct cnn_shape *image,
                                  struct orr_diag *diag)
{
    struct input_section input = {0};
    const enum orr_status status =
        orr_conf_read(map, input_table.owner, input_keys, COUNT(input_keys), &input, diag);
    *image = (struct cnn_shape){.channels = (uint64_t)input.channels,
                                .height = (uint64_t)input.height,
                                .width = (uint64_t)input.width};
    return status;
}

static enum orr_status add_layers(struct orr_arena *arena, const struct section *section,
                                  struct cnn_net *net, struct orr_diag *diag)
{
    const struct orr_conf *const *layer = section->layers.values;
    enum orr_status status = ORR_OK;
    uint32_t tip = CNN_IMAGE;
    for (size_t i = 0; i < section->layers.count && status == ORR_OK; i++) {
        status = orr_cnn_add_layer(arena, layer[i], net, &tip, diag);
    }
    const struct cnn_op loss = {.kind = CNN_LOSS,
                                .input = {tip},
                                .input_count = 1,
                                .out = status == ORR_OK ? orr_cnn_shape_of(net, tip) : net->image,
                                .keeps_input = true};
    return status == ORR_OK ? orr_cnn_add(arena, net, loss, &tip, diag) : status;
}

enum orr_status orr_cnn_read(struct orr_arena *arena, const struct orr_conf *map,
                             struct cnn_job *job, struct orr_diag *diag)
{
    struct section section = {.input = NULL};
    job->section = map;
    job->net = (struct cnn_net){.op = NULL};
    enum orr_status status =
        orr_conf_read(map, orr_cnn_key_table.owner, keys, COUNT(keys), &section, diag);
    if (status == ORR_OK) {
        status = read_input(section.input, &job->net.image, diag);
    }
    if (status == ORR_OK) {
        status = add_layers(arena, &section, &job->net, diag);
    }
    return status == ORR_OK ? orr_gen_data_parallel_check(&job->plan, "cnn", diag) : status;
}
