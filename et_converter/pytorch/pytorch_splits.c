/* Split sizes of uneven collectives in PyTorch's records; see pytorch_trace.h. */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/arena.h"
#include "et_converter/conversion_report.h"
#include "et_converter/pytorch/pytorch_graph.h"
#include "et_converter/pytorch/pytorch_trace.h"

/* Numbers in the trace's arena; NULL: none, or not all were recorded. */
struct numbers {
    uint64_t *value;
    uint32_t count;
    uint64_t sum;
    bool no_memory;
};

static void push(struct numbers *numbers, uint64_t value)
{
    numbers->value[numbers->count++] = value;
    numbers->sum += value;
}

static struct numbers from_list(struct pt_trace *trace, struct js_value list)
{
    const uint32_t count = orr_js_count(list);
    struct numbers numbers = {.value = orr_arena_array(trace->arena, count, sizeof *numbers.value)};
    numbers.no_memory = numbers.value == NULL && count != 0;
    for (struct js_value item = orr_js_first(list);
         numbers.value != NULL && orr_js_kind_of(item) != JS_NONE; item = orr_js_next(list, item)) {
        int64_t value;
        if (!orr_js_integer(item, &value) || value < 0) {
            return (struct numbers){.value = NULL};
        }
        push(&numbers, (uint64_t)value);
    }
    return numbers;
}

/* "[1, 2, 3]"; the profiler writes the first 30 numbers and "..." of longer lists. */
static struct numbers from_text(struct pt_trace *trace, const char *text)
{
    uint32_t commas = 0;
    for (const char *c = text; *c != '\0'; c++) {
        commas += *c == ',';
    }
    struct numbers numbers = {
        .value = orr_arena_array(trace->arena, (size_t)commas + 1, sizeof *numbers.value)};
    numbers.no_memory = numbers.value == NULL;
    for (const char *c = text; numbers.value != NULL && *c != '\0';) {
        if (isdigit((unsigned char)*c)) {
            char *end;
            push(&numbers, strtoull(c, &end, 10));
            c = end;
        } else if (strchr("[](), \t", *c) != NULL) {
            c++;
        } else {
            return (struct numbers){.value = NULL};
        }
    }
    return numbers;
}

static struct numbers numbers_of(struct pt_trace *trace, struct js_value value)
{
    switch (orr_js_kind_of(value)) {
    case JS_LIST:
        return from_list(trace, value);
    case JS_TEXT:
        return from_text(trace, orr_js_text(value));
    default:
        return (struct numbers){.value = NULL};
    }
}

/* Splits count elements, or rows of a tensor: bytes of one, 0 if they do not add up. */
static uint64_t unit_of(const struct numbers *numbers, uint64_t bytes)
{
    return numbers->count != 0 && numbers->sum != 0 && bytes % numbers->sum == 0
               ? bytes / numbers->sum
               : 0;
}

/* Whether they are bytes now. */
static bool scale(struct numbers *numbers, uint64_t unit)
{
    if (numbers->count == 0 || (unit == 0 && numbers->sum != 0)) {
        return false;
    }
    for (uint32_t i = 0; i < numbers->count; i++) {
        if (unit != 0 && numbers->value[i] > INT64_MAX / unit) {
            return false;
        }
        numbers->value[i] *= unit;
    }
    return true;
}

/* Collectives whose lists of tensors may have other sizes on other ranks. */
static bool takes_lists(const struct pt_comm *comm, const char *name)
{
    char plain[32];
    size_t at = 0;
    for (; *name != '\0' && at + 1 < sizeof plain; name++) {
        if (isalnum((unsigned char)*name)) {
            plain[at++] = (char)tolower((unsigned char)*name);
        }
    }
    plain[at] = '\0';
    return comm->comm == ORR_COMM_ALL_TO_ALL
               ? strstr(plain, "alltoallv") != NULL
               : strcmp(plain, "allgather") == 0 || strcmp(plain, "reducescatter") == 0 ||
                     strcmp(plain, "allgatherv") == 0 || strcmp(plain, "reducescatterv") == 0;
}

bool orr_pytorch_splits_read(struct pt_trace *trace, const struct pt_splits *splits,
                             const char *name, struct pt_comm *comm)
{
    const bool sends = comm->comm == ORR_COMM_ALL_TO_ALL || comm->comm == ORR_COMM_REDUCE_SCATTER;
    const bool receives = comm->comm == ORR_COMM_ALL_TO_ALL || comm->comm == ORR_COMM_ALL_GATHER;
    if (comm->kind != PT_COLLECTIVE || !(sends || receives)) {
        return true;
    }
    struct numbers in = numbers_of(trace, splits->in), out = numbers_of(trace, splits->out);
    const uint64_t in_unit = unit_of(&in, splits->in_bytes),
                   out_unit = unit_of(&out, splits->out_bytes);
    const uint64_t unit = in_unit != 0 ? in_unit : out_unit;
    const uint64_t other = unit != 0 ? unit : splits->element_bytes;
    struct orr_comm_sizes *sizes = &comm->sizes;
    if (sends && scale(&in, sends && receives ? unit : (in_unit != 0 ? in_unit : other))) {
        sizes->send = in.value;
        sizes->send_count = in.count;
        comm->bytes = unit == 0 && in.sum != 0 ? in.sum * splits->element_bytes : comm->bytes;
    }
    const bool pairs = comm->comm == ORR_COMM_ALL_TO_ALL;
    if (receives && (!pairs || sizes->send_count != 0) &&
        scale(&out, pairs ? unit : (out_unit != 0 ? out_unit : other))) {
        sizes->recv = out.value;
        sizes->recv_count = out.count;
    }
    sizes->differ = sizes->send_count == 0 && sizes->recv_count == 0 && takes_lists(comm, name);
    return !in.no_memory && !out.no_memory;
}

static bool add_list(struct orr_arena *arena, const uint64_t **sum, uint32_t *count,
                     const uint64_t *more, uint32_t more_count)
{
    if (*count != more_count) {
        *count = 0;
        return true;
    }
    uint64_t *both = orr_arena_array(arena, more_count, sizeof *both);
    for (uint32_t i = 0; both != NULL && i < more_count; i++) {
        both[i] = (*sum)[i] + more[i];
    }
    *sum = both;
    return both != NULL || more_count == 0;
}

bool orr_pytorch_splits_add(struct orr_arena *arena, struct orr_comm_sizes *sum,
                            const struct orr_comm_sizes *more)
{
    sum->differ = sum->differ || more->differ;
    return add_list(arena, &sum->send, &sum->send_count, more->send, more->send_count) &&
           add_list(arena, &sum->recv, &sum->recv_count, more->recv, more->recv_count);
}

void orr_pytorch_comm_complete(struct pt_comm *comm, const struct pt_comm *kernel)
{
    comm->bytes = comm->bytes != 0 ? comm->bytes : kernel->bytes;
    if (comm->sizes.send_count == 0 && comm->sizes.recv_count == 0 && comm->kind == kernel->kind &&
        comm->comm == kernel->comm && comm->bytes == kernel->bytes) {
        comm->sizes = kernel->sizes;
    }
}

void orr_pytorch_splits_note(struct conv_report *report, const struct pt_comm *comm,
                             const char *name)
{
    if (comm->comm == ORR_COMM_ALL_TO_ALL && comm->sizes.differ) {
        orr_convert_report_note(report,
                                "uneven all-to-alls without split sizes: each rank sends equal "
                                "parts of its bytes",
                                "%s of %" PRIu64 " B", name, comm->bytes);
    }
}
