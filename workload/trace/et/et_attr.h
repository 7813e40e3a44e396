/* Converts the attributes of a node, whatever numeric type a tool used, to the fields of a struct
 * orr_node_spec. Unknown attributes, and those without meaning for the node's kind, are ignored. */
#ifndef ORR_WORKLOAD_TRACE_ET_ET_ATTR_H
#define ORR_WORKLOAD_TRACE_ET_ET_ATTR_H

#include "core/diag.h"
#include "workload/trace/et/et_old.h"
#include "workload/trace/et/et_value.h"
#include "workload/trace/trace.h"
#include "workload/trace/trace_builder.h"

struct orr_trace_builder;

/* A node under construction and its position in the file. */
struct et_node {
    struct orr_node_spec spec;
    const char *file;
    uint64_t record, byte_offset;
    bool has_comm_type, has_comm_size, has_group;
    struct et_origin *origin;                /* of the file */
    struct orr_foreign foreign;              /* attributes that were passed over */
    struct orr_foreign old;                  /* that were taken by their names of before */
    char group_text[ET_VALUE_TEXT_BYTES];    /* spec.group if it was a number */
    const char *single[2][1];                /* spec.inputs, spec.outputs if they were one text */
    struct orr_deps prefix_of, prefix_bytes; /* spec.prefixes, as two lists */
};

/* Sets the kind from a number of the schema; an unknown one is an error. */
enum orr_status orr_et_node_set_kind(struct et_node *node, int64_t kind, struct orr_diag *diag);

/* Sets one attribute; id, name, kind and recorded duration of the node must be set before. One
 * without a value is absent. Errors name the node, the attribute, what was expected and what was
 * found. Names of Orrery's own begin with "orrery_". The names without it, which it wrote before,
 * are other tools' too: they are taken, and counted in node->old, if the whole file is as Orrery
 * wrote it, else passed over and counted in node->foreign. O(length of the name). */
enum orr_status orr_et_node_set(struct et_node *node, const char *attr,
                                const struct et_value *value, struct orr_diag *diag);

/* Whether the attribute is a list of numbers. */
bool orr_et_is_numbers(const char *name);

/* Counts what was passed over, or taken by a name of before, of a finished node in the builder. */
void orr_et_node_count_foreign(const struct et_node *node, struct orr_trace_builder *builder);

/* Checks the node after its last attribute: a communication node has the attributes it needs. A
 * communication node that is a CPU operation without comm_size is the operator that launches the
 * communication, and becomes a computation on the CPU (PyTorch traces have both the operator and
 * the communication). */
enum orr_status orr_et_node_check(struct et_node *node, struct orr_diag *diag);

/* Fails at the node's location. */
enum orr_status orr_et_node_fail(const struct et_node *node, struct orr_diag *diag,
                                 const char *format, ...) ORR_PRINTF(3, 4);

#endif
