/* Layers of convolutional networks; see cnn.h. */
#include "workload/gen/cnn/cnn.h"

#include "core/conf/conf.h"
#include "core/conf/conf_read.h"
#include "core/conf/keys.h"
#include "workload/model/kinds/kinds.h"
#include "workload/parallel/parallel_plan.h"

#include <inttypes.h>

#define COUNT(keys) (sizeof(keys) / sizeof *(keys))

/* ---- keys ---- */

enum norm { NO_NORM, BATCH_NORM };

static const char *const norms[] = {"none", "batch", NULL};

/* The keys of all kinds of layers. */
struct layer {
    int64_t out, kernel, stride, pad, groups, width, repeat;
    bool bias, global;
    unsigned norm;
};

#define AT(member) offsetof(struct layer, member)
#define NUMBER(key, min, max, text)                                                                \
    .name = #key, .type = ORR_KEY_INTEGER, .offset = AT(key), .low = min, .high = max, .doc = text
#define OUT                                                                                        \
    {                                                                                              \
        NUMBER(out, 1, 1e6, "channels of the output"), .required = true, .example = "out: 64"      \
    }
#define REPEAT(text)                                                                               \
    {                                                                                              \
        NUMBER(repeat, 1, 1e4, text), .default_text = "1"                                          \
    }

static const struct orr_key conv_keys[] = {
    OUT,
    {NUMBER(kernel, 1, 1e4, "height and width of the kernel"), .required = true,
     .example = "kernel: 3"},
    {NUMBER(stride, 1, 1e4, "pixels from one position of the kernel to the next"),
     .default_text = "1"},
    {NUMBER(pad, 0, 1e4, "pixels added at each side of the input"), .default_text = "0"},
    {NUMBER(groups, 1, 1e6, "groups of channels that are convolved separately"),
     .default_text = "1"},
    {.name = "bias",
     .type = ORR_KEY_BOOL,
     .offset = AT(bias),
     .absent = "true without a norm",
     .doc = "a bias for each channel of the output"},
    {.name = "norm",
     .type = ORR_KEY_CHOICE,
     .offset = AT(norm),
     .choices = norms,
     .default_text = "none",
     .doc = "normalization after it"},
    REPEAT("number of such layers, in sequence"),
};

static const struct orr_key pool_keys[] = {
    {NUMBER(kernel, 1, 1e4, "height and width of the window"), .default_text = "2"},
    {NUMBER(stride, 1, 1e4, "pixels from one position of the window to the next"),
     .absent = "kernel"},
    {NUMBER(pad, 0, 1e4, "pixels added at each side of the input"), .default_text = "0"},
    {.name = "global",
     .type = ORR_KEY_BOOL,
     .offset = AT(global),
     .default_text = "false",
     .doc = "the mean of the whole input, instead of the maximum of a window"},
};

static const struct orr_key dense_keys[] = {
    {NUMBER(out, 1, 1e8, "width of the output"), .required = true, .example = "out: 1000"},
    {.name = "bias",
     .type = ORR_KEY_BOOL,
     .offset = AT(bias),
     .default_text = "true",
     .doc = "a bias for each output"},
    REPEAT("number of such layers, in sequence"),
};

static const struct orr_key bottleneck_keys[] = {
    {NUMBER(width, 1, 1e6, "channels of the convolutions inside"), .required = true,
     .example = "width: 64"},
    OUT,
    {NUMBER(stride, 1, 1e4, "stride of the first block, in its 3 x 3 convolution"),
     .default_text = "1"},
    REPEAT("number of such blocks, in sequence"),
};

static const struct orr_key basic_keys[] = {
    OUT,
    {NUMBER(stride, 1, 1e4, "stride of the first block, in its first convolution"),
     .default_text = "1"},
    REPEAT("number of such blocks, in sequence"),
};

static const struct orr_key_table conv_table = {"a convolution", conv_keys, COUNT(conv_keys), NULL};
static const struct orr_key_table pool_table = {"a pool", pool_keys, COUNT(pool_keys), NULL};
static const struct orr_key_table dense_table = {"a dense layer", dense_keys, COUNT(dense_keys),
                                                 NULL};
static const struct orr_key_table bottleneck_table = {"a bottleneck", bottleneck_keys,
                                                      COUNT(bottleneck_keys), NULL};
static const struct orr_key_table basic_table = {"a basic block", basic_keys, COUNT(basic_keys),
                                                 NULL};

/* ---- operators ---- */

/* Adds an operator behind the tip and, unless MODEL_NO_VALUE, another; it becomes the tip. */
static enum orr_status add(struct cnn_build *build, enum cnn_kind kind,
                           const struct model_kind_ops *ops, const void *attributes,
                           model_value other)
{
    static const char *const names[CNN_KINDS] = {"conv", "norm", "pool", "sum", "dense", "loss"};
    const model_value input[] = {build->tip, other};
    struct model_op_spec spec = {.kind = ops,
                                 .input = input,
                                 .inputs = other != MODEL_NO_VALUE ? 2 : 1,
                                 .section = build->map,
                                 .joins_layer = kind == CNN_NORM}; /* of the convolution before */
    if (build->ops++ >= CNN_MAX_OPS && kind != CNN_LOSS) {
        return orr_gen_fail(build->map, "repeat", build->diag,
                            "the layers make more than %u operators", CNN_MAX_OPS);
    }
    spec.label =
        orr_arena_printf(build->arena, "%s %" PRIu32, names[kind], ++build->kind_count[kind]);
    return spec.label != NULL
               ? orr_model_add(build->builder, &spec, attributes, &build->tip, build->diag)
               : orr_diag_no_memory(build->diag, "a generated model");
}

static const struct model_shape *shape_of(const struct cnn_build *build)
{
    return orr_model_value_shape(build->builder, build->tip);
}

/* Behind a dense layer the scores are channels of one pixel. */
static enum orr_status view_image(struct cnn_build *build)
{
    const struct model_shape *shape = shape_of(build);
    const struct model_shape image = {.axes = 3, .size = {shape->size[0], 1, 1}};
    return shape->axes == 3
               ? ORR_OK
               : orr_model_add_view(build->builder, build->tip, &image, &build->tip, build->diag);
}

/* A convolution behind the tip, and its norm if it has one. */
static enum orr_status add_conv(struct cnn_build *build, const struct layer *layer)
{
    const struct model_conv2d conv = {.out = layer->out,
                                      .kernel = layer->kernel,
                                      .stride = layer->stride,
                                      .pad = layer->pad,
                                      .groups = layer->groups,
                                      .bias = layer->bias};
    const struct model_plain norm = {.entry = {.name = NULL}};
    const enum orr_status status =
        add(build, CNN_CONV, &orr_model_kind_conv2d, &conv, MODEL_NO_VALUE);
    return status == ORR_OK && layer->norm == BATCH_NORM
               ? add(build, CNN_NORM, &orr_model_kind_batch_norm, &norm, MODEL_NO_VALUE)
               : status;
}

/* ---- kinds ---- */

static enum orr_status read_conv(struct cnn_build *build, struct layer *layer)
{
    if (orr_conf_get(build->map, "bias") == NULL) {
        layer->bias = layer->norm == NO_NORM;
    }
    return add_conv(build, layer);
}

static enum orr_status check_global_pool(const struct cnn_build *build)
{
    static const char *const of_windows[] = {"kernel", "stride", "pad"};
    for (size_t i = 0; i < COUNT(of_windows); i++) {
        if (orr_conf_get(build->map, of_windows[i]) != NULL) {
            return orr_gen_fail(build->map, of_windows[i], build->diag,
                                "a global pool takes the whole input");
        }
    }
    return ORR_OK;
}

static enum orr_status read_pool(struct cnn_build *build, struct layer *layer)
{
    const struct model_pool2d pool = {.kernel = layer->kernel,
                                      .stride = layer->stride,
                                      .pad = layer->pad,
                                      .global = layer->global};
    const enum orr_status status = layer->global ? check_global_pool(build) : ORR_OK;
    return status == ORR_OK ? add(build, CNN_POOL, &orr_model_kind_pool2d, &pool, MODEL_NO_VALUE)
                            : status;
}

static enum orr_status read_dense(struct cnn_build *build, struct layer *layer)
{
    const struct model_dense dense = {.out = layer->out, .bias = layer->bias};
    return add(build, CNN_DENSE, &orr_model_kind_dense, &dense, MODEL_NO_VALUE);
}

/* ---- residual blocks ---- */

/* The convolutions of a residual block, a shortcut convolution if shapes differ, and the sum. */
static enum orr_status add_block(struct cnn_build *build, const struct layer *convs, unsigned count,
                                 int64_t stride)
{
    const struct model_add sum = {.activated = true};
    const model_value input = build->tip;
    const int64_t out = convs[count - 1].out;
    const bool same = shape_of(build)->size[0] == (uint64_t)out && stride == 1;
    model_value around = input;
    enum orr_status status = ORR_OK;
    for (unsigned i = 0; i < count && status == ORR_OK; i++) {
        status = add_conv(build, &convs[i]);
    }
    const model_value inside = build->tip;
    if (status == ORR_OK && !same) {
        const struct layer shortcut = {
            .out = out, .kernel = 1, .stride = stride, .groups = 1, .norm = BATCH_NORM};
        build->tip = input;
        status = add_conv(build, &shortcut);
        around = build->tip;
    }
    build->tip = inside;
    return status == ORR_OK ? add(build, CNN_SUM, &orr_model_kind_add, &sum, around) : status;
}

static struct layer block_conv(int64_t out, int64_t kernel, int64_t stride)
{
    return (struct layer){.out = out,
                          .kernel = kernel,
                          .stride = stride,
                          .pad = kernel / 2,
                          .groups = 1,
                          .norm = BATCH_NORM};
}

static enum orr_status read_bottleneck(struct cnn_build *build, struct layer *layer)
{
    const struct layer convs[] = {block_conv(layer->width, 1, 1),
                                  block_conv(layer->width, 3, layer->stride),
                                  block_conv(layer->out, 1, 1)};
    const enum orr_status status = add_block(build, convs, COUNT(convs), layer->stride);
    layer->stride = 1; /* of the blocks that follow */
    return status;
}

static enum orr_status read_basic(struct cnn_build *build, struct layer *layer)
{
    const struct layer convs[] = {block_conv(layer->out, 3, layer->stride),
                                  block_conv(layer->out, 3, 1)};
    const enum orr_status status = add_block(build, convs, COUNT(convs), layer->stride);
    layer->stride = 1;
    return status;
}

/* ---- a layer ---- */

enum { KINDS = 5 };

static const struct {
    const struct orr_key_table *table;
    enum orr_status (*read)(struct cnn_build *build, struct layer *layer);
} kinds[KINDS] = {{&conv_table, read_conv},
                  {&pool_table, read_pool},
                  {&bottleneck_table, read_bottleneck},
                  {&basic_table, read_basic},
                  {&dense_table, read_dense}};

struct entry {
    const struct orr_conf *kind[KINDS];
};

#define KIND(index, key, below, text)                                                              \
    {                                                                                              \
        .name = key, .type = ORR_KEY_NODE, .offset = offsetof(struct entry, kind[index]),          \
        .table = below, .doc = text                                                                \
    }

static const struct orr_key kind_keys[KINDS] = {
    KIND(0, "conv", &conv_table, "a convolution, and an activation function"),
    KIND(1, "pool", &pool_table, "max pooling: the maximum of each window"),
    KIND(2, "bottleneck", &bottleneck_table,
         "residual block of 1 x 1, 3 x 3 and 1 x 1 convolutions with batch norms"),
    KIND(3, "basic", &basic_table, "residual block of two 3 x 3 convolutions with batch norms"),
    KIND(4, "dense", &dense_table, "a fully connected layer, and an activation function"),
};

static const char *const kind_names[] = {"conv", "pool", "bottleneck", "basic", "dense", NULL};
const struct orr_key_table orr_cnn_layer_table = {"a layer", kind_keys, KINDS, kind_names};

static enum orr_status find_kind(const struct orr_conf *map, unsigned *kind, struct orr_diag *diag)
{
    struct entry entry = {{NULL}};
    const enum orr_status status =
        orr_conf_read(map, orr_cnn_layer_table.owner, kind_keys, KINDS, &entry, diag);
    unsigned count = 0;
    for (unsigned k = 0; k < KINDS && status == ORR_OK; k++) {
        if (entry.kind[k] != NULL && count++ == 0) {
            *kind = k;
        }
    }
    if (status == ORR_OK && count != 1) {
        const struct orr_location location = orr_conf_location(map);
        return orr_diag_fail(diag, ORR_ERR_INPUT, &location,
                             "%s: expected one key, conv, pool, bottleneck, basic or dense, got %u",
                             map->path, count);
    }
    return status;
}

enum orr_status orr_cnn_add_layer(struct cnn_build *build, const struct orr_conf *map)
{
    unsigned kind = 0;
    struct layer layer = {.repeat = 1};
    enum orr_status status = find_kind(map, &kind, build->diag);
    if (status == ORR_OK) {
        const struct orr_key_table *table = kinds[kind].table;
        build->map = orr_conf_get(map, kind_names[kind]);
        status =
            orr_conf_read(build->map, table->owner, table->keys, table->count, &layer, build->diag);
    }
    if (status == ORR_OK && kinds[kind].read != read_dense) {
        status = view_image(build);
    }
    for (int64_t i = 0; i < layer.repeat && status == ORR_OK; i++) {
        status = kinds[kind].read(build, &layer);
    }
    return status;
}

enum orr_status orr_cnn_add_loss(struct cnn_build *build)
{
    const struct model_loss loss = {.probabilities = false};
    return add(build, CNN_LOSS, &orr_model_kind_loss, &loss, MODEL_NO_VALUE);
}
