/* An execution trace in memory: the dependency graph of one NPU's work, as structure of arrays.
 *
 * Nodes are indexed 0..nodes-1 by ascending id, so "ascending id" is "ascending index" everywhere.
 * A trace is immutable once read and may be shared by many NPUs. A node costs at most 64 bytes plus
 * its edges and strings (docs/performance.md). */
#ifndef ORR_WORKLOAD_TRACE_TRACE_H
#define ORR_WORKLOAD_TRACE_TRACE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Rules of a task graph: FIFO issue, and monolithic all-reduces (docs/models.md, section 2). */
#define ORR_RULES_TASK_GRAPH "task_graph"
/* The same, but nodes that become ready in the same instant are queued by id, independent of the
 * order of events. */
#define ORR_RULES_BY_NUMBER "task_graph_by_number"
/* Whether the text is one of these rules. */
static inline bool orr_rules_is_known(const char *rules)
{
    return strcmp(rules, ORR_RULES_TASK_GRAPH) == 0 || strcmp(rules, ORR_RULES_BY_NUMBER) == 0;
}

/* Values are those of the Chakra schema's NodeType. */
enum orr_node_kind {
    ORR_NODE_INVALID = 0,
    ORR_NODE_METADATA = 1,
    ORR_NODE_MEM_LOAD = 2,
    ORR_NODE_MEM_STORE = 3,
    ORR_NODE_COMP = 4,
    ORR_NODE_SEND = 5,
    ORR_NODE_RECV = 6,
    ORR_NODE_COLL = 7,
    ORR_NODE_KINDS
};

/* Values are those of the Chakra schema's CollectiveCommType. */
enum orr_trace_comm {
    ORR_COMM_ALL_REDUCE = 0,
    ORR_COMM_REDUCE = 1,
    ORR_COMM_ALL_GATHER = 2,
    ORR_COMM_GATHER = 3,
    ORR_COMM_SCATTER = 4,
    ORR_COMM_BROADCAST = 5,
    ORR_COMM_ALL_TO_ALL = 6,
    ORR_COMM_REDUCE_SCATTER = 7,
    ORR_COMM_REDUCE_SCATTER_BLOCK = 8,
    ORR_COMM_BARRIER = 9,
    ORR_COMM_KINDS
};

/* The kind of a computation, for its efficiency (workload/trace/op_kind.h). */
enum orr_op_kind {
    ORR_OP_DEFAULT, /* unknown */
    ORR_OP_GEMM,
    ORR_OP_ATTENTION,
    ORR_OP_ELEMENTWISE,
    ORR_OP_MEMORY,
    ORR_OP_SCAN, /* recurrences along the tokens, as of state-space layers */
    ORR_OP_CAST, /* of an array to another type */
    /* Rates alone, for products by type (efficiency.h); a node's kind is ORR_OP_GEMM. */
    ORR_OP_GEMM_FP8,
    ORR_OP_GEMM_FP4,
    ORR_OP_KINDS,
    ORR_OP_NODE_KINDS = ORR_OP_GEMM_FP8
};

/* The type of the numbers that a product reads: that of other operators, or a narrower one, of
 * which an NPU has a peak of its own. */
enum orr_product_type { ORR_PRODUCT_ELEMENT, ORR_PRODUCT_FP8, ORR_PRODUCT_FP4, ORR_PRODUCT_TYPES };

/* COMP: further properties; bits of orr_node.comm. */
enum orr_comp_flag {
    ORR_COMP_DELAY = 1u << 0, /* takes its time without using a stream */
    ORR_COMP_UNALIGNED =
        1u << 1,            /* a product or attention whose sizes are not aligned to tensor cores */
    ORR_COMP_FP8 = 1u << 2, /* an fp8 product */
    /* by the name: a call of the host that waits for the GPU; a kernel that communicates; a copy or
     * fill of memory by the GPU */
    ORR_COMP_SYNC = 1u << 3,
    ORR_COMP_COMM = 1u << 4,
    ORR_COMP_COPY = 1u << 5,
    ORR_COMP_FP4 = 1u << 6 /* an fp4 product */
};

/* COLL: who exchanges, in orr_node.op: the library's kernels, or kernels for tokens of experts
 * (DeepEP), which hold SMs of the NPU. */
enum orr_coll_kernel { ORR_COLL_LIBRARY, ORR_COLL_TOKENS };

/* What a memory node moves: this NPU's shard, or all of a tensor whose shards are gathered (a load)
 * or reduced and scattered (a store) on the way. */
enum orr_mem_access { ORR_ACCESS_SHARDED, ORR_ACCESS_GATHERED, ORR_ACCESSES };

enum orr_node_flag {
    ORR_NODE_IS_CPU = 1u << 0,          /* is_cpu_op is true */
    ORR_NODE_HAS_CPU_FLAG = 1u << 1,    /* is_cpu_op was given */
    ORR_NODE_LOCAL_MEMORY = 1u << 2,    /* tensor_loc = 1 (local); memory nodes default to remote */
    ORR_NODE_HAS_SRC = 1u << 3,         /* comm_src was given */
    ORR_NODE_HAS_DST = 1u << 4,         /* comm_dst was given */
    ORR_NODE_HAS_NUM_OPS = 1u << 5,     /* num_ops was given */
    ORR_NODE_HAS_TENSOR_SIZE = 1u << 6, /* tensor_size was given */
    ORR_NODE_RELATIVE_PEER = 1u << 7    /* the peer of a generated SEND or RECV is an offset */
};

/* Sizes of an uneven collective, in the order of its group: the bytes that go to each member
 * (all-to-all, reduce-scatter), and those that come from each (all-to-all, all-gather). Count 0:
 * not given. */
#define ORR_SEND_SIZES                                                                             \
    "orrery_send_sizes" /* attributes in files; other tools have none so named                     \
                         */
#define ORR_RECV_SIZES "orrery_recv_sizes"
#define ORR_SIZES_DIFFER "orrery_sizes_differ"
struct orr_comm_sizes {
    const uint64_t *send, *recv;
    uint32_t send_count, recv_count;
    bool differ; /* comm_size may differ between the members; parts of it are equal where there is
                    no list */
};

/* Rare attributes, stored outside the nodes. */
struct orr_node_extra {
    uint32_t priority;           /* comm_priority, 0 when absent */
    uint32_t root;               /* comm_root, the root of a rooted collective; 0 when absent */
    uint32_t tag;                /* comm_tag of a collective; 0 when absent */
    bool has_involved_dim;       /* involved_dim given (bool list) */
    uint8_t involved_dims;       /* number of dimensions, at most 32 */
    uint32_t involved_mask;      /* bit d: dimension d takes part */
    struct orr_comm_sizes sizes; /* of an uneven collective */
    const char *inputs_values;   /* inputs.values as text, or NULL */
    const char *const *inputs;   /* attribute "inputs" (tensor names), or NULL */
    const char *const *outputs;  /* attribute "outputs", or NULL */
    uint32_t input_count, output_count;
};

/* Attributes of another tool that were passed over: they are named as Orrery once named its own. */
struct orr_foreign {
    uint64_t count;
    const char *name; /* of the first; constant */
};

struct orr_trace;

struct orr_node {
    uint64_t id;
    uint64_t duration_ps; /* recorded; at most ORR_TIME_MAX */
    /* COMP: num_ops; COLL, SEND, RECV: comm_size in bytes; MEM_*: 0 */
    uint64_t amount;
    /* COMP, MEM_*: tensor_size in bytes; SEND, RECV: see peer and tag */
    union {
        uint64_t tensor_bytes;
        struct {
            uint32_t peer; /* SEND: comm_dst; RECV: comm_src; see orr_node_peer */
            uint32_t tag;  /* comm_tag */
        } p2p;
    } of;
    const char *name;     /* interned; never NULL */
    uint32_t group;       /* index into orr_trace.groups plus one; 0 = no group named */
    uint32_t extra;       /* index into orr_trace.extras plus one; 0 = none */
    uint32_t first_child; /* index into orr_trace.children */
    uint8_t kind;         /* enum orr_node_kind */
    uint8_t comm;         /* COLL: enum orr_trace_comm; MEM_*: enum orr_mem_access; COMP: enum
                             orr_comp_flag; SEND, RECV: 1 for a signal */
    uint8_t flags;        /* enum orr_node_flag */
    uint8_t op;           /* COMP: enum orr_op_kind, the attribute op_kind; COLL: enum
                             orr_coll_kernel */
};

struct orr_trace {
    const char *path; /* of the file it came from, for reports */
    uint32_t nodes;
    const struct orr_node *node; /* [nodes], ascending id */
    const uint32_t *children;    /* [edges], node indices without duplicates; those of node i:
                                    [node[i].first_child, node[i + 1].first_child), ascending unless
                                    the node sets the order in which they begin */
    uint32_t edges;
    const uint64_t *prefix;  /* [edges], the first bytes of the collective that the child waits for;
                                0: its end. NULL: no child waits for a part */
    const uint32_t *parents; /* [nodes], number of distinct parents (data and control) */
    const struct orr_node_extra *extras;
    uint32_t extra_count;
    const char *const *groups; /* names of the communicator groups (pg_name) in the trace */
    uint32_t group_count;
    const char *version;   /* of the GlobalMetadata; "" when absent */
    const char *rules;     /* its issue rules, "task_graph"; "": the platform's */
    uint64_t content_hash; /* hash of the file's bytes; equal files share one trace */
    struct orr_foreign foreign;
    struct orr_foreign old; /* Orrery's own, by names of before */
    bool has_tokens;        /* some collective is by ORR_COLL_TOKENS */
    bool replayed; /* recorded, not generated: includes CPU operations such as the launches of
                      collectives */
};

static inline uint32_t orr_trace_child_end(const struct orr_trace *trace, uint32_t index)
{
    return index + 1 < trace->nodes ? trace->node[index + 1].first_child : trace->edges;
}

/* The first bytes of a collective that an edge waits for; 0: the end of the node. */
static inline uint64_t orr_trace_prefix(const struct orr_trace *trace, uint32_t edge)
{
    return trace->prefix != 0 ? trace->prefix[edge] : 0;
}

/* The peer of a SEND or RECV of `rank` on a platform of `npus` NPUs. A relative peer is an offset
 * modulo npus, so that ranks with equal work share one trace. */
static inline uint32_t orr_node_peer(const struct orr_node *node, uint32_t rank, uint32_t npus)
{
    return (node->flags & ORR_NODE_RELATIVE_PEER) == 0
               ? node->of.p2p.peer
               : (uint32_t)(((uint64_t)rank + node->of.p2p.peer) % npus);
}

static inline bool orr_comm_is_uneven(const struct orr_comm_sizes *sizes)
{
    return sizes->differ || sizes->send_count != 0 || sizes->recv_count != 0;
}

/* Whether sizes are equal, number by number. */
static inline bool orr_comm_sizes_equal(const struct orr_comm_sizes *a,
                                        const struct orr_comm_sizes *b)
{
    return a->differ == b->differ && a->send_count == b->send_count &&
           a->recv_count == b->recv_count &&
           (a->send_count == 0 || memcmp(a->send, b->send, a->send_count * sizeof *a->send) == 0) &&
           (a->recv_count == 0 || memcmp(a->recv, b->recv, a->recv_count * sizeof *a->recv) == 0);
}

static inline const struct orr_node_extra *orr_trace_extra(const struct orr_trace *trace,
                                                           const struct orr_node *node)
{
    return node->extra != 0 ? &trace->extras[node->extra - 1] : 0;
}

#endif
