/* The optical channels of the circuits of a plan: switches, or wavelengths (sipml_map.c). */
#ifndef ORR_SIPML_PLAN_SIPML_MAP_H
#define ORR_SIPML_PLAN_SIPML_MAP_H

#include "planner/plan_file/plan_job.h"
#include "sipml/search/sipml_circuits.h"

struct sipml_map {
    bool known; /* false: nothing below is set */
    bool ring;
    const uint32_t *first;   /* [rows of the traffic + 1] row i has channel[first[i]], ... */
    const uint32_t *channel; /* ascending: switches, or wavelengths */
    const bool *down;        /* [rows] of a ring: the direction of descending numbers */
    const uint32_t *peer; /* [switches * group] not of a ring: the device to which each one sends by
                             a switch, or WAVE_NONE; other groups are shifted */
};

/* Finds the channels of circuits that the job's network sets once. Switches are known if each joins
 * all devices; wavelengths if there is one ring, allocated by load, with all wavelengths on both
 * fibres. All of it is in the arena. Errors: memory. O(circuits x switches) at worst
 * (orr_ocs_switches), or as orr_ring_allocate. */
enum orr_status orr_sipml_map(struct orr_arena *arena, const struct plan_job *job,
                              const struct sipml_traffic *traffic,
                              const struct sipml_circuits *circuits, struct sipml_map *out,
                              struct orr_diag *diag);

#endif
