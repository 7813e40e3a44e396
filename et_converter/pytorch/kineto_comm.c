/* What a profile says of communication; see kineto_private.h.
 *
 * Since 2024 kernels of NCCL and the operator record_param_comms have "Collective name", "In msg
 * nelems" and so on, since 2026 "Seq" and "Comms Id". Older operators have "Concrete Inputs" and
 * "Input Dims" only; the row "nccl:all_reduce" inside has the name, and the shapes of the input. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/strings.h"
#include "et_converter/pytorch/kineto_private.h"

static const char record_name[] = "record_param_comms";

int64_t orr_kineto_integer_or(struct js_value value, int64_t otherwise)
{
    int64_t number;
    return orr_js_integer(value, &number) ? number : otherwise;
}

/* ---- attributes ---- */

/* A 64-bit hash, of which every bit counts: with or without sign, as a number or a text. */
static uint64_t id_of(struct js_value value)
{
    const char *text = orr_js_text(value);
    char *end = NULL;
    if (text == NULL) {
        return 0;
    }
    errno = 0;
    const uint64_t id = *text == '-' ? (uint64_t)strtoll(text, &end, 10) : strtoull(text, &end, 10);
    return end != text && *end == '\0' && errno == 0 ? id : 0;
}

/* Splits, of collectives that have them: "In split size", "Out split size". */
static bool read_splits(struct pt_trace *trace, struct js_value args, const char *name,
                        struct pt_comm *comm)
{
    const uint32_t element = orr_pytorch_element_bytes(orr_js_text(orr_js_member(args, "dtype")));
    const int64_t out = orr_kineto_integer_or(orr_js_member(args, "Out msg nelems"), 0);
    const struct pt_splits splits = {.in = orr_js_member(args, "In split size"),
                                     .out = orr_js_member(args, "Out split size"),
                                     .in_bytes = comm->bytes,
                                     .out_bytes = out > 0 ? (uint64_t)out * element : 0,
                                     .element_bytes = element};
    return orr_pytorch_splits_read(trace, &splits, name, comm);
}

/* The ranks of "[0, 1, 2]"; false: cut with "...", or no list. */
static bool parse_ranks(const char *text, uint32_t *rank, uint32_t *count)
{
    *count = 0;
    if (text == NULL || *text != '[') {
        return false;
    }
    for (text++; *text != ']' && *text != '\0';) {
        char *end;
        const unsigned long value = strtoul(text, &end, 10);
        if (isdigit((unsigned char)*text) == 0 || value > INT32_MAX) {
            return false;
        }
        rank[(*count)++] = (uint32_t)value;
        text = end + strspn(end, ", ");
    }
    return *text == ']' && *count > 0;
}

/* Sets the ranks of a group from its list, or where that was cut from the first one and the
 * distance of neighbours, if they are not known yet. */
static bool set_ranks(struct pt_trace *trace, struct pt_group *group, struct js_value args)
{
    const char *text = orr_js_text(orr_js_member(args, "Process Group Ranks"));
    const int64_t start = orr_kineto_integer_or(orr_js_member(args, "Global rank start"), -1);
    const int64_t stride = orr_kineto_integer_or(orr_js_member(args, "Global rank stride"), -1);
    const size_t most = text != NULL ? strlen(text) / 2 + 1 : 0, size = group->size;
    if (group->ranks > 0) {
        return true;
    }
    uint32_t count = 0;
    uint32_t *rank = orr_arena_array(trace->arena, most > size ? most : size + 1, sizeof *rank);
    if (rank == NULL) {
        return false;
    }
    if (!parse_ranks(text, rank, &count) && start >= 0 && stride > 0 && group->size > 0 &&
        start + stride * (int64_t)group->size < INT32_MAX) {
        for (count = 0; count < group->size; count++) {
            rank[count] = (uint32_t)(start + stride * count);
        }
    } else if (text == NULL || strchr(text, '.') != NULL) {
        count = 0;
    }
    group->is_cut = count == 0 && text != NULL && strchr(text, '.') != NULL;
    group->rank = count > 0 ? rank : NULL;
    group->ranks = count;
    group->size = count > 0 ? count : group->size;
    return true;
}

static bool read_group(struct pt_trace *trace, struct js_value args, const char *key, int64_t size,
                       struct pt_comm *comm)
{
    if (key == NULL || *key == '\0') {
        return true;
    }
    struct pt_group *group = orr_pytorch_trace_group(trace, key);
    if (group == NULL) {
        return false;
    }
    group->size = group->size == 0 && size > 0 && size <= INT32_MAX ? (uint32_t)size : group->size;
    comm->group = (uint32_t)(group - trace->group);
    return set_ranks(trace, group, args);
}

/* The peer of a message, which the profile names by its rank in the job, in the group. */
static void set_peer(const struct pt_trace *trace, struct js_value args, struct pt_comm *comm)
{
    const struct pt_group *group = comm->group < trace->groups ? &trace->group[comm->group] : NULL;
    comm->peer = comm->kind == PT_SEND ? orr_kineto_integer_or(orr_js_member(args, "Dst Rank"), -1)
                 : comm->kind == PT_RECV
                     ? orr_kineto_integer_or(orr_js_member(args, "Src Rank"), -1)
                     : -1;
    for (uint32_t i = 0; group != NULL && comm->peer >= 0 && i < group->ranks; i++) {
        if (group->rank[i] == (uint64_t)comm->peer) {
            comm->peer = i;
            return;
        }
    }
}

/* Reads the attributes, which begin with "Collective name". */
static bool read_named(struct pt_trace *trace, struct js_value args, const char *name,
                       struct pt_comm *comm)
{
    const int64_t count = orr_kineto_integer_or(orr_js_member(args, "In msg nelems"), 0);
    *comm = (struct pt_comm){.kind = PT_OTHER,
                             .group = PT_NONE,
                             .peer = -1,
                             .sequence = orr_kineto_integer_or(orr_js_member(args, "Seq"), -1),
                             .id = id_of(orr_js_member(args, "Comms Id")),
                             .name = orr_strings_add(trace->strings, name, strlen(name))};
    (void)orr_pytorch_comm_of_name(name, comm);
    comm->bytes = (count > 0 ? (uint64_t)count : 0) *
                  orr_pytorch_element_bytes(orr_js_text(orr_js_member(args, "dtype")));
    const bool read =
        comm->name != UINT32_MAX && read_splits(trace, args, name, comm) &&
        read_group(trace, args, orr_js_text(orr_js_member(args, "Process Group Name")),
                   orr_kineto_integer_or(orr_js_member(args, "Group size"), 0), comm);
    set_peer(trace, args, comm);
    return read;
}

bool orr_kineto_add_nccl(struct kt_reader *reader, const struct kt_event *event, uint32_t *out)
{
    struct kt_trace *kineto = reader->kineto;
    const char *name = orr_js_text(orr_js_member(event->args, "Collective name"));
    *out = PT_NONE;
    if (name == NULL) {
        return true;
    }
    struct pt_comm comm;
    struct kt_nccl *grown = orr_arena_grow(kineto->arena, kineto->nccl, &kineto->nccl_capacity,
                                           (size_t)kineto->nccls + 1, sizeof *grown);
    if (grown == NULL || !read_named(reader->trace, event->args, name, &comm)) {
        return false;
    }
    kineto->nccl = grown;
    *out = kineto->nccls;
    grown[kineto->nccls++] = (struct kt_nccl){comm};
    return true;
}

/* ---- older records ---- */

/* Bytes of a tensor by its axes, or of a list of tensors; 0: the type says no size. Saturates. */
static uint64_t bytes_of(struct js_value dims, uint32_t element)
{
    uint64_t product = element, sum = 0;
    struct js_value item = orr_js_kind_of(dims) == JS_LIST ? orr_js_first(dims) : dims;
    if (orr_js_kind_of(item) == JS_LIST) {
        for (; orr_js_kind_of(item) == JS_LIST; item = orr_js_next(dims, item)) {
            const uint64_t more = bytes_of(item, element);
            sum = sum > UINT64_MAX - more ? UINT64_MAX : sum + more;
        }
        return sum;
    }
    for (; orr_js_kind_of(item) == JS_NUMBER; item = orr_js_next(dims, item)) {
        const int64_t axis = orr_kineto_integer_or(item, 0);
        product = axis <= 0                               ? 0
                  : product > UINT64_MAX / (uint64_t)axis ? UINT64_MAX
                                                          : product * (uint64_t)axis;
    }
    return product;
}

/* Bytes of the inputs whose types are those of elements, as "Input Dims" and "Input type" say, and
 * of the largest one. */
static uint64_t input_bytes(struct js_value args, uint64_t *largest)
{
    const struct js_value dims = orr_js_member(args, "Input Dims"),
                          types = orr_js_member(args, "Input type");
    struct js_value dim = orr_js_first(dims), type = orr_js_first(types);
    uint64_t sum = 0;
    for (; orr_js_kind_of(dim) != JS_NONE && orr_js_kind_of(type) != JS_NONE;
         dim = orr_js_next(dims, dim), type = orr_js_next(types, type)) {
        const uint32_t element = orr_pytorch_element_bytes(orr_js_text(type));
        const uint64_t more = element > 0 ? bytes_of(dim, element) : 0;
        sum = sum > UINT64_MAX - more ? UINT64_MAX : sum + more;
        *largest = more > *largest ? more : *largest;
    }
    return sum;
}

void orr_kineto_set_shapes(const struct kt_event *event, struct kt_op *op)
{
    const struct js_value dims = orr_js_member(event->args, "Input Dims");
    uint64_t largest = 0;
    if (orr_js_kind_of(dims) == JS_LIST) {
        const uint64_t bytes = input_bytes(event->args, &largest);
        op->flops =
            orr_pytorch_operator_flops(event->name, dims, (struct js_value){NULL, 0}, &op->op);
        op->bytes = bytes < UINT64_MAX - largest ? bytes + largest : bytes;
    }
}

/* Whether the first input is a tensor or a list of them; a record of a wait has none. */
static bool has_tensor(struct js_value args)
{
    const char *type = orr_js_text(orr_js_first(orr_js_member(args, "Input type")));
    return type != NULL && *type != '\0' && strcmp(type, "Scalar") != 0 && strcmp(type, "Int") != 0;
}

/* A record without a name: its numbers are sequence, group, rank, ..., size of the group. A wait,
 * unless a row inside says what it is (profile_trace.c). */
static bool read_unnamed(struct pt_trace *trace, struct js_value args, struct pt_comm *comm)
{
    const struct js_value inputs = orr_js_member(args, "Concrete Inputs");
    const uint32_t first = has_tensor(args) ? 1 : 0, count = orr_js_count(inputs);
    const struct js_value last = orr_js_item(inputs, count > 0 ? count - 1 : 0),
                          group = orr_js_item(inputs, first + 1);
    const char *key = orr_js_text(group);
    uint64_t largest = 0;
    *comm = (struct pt_comm){
        .kind = first == 0 ? PT_WAIT : PT_OTHER,
        .group = PT_NONE,
        .peer = -1,
        .sequence = orr_kineto_integer_or(orr_js_item(inputs, first), -1),
        .bytes = input_bytes(args, &largest),
        .name = orr_strings_add(trace->strings, record_name, sizeof record_name - 1)};
    const bool none = key == NULL || strcmp(key, "0") == 0 || isdigit((unsigned char)*key) == 0;
    return comm->name != UINT32_MAX &&
           (none || count < first + 3 ||
            read_group(trace, args, key, orr_kineto_integer_or(last, 0), comm));
}

/* A row "nccl:all_reduce". */
static bool read_row(struct pt_trace *trace, struct js_value args, const char *name,
                     struct pt_comm *comm)
{
    uint64_t largest = 0;
    *comm = (struct pt_comm){.kind = PT_OTHER,
                             .group = PT_NONE,
                             .peer = -1,
                             .sequence = -1,
                             .bytes = input_bytes(args, &largest),
                             .name = orr_strings_add(trace->strings, name, strlen(name))};
    (void)orr_pytorch_comm_of_name(name, comm);
    return comm->name != UINT32_MAX;
}

bool orr_kineto_add_record(struct kt_reader *reader, const struct kt_event *event, uint32_t *out)
{
    struct pt_trace *trace = reader->trace;
    const bool is_record = strcmp(event->name, record_name) == 0;
    const bool is_row = strncmp(event->name, "nccl:", 5) == 0;
    *out = PT_NONE;
    if (!is_record && !is_row) {
        return true;
    }
    const char *name = orr_js_text(orr_js_member(event->args, "Collective name"));
    struct pt_comm *grown = orr_arena_grow(trace->arena, trace->comm, &trace->comm_capacity,
                                           (size_t)trace->comms + 1, sizeof *grown);
    struct pt_comm comm;
    const bool read = grown != NULL &&
                      (is_row ? read_row(trace, event->args, event->name + 5, &comm)
                       : name != NULL && *name != '\0' ? read_named(trace, event->args, name, &comm)
                                                       : read_unnamed(trace, event->args, &comm));
    if (!read) {
        return false;
    }
    trace->comm = grown;
    *out = trace->comms;
    grown[trace->comms++] = comm;
    return true;
}
