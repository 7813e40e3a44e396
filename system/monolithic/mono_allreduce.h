/* Monolithic collectives: one all-reduce that begins when the last member starts it and ends for
 * all members at once, unlike collectives that members run in chunks and phases. */
#ifndef ORR_SYSTEM_MONOLITHIC_MONO_ALLREDUCE_H
#define ORR_SYSTEM_MONOLITHIC_MONO_ALLREDUCE_H

#include "system/step/stepping.h"

/* ---- mono_allreduce.c ---- */
/* Begins an operation that all members have started. */
void orr_sys_mono_begin(struct sys *sys, struct sys_operation *operation);
/* A message of a monolithic collective has arrived, or has left its sender; the cookies are those
 * of orr_mono_send. */
void orr_sys_mono_delivered(struct sys *sys, uint64_t cookie);
void orr_sys_mono_left(struct sys *sys, uint64_t cookie);
void orr_sys_on_mono(void *context, const struct orr_event *event);

/* ---- mono_calls.c ---- */
/* Initializes; false: no memory. Frees everything, also after a failed run. */
bool orr_sys_monos_create(struct sys *sys);
void orr_sys_monos_destroy(struct sys *sys);

/* The rings of the group for its phases, where the network is a graph that is not built of
 * dimensions; NULL: none. O(1), the first of a group likewise. (phase_rings.c) */
const struct coll_rings *orr_mono_phase_rings(const struct sys *sys, struct sys_group *group);

/* Counts the rings of a group whose collectives go around them, for orr_sys_ring_use. O(1).
 * (mono_group_rings.c) */
void orr_mono_note_rings(struct sys *sys, struct sys_group *group);

#endif
