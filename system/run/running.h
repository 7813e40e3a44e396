/* Running operations and the system that runs them: the top room of the folder. */
#ifndef ORR_SYSTEM_RUN_RUNNING_H
#define ORR_SYSTEM_RUN_RUNNING_H

#include "system/monolithic/mono_allreduce.h"
#include "system/plan/autotune.h"

/* ---- run_operation.c ---- */
void orr_sys_operations_destroy(struct sys *sys);
void orr_sys_phase_finished(struct sys *sys, struct sys_stream *stream);
void orr_sys_on_done(void *context, const struct orr_event *event);
void orr_sys_mono_member_done(struct sys *sys, struct sys_operation *operation,
                              struct sys_member_id member);
void orr_sys_on_settled(void *context, const struct orr_event *event);

/* ---- partial_delivery.c ---- */
/* Whether the operation delivers its buffer chunk by chunk. */
bool orr_sys_delivers_chunks(const struct sys_operation *operation);
/* Bytes of the prefix delivered to a watched member. */
uint64_t orr_sys_delivered_bytes(const struct sys_operation *operation,
                                 const struct sys_member *member);
/* A chunk of a watched member, not its last, is complete: reports the delivered prefix if it grew.
 */
void orr_sys_chunk_delivered(struct sys *sys, struct sys_stream *stream);

/* ---- system.c ---- */
/* orr_sys_create without predictors; the caller sets them. */
enum orr_status orr_sys_open(struct sys **out, const struct sys_config *config, struct net *net,
                             struct orr_evq *queue, struct orr_arena *arena, struct orr_diag *diag);

/* ---- predict_scheduler.c, autotune_trial.c: see struct sys_predictors ---- */
sim_time orr_sys_predict(const struct sys *sys, const struct sys_operation *operation,
                         const struct sys_scheduler_ops *scheduler);
sim_time orr_sys_predict_tuning(const struct sys *sys, const struct sys_operation *operation,
                                const struct sys_tuning *tuning, struct sys_trial *limits);

#endif
