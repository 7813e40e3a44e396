/* Collectives that a group does as a whole: one all-reduce that begins when the last member starts
 * it and ends for all at once, as opposed to parts that each member does in phases. */
#ifndef ORR_SYSTEM_WHOLE_WHOLE_H
#define ORR_SYSTEM_WHOLE_WHOLE_H

#include "system/step/stepping.h"

/* ---- whole.c ---- */
/* All members have started the operation. */
void orr_sys_whole_begin(struct sys *sys, struct sys_operation *operation);
/* A message of one has arrived, or has left its sender; the cookies are those of orr_whole_send. */
void orr_sys_whole_delivered(struct sys *sys, uint64_t cookie);
void orr_sys_whole_left(struct sys *sys, uint64_t cookie);
void orr_sys_on_whole(void *context, const struct orr_event *event);

/* ---- whole_calls.c ---- */
/* Before the first; false: no memory. And frees what a run that failed has left. */
bool orr_sys_wholes_create(struct sys *sys);
void orr_sys_wholes_destroy(struct sys *sys);

#endif
