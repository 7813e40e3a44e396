/* Bytes and FLOPs of PyTorch operators; see pytorch_trace.h. */
#include <string.h>

#include "core/strings.h"
#include "et_converter/pytorch/pytorch_trace.h"

bool orr_pytorch_is_tensor(struct js_value value)
{
    if (orr_js_kind_of(value) != JS_LIST) {
        return false;
    }
    struct js_value item = orr_js_first(value);
    for (unsigned i = 0; i < 5; i++) {
        if (orr_js_kind_of(item) != JS_NUMBER) {
            return false;
        }
        item = orr_js_next(value, item);
    }
    return orr_js_kind_of(item) == JS_TEXT;
}

static uint64_t times(uint64_t a, uint64_t b)
{
    return b != 0 && a > INT64_MAX / b ? INT64_MAX : a * b;
}

static uint64_t plus(uint64_t a, uint64_t b)
{
    return a > INT64_MAX - b ? INT64_MAX : a + b;
}

static uint64_t positive(struct js_value value)
{
    int64_t number;
    return orr_js_integer(value, &number) && number > 0 ? (uint64_t)number : 0;
}

uint64_t orr_pytorch_tensor_bytes(struct js_value value, bool *gpu)
{
    if (orr_pytorch_is_tensor(value)) {
        const char *device = orr_js_text(orr_js_item(value, 5));
        *gpu = *gpu || strncmp(device, "cuda", 4) == 0;
        return times(positive(orr_js_item(value, 3)), positive(orr_js_item(value, 4)));
    }
    uint64_t bytes = 0;
    if (orr_js_kind_of(value) == JS_LIST) {
        for (struct js_value item = orr_js_first(value); orr_js_kind_of(item) != JS_NONE;
             item = orr_js_next(value, item)) {
            bytes = plus(bytes, orr_pytorch_tensor_bytes(item, gpu));
        }
    }
    return bytes;
}

static uint64_t largest_tensor(struct js_value list)
{
    uint64_t largest = 0;
    bool gpu = false;
    for (struct js_value item = orr_js_kind_of(list) == JS_LIST ? orr_js_first(list) : list;
         orr_js_kind_of(item) != JS_NONE; item = orr_js_next(list, item)) {
        const uint64_t bytes = orr_pytorch_tensor_bytes(item, &gpu);
        largest = bytes > largest ? bytes : largest;
    }
    return largest;
}

uint64_t orr_pytorch_operator_bytes(const char *name, struct js_value inputs,
                                    struct js_value outputs, bool *gpu)
{
    const uint64_t in = orr_pytorch_tensor_bytes(inputs, gpu),
                   out = orr_pytorch_tensor_bytes(outputs, gpu);
    const bool takes_rows = (strstr(name, "embedding") != NULL || strstr(name, "index") != NULL ||
                             strcmp(name, "aten::gather") == 0) &&
                            strstr(name, "backward") == NULL;
    const uint64_t table = takes_rows ? largest_tensor(inputs) : 0;
    return plus(in > table ? in - table : 0, plus(out, table < out ? table : takes_rows ? out : 0));
}

uint32_t orr_pytorch_element_bytes(const char *type)
{
    static const struct {
        const char *name;
        uint32_t bytes;
    } types[] = {
        {"float", 4},         {"double", 8},        {"half", 2},          {"c10::half", 2},
        {"float16", 2},       {"bfloat16", 2},      {"int", 4},           {"long", 8},
        {"long int", 8},      {"c10::bfloat16", 2}, {"int64", 8},         {"int32", 4},
        {"short", 2},         {"byte", 1},          {"char", 1},          {"bool", 1},
        {"unsigned char", 1}, {"signed char", 1},   {"uint8", 1},         {"int8", 1},
        {"float32", 4},       {"float64", 8},       {"float8_e4m3fn", 1}, {"float8_e5m2", 1}};
    for (size_t i = 0; type != NULL && i < sizeof types / sizeof *types; i++) {
        if (orr_edit_distance(type, types[i].name, 1) == 0) {
            return types[i].bytes;
        }
    }
    return 0;
}

/* ---- operations ---- */

enum { MAX_AXES = 6 };

struct shape {
    uint64_t axis[MAX_AXES];
    unsigned axes;
};

static struct shape shape_of(struct js_value shapes, uint32_t index)
{
    struct shape shape = {.axes = 0};
    const struct js_value list = orr_js_item(shapes, index);
    for (struct js_value axis = orr_js_kind_of(list) == JS_LIST ? orr_js_first(list) : list;
         orr_js_kind_of(axis) == JS_NUMBER && shape.axes < MAX_AXES;
         axis = orr_js_next(list, axis)) {
        shape.axis[shape.axes++] = positive(axis);
    }
    return shape;
}

static uint64_t elements(const struct shape *shape)
{
    uint64_t count = 1;
    for (unsigned i = 0; i < shape->axes; i++) {
        count = times(count, shape->axis[i]);
    }
    return count;
}

/* GEMM whose first matrix is input `first`: 2 x elements of a x columns of b. */
static uint64_t product_flops(struct js_value in, uint32_t first)
{
    const struct shape a = shape_of(in, first), b = shape_of(in, first + 1);
    const bool fits = a.axes >= 2 && b.axes >= 2 && a.axis[a.axes - 1] == b.axis[b.axes - 2];
    return fits ? times(2, times(elements(&a), b.axis[b.axes - 1])) : 0;
}

/* Convolution: 2 x output elements x elements of a filter. */
static uint64_t convolution_flops(struct js_value weights, struct js_value outputs, uint32_t weight,
                                  uint32_t output)
{
    const struct shape w = shape_of(weights, weight), out = shape_of(outputs, output);
    return w.axes >= 3 && out.axes >= 3 && w.axis[0] != 0
               ? times(2, times(elements(&out), elements(&w) / w.axis[0]))
               : 0;
}

/* Attention with queries, keys and values of (batch, heads, positions, size): two GEMMs. */
static uint64_t attention_flops(struct js_value in, uint32_t query)
{
    const struct shape q = shape_of(in, query), k = shape_of(in, query + 1);
    return q.axes == 4 && k.axes == 4 ? times(4, times(elements(&q), k.axis[2])) : 0;
}

static bool is_product(const char *name, uint32_t *first)
{
    static const struct {
        const char *name;
        uint32_t first;
    } products[] = {{"aten::mm", 0},      {"aten::addmm", 1},  {"aten::bmm", 0},
                    {"aten::baddbmm", 1}, {"aten::addmm_", 1}, {"aten::_scaled_mm", 0}};
    for (size_t i = 0; i < sizeof products / sizeof *products; i++) {
        if (strcmp(name, products[i].name) == 0) {
            *first = products[i].first;
            return true;
        }
    }
    return false;
}

uint64_t orr_pytorch_operator_flops(const char *name, struct js_value in_shapes,
                                    struct js_value out_shapes, uint8_t *op)
{
    uint32_t first;
    const bool backward = strstr(name, "backward") != NULL;
    if (is_product(name, &first)) {
        *op = ORR_OP_GEMM;
        return product_flops(in_shapes, first);
    }
    if (strstr(name, "convolution") != NULL) {
        *op = ORR_OP_GEMM;
        /* backward inputs: output gradient, input, filters; two gradients are computed */
        return backward ? times(2, convolution_flops(in_shapes, in_shapes, 2, 0))
                        : convolution_flops(in_shapes, out_shapes, 1, 0);
    }
    if (strstr(name, "scaled_dot_product") != NULL || strstr(name, "flash_attention") != NULL ||
        strstr(name, "efficient_attention") != NULL) {
        *op = ORR_OP_ATTENTION;
        /* backward: five GEMMs; the output gradient is the first input */
        return backward ? attention_flops(in_shapes, 1) / 2 * 5 : attention_flops(in_shapes, 0);
    }
    return 0;
}
