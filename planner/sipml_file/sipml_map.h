/* Where the circuits of a plan are: through which switches, or on which wavelengths
 * (sipml_map.c). */
#ifndef ORR_PLANNER_SIPML_FILE_SIPML_MAP_H
#define ORR_PLANNER_SIPML_FILE_SIPML_MAP_H

#include "planner/plan_file/plan_job.h"

struct sipml_map {
    bool known; /* else nothing below is there */
    bool ring;
    const uint32_t *first;   /* [rows of the traffic + 1] those of row i are place[first[i]], ... */
    const uint32_t *channel; /* rising: switches, or wavelengths */
    const bool *down;        /* [rows] of a ring: the way of falling numbers */
    const uint32_t *peer; /* [switches * group] not of a ring: to which device each one sends by a
                             switch, or WAVE_NONE; those of other groups to as many further on */
};

/* Of circuits that the job's network sets once: through switches that each join all devices.
 * Wavelengths are known of one ring, by load, with
 * all wavelengths on both fibres. All of it is the arena's. Errors: memory. O(circuits x switches)
 * at worst (orr_ocs_switches), or as orr_ring_allocate. */
enum orr_status orr_sipml_map(struct orr_arena *arena, const struct plan_job *job,
                              const struct sipml_traffic *traffic,
                              const struct sipml_circuits *circuits, struct sipml_map *out,
                              struct orr_diag *diag);

#endif
