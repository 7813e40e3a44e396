/* PyTorch execution trace (ExecutionTraceObserver) in memory: operators with threads,
 * communication, and bytes and FLOPs of their tensors. Schemas 1.0.1 (flat) to 1.1.1 (with lists of
 * attributes); newer ones are read like 1.1.1. */
#ifndef ORR_ET_CONVERTER_PYTORCH_PYTORCH_TRACE_H
#define ORR_ET_CONVERTER_PYTORCH_PYTORCH_TRACE_H

#include "et_converter/pytorch/json_scan.h"
#include "workload/trace/trace.h"

struct orr_arena;
struct orr_diag;
struct orr_strings;

#define PT_NONE UINT32_MAX /* no index */

/* Kind of a record_param_comms. */
enum pt_comm_kind { PT_COLLECTIVE, PT_SEND, PT_RECV, PT_WAIT, PT_OTHER };

/* One record_param_comms. */
struct pt_comm {
    uint8_t kind; /* enum pt_comm_kind */
    uint8_t comm; /* enum orr_trace_comm; PT_COLLECTIVE */
    /* Bytes to and from each rank of the group, if recorded; whether ranks may have other sizes
     * than this one, with or without such lists. */
    struct orr_comm_sizes sizes;
    uint32_t group;   /* index into pt_trace.group; PT_NONE: unknown */
    uint32_t name;    /* as recorded: "all_to_allv" */
    uint64_t bytes;   /* of the input */
    int64_t sequence; /* of the group */
    int64_t peer;     /* of a send or receive, in the group */
    uint64_t id;      /* "Comms Id", the same on all ranks that take part; 0: none */
    bool is_lone;     /* not all ranks that take part recorded it: it takes its recorded time */
};

/* A process group, as far as the trace describes it. */
struct pt_group {
    const char *key;      /* its name, or the address of its object */
    uint32_t size;        /* 0: unknown */
    uint32_t ranks;       /* entries of `rank`; 0: unknown */
    const uint32_t *rank; /* global */
    bool is_cut;          /* a list of its ranks was cut short, and `ranks` is 0 */
};

struct pt_node {
    uint64_t id, parent;
    uint64_t rf_id;    /* of the record function; 0: none */
    int64_t sequence;  /* links forward and backward; -1: none */
    uint64_t flops;    /* estimated from shapes; 0: not known */
    uint64_t bytes;    /* of all tensors in and out */
    uint32_t name;     /* number in strings */
    uint32_t tid;      /* 1.. in order of appearance in the process; 0: of the process itself */
    uint32_t comm;     /* index into pt_trace.comm, or PT_NONE */
    uint8_t op;        /* enum orr_op_kind */
    bool is_label;     /* label of the process or a thread, not an operator */
    bool on_gpu;       /* a tensor is on a GPU */
    bool has_children; /* another operator is inside */
};

struct pt_trace {
    const char *path, *schema;
    struct orr_arena *arena;
    struct orr_strings *strings;
    struct pt_node *node; /* ascending id */
    uint32_t nodes, operators;
    struct pt_comm *comm;
    uint32_t comms;
    struct pt_group *group;
    uint32_t groups;
    int64_t pid;         /* -1: unknown */
    const char *time;    /* "2023-09-07 16:09:59", local; "": unknown */
    bool finished;       /* the trace has its end time */
    bool unknown_schema; /* newer than the known ones */
    uint64_t ignored;    /* bytes around the JSON */
    size_t node_capacity, comm_capacity, group_capacity; /* of the arrays */
};

/* Reads a trace into the arena, texts into `strings`. Errors have line and column, the node, the
 * expected and the actual value. O(bytes). */
enum orr_status orr_pytorch_trace_read(struct orr_arena *arena, struct orr_strings *strings,
                                       const struct js_source *source, struct pt_trace *out,
                                       struct orr_diag *diag);

/* The group with the key, added if new; NULL if out of memory. O(groups). */
struct pt_group *orr_pytorch_trace_group(struct pt_trace *trace, const char *key);

/* Adds the process groups of the JSON text of "## process_group:init ##" or of Kineto's pg_config:
 * names and ranks. Ignores other values. False if out of memory. */
bool orr_pytorch_trace_add_groups(struct pt_trace *trace, struct js_value list);

/* Sets kind and collective by name: "AllReduce" in any spelling; false if the text names no
 * communication. */
bool orr_pytorch_comm_of_name(const char *name, struct pt_comm *comm);

/* Adds a pt_comm from the inputs of a record_param_comms; returns its index, or PT_NONE if out of
 * memory. `attrs`: the node's list of attributes, or no value. */
uint32_t orr_pytorch_comm_read(struct pt_trace *trace, struct js_value inputs,
                               struct js_value attrs);

/* The recorded sizes of a collective: lists or texts of numbers of elements or rows, and bytes in
 * all (0: unknown). */
struct pt_splits {
    struct js_value in, out;
    uint64_t in_bytes, out_bytes;
    uint32_t element_bytes;
};

/* Sets comm->sizes of an all-to-all, all-gather or reduce-scatter; kind, name and bytes must be
 * set. Splits that the profiler cut short are left out. False if out of memory. (pytorch_splits.c)
 */
bool orr_pytorch_splits_read(struct pt_trace *trace, const struct pt_splits *splits,
                             const char *name, struct pt_comm *comm);

/* Takes bytes and sizes from the kernel's attributes where the record has none. */
void orr_pytorch_comm_complete(struct pt_comm *comm, const struct pt_comm *kernel);

/* Adds the sizes of one of several collectives that run as one. False if out of memory. */
bool orr_pytorch_splits_add(struct orr_arena *arena, struct orr_comm_sizes *sum,
                            const struct orr_comm_sizes *more);

/* ---- tensors (pytorch_tensor.c) ---- */

/* Whether a value is a tensor, [id, storage, offset, elements, bytes each, device]. */
bool orr_pytorch_is_tensor(struct js_value value);

/* Bytes of the tensors in a value, lists included; sets *gpu if one is on a GPU. Saturates. */
uint64_t orr_pytorch_tensor_bytes(struct js_value value, bool *gpu);

/* Bytes that an operator reads and writes: its tensors; of a table from which it takes rows, as
 * many bytes as the output has. */
uint64_t orr_pytorch_operator_bytes(const char *name, struct js_value inputs,
                                    struct js_value outputs, bool *gpu);

/* FLOPs and kind of an operator, from its name and the shapes of its inputs and outputs; 0 unless
 * it is a GEMM, convolution or attention. */
uint64_t orr_pytorch_operator_flops(const char *name, struct js_value in_shapes,
                                    struct js_value out_shapes, uint8_t *op);

/* Bytes of an element by type name ("Float", "c10::Half"); 0 if unknown. */
uint32_t orr_pytorch_element_bytes(const char *type);

#endif
