/* Layers of convolutional networks; see cnn_layers.h. */
#include "workload/gen/cnn/cnn_layers.h"

#include "core/conf/conf.h"
#include "core/conf/conf_read.h"
#include "core/conf/keys.h"
#include "core/saturate.h"
#include "workload/gen/parallel_plan.h"

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

enum { MAX_OPS = 1000000 };

struct builder {
    struct orr_arena *arena;
    const struct orr_conf *map; /* of the layer, for the locations of errors */
    struct cnn_net *net;
    uint32_t tip; /* the last operator */
    struct orr_diag *diag;
};

static enum orr_status add_op(struct builder *builder, struct cnn_op op)
{
    if (builder->net->count >= MAX_OPS) {
        return orr_gen_fail(builder->map, "repeat", builder->diag,
                            "the layers make more than %u operators", MAX_OPS);
    }
    return orr_cnn_add(builder->arena, builder->net, op, &builder->tip, builder->diag);
}

static struct cnn_op behind(const struct builder *builder, enum cnn_kind kind)
{
    return (struct cnn_op){.kind = kind,
                           .input = {builder->tip},
                           .input_count = 1,
                           .out = orr_cnn_shape_of(builder->net, builder->tip)};
}

/* A convolution behind the tip, and its norm if it has one. */
static enum orr_status add_conv(struct builder *builder, const struct layer *layer)
{
    const struct cnn_shape in = orr_cnn_shape_of(builder->net, builder->tip);
    const uint64_t kernel = (uint64_t)layer->kernel, out = (uint64_t)layer->out;
    const uint64_t stride = (uint64_t)layer->stride, pad = (uint64_t)layer->pad;
    const uint64_t groups = (uint64_t)layer->groups;
    struct cnn_op op = behind(builder, CNN_CONV);
    op.kernel_height = op.kernel_width = kernel;
    op.groups = groups;
    op.stride = stride;
    op.pad = pad;
    op.bias = layer->bias;
    op.keeps_input = true;
    op.out = (struct cnn_shape){.channels = out,
                                .height = orr_cnn_steps(in.height, kernel, stride, pad),
                                .width = orr_cnn_steps(in.width, kernel, stride, pad)};
    const uint64_t for_each = (layer->bias ? 1u : 0u) + (layer->norm == BATCH_NORM ? 2u : 0u);
    op.parameters =
        sat_times(out, sat_plus(sat_times(kernel * kernel, in.channels / groups), for_each));
    enum orr_status status = add_op(builder, op);
    if (status == ORR_OK && layer->norm == BATCH_NORM) {
        op = behind(builder, CNN_NORM);
        op.keeps_input = true;
        status = add_op(builder, op);
    }
    return status;
}

/* ---- kinds ---- */

static enum orr_status check_window(const struct builder *builder, const struct layer *layer)
{
    const struct cnn_shape in = orr_cnn_shape_of(builder->net, builder->tip);
    const uint64_t kernel = (uint64_t)layer->kernel, pad = (uint64_t)layer->pad;
    if (kernel > in.height + 2 * pad || kernel > in.width + 2 * pad) {
        return orr_gen_fail(builder->map, "kernel", builder->diag,
                            "%" PRIu64 " x %" PRIu64 " is larger than the input, %" PRIu64
                            " x %" PRIu64 " padded by %" PRIu64,
                            kernel, kernel, in.height, in.width, pad);
    }
    return ORR_OK;
}

static enum orr_status read_conv(struct builder *builder, struct layer *layer)
{
    const uint64_t in = orr_cnn_shape_of(builder->net, builder->tip).channels;
    if (orr_conf_get(builder->map, "bias") == NULL) {
        layer->bias = layer->norm == NO_NORM;
    }
    if (in % (uint64_t)layer->groups != 0 || layer->out % layer->groups != 0) {
        return orr_gen_fail(builder->map, "groups", builder->diag,
                            "%" PRId64 " do not divide the %" PRIu64 " channels of the %s",
                            layer->groups,
                            in % (uint64_t)layer->groups != 0 ? in : (uint64_t)layer->out,
                            in % (uint64_t)layer->groups != 0 ? "input" : "output");
    }
    const enum orr_status status = check_window(builder, layer);
    return status == ORR_OK ? add_conv(builder, layer) : status;
}

static enum orr_status add_global_pool(struct builder *builder)
{
    static const char *const of_windows[] = {"kernel", "stride", "pad"};
    for (size_t i = 0; i < COUNT(of_windows); i++) {
        if (orr_conf_get(builder->map, of_windows[i]) != NULL) {
            return orr_gen_fail(builder->map, of_windows[i], builder->diag,
                                "a global pool takes the whole input");
        }
    }
    struct cnn_op op = behind(builder, CNN_POOL);
    op.kernel_height = op.out.height;
    op.kernel_width = op.out.width;
    op.out.height = op.out.width = 1;
    return add_op(builder, op);
}

static enum orr_status read_pool(struct builder *builder, struct layer *layer)
{
    if (layer->global) {
        return add_global_pool(builder);
    }
    const uint64_t kernel = (uint64_t)layer->kernel, pad = (uint64_t)layer->pad;
    const uint64_t stride = layer->stride != 0 ? (uint64_t)layer->stride : kernel;
    const enum orr_status status = check_window(builder, layer);
    if (status != ORR_OK) {
        return status;
    }
    if (pad > kernel / 2) {
        return orr_gen_fail(builder->map, "pad", builder->diag,
                            "%" PRIu64 " is more than half of the kernel, %" PRIu64, pad, kernel);
    }
    struct cnn_op op = behind(builder, CNN_POOL);
    op.kernel_height = op.kernel_width = kernel;
    op.stride = stride;
    op.pad = pad;
    op.keeps_input = true; /* to find the maximum in the backward pass */
    op.out.height = orr_cnn_steps(op.out.height, kernel, stride, pad);
    op.out.width = orr_cnn_steps(op.out.width, kernel, stride, pad);
    return add_op(builder, op);
}

static enum orr_status read_dense(struct builder *builder, struct layer *layer)
{
    const struct cnn_shape in = orr_cnn_shape_of(builder->net, builder->tip);
    const uint64_t width = sat_times(in.channels, sat_times(in.height, in.width));
    struct cnn_op op = behind(builder, CNN_DENSE);
    op.out = (struct cnn_shape){(uint64_t)layer->out, 1, 1};
    op.bias = layer->bias;
    op.keeps_input = true;
    op.parameters = sat_times(sat_plus(width, layer->bias ? 1 : 0), op.out.channels);
    return add_op(builder, op);
}

/* ---- residual blocks ---- */

/* The convolutions of a residual block, a shortcut convolution if shapes differ, and the sum. */
static enum orr_status add_block(struct builder *builder, const struct layer *convs, unsigned count,
                                 int64_t stride)
{
    const uint32_t input = builder->tip;
    enum orr_status status = ORR_OK;
    for (unsigned i = 0; i < count && status == ORR_OK; i++) {
        status = add_conv(builder, &convs[i]);
    }
    uint32_t around = input;
    const uint32_t inside = builder->tip;
    const int64_t out = convs[count - 1].out;
    const bool same =
        orr_cnn_shape_of(builder->net, input).channels == (uint64_t)out && stride == 1;
    if (status == ORR_OK && !same) {
        const struct layer shortcut = {
            .out = out, .kernel = 1, .stride = stride, .groups = 1, .norm = BATCH_NORM};
        builder->tip = input;
        status = add_conv(builder, &shortcut);
        around = builder->tip;
    }
    if (status == ORR_OK) {
        builder->tip = inside;
        struct cnn_op op = behind(builder, CNN_SUM);
        op.input[1] = around;
        op.input_count = 2;
        op.keeps_output = true; /* its activation needs the sign */
        status = add_op(builder, op);
    }
    return status;
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

static enum orr_status read_bottleneck(struct builder *builder, struct layer *layer)
{
    const struct layer convs[] = {block_conv(layer->width, 1, 1),
                                  block_conv(layer->width, 3, layer->stride),
                                  block_conv(layer->out, 1, 1)};
    const enum orr_status status = add_block(builder, convs, COUNT(convs), layer->stride);
    layer->stride = 1; /* of the blocks that follow */
    return status;
}

static enum orr_status read_basic(struct builder *builder, struct layer *layer)
{
    const struct layer convs[] = {block_conv(layer->out, 3, layer->stride),
                                  block_conv(layer->out, 3, 1)};
    const enum orr_status status = add_block(builder, convs, COUNT(convs), layer->stride);
    layer->stride = 1;
    return status;
}

/* ---- a layer ---- */

enum { KINDS = 5 };

static const struct {
    const struct orr_key_table *table;
    enum orr_status (*read)(struct builder *builder, struct layer *layer);
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

enum orr_status orr_cnn_add_layer(struct orr_arena *arena, const struct orr_conf *map,
                                  struct cnn_net *net, uint32_t *tip, struct orr_diag *diag)
{
    unsigned kind = 0;
    struct layer layer = {.repeat = 1};
    struct builder builder = {.arena = arena, .net = net, .tip = *tip, .diag = diag};
    enum orr_status status = find_kind(map, &kind, diag);
    if (status == ORR_OK) {
        const struct orr_key_table *table = kinds[kind].table;
        builder.map = orr_conf_get(map, kind_names[kind]);
        status = orr_conf_read(builder.map, table->owner, table->keys, table->count, &layer, diag);
    }
    for (int64_t i = 0; i < layer.repeat && status == ORR_OK; i++) {
        status = kinds[kind].read(&builder, &layer);
    }
    *tip = builder.tip;
    return status;
}
