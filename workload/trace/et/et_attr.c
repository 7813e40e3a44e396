/* Attributes of nodes; see et_attr.h. */
#include "workload/trace/et/et_attr.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/time.h"
#include "workload/trace/op_kind.h"
#include "workload/trace/trace_builder_private.h"
#include "workload/trace/trace_query.h"

enum { MAX_DIMS = 32 };
#define PREFIX_BYTES "orrery_prefix_bytes"

enum {
    COMP = 1u << ORR_NODE_COMP,
    MEMORY = 1u << ORR_NODE_MEM_LOAD | 1u << ORR_NODE_MEM_STORE,
    COLL = 1u << ORR_NODE_COLL,
    P2P = 1u << ORR_NODE_SEND | 1u << ORR_NODE_RECV,
    ANY = (1u << ORR_NODE_KINDS) - 1
};

enum orr_status orr_et_node_fail(const struct et_node *node, struct orr_diag *diag,
                                 const char *format, ...)
{
    char label[ORR_NODE_LABEL_BYTES], text[512];
    const struct orr_location location =
        orr_location_binary(node->file, node->record, node->byte_offset);
    va_list args;
    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return orr_diag_fail(diag, ORR_ERR_INPUT, &location, "node %s: %s",
                         orr_node_label(node->spec.id, node->spec.name, label), text);
}

static enum orr_status fail_value(const struct et_node *node, const char *attr,
                                  const struct et_value *value, const char *expected,
                                  struct orr_diag *diag)
{
    char found[ET_VALUE_TEXT_BYTES];
    return orr_et_node_fail(node, diag, "attribute \"%s\": expected %s, got %s", attr, expected,
                            orr_et_describe(value, found));
}

/* ---- one function per shape of attribute ---- */

struct attr;
typedef enum orr_status (*attr_setter)(struct et_node *node, const struct attr *attr,
                                       const struct et_value *value, struct orr_diag *diag);

struct attr {
    const char *name;
    unsigned kinds; /* bit k: nodes of kind k have it */
    attr_setter set;
    uint64_t max;   /* whole numbers: the largest */
    size_t offset;  /* in struct orr_node_spec */
    bool is_64_bit; /* the field; else 32 bits */
    unsigned flag;  /* set if the attribute is present */
    bool hint;      /* other tools use the name too: a wrong value is passed over */
};

static enum orr_status set_integer(struct et_node *node, const struct attr *attr,
                                   const struct et_value *value, struct orr_diag *diag)
{
    uint64_t number;
    if (!orr_et_to_integer(value, &number) || number > attr->max) {
        char expected[64];
        (void)snprintf(expected, sizeof expected, "a whole number from 0 to %" PRIu64, attr->max);
        return fail_value(node, attr->name, value, expected, diag);
    }
    unsigned char *field = (unsigned char *)&node->spec + attr->offset;
    if (attr->is_64_bit) {
        memcpy(field, &number, sizeof number);
    } else {
        const uint32_t narrow = (uint32_t)number;
        memcpy(field, &narrow, sizeof narrow);
    }
    node->spec.flags |= attr->flag;
    return ORR_OK;
}

static enum orr_status set_comm_size(struct et_node *node, const struct attr *attr,
                                     const struct et_value *value, struct orr_diag *diag)
{
    node->has_comm_size = true;
    return set_integer(node, attr, value, diag);
}

static enum orr_status set_comm_type(struct et_node *node, const struct attr *attr,
                                     const struct et_value *value, struct orr_diag *diag)
{
    uint64_t number = ORR_COMM_KINDS;
    for (unsigned i = 0; value->kind == ET_TEXT && i < ORR_COMM_KINDS; i++) {
        number = strcmp(value->of.as_text, orr_trace_comm_name(i)) == 0 ? i : number;
    }
    if (number == ORR_COMM_KINDS &&
        (!orr_et_to_integer(value, &number) || number >= ORR_COMM_KINDS)) {
        return fail_value(node, attr->name, value,
                          "a collective from 0 (ALL_REDUCE) to 9 (BARRIER)", diag);
    }
    node->spec.comm = (enum orr_trace_comm)number;
    node->has_comm_type = true;
    return ORR_OK;
}

static enum orr_status set_op_kind(struct et_node *node, const struct attr *attr,
                                   const struct et_value *value, struct orr_diag *diag)
{
    for (unsigned i = 0; value->kind == ET_TEXT && i < ORR_OP_NODE_KINDS; i++) {
        if (strcmp(value->of.as_text, orr_op_kind_names[i]) == 0) {
            node->spec.op = (enum orr_op_kind)i;
            return ORR_OK;
        }
    }
    return fail_value(node, attr->name, value,
                      "default, gemm, attention, elementwise, memory, scan or cast", diag);
}

static enum orr_status set_access(struct et_node *node, const struct attr *attr,
                                  const struct et_value *value, struct orr_diag *diag)
{
    for (unsigned i = 0; value->kind == ET_TEXT && i < ORR_ACCESSES; i++) {
        if (strcmp(value->of.as_text, orr_mem_access_names[i]) == 0) {
            node->spec.access = (enum orr_mem_access)i;
            return ORR_OK;
        }
    }
    return fail_value(node, attr->name, value, "sharded or gathered", diag);
}

static enum orr_status set_cpu(struct et_node *node, const struct attr *attr,
                               const struct et_value *value, struct orr_diag *diag)
{
    bool on_cpu;
    if (!orr_et_to_bool(value, &on_cpu)) {
        return fail_value(node, attr->name, value, "true or false", diag);
    }
    node->spec.flags &= ~(unsigned)ORR_NODE_IS_CPU;
    node->spec.flags |= ORR_NODE_HAS_CPU_FLAG | (on_cpu ? ORR_NODE_IS_CPU : 0u);
    return ORR_OK;
}

static enum orr_status set_tensor_loc(struct et_node *node, const struct attr *attr,
                                      const struct et_value *value, struct orr_diag *diag)
{
    uint64_t number;
    if (!orr_et_to_integer(value, &number) || number > 2) {
        return fail_value(node, attr->name, value, "0 (invalid), 1 (local) or 2 (remote)", diag);
    }
    node->spec.flags &= ~(unsigned)ORR_NODE_LOCAL_MEMORY;
    node->spec.flags |= number == 1 ? ORR_NODE_LOCAL_MEMORY : 0u;
    return ORR_OK;
}

/* pg_name, or comm_group of older tools, which does not override pg_name. Names may be numbers. */
static enum orr_status set_group(struct et_node *node, const struct attr *attr,
                                 const struct et_value *value, struct orr_diag *diag)
{
    const bool old_name = strcmp(attr->name, "pg_name") != 0;
    const bool number =
        value->kind == ET_SIGNED || value->kind == ET_UNSIGNED || value->kind == ET_REAL;
    if (value->kind != ET_TEXT && !number) {
        return fail_value(node, attr->name, value, "the name of a communicator group", diag);
    }
    if (old_name && node->has_group) {
        return ORR_OK;
    }
    if (value->kind == ET_TEXT) {
        node->spec.group = value->of.as_text;
    } else {
        node->spec.group = orr_et_describe(value, node->group_text);
    }
    node->has_group = !old_name;
    return ORR_OK;
}

static enum orr_status set_involved_dim(struct et_node *node, const struct attr *attr,
                                        const struct et_value *value, struct orr_diag *diag)
{
    bool single;
    node->spec.has_involved_dim = true;
    if (value->kind == ET_BOOLS && value->count <= MAX_DIMS) {
        node->spec.involved_dims = (uint8_t)value->count;
        node->spec.involved_mask = value->of.as_mask;
        return ORR_OK;
    }
    if (orr_et_to_bool(value, &single)) {
        node->spec.involved_dims = 1;
        node->spec.involved_mask = single ? 1 : 0;
        return ORR_OK;
    }
    return fail_value(node, attr->name, value, "a list of at most 32 booleans", diag);
}

static enum orr_status set_bool(struct et_node *node, const struct attr *attr,
                                const struct et_value *value, struct orr_diag *diag)
{
    bool *field = (bool *)((unsigned char *)&node->spec + attr->offset);
    return orr_et_to_bool(value, field) ? ORR_OK
                                        : fail_value(node, attr->name, value, "a boolean", diag);
}

static enum orr_status set_op_type(struct et_node *node, const struct attr *attr,
                                   const struct et_value *value, struct orr_diag *diag)
{
    const bool text = value->kind == ET_TEXT;
    for (unsigned i = 0; text && i < ORR_PRODUCT_TYPES; i++) {
        if (strcmp(value->of.as_text, orr_product_type_names[i]) == 0) {
            node->spec.product = (enum orr_product_type)i;
            return ORR_OK;
        }
    }
    return fail_value(node, attr->name, value, "element, fp8 or fp4", diag);
}

/* A list of numbers; an empty list in JSON has no element type. */
static enum orr_status to_numbers(const struct et_node *node, const struct attr *attr,
                                  const struct et_value *value, struct orr_deps *out,
                                  struct orr_diag *diag)
{
    const bool none = orr_et_is_empty(value);
    if (value->kind != ET_NUMBERS && !none) {
        return fail_value(
            node, attr->name, value,
            strcmp(attr->name, PREFIX_BYTES) == 0 ? "a list of bytes" : "a list of node ids", diag);
    }
    *out = (struct orr_deps){.ids = none ? NULL : value->of.as_numbers, value->count};
    return ORR_OK;
}

static enum orr_status set_next(struct et_node *node, const struct attr *attr,
                                const struct et_value *value, struct orr_diag *diag)
{
    return to_numbers(node, attr, value, &node->spec.next, diag);
}

static enum orr_status set_prefixes(struct et_node *node, const struct attr *attr,
                                    const struct et_value *value, struct orr_diag *diag)
{
    const bool bytes = strcmp(attr->name, PREFIX_BYTES) == 0;
    return to_numbers(node, attr, value, bytes ? &node->prefix_bytes : &node->prefix_of, diag);
}

static enum orr_status set_sizes(struct et_node *node, const struct attr *attr,
                                 const struct et_value *value, struct orr_diag *diag)
{
    struct orr_comm_sizes *sizes = &node->spec.sizes;
    const bool sends = strcmp(attr->name, ORR_SEND_SIZES) == 0;
    const bool none = orr_et_is_empty(value);
    bool fits = none || (value->kind == ET_NUMBERS && value->count <= UINT32_MAX);
    uint64_t sum = 0;
    for (size_t i = 0; fits && !none && i < value->count; i++) {
        fits = value->of.as_numbers[i] <= INT64_MAX - sum;
        sum += fits ? value->of.as_numbers[i] : 0;
    }
    if (!fits) {
        return fail_value(node, attr->name, value,
                          "a list with the bytes of each rank of the group, less than 2^63 in all",
                          diag);
    }
    *(sends ? &sizes->send : &sizes->recv) = none ? NULL : value->of.as_numbers;
    *(sends ? &sizes->send_count : &sizes->recv_count) = (uint32_t)value->count;
    return ORR_OK;
}

static enum orr_status set_tensors(struct et_node *node, const struct attr *attr,
                                   const struct et_value *value, struct orr_diag *diag)
{
    const bool reads = strcmp(attr->name, "inputs") == 0;
    const char *const *texts = value->of.as_texts;
    size_t count = value->count;
    if (orr_et_is_empty(value)) {
        texts = NULL;
        count = 0;
    } else if (value->kind == ET_TEXT) {
        const char **single = node->single[reads ? 0 : 1];
        single[0] = value->of.as_text;
        texts = single;
        count = 1;
    } else if (value->kind != ET_TEXTS || count > UINT32_MAX) {
        return fail_value(node, attr->name, value, "a list of texts", diag);
    }
    *(reads ? &node->spec.inputs : &node->spec.outputs) = texts;
    *(reads ? &node->spec.input_count : &node->spec.output_count) = (uint32_t)count;
    return ORR_OK;
}

/* ---- the table ---- */

#define FIELD(name) offsetof(struct orr_node_spec, name)

static const struct attr attrs[] = {
    {"is_cpu_op", ANY, set_cpu, 0, 0, false, 0, false},
    {"num_ops", COMP, set_integer, INT64_MAX, FIELD(num_ops), true, ORR_NODE_HAS_NUM_OPS, false},
    {"tensor_size", COMP | MEMORY, set_integer, INT64_MAX, FIELD(tensor_bytes), true,
     ORR_NODE_HAS_TENSOR_SIZE, false},
    {"tensor_loc", MEMORY, set_tensor_loc, 0, 0, false, 0, false},
    {"comm_type", COLL, set_comm_type, 0, 0, false, 0, false},
    {"comm_size", COLL | P2P, set_comm_size, INT64_MAX, FIELD(comm_bytes), true, 0, false},
    {"comm_src", P2P, set_integer, INT32_MAX, FIELD(src), false, ORR_NODE_HAS_SRC, false},
    {"comm_dst", P2P, set_integer, INT32_MAX, FIELD(dst), false, ORR_NODE_HAS_DST, false},
    {"comm_tag", COLL | P2P, set_integer, UINT32_MAX, FIELD(tag), false, 0, false},
    {"comm_priority", COLL | P2P, set_integer, UINT32_MAX, FIELD(priority), false, 0, false},
    {"comm_root", COLL, set_integer, INT32_MAX, FIELD(root), false, 0, true},
    {"root", COLL, set_integer, INT32_MAX, FIELD(root), false, 0, true},
    {"pg_name", COLL | P2P, set_group, 0, 0, false, 0, false},
    {"comm_group", COLL | P2P, set_group, 0, 0, false, 0, false},
    {"involved_dim", COLL, set_involved_dim, 0, 0, false, 0, false},
    {"inputs", ANY, set_tensors, 0, 0, false, 0, true},
    {"outputs", ANY, set_tensors, 0, 0, false, 0, true},
    {ORR_SEND_SIZES, COLL, set_sizes, 0, 0, false, 0, false},
    {ORR_RECV_SIZES, COLL, set_sizes, 0, 0, false, 0, false},
    {ORR_SIZES_DIFFER, COLL, set_bool, 0, FIELD(sizes.differ), false, 0, false},
    {"orrery_tokens", COLL, set_bool, 0, FIELD(tokens), false, 0, false},
};

/* Orrery's own that were written without "orrery_" before. */
static const struct attr own_attrs[] = {
    {"orrery_duration_ps", ANY, set_integer, INT64_MAX, FIELD(duration_ps), true, 0, false},
    {"orrery_op_kind", COMP, set_op_kind, 0, 0, false, 0, false},
    {"orrery_op_unaligned", COMP, set_bool, 0, FIELD(unaligned), false, 0, false},
    {"orrery_op_type", COMP, set_op_type, 0, 0, false, 0, false},
    {"orrery_tensor_access", MEMORY, set_access, 0, 0, false, 0, false},
    {"orrery_delay", COMP, set_bool, 0, FIELD(delay), false, 0, false},
    {"orrery_signal", P2P, set_bool, 0, FIELD(signal), false, 0, false},
    {"orrery_next", ANY, set_next, 0, 0, false, 0, false},
    {"orrery_prefix_of", ANY, set_prefixes, 0, 0, false, 0, false},
    {PREFIX_BYTES, ANY, set_prefixes, 0, 0, false, 0, false},
};

enum {
    ATTR_COUNT = sizeof attrs / sizeof attrs[0],
    OWN_COUNT = sizeof own_attrs / sizeof own_attrs[0],
    OWN_PREFIX = sizeof "orrery_" - 1
};

static const struct attr *find_attr(const struct attr *list, size_t count, size_t skip,
                                    const char *name)
{
    for (size_t i = 0; i < count; i++) {
        if (list[i].name[skip] == name[0] && strcmp(list[i].name + skip, name) == 0) {
            return &list[i];
        }
    }
    return NULL;
}

static void pass_over(struct et_node *node, const char *name)
{
    node->foreign.name = node->foreign.count == 0 ? name : node->foreign.name;
    node->foreign.count++;
}

/* A duration of before agrees with the recorded one, which has no part of a microsecond. */
static bool agrees(const struct et_node *node, const struct attr *attr,
                   const struct et_value *value)
{
    uint64_t duration_ps;
    return attr->set != set_integer ||
           (orr_et_to_integer(value, &duration_ps) &&
            duration_ps / ORR_PS_PER_US == node->spec.duration_ps / ORR_PS_PER_US);
}

static void set_old(struct et_node *node, const struct attr *attr, const struct et_value *value)
{
    const char *name = attr->name + OWN_PREFIX;
    if (!orr_et_is_ours(node->origin) || !agrees(node, attr, value) ||
        attr->set(node, attr, value, NULL) != ORR_OK) {
        pass_over(node, name);
        return;
    }
    node->old.name = node->old.count == 0 ? name : node->old.name;
    node->old.count++;
    if (attr->set == set_next || attr->set == set_prefixes) {
        node->spec.may_pass_over = true;
    }
}

static bool has_kind(const struct attr *attr, const struct et_node *node)
{
    return attr != NULL && (attr->kinds >> node->spec.kind & 1) != 0;
}

enum orr_status orr_et_node_set(struct et_node *node, const char *name,
                                const struct et_value *value, struct orr_diag *diag)
{
    const struct attr *attr = find_attr(attrs, ATTR_COUNT, 0, name);
    const bool own = attr == NULL && strncmp(name, own_attrs[0].name, OWN_PREFIX) == 0;
    if (value->kind == ET_NONE) {
        return ORR_OK;
    }
    if (own) {
        attr = find_attr(own_attrs, OWN_COUNT, 0, name);
    } else if (attr == NULL) {
        attr = find_attr(own_attrs, OWN_COUNT, OWN_PREFIX, name);
        if (has_kind(attr, node)) {
            set_old(node, attr, value);
        }
        return ORR_OK;
    }
    if (!has_kind(attr, node)) {
        return ORR_OK;
    }
    const enum orr_status status = attr->set(node, attr, value, attr->hint ? NULL : diag);
    if (status != ORR_OK && attr->hint) {
        pass_over(node, attr->name);
        return ORR_OK;
    }
    return status;
}

bool orr_et_is_numbers(const char *name)
{
    const size_t skip = strncmp(name, own_attrs[0].name, OWN_PREFIX) == 0 ? 0 : OWN_PREFIX;
    const struct attr *attr = find_attr(own_attrs, OWN_COUNT, skip, name);
    return strcmp(name, ORR_SEND_SIZES) == 0 || strcmp(name, ORR_RECV_SIZES) == 0 ||
           (attr != NULL && (attr->set == set_next || attr->set == set_prefixes));
}

/* ---- nodes ---- */

enum orr_status orr_et_node_set_kind(struct et_node *node, int64_t kind, struct orr_diag *diag)
{
    if (kind < 0 || kind >= ORR_NODE_KINDS) {
        return orr_et_node_fail(
            node, diag,
            "unknown node type %" PRId64 "; expected 0 (INVALID_NODE) to 7 (COMM_COLL_NODE)", kind);
    }
    node->spec.kind = (enum orr_node_kind)kind;
    return ORR_OK;
}

static const char *missing_attr(const struct et_node *node)
{
    const bool is_barrier = node->has_comm_type && node->spec.comm == ORR_COMM_BARRIER;
    switch (node->spec.kind) {
    case ORR_NODE_COLL:
        if (!node->has_comm_type) {
            return "comm_type";
        }
        return node->has_comm_size || is_barrier ? NULL : "comm_size";
    case ORR_NODE_SEND:
        if ((node->spec.flags & ORR_NODE_HAS_DST) == 0) {
            return "comm_dst";
        }
        return node->has_comm_size ? NULL : "comm_size";
    case ORR_NODE_RECV:
        if ((node->spec.flags & ORR_NODE_HAS_SRC) == 0) {
            return "comm_src";
        }
        return node->has_comm_size ? NULL : "comm_size";
    default:
        return NULL;
    }
}

/* The two lists become one of pairs. */
static enum orr_status pair_prefixes(struct et_node *node, struct orr_diag *diag)
{
    const struct orr_deps *of = &node->prefix_of, *bytes = &node->prefix_bytes;
    if (of->count != bytes->count && node->spec.may_pass_over) {
        pass_over(node, "prefix_of");
        return ORR_OK;
    }
    if (of->count != bytes->count) {
        return orr_et_node_fail(
            node, diag,
            "the attributes \"orrery_prefix_of\" and \"" PREFIX_BYTES
            "\" have %zu and %zu values; expected as many of one as of the other",
            of->count, bytes->count);
    }
    node->spec.prefixes =
        (struct orr_prefixes){.ids = of->ids, .bytes = bytes->ids, .count = of->count};
    return ORR_OK;
}

enum orr_status orr_et_node_check(struct et_node *node, struct orr_diag *diag)
{
    const enum orr_status status = pair_prefixes(node, diag);
    if (status != ORR_OK) {
        return status;
    }
    const char *missing = missing_attr(node);
    if (missing == NULL) {
        return ORR_OK;
    }
    if ((node->spec.flags & ORR_NODE_IS_CPU) != 0 && !node->has_comm_size) {
        node->spec.kind = ORR_NODE_COMP;
        return ORR_OK;
    }
    return orr_et_node_fail(node, diag, "a %s needs the attribute \"%s\"",
                            orr_node_kind_name(node->spec.kind), missing);
}

void orr_et_node_count_foreign(const struct et_node *node, struct orr_trace_builder *builder)
{
    for (uint64_t i = 0; i < node->foreign.count; i++) {
        orr_trace_builder_pass_over(builder, node->foreign.name);
    }
    orr_trace_builder_count_old(builder, &node->old);
}
