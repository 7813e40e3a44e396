/* Converts the attributes of a node, whatever numeric type a tool used, to the fields of a struct
 * orr_node_spec. Unknown attributes, and those without meaning for the node's kind, are ignored. */
#ifndef ORR_WORKLOAD_TRACE_ET_ET_ATTR_H
#define ORR_WORKLOAD_TRACE_ET_ET_ATTR_H

#include "core/core.h"
#include "workload/trace/trace_builder.h"

enum et_value_kind {
    ET_NONE, /* the attribute has no value */
    ET_SIGNED,
    ET_UNSIGNED,
    ET_REAL,
    ET_BOOL,
    ET_TEXT,
    ET_TEXTS,
    ET_BOOLS,
    ET_NUMBERS,
    ET_OTHER /* any other type */
};

/* The value of an attribute, independent of the file format. Pointers are borrowed. */
struct et_value {
    enum et_value_kind kind;
    union {
        int64_t as_signed;
        uint64_t as_unsigned;
        double as_real;
        bool as_bool;
        const char *as_text;
        const char *const *as_texts; /* [count] */
        const uint64_t *as_numbers;  /* [count] */
        uint32_t as_mask;            /* ET_BOOLS: bit i is the i-th, of the first 32 */
    } of;
    size_t count; /* ET_TEXTS, ET_BOOLS, ET_NUMBERS */
};

enum { ET_NUMBER_TEXT_BYTES = 32 };

/* A node under construction and its position in the file. */
struct et_node {
    struct orr_node_spec spec;
    const char *file;
    uint64_t record, byte_offset;
    bool has_comm_type, has_comm_size, has_group;
    char group_text[ET_NUMBER_TEXT_BYTES];   /* spec.group if it was a number */
    const char *single[2][1];                /* spec.inputs, spec.outputs if they were one text */
    struct orr_deps prefix_of, prefix_bytes; /* spec.prefixes, as two lists */
};

/* Sets the kind from a number of the schema; an unknown one is an error. */
enum orr_status orr_et_node_set_kind(struct et_node *node, int64_t kind, struct orr_diag *diag);

/* Sets one attribute; id, name and kind of the node must be set before. Errors name the node, the
 * attribute, what was expected and what was found. O(length of the name). */
enum orr_status orr_et_node_set(struct et_node *node, const char *attr,
                                const struct et_value *value, struct orr_diag *diag);

/* Checks the node after its last attribute: a communication node has the attributes it needs. A
 * communication node that is a CPU operation without comm_size is the operator that launches the
 * communication, and becomes a computation on the CPU (PyTorch traces have both the operator and
 * the communication). */
enum orr_status orr_et_node_check(struct et_node *node, struct orr_diag *diag);

/* Fails at the node's location. */
enum orr_status orr_et_node_fail(const struct et_node *node, struct orr_diag *diag,
                                 const char *format, ...) ORR_PRINTF(3, 4);

#endif
