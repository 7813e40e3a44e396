/* Reads the `memory` section of a platform file, or a remote memory file of ASTRA-sim. */
#ifndef ORR_MEMORY_MEM_CONFIG_READ_H
#define ORR_MEMORY_MEM_CONFIG_READ_H

#include "core/conf/keys.h"
#include "memory/mem.h"
#include "memory/mem_local.h"

struct mem_fabric;
struct orr_arena;
struct orr_conf;
struct orr_diag;

/* Reads the `memory` section of a platform file (NULL: absent) for `npus` NPUs. */
enum orr_status orr_mem_config_read(struct orr_arena *arena, const struct orr_conf *map,
                                    uint32_t npus, struct mem_local *local,
                                    struct mem_config *remote, struct orr_diag *diag);
extern const struct orr_key_table orr_mem_key_table;

/* Reads the section `memory.pool` for `npus` NPUs; *ops is the type that serves it.
 * (pool_config.c) */
enum orr_status orr_mem_pool_read(const struct orr_conf *map, uint32_t npus,
                                  struct mem_fabric *fabric, const struct mem_ops **ops,
                                  struct orr_diag *diag);

/* Reads the remote memory file of the ASTRA-sim simulator (JSON; GB/s of 10^9 bytes, ns). */
enum orr_status orr_mem_config_read_astra(struct orr_arena *arena, const char *path,
                                          struct mem_config *config, struct orr_diag *diag);

#endif
