/* Collectives that a group does as a whole: one all-reduce that begins when the last member starts
 * it and ends for all at once, as opposed to parts that each member does in phases. */
#ifndef ORR_SYSTEM_MONOLITHIC_MONO_ALLREDUCE_H
#define ORR_SYSTEM_MONOLITHIC_MONO_ALLREDUCE_H

#include "system/step/stepping.h"

/* ---- mono_allreduce.c ---- */
/* All members have started the operation. */
void orr_sys_mono_begin(struct sys *sys, struct sys_operation *operation);
/* A message of one has arrived, or has left its sender; the cookies are those of orr_mono_send. */
void orr_sys_mono_delivered(struct sys *sys, uint64_t cookie);
void orr_sys_mono_left(struct sys *sys, uint64_t cookie);
void orr_sys_on_mono(void *context, const struct orr_event *event);

/* ---- mono_calls.c ---- */
/* Before the first; false: no memory. And frees what a run that failed has left. */
bool orr_sys_monos_create(struct sys *sys);
void orr_sys_monos_destroy(struct sys *sys);

#endif
