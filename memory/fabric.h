/* Memory pools that NPUs reach over links (ASTRA-sim 2.0, section IV-D;
 * docs/how-to/remote-memory.md): the load that the geometry of a pool puts on its links, and the
 * time of an access that all NPUs make together.
 *
 * A shape lists its link classes in the order in which a load passes them; a store passes them in
 * reverse. The links of a class are identical, and the busiest one determines the time. */
#ifndef ORR_MEMORY_FABRIC_H
#define ORR_MEMORY_FABRIC_H

#include "core/conf/keys.h"
#include "core/time.h"

struct orr_conf;
struct orr_diag;

enum { MEM_MAX_CLASSES = 12 };

/* Layout of a link class relative to the NPUs: determines the load that one NPU puts on the busiest
 * link. */
enum mem_spread {
    MEM_SPREAD_BUNDLES, /* `parts` equal bundles of links, each serving as many NPUs */
    MEM_SPREAD_RING,    /* links of a ring of `parts` stops */
    MEM_SPREAD_ROWS,    /* links along the rows of a mesh, `length` stops in each of `parts` rows */
    MEM_SPREAD_COLUMNS  /* links along the columns, `length` stops in each row, `parts` rows */
};

struct mem_link_class {
    const char *name;
    uint64_t links; /* one direction */
    double bandwidth_bytes_per_s;
    /* Parallelism: bytes of an access of all NPUs / bytes on the busiest link, i.e. the links that
     * work at the same time. Gathered: bytes counted once for all NPUs. */
    double parallelism, gathered_parallelism;
    /* Mean number of links of the class that a byte passes: bytes over all links / bytes of the
     * access. */
    double passes, gathered_passes;
    uint32_t hops; /* links of the class on the longest path */
    enum mem_spread spread;
    uint32_t parts, length;
};

enum mem_pipeline { MEM_LOCKSTEP, MEM_FIFO };

struct mem_fabric {
    struct mem_link_class link[MEM_MAX_CLASSES];
    unsigned classes;
    uint32_t npus;
    uint64_t chunk_bytes;                       /* on a link of the first class per stage */
    uint64_t stage_bytes, gathered_stage_bytes; /* of all links in a stage */
    enum mem_pipeline pipeline;
    uint64_t capacity_bytes; /* of the pool; 0: unlimited */
    bool shares_path;        /* with the network: one access, collective or message at a time */
    sim_time latency_ps, link_latency_ps;
};

/* Bytes of an access of all NPUs: `bytes` each, or, gathered, one tensor of `bytes` that all get.
 * UINT64_MAX on overflow. */
uint64_t orr_mem_fabric_total(const struct mem_fabric *fabric, uint64_t bytes, bool gathered);

/* Pipeline stages of `total` bytes. */
uint64_t orr_mem_fabric_stages(const struct mem_fabric *fabric, uint64_t total, bool gathered);

/* Time of a class for a stage of `stage_bytes`. */
sim_time orr_mem_fabric_transfer(const struct mem_link_class *link, uint64_t stage_bytes,
                                 bool gathered);

/* Latency of an access: of the memory plus of every link on the longest path. */
sim_time orr_mem_fabric_latency(const struct mem_fabric *fabric);

/* Time of an access that all NPUs make together. Stores take as long as loads. O(classes^2). */
sim_time orr_mem_fabric_time(const struct mem_fabric *fabric, uint64_t bytes, bool gathered);

/* Bytes on the busiest link of a class if NPU i moves weight[i] bytes; weight[npus]. `scratch`
 * holds [2 npus]. O(npus), for rings plus O(stops^2). */
double orr_mem_fabric_busiest(const struct mem_fabric *fabric, const struct mem_link_class *link,
                              const double *weight, double *scratch);

/* ---- shapes ---- */

struct mem_shape {
    const char *name, *summary;
    /* Reads the shape's mapping, fills the link classes of a pool for fabric->npus NPUs, and sets
     * the bytes of a stage for chunks of one byte. Errors: counts that do not divide. */
    enum orr_status (*fill)(const struct orr_conf *map, struct mem_fabric *fabric,
                            struct orr_diag *diag);
};

extern const struct mem_shape orr_mem_shape_per_npu, orr_mem_shape_hierarchical,
    orr_mem_shape_multi_level, orr_mem_shape_ring, orr_mem_shape_mesh;

/* All shapes; ends with NULL. */
extern const struct mem_shape *const orr_mem_shapes[];

extern const struct orr_key_table orr_mem_pool_table, orr_mem_per_npu_table,
    orr_mem_hierarchical_table, orr_mem_multi_level_table, orr_mem_ring_table, orr_mem_mesh_table;

/* Fails unless `divisor`, the value of `key` of the mapping, divides `counted`; `what` names what
 * is counted. */
enum orr_status orr_mem_check_divides(const struct orr_conf *map, const char *key, uint64_t divisor,
                                      uint64_t counted, const char *what, struct orr_diag *diag);

/* Multiplies bandwidths, and divides latencies, by the factor. */
void orr_mem_fabric_scale(struct mem_fabric *fabric, double factor);

#endif
