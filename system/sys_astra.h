/* System files of the ASTRA-sim simulator. */
#ifndef ORR_SYSTEM_SYS_ASTRA_H
#define ORR_SYSTEM_SYS_ASTRA_H

#include "system/sys_config.h"

struct orr_arena;
struct orr_diag;

/* Contents of a system file. The caller sets `config.policy`. */
struct sys_astra {
    struct sys_config config;
    struct orr_location list_location[SYS_LISTED_KINDS], custom_location[SYS_LISTED_KINDS];
    const char *custom_prefix[SYS_LISTED_KINDS]; /* traces of custom collectives, or NULL */
    double local_memory_bytes_per_s;             /* INFINITY when not given */
    double peak_flops;
    bool roofline, replay_only, track_local_memory;
    const char *local_memory_trace;
};

/* Reads a system file (JSON). Warns of keys that ASTRA-sim ignores, except for the two of dimension
 * scheduling if `dimension_scheduling` obeys them. Errors: those of the keys, with location;
 * memory. */
enum orr_status orr_sys_config_read_astra(struct orr_arena *arena, const char *path,
                                          bool dimension_scheduling, struct sys_astra *astra,
                                          struct orr_diag *diag);
/* Checks the algorithm lists for a network of `dims` dimensions: too many entries are an error, too
 * few a warning. */
enum orr_status orr_sys_astra_check_dims(const struct sys_astra *astra, unsigned dims,
                                         struct orr_diag *diag);

#endif
