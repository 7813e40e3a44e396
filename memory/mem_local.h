/* Local memory: times of loads and stores (docs/models.md, section 7). */
#ifndef ORR_MEMORY_MEM_LOCAL_H
#define ORR_MEMORY_MEM_LOCAL_H

#include "core/time.h"

/* Local memory: latency + bytes / bandwidth. */
struct mem_local {
    double bandwidth_bytes_per_s; /* INFINITY: not modelled */
    sim_time latency_ps;
    uint64_t capacity_bytes; /* 0: unlimited */
    unsigned contention;     /* enum mem_contention */
    bool ignore_capacity; /* too large jobs get a warning instead of an error; also for the capacity
                             of a pool */
};

/* Contention of compute and accesses for the memory's bandwidth: none (each has all of it), or
 * max-min fair sharing. */
enum mem_contention { MEM_CONTENTION_NONE, MEM_CONTENTION_FAIR };

/* Time of one access. */
sim_time orr_mem_local_time(const struct mem_local *memory, uint64_t bytes);

#endif
