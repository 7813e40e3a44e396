/* FlexFlow task graph in memory, as its readers (flexflow_fbuf.h, flexflow_dot.h) build it: well
 * formed, but not yet checked for consistency. */
#ifndef ORR_ET_CONVERTER_FLEXFLOW_FLEXFLOW_GRAPH_H
#define ORR_ET_CONVERTER_FLEXFLOW_FLEXFLOW_GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Values of the schema's SimTaskType; the last two occur in DOT files only. */
enum flexflow_task_type {
    FLEXFLOW_FORWARD = 0,
    FLEXFLOW_BACKWARD = 1,
    FLEXFLOW_COMM = 2,
    FLEXFLOW_UPDATE = 3,
    FLEXFLOW_BARRIER = 4,
    FLEXFLOW_NOMINAL_COMM = 5,
    FLEXFLOW_ALLREDUCE = 6,
    FLEXFLOW_SEND = 7, /* the two ends of one transfer, as two tasks */
    FLEXFLOW_RECV = 8,
    FLEXFLOW_TASK_TYPES
};

/* Values of the schema's DeviceType. */
enum flexflow_device_type {
    FLEXFLOW_COMP_GPU = 0,
    FLEXFLOW_COMP_CPU = 1,
    FLEXFLOW_NW_COMM = 13,
    FLEXFLOW_NW_NOMINAL = 14,
    FLEXFLOW_DEVICE_TYPES = 15
};

struct flexflow_task {
    uint64_t id, device; /* as in the file; all-reduces have no device */
    uint64_t bytes;
    double runtime_ms;
    double start_ms, end_ms; /* of DOT files that have them; otherwise 0 */
    uint64_t first_next;     /* into flexflow_graph.next */
    uint64_t next_count;     /* number of dependent tasks; ALLREDUCE: of its servers */
    uint64_t place;          /* location for messages: byte offset, or line (0: unknown) */
    const char *name;        /* NULL: none */
    const char *node;        /* the node's name in a DOT file, for messages; otherwise NULL */
    uint8_t type;            /* enum flexflow_task_type */
};

struct flexflow_device {
    uint64_t id;
    uint64_t server;   /* of compute devices */
    uint64_t property; /* of network devices: source * (servers + switches) + destination */
    uint64_t bandwidth, place;
    uint8_t type; /* enum flexflow_device_type */
};

/* `count` parallel duplex links. */
struct flexflow_connection {
    uint32_t from, to, count;
};

struct flexflow_op {
    uint64_t id, type;
    const char *name;
};

/* A path of a route: its nodes in order, both ends included. */
struct flexflow_path {
    uint32_t from, to;
    float chance;
    uint64_t first_hop, hops; /* into flexflow_graph.hop */
};

/* A ring of groups of `servers`: the jumps around it, in positions of the group; several jumps make
 * one step over other servers. */
struct flexflow_ring {
    uint64_t servers;
    uint64_t first_jump, jumps; /* into flexflow_graph.jump */
};

struct flexflow_graph {
    const char *file;
    bool has_byte_offsets; /* locations are byte offsets, otherwise lines */
    bool placed;           /* tasks have devices; otherwise they have times only */
    uint32_t accelerators_per_server, servers, switches;
    double inter_accelerator_bytes_per_ms, memory_bytes_per_ms, link_bytes_per_ms; /* 0: unknown */
    size_t tasks, devices, connections, ops, paths, rings, routes;
    size_t next_count, hop_count, jump_count;
    struct flexflow_task *task;
    uint64_t *next;
    struct flexflow_device *device;
    struct flexflow_connection *connection;
    struct flexflow_op *op;
    struct flexflow_path *path;
    uint32_t *hop;
    struct flexflow_ring *ring;
    int32_t *jump;
};

/* "FORWARD", ...; NULL for an unknown number. */
const char *orr_flexflow_task_type_name(unsigned type);
const char *orr_flexflow_device_type_name(unsigned type);

#endif
