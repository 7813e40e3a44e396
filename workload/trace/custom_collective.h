/* Custom collectives: the programs of the members, read from traces. */
#ifndef ORR_WORKLOAD_TRACE_CUSTOM_COLLECTIVE_H
#define ORR_WORKLOAD_TRACE_CUSTOM_COLLECTIVE_H

#include <stdint.h>

#include "core/status.h"

struct orr_arena;
struct orr_diag;
struct sys_custom;

/* Loads PREFIX.POSITION.et for every position 0..ranks-1. The programs live in the arena. */
enum orr_status orr_wl_load_custom(struct orr_arena *arena, const char *prefix, uint32_t ranks,
                                   const struct sys_custom **out, struct orr_diag *diag);

#endif
