/* Operation kinds by name; see op_kind.h. Names are those of PyTorch's operators ("aten::addmm")
 * and of GPU kernels of cuBLAS, cuDNN, cutlass and PyTorch ("ampere_fp16_s16816gemm_..."), which
 * run words together; short names match whole words only ("mm" does not match "summary"). */
#include "workload/trace/op_kind.h"

#include "core/arena.h"

#include <string.h>

const char *const orr_mem_access_names[ORR_ACCESSES] = {"sharded", "gathered"};

const char *const orr_op_kind_names[ORR_OP_KINDS + 1] = {
    [ORR_OP_DEFAULT] = "default",     [ORR_OP_GEMM] = "gemm",
    [ORR_OP_ATTENTION] = "attention", [ORR_OP_ELEMENTWISE] = "elementwise",
    [ORR_OP_MEMORY] = "memory",       [ORR_OP_SCAN] = "scan",
    [ORR_OP_CAST] = "cast",           [ORR_OP_GEMM_FP8] = "gemm_fp8",
    [ORR_OP_GEMM_FP4] = "gemm_fp4",   [ORR_OP_KINDS] = NULL};

const char *const orr_product_type_names[ORR_PRODUCT_TYPES + 1] = {"element", "fp8", "fp4", NULL};

struct clue {
    const char *text; /* lower case */
    enum orr_op_kind kind;
    bool is_whole_word;
};

/* The first match counts. Unfused attention is two products and a softmax, so softmax alone is
 * elementwise; its projections ("attention out gemm") are products. */
static const struct clue clues[] = {
    {"gemm", ORR_OP_GEMM, false},
    {"matmul", ORR_OP_GEMM, false},
    {"addmm", ORR_OP_GEMM, false},
    {"baddbmm", ORR_OP_GEMM, false},
    {"conv2d", ORR_OP_GEMM, false},
    {"convolution", ORR_OP_GEMM, false},
    {"implicit_gemm", ORR_OP_GEMM, false},
    {"mm", ORR_OP_GEMM, true},
    {"bmm", ORR_OP_GEMM, true},
    {"linear", ORR_OP_GEMM, true},
    {"einsum", ORR_OP_GEMM, true},
    {"attention", ORR_OP_ATTENTION, false},
    {"flash", ORR_OP_ATTENTION, false},
    {"fmha", ORR_OP_ATTENTION, false},
    {"sdpa", ORR_OP_ATTENTION, true},
    {"memcpy", ORR_OP_MEMORY, false},
    {"memset", ORR_OP_MEMORY, false},
    {"copy", ORR_OP_MEMORY, false},
    {"embedding", ORR_OP_MEMORY, false},
    {"transpose", ORR_OP_MEMORY, false},
    {"cat", ORR_OP_MEMORY, true},
    {"gather", ORR_OP_MEMORY, true},
    {"scatter", ORR_OP_MEMORY, true},
    {"index", ORR_OP_MEMORY, true},
    {"fill", ORR_OP_MEMORY, true},
    {"zero", ORR_OP_MEMORY, true},
    {"elementwise", ORR_OP_ELEMENTWISE, false},
    {"softmax", ORR_OP_ELEMENTWISE, false},
    {"norm", ORR_OP_ELEMENTWISE, false},
    {"dropout", ORR_OP_ELEMENTWISE, false},
    {"gelu", ORR_OP_ELEMENTWISE, false},
    {"relu", ORR_OP_ELEMENTWISE, false},
    {"silu", ORR_OP_ELEMENTWISE, false},
    {"reduce_kernel", ORR_OP_ELEMENTWISE, false},
    {"multi_tensor_apply", ORR_OP_ELEMENTWISE, false},
    {"foreach", ORR_OP_ELEMENTWISE, true},
    {"adam", ORR_OP_ELEMENTWISE, true},
    {"optimizer", ORR_OP_ELEMENTWISE, true},
    {"add", ORR_OP_ELEMENTWISE, true},
    {"sub", ORR_OP_ELEMENTWISE, true},
    {"mul", ORR_OP_ELEMENTWISE, true},
    {"div", ORR_OP_ELEMENTWISE, true},
    {"exp", ORR_OP_ELEMENTWISE, true},
    {"sum", ORR_OP_ELEMENTWISE, true},
    {"mean", ORR_OP_ELEMENTWISE, true},
};

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool is_word(char c)
{
    return (lower(c) >= 'a' && lower(c) <= 'z') || (c >= '0' && c <= '9');
}

static bool begins_with(const char *name, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        if (lower(name[i]) != text[i]) {
            return false; /* also at the end of the name */
        }
    }
    return true;
}

static bool matches(const char *name, const struct clue *clue)
{
    const size_t length = strlen(clue->text);
    for (const char *at = name; *at != '\0'; at++) {
        const bool bounded = !clue->is_whole_word || ((at == name || !is_word(at[-1])));
        if (bounded && begins_with(at, clue->text, length) &&
            (!clue->is_whole_word || !is_word(at[length]))) {
            return true;
        }
    }
    return false;
}

enum orr_op_kind orr_wl_op_kind_of_name(const char *name)
{
    for (size_t i = 0; i < sizeof clues / sizeof *clues; i++) {
        if (matches(name, &clues[i])) {
            return clues[i].kind;
        }
    }
    return ORR_OP_DEFAULT;
}

const uint8_t *orr_wl_op_kinds(const struct orr_trace *trace, struct orr_arena *arena)
{
    uint8_t *kinds = orr_arena_array(arena, trace->nodes, sizeof *kinds);
    for (uint32_t i = 0; kinds != NULL && i < trace->nodes; i++) {
        const struct orr_node *node = &trace->node[i];
        if (node->kind == ORR_NODE_COMP) {
            kinds[i] =
                node->op != ORR_OP_DEFAULT ? node->op : (uint8_t)orr_wl_op_kind_of_name(node->name);
        }
    }
    return kinds;
}
