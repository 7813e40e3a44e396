/* Communication records of a PyTorch trace (record_param_comms); see pytorch_trace.h. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "core/strings.h"
#include "et_converter/pytorch/pytorch_trace.h"

/* ---- names ---- */

/* Reduces a text to lower-case letters and digits. */
static void squeeze(const char *text, char *out, size_t bytes)
{
    size_t at = 0;
    for (; *text != '\0' && at + 1 < bytes; text++) {
        if (isalnum((unsigned char)*text)) {
            out[at++] = (char)tolower((unsigned char)*text);
        }
    }
    out[at] = '\0';
}

bool orr_pytorch_comm_of_name(const char *name, struct pt_comm *comm)
{
    static const struct {
        const char *part;
        uint8_t kind, comm;
    } names[] = {{"allreduce", PT_COLLECTIVE, ORR_COMM_ALL_REDUCE},
                 {"alltoall", PT_COLLECTIVE, ORR_COMM_ALL_TO_ALL},
                 {"allgather", PT_COLLECTIVE, ORR_COMM_ALL_GATHER},
                 {"reducescatter", PT_COLLECTIVE, ORR_COMM_REDUCE_SCATTER},
                 {"broadcast", PT_COLLECTIVE, ORR_COMM_BROADCAST},
                 {"barrier", PT_COLLECTIVE, ORR_COMM_BARRIER},
                 {"sendrecv", PT_OTHER, 0},
                 {"wait", PT_WAIT, 0},
                 {"recv", PT_RECV, 0},
                 {"send", PT_SEND, 0},
                 {"gather", PT_COLLECTIVE, ORR_COMM_GATHER},
                 {"scatter", PT_COLLECTIVE, ORR_COMM_SCATTER},
                 {"reduce", PT_COLLECTIVE, ORR_COMM_REDUCE}};
    char plain[256];
    squeeze(name, plain, sizeof plain);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strstr(plain, names[i].part) != NULL) {
            comm->kind = names[i].kind;
            comm->comm = names[i].comm;
            return true;
        }
    }
    return false;
}

/* ---- groups ---- */

struct pt_group *orr_pytorch_trace_group(struct pt_trace *trace, const char *key)
{
    for (uint32_t g = 0; g < trace->groups; g++) {
        if (strcmp(trace->group[g].key, key) == 0) {
            return &trace->group[g];
        }
    }
    struct pt_group *grown = orr_arena_grow(trace->arena, trace->group, &trace->group_capacity,
                                            (size_t)trace->groups + 1, sizeof *grown);
    const char *copy = orr_arena_strdup(trace->arena, key);
    if (grown == NULL || copy == NULL) {
        return NULL;
    }
    trace->group = grown;
    grown[trace->groups] = (struct pt_group){.key = copy};
    return &grown[trace->groups++];
}

static bool set_ranks(struct pt_trace *trace, struct pt_group *group, struct js_value list)
{
    const uint32_t count = orr_js_count(list);
    uint32_t *rank = orr_arena_array(trace->arena, count, sizeof *rank), at = 0;
    for (struct js_value item = orr_js_first(list); rank != NULL && orr_js_kind_of(item) != JS_NONE;
         item = orr_js_next(list, item)) {
        int64_t number;
        if (!orr_js_integer(item, &number) || number < 0 || number > INT32_MAX) {
            return true;
        }
        rank[at++] = (uint32_t)number;
    }
    if (rank != NULL) {
        group->rank = rank;
        group->ranks = group->size = count;
    }
    return rank != NULL;
}

bool orr_pytorch_trace_add_groups(struct pt_trace *trace, struct js_value list)
{
    if (orr_js_kind_of(list) != JS_LIST) {
        return true;
    }
    for (struct js_value item = orr_js_first(list); orr_js_kind_of(item) != JS_NONE;
         item = orr_js_next(list, item)) {
        const char *name = orr_js_text(orr_js_member(item, "pg_name"));
        const struct js_value ranks = orr_js_member(item, "ranks");
        int64_t size = 0;
        if (name == NULL) {
            continue;
        }
        struct pt_group *group = orr_pytorch_trace_group(trace, name);
        if (group == NULL) {
            return false;
        }
        (void)(orr_js_integer(orr_js_member(item, "group_size"), &size) ||
               orr_js_integer(orr_js_member(item, "pg_size"), &size));
        group->size = size > 0 && size <= INT32_MAX ? (uint32_t)size : group->size;
        if (orr_js_count(ranks) > 0 && !set_ranks(trace, group, ranks)) {
            return false;
        }
    }
    return true;
}

/* Sets the ranks of a group from start and stride, which newer traces have. */
static bool set_strided(struct pt_trace *trace, struct pt_group *group, int64_t start,
                        int64_t stride)
{
    if (group->ranks != 0 || group->size == 0 || start < 0 || stride < 1 ||
        start + stride * (int64_t)group->size > INT32_MAX) {
        return true;
    }
    uint32_t *rank = orr_arena_array(trace->arena, group->size, sizeof *rank);
    for (uint32_t i = 0; rank != NULL && i < group->size; i++) {
        rank[i] = (uint32_t)(start + stride * i);
    }
    group->rank = rank;
    group->ranks = rank != NULL ? group->size : 0;
    return rank != NULL;
}

/* ---- the record ---- */

static struct js_value attr_value(struct js_value attrs, const char *name)
{
    for (struct js_value attr = orr_js_kind_of(attrs) == JS_LIST ? orr_js_first(attrs) : attrs;
         orr_js_kind_of(attr) == JS_OBJECT; attr = orr_js_next(attrs, attr)) {
        const char *of = orr_js_text(orr_js_member(attr, "name"));
        if (of != NULL && strcmp(of, name) == 0) {
            return orr_js_member(attr, "value");
        }
    }
    return (struct js_value){NULL, 0};
}

/* The inputs by position: [tensors,] sequence, group, rank, name, splits in and out, [[start,
 * stride,] size]. */
struct positions {
    struct js_value tensors, sequence, group, rank, name, in_splits, out_splits, start, stride,
        size;
};

static struct positions find_positions(struct js_value inputs)
{
    struct js_value item = orr_js_kind_of(inputs) == JS_LIST ? orr_js_first(inputs) : inputs;
    struct positions at = {0};
    bool gpu = false;
    const bool has_tensors =
        orr_js_kind_of(item) == JS_LIST &&
        (orr_pytorch_is_tensor(item) || orr_pytorch_is_tensor(orr_js_first(item)) ||
         orr_js_count(item) == 0 || orr_pytorch_tensor_bytes(item, &gpu) > 0);
    if (has_tensors) {
        at.tensors = item;
        item = orr_js_next(inputs, item);
    }
    struct js_value *const order[] = {&at.sequence, &at.group,     &at.rank,
                                      &at.name,     &at.in_splits, &at.out_splits};
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        *order[i] = item;
        item = orr_js_next(inputs, item);
    }
    const struct js_value second = orr_js_next(inputs, item), third = orr_js_next(inputs, second);
    const bool has_stride = orr_js_kind_of(third) != JS_NONE;
    at.size = has_stride ? third : item;
    at.start = has_stride ? item : third;
    at.stride = has_stride ? second : third;
    return at;
}

static bool read_group(struct pt_trace *trace, const struct positions *at, struct js_value attrs,
                       struct pt_comm *comm)
{
    const struct js_value named =
        orr_js_kind_of(at->group) == JS_LIST ? orr_js_first(at->group) : at->group;
    const char *key = orr_js_text(attr_value(attrs, "pg_name"));
    key = key != NULL && *key != '\0' ? key : orr_js_text(named);
    if (key == NULL || *key == '\0' || strcmp(key, "0") == 0) {
        /* an object at address 0 is no group; the name "0" is the group of all ranks */
        if (key == NULL || orr_js_kind_of(named) == JS_NUMBER) {
            return true;
        }
    }
    struct pt_group *group = orr_pytorch_trace_group(trace, key);
    if (group == NULL) {
        return false;
    }
    int64_t size = 0, start = -1, stride = -1;
    (void)(orr_js_integer(attr_value(attrs, "pg_size"), &size) || orr_js_integer(at->size, &size));
    (void)(orr_js_integer(attr_value(attrs, "global_rank_start"), &start) ||
           orr_js_integer(at->start, &start));
    (void)(orr_js_integer(attr_value(attrs, "global_rank_stride"), &stride) ||
           orr_js_integer(at->stride, &stride));
    if (group->size == 0 && size > 0 && size <= INT32_MAX) {
        group->size = (uint32_t)size;
    }
    comm->group = (uint32_t)(group - trace->group);
    return set_strided(trace, group, start, stride);
}

static uint64_t message_bytes(const struct positions *at, struct js_value attrs)
{
    bool gpu = false;
    int64_t count;
    const uint64_t bytes = orr_pytorch_tensor_bytes(at->tensors, &gpu);
    if (bytes == 0 && orr_js_integer(attr_value(attrs, "in_msg_nelems"), &count) && count > 0) {
        return (uint64_t)count * orr_pytorch_element_bytes(orr_js_text(attr_value(attrs, "dtype")));
    }
    return bytes;
}

/* The list among the inputs, else the attribute. */
static struct js_value splits_of(struct js_value listed, struct js_value attrs, const char *name)
{
    return orr_js_kind_of(listed) == JS_LIST && orr_js_count(listed) != 0 ? listed
                                                                          : attr_value(attrs, name);
}

/* Bytes of an element of the first tensor; 0: unknown. */
static uint32_t element_of(struct js_value tensors)
{
    int64_t bytes = 0;
    const struct js_value tensor = orr_pytorch_is_tensor(tensors) ? tensors : orr_js_first(tensors);
    return orr_pytorch_is_tensor(tensor) && orr_js_integer(orr_js_item(tensor, 4), &bytes) &&
                   bytes > 0 && bytes <= 64
               ? (uint32_t)bytes
               : 0;
}

static bool read_splits(struct pt_trace *trace, const struct positions *at, struct js_value attrs,
                        const char *name, struct pt_comm *comm)
{
    int64_t out = 0;
    const uint32_t named = orr_pytorch_element_bytes(orr_js_text(attr_value(attrs, "dtype")));
    const uint32_t element = named != 0 ? named : element_of(at->tensors);
    (void)orr_js_integer(attr_value(attrs, "out_msg_nelems"), &out);
    const struct pt_splits splits = {.in = splits_of(at->in_splits, attrs, "in_split_size"),
                                     .out = splits_of(at->out_splits, attrs, "out_split_size"),
                                     .in_bytes = comm->bytes,
                                     .out_bytes = out > 0 ? (uint64_t)out * element : 0,
                                     .element_bytes = element};
    return orr_pytorch_splits_read(trace, &splits, name, comm);
}

uint32_t orr_pytorch_comm_read(struct pt_trace *trace, struct js_value inputs,
                               struct js_value attrs)
{
    struct pt_comm *grown = orr_arena_grow(trace->arena, trace->comm, &trace->comm_capacity,
                                           (size_t)trace->comms + 1, sizeof *grown);
    if (grown == NULL) {
        return PT_NONE;
    }
    trace->comm = grown;
    const struct positions at = find_positions(inputs);
    const char *name = orr_js_text(attr_value(attrs, "collective_name"));
    name = name != NULL && *name != '\0' ? name : orr_js_text(at.name);
    name = name != NULL ? name : "";
    struct pt_comm comm = {.kind = PT_OTHER, .group = PT_NONE, .sequence = -1, .peer = -1};
    comm.name = orr_strings_add(trace->strings, name, strlen(name));
    (void)orr_pytorch_comm_of_name(name, &comm);
    comm.bytes = message_bytes(&at, attrs);
    (void)orr_js_integer(orr_js_kind_of(at.sequence) == JS_LIST ? orr_js_first(at.sequence)
                                                                : at.sequence,
                         &comm.sequence);
    if (comm.kind == PT_SEND || comm.kind == PT_RECV) {
        (void)orr_js_integer(at.rank, &comm.peer);
    }
    if (comm.name == UINT32_MAX || !read_splits(trace, &at, attrs, name, &comm) ||
        !read_group(trace, &at, attrs, &comm)) {
        return PT_NONE;
    }
    trace->comm[trace->comms] = comm;
    return trace->comms++;
}
