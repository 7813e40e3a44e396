/* Remote memory: a backend behind an ops table (docs/models.md, section 7). */
#ifndef ORR_MEMORY_MEM_H
#define ORR_MEMORY_MEM_H

#include <stddef.h>

#include "core/conf/keys.h"
#include "core/fold.h"
#include "core/time.h"

struct mem_fabric;
struct orr_arena;
struct orr_diag;
struct orr_evq;

struct mem_config {
    const char *type; /* name in the registry */
    double bandwidth_bytes_per_s;
    sim_time latency_ps;
    bool whole_ns; /* truncate to whole ns, as the reference does */
    double given_bytes_per_ns, given_latency_ns;
    struct mem_fabric *fabric; /* of a memory.pool; else NULL */
    const void *backend_keys;  /* values of the type-specific keys; NULL: defaults */
};

/* A load or store, from an event of its NPU. */
struct mem_access {
    uint64_t bytes;  /* of this NPU; gathered: of the whole tensor */
    uint64_t label;  /* orders the completion among the NPU's events of that instant */
    uint64_t cookie; /* given back at completion */
    struct orr_slot npu;
    bool store;
    bool gathered; /* loads gather, stores reduce-scatter, inside the pool's switches */
};

/* `done` is called in an event of the requesting NPU when its access is complete. */
struct mem_listener {
    void *context;
    void (*done)(void *context, struct orr_slot npu, uint64_t cookie);
};

struct mem;

/* Type-specific keys of memory.remote, and the size of their target. */
struct mem_backend_keys {
    struct orr_key_table table; /* `owner` is unused */
    struct orr_key_table astra; /* the same in a file of ASTRA-sim, where all are required */
    size_t bytes;               /* of the values */
    const void *defaults;       /* values of a section without these keys */
};

struct mem_ops {
    const char *name, *summary;
    const char *astra_type; /* memory-type in a file of ASTRA-sim; NULL: none */
    const char *accesses;   /* memory.pool.accesses that selects it; NULL: by name */
    const struct mem_backend_keys *backend_keys; /* NULL: none */
    bool requires_fifo;                          /* memory.pool: supports pipeline: fifo only */
    enum orr_status (*create)(struct mem **out, const struct mem_config *config, uint32_t npus,
                              struct orr_evq *queue, struct orr_arena *arena,
                              struct orr_diag *diag);
    /* Starts an access; NULL: no remote memory. */
    void (*access)(struct mem *mem, const struct mem_access *access);
    /* No access changes the time of another NPU's, so NPUs may be folded. */
    bool is_contention_free;
};

/* Common first member of every remote memory. */
struct mem {
    const struct mem_ops *ops;
    const struct mem_config *config;
    struct orr_evq *queue;
    struct mem_listener listener;
};

/* All remote memories; ends with NULL. */
extern const struct mem_ops *const orr_mem_types[];
const struct mem_ops *orr_mem_type_find(const char *name);

/* The default type, and the default of memory.pool.accesses. */
extern const char orr_mem_default_type[], orr_mem_default_accesses[];

/* Names of the index-th type: by type, in files of ASTRA-sim, by accesses of a memory.pool; NULL
 * after the last. And the type of such a name, or NULL. */
const char *orr_mem_type_name(size_t index);
const char *orr_mem_astra_name(size_t index);
const char *orr_mem_accesses_name(size_t index);
const struct mem_ops *orr_mem_astra_find(const char *name);
const struct mem_ops *orr_mem_accesses_find(const char *name);

/* Type-specific keys of the index-th type, in our files and in files of ASTRA-sim; empty if it has
 * none, NULL after the last. */
const struct orr_key_table *orr_mem_backend_keys_table(size_t index);
const struct orr_key_table *orr_mem_backend_keys_astra_table(size_t index);

/* Creates the targets of these keys, one per type; NULL if memory is out. And the target of one
 * type. */
void *const *orr_mem_backend_keys_create(struct orr_arena *arena);
const void *orr_mem_backend_keys_of(void *const *values, const struct mem_ops *ops);

/* Checks whether the remote memory can serve the access. The error's text ends the sentence "node
 * ... of NPU ... ". */
enum orr_status orr_mem_check(const struct mem_config *config, const struct mem_access *access,
                              struct orr_diag *diag);

/* Multiplies bandwidths, and divides latencies, by the factor. */
void orr_mem_config_scale(struct mem_config *config, double factor);

/* Creates the memory that config->type names; an unknown type is an input error. */
enum orr_status orr_mem_create(struct mem **out, const struct mem_config *config, uint32_t npus,
                               struct orr_evq *queue, struct orr_arena *arena,
                               struct orr_diag *diag);

#endif
