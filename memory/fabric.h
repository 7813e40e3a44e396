/* Pools of memory that NPUs reach over links (ASTRA-sim 2.0, section IV-D; docs/memory.md): what
 * the geometry of a pool puts on its links, and how long an access takes when all NPUs access the
 * pool together.
 *
 * A shape lists its classes of links in the order in which a load passes them; a store passes them
 * the other way round. The links of a class are alike, and what counts is the busiest one. */
#ifndef ORR_MEMORY_FABRIC_H
#define ORR_MEMORY_FABRIC_H

#include "core/core.h"

enum { MEM_MAX_CLASSES = 12 };

/* How the links of a class lie to the NPUs: what one NPU alone puts on the busiest of them. */
enum mem_spread {
    MEM_SPREAD_BUNDLES, /* `parts` equal bundles of links, each for as many NPUs */
    MEM_SPREAD_RING,    /* links round a ring of `parts` stops */
    MEM_SPREAD_ROWS,    /* links along the rows of a mesh, `length` stops in each of `parts` rows */
    MEM_SPREAD_COLUMNS  /* links along the columns, `length` stops in each row, `parts` rows */
};

struct mem_link_class {
    const char *name;
    uint64_t links; /* one way */
    double bandwidth_bytes_per_s;
    /* All bytes of an access over those on the busiest link, when all NPUs access together: the
     * links that work at the same time. Gathered, the bytes are counted once for all NPUs. */
    double parallelism, gathered_parallelism;
    /* Bytes over all links, for each byte of the access: links that a byte passes on average. */
    double passes, gathered_passes;
    uint32_t hops; /* links of the class on the longest way */
    enum mem_spread spread;
    uint32_t parts, length;
};

enum mem_pipeline { MEM_LOCKSTEP, MEM_FIFO };

struct mem_fabric {
    struct mem_link_class link[MEM_MAX_CLASSES];
    unsigned classes;
    uint32_t npus;
    uint64_t chunk_bytes;                       /* on a link of the first class in a stage */
    uint64_t stage_bytes, gathered_stage_bytes; /* of the whole access in a stage */
    enum mem_pipeline pipeline;
    uint64_t capacity_bytes; /* of the pool; 0: not limited */
    bool shares_path;        /* with the network: one access, collective or message at a time */
    sim_time latency_ps, link_latency_ps;
};

/* Bytes of an access of all NPUs together: of `bytes` each, or, gathered, of one tensor of `bytes`
 * that all of them get. UINT64_MAX when they cannot be told in 64 bits. */
uint64_t orr_mem_fabric_total(const struct mem_fabric *fabric, uint64_t bytes, bool gathered);

/* Pipeline stages of so many bytes in all. */
uint64_t orr_mem_fabric_stages(const struct mem_fabric *fabric, uint64_t total, bool gathered);

/* How long a class takes for a stage of `stage_bytes` in all. */
sim_time orr_mem_fabric_transfer(const struct mem_link_class *link, uint64_t stage_bytes,
                                 bool gathered);

/* The latency of an access: the memory's, and that of every link on the longest way. */
sim_time orr_mem_fabric_latency(const struct mem_fabric *fabric);

/* The time of an access that all NPUs make together. Stores take as long as loads. O(classes^2). */
sim_time orr_mem_fabric_time(const struct mem_fabric *fabric, uint64_t bytes, bool gathered);

/* Bytes on the busiest link of a class when NPU i moves weight[i] bytes; [npus]. O(npus), round a
 * ring O(stops^2) more. `scratch` holds [2 npus]. */
double orr_mem_fabric_busiest(const struct mem_fabric *fabric, const struct mem_link_class *link,
                              const double *weight, double *scratch);

/* ---- shapes ---- */

struct mem_shape {
    const char *name, *summary;
    /* Reads the shape's mapping, fills the classes of a pool for fabric->npus NPUs, and sets the
     * bytes of a stage to those for chunks of one byte. Errors:
     * counts that do not divide. */
    enum orr_status (*fill)(const struct orr_conf *map, struct mem_fabric *fabric,
                            struct orr_diag *diag);
};

extern const struct mem_shape orr_mem_shape_per_npu, orr_mem_shape_hierarchical,
    orr_mem_shape_multi_level, orr_mem_shape_ring, orr_mem_shape_mesh;

/* All shapes; ends with NULL. */
extern const struct mem_shape *const orr_mem_shapes[];

extern const struct orr_key_table orr_mem_pool_table, orr_mem_per_npu_table,
    orr_mem_hierarchical_table, orr_mem_multi_level_table, orr_mem_ring_table, orr_mem_mesh_table;

/* Fails unless `divisor` (the key `key` of the mapping) divides what is counted. */
enum orr_status orr_mem_check_divides(const struct orr_conf *map, const char *key, uint64_t divisor,
                                      uint64_t counted, const char *what, struct orr_diag *diag);

/* Multiplies bandwidths, and divides latencies, by the factor. */
void orr_mem_fabric_scale(struct mem_fabric *fabric, double factor);

#endif
