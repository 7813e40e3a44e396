/* Local memory: latency + bytes / bandwidth (docs/models.md, section 7). */
#include "memory/mem_local.h"

sim_time orr_mem_local_time(const struct mem_local *memory, uint64_t bytes)
{
    return orr_time_add(memory->latency_ps,
                        orr_time_of_bytes(bytes, memory->bandwidth_bytes_per_s));
}
