/* Counters of a system: monolithic all-reduces, rings, several users of one system. */
#ifndef ORR_SYSTEM_SYS_COUNTS_H
#define ORR_SYSTEM_SYS_COUNTS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/status.h"

struct orr_diag;

struct sys;

/* Counters of monolithic all-reduces of groups of two or more members: started, rounds with a
 * barrier, and all-reduces that fell back to `ring`. */
struct sys_mono_counts {
    uint64_t all_reduces, rounds, ring_fallbacks;
};
struct sys_mono_counts orr_sys_mono_counts(const struct sys *sys);

/* What all-reduces of the largest group that did some went around: how many rings, and how many of
 * the links among its members their steps take. */
struct sys_ring_use {
    uint32_t members, rings;
    uint64_t links_used, links; /* one way, parallel ones each */
};
/* false: there are no such links, or no memory to tell. O(links + rings x members). */
bool orr_sys_ring_use(const struct sys *sys, struct sys_ring_use *out);

/* Several users of one system, none of whose ranks two have: what they send and their all-reduces
 * are counted apart, and the ways of the messages of one do not depend on the others (keys by start
 * begin with its number). */
struct sys_tenants {
    uint32_t count;
    const uint32_t *of;     /* [npus] the tenant of a rank; >= count: none */
    const uint32_t *number; /* [count] */
};
struct sys_tenant_counts {
    uint64_t messages;
    struct sys_mono_counts whole;
};
/* Call before the run; the arrays must outlive the system. Error: memory. */
enum orr_status orr_sys_set_tenants(struct sys *sys, const struct sys_tenants *tenants,
                                    struct orr_diag *diag);
struct sys_tenant_counts orr_sys_tenant_counts(const struct sys *sys, uint32_t tenant);

#endif
