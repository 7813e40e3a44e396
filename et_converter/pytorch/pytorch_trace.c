/* Reader of PyTorch execution traces; see pytorch_trace.h. */
#include "et_converter/pytorch/pytorch_trace.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/strings.h"

struct reader {
    struct pt_trace *trace;
    struct js_doc groups; /* of the init node */
};

/* The members of a node in either layout. */
struct fields {
    struct js_value inputs, in_shapes, outputs, out_shapes, attrs, parent;
};

static struct fields fields_of(struct js_value node)
{
    struct fields at = {.inputs = orr_js_member(node, "inputs"),
                        .outputs = orr_js_member(node, "outputs"),
                        .attrs = orr_js_member(node, "attrs"),
                        .parent = orr_js_member(node, "parent")};
    if (orr_js_kind_of(at.inputs) == JS_OBJECT) {
        at.in_shapes = orr_js_member(at.inputs, "shapes");
        at.inputs = orr_js_member(at.inputs, "values");
        at.out_shapes = orr_js_member(at.outputs, "shapes");
        at.outputs = orr_js_member(at.outputs, "values");
        at.parent = orr_js_member(node, "ctrl_deps");
    } else {
        at.in_shapes = orr_js_member(node, "input_shapes");
        at.out_shapes = orr_js_member(node, "output_shapes");
    }
    return at;
}

/* ---- attributes ---- */

static void set_attr(struct pt_node *node, const char *name, struct js_value value)
{
    int64_t number;
    if (!orr_js_integer(value, &number)) {
        return;
    }
    if (strcmp(name, "rf_id") == 0) {
        node->rf_id = (uint64_t)number;
    } else if (strcmp(name, "seq_id") == 0) {
        node->sequence = number;
    } else if (strcmp(name, "tid") == 0) {
        node->tid = number >= 0 && number < PT_NONE ? (uint32_t)number : 0;
    }
}

static void read_attrs(struct pt_node *node, struct js_value object, struct js_value attrs)
{
    static const char *const flat[] = {"rf_id", "seq_id", "tid"};
    if (orr_js_kind_of(attrs) != JS_LIST) {
        for (size_t i = 0; i < sizeof flat / sizeof *flat; i++) {
            set_attr(node, flat[i], orr_js_member(object, flat[i]));
        }
        return;
    }
    for (struct js_value attr = orr_js_first(attrs); orr_js_kind_of(attr) != JS_NONE;
         attr = orr_js_next(attrs, attr)) {
        const char *name = orr_js_text(orr_js_member(attr, "name"));
        if (name != NULL) {
            set_attr(node, name, orr_js_member(attr, "value"));
        }
    }
}

/* ---- nodes ---- */

static enum orr_status fail(const struct pt_trace *trace, uint64_t index, const char *expected,
                            struct orr_diag *diag)
{
    const struct orr_location place = orr_location_file(trace->path);
    return orr_diag_fail(diag, ORR_ERR_INPUT, &place, "item %" PRIu64 " of \"nodes\": expected %s",
                         index, expected);
}

static enum orr_status read_init(struct reader *reader, struct js_value inputs,
                                 struct orr_diag *diag)
{
    const char *text = orr_js_text(orr_js_item(inputs, 0));
    if (text != NULL && orr_js_parse(&reader->groups, text, strlen(text)) &&
        !orr_pytorch_trace_add_groups(reader->trace, (struct js_value){&reader->groups, 0})) {
        return orr_diag_no_memory(diag, "process groups");
    }
    return ORR_OK;
}

static enum orr_status read_contents(struct reader *reader, struct pt_node *node,
                                     const struct fields *at, const char *name,
                                     struct orr_diag *diag)
{
    bool gpu = false;
    node->bytes = orr_pytorch_operator_bytes(name, at->inputs, at->outputs, &gpu);
    node->on_gpu = gpu;
    node->flops = orr_pytorch_operator_flops(name, at->in_shapes, at->out_shapes, &node->op);
    node->is_label = strncmp(name, "[pytorch|profiler|execution_", 28) == 0;
    if (strstr(name, "process_group:init") != NULL) {
        return read_init(reader, at->inputs, diag);
    }
    if (strcmp(name, "record_param_comms") == 0) {
        node->comm = orr_pytorch_comm_read(reader->trace, at->inputs, at->attrs);
        return node->comm != PT_NONE ? ORR_OK : orr_diag_no_memory(diag, "communication");
    }
    return ORR_OK;
}

static enum orr_status read_node(struct reader *reader, uint64_t index, struct js_value value,
                                 struct orr_diag *diag)
{
    struct pt_trace *trace = reader->trace;
    int64_t id, parent = 0;
    const char *name = orr_js_text(orr_js_member(value, "name"));
    if (orr_js_kind_of(value) != JS_OBJECT || name == NULL) {
        return fail(trace, index, "an object with \"name\", the operator", diag);
    }
    if (!orr_js_integer(orr_js_member(value, "id"), &id) || id < 0) {
        return fail(trace, index, "an object with \"id\", a whole number", diag);
    }
    if (trace->nodes == PT_NONE - 1) {
        return fail(trace, index, "at most 2^32 - 2 nodes", diag);
    }
    struct pt_node *grown = orr_arena_grow(trace->arena, trace->node, &trace->node_capacity,
                                           (size_t)trace->nodes + 1, sizeof *grown);
    if (grown == NULL) {
        return orr_diag_no_memory(diag, "a PyTorch trace");
    }
    trace->node = grown;
    const struct fields at = fields_of(value);
    (void)orr_js_integer(at.parent, &parent);
    struct pt_node node = {.id = (uint64_t)id,
                           .parent = (uint64_t)parent,
                           .sequence = -1,
                           .name = orr_strings_add(trace->strings, name, strlen(name)),
                           .comm = PT_NONE};
    if (node.name == UINT32_MAX) {
        return orr_diag_no_memory(diag, "names of operators");
    }
    read_attrs(&node, value, at.attrs);
    const enum orr_status status = read_contents(reader, &node, &at, name, diag);
    trace->node[trace->nodes++] = node;
    return status;
}

/* ---- the file ---- */

static enum orr_status read_member(void *user, const char *name, struct js_value value,
                                   struct orr_diag *diag)
{
    struct pt_trace *trace = ((struct reader *)user)->trace;
    const char *text = orr_js_text(value);
    if (text == NULL) {
        return ORR_OK;
    }
    const bool is_schema = strcmp(name, "schema") == 0;
    if (is_schema || strcmp(name, "time") == 0) {
        const char *copy = orr_arena_strdup(trace->arena, text);
        if (copy == NULL) {
            return orr_diag_no_memory(diag, "a PyTorch trace");
        }
        *(is_schema ? &trace->schema : &trace->time) = copy;
    } else if (strcmp(name, "pid") == 0) {
        (void)orr_js_integer(value, &trace->pid);
    } else if (strcmp(name, "finish_ts") == 0) {
        trace->finished = true;
    }
    return ORR_OK;
}

static enum orr_status read_item(void *user, const char *name, uint64_t index,
                                 struct js_value value, struct orr_diag *diag)
{
    struct reader *reader = user;
    return strcmp(name, "nodes") == 0 ? read_node(reader, index, value, diag) : ORR_OK;
}

static int compare_ids(const void *a, const void *b)
{
    const uint64_t first = ((const struct pt_node *)a)->id,
                   second = ((const struct pt_node *)b)->id;
    return (first > second) - (first < second);
}

/* The node with the id, or NULL. */
static struct pt_node *find_node(const struct pt_trace *trace, uint64_t id)
{
    const struct pt_node key = {.id = id};
    return trace->nodes > 0 ? bsearch(&key, trace->node, trace->nodes, sizeof key, compare_ids)
                            : NULL;
}

static enum orr_status finish(struct pt_trace *trace, struct orr_diag *diag)
{
    const struct orr_location place = orr_location_file(trace->path);
    if (trace->nodes == 0) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, &place,
                             "expected a PyTorch execution trace, with operators in \"nodes\"");
    }
    qsort(trace->node, trace->nodes, sizeof *trace->node, compare_ids);
    for (uint32_t i = 0; i < trace->nodes; i++) {
        struct pt_node *node = &trace->node[i];
        if (i > 0 && node->id == node[-1].id) {
            return orr_diag_fail(diag, ORR_ERR_INPUT, &place, "two nodes have the id %" PRIu64,
                                 node->id);
        }
        trace->operators += !node->is_label;
        struct pt_node *parent = node->parent != node->id ? find_node(trace, node->parent) : NULL;
        if (parent != NULL) {
            parent->has_children = true;
        }
    }
    return ORR_OK;
}

/* "1.1.0-chakra.0.0.4" by its first three numbers. */
static enum orr_status check_schema(struct pt_trace *trace, struct orr_diag *diag)
{
    static const char *const known[] = {"1.0.1", "1.0.2", "1.0.3", "1.0.4", "1.1.0", "1.1.1"};
    const struct orr_location place = orr_location_file(trace->path);
    const size_t length = strcspn(trace->schema, "-");
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (length == strlen(known[i]) && strncmp(trace->schema, known[i], length) == 0) {
            return ORR_OK;
        }
    }
    int major, minor;
    trace->unknown_schema = true;
    if (sscanf(trace->schema, "%d.%d", &major, &minor) != 2 || major < 1) {
        return orr_diag_fail(
            diag, ORR_ERR_INPUT, &place,
            "schema: expected that of PyTorch's execution traces, 1.0.1 or newer, got "
            "\"%s\"",
            trace->schema);
    }
    return ORR_OK;
}

enum orr_status orr_pytorch_trace_read(struct orr_arena *arena, struct orr_strings *strings,
                                       const struct js_source *source, struct pt_trace *out,
                                       struct orr_diag *diag)
{
    *out = (struct pt_trace){.path = source->path,
                             .schema = "",
                             .time = "",
                             .pid = -1,
                             .arena = arena,
                             .strings = strings};
    struct reader reader = {.trace = out};
    struct js_visitor visitor = {.member = read_member, .item = read_item, .user = &reader};
    enum orr_status status = orr_js_read(source, &visitor, diag);
    orr_js_doc_free(&reader.groups);
    out->ignored = visitor.ignored_before + visitor.ignored_behind;
    if (status == ORR_OK && out->nodes > 0) {
        status = check_schema(out, diag);
    }
    return status == ORR_OK ? finish(out, diag) : status;
}
