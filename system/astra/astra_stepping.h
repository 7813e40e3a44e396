/* ASTRA-sim compatibility: stepping by its event chains, and admission of chunk-phases by its
 * queues (docs/how-to/astra-sim-collectives.md). */
#ifndef ORR_SYSTEM_ASTRA_ASTRA_STEPPING_H
#define ORR_SYSTEM_ASTRA_ASTRA_STEPPING_H

#include "system/step/stepping.h"

/* ---- astra_step.c: ring, direct and halving-doubling ---- */
extern const struct sys_stepper_ops orr_astra_steps;
/* The stepper of a phase: this one, the tree's, or the generic one. */
const struct sys_stepper_ops *orr_astra_stepper(const struct sys_operation *operation,
                                                const struct sys_phase *phase);
void orr_sys_on_step(void *context, const struct orr_event *event);
void orr_sys_on_unexpected(void *context, const struct orr_event *event);
void orr_sys_on_rendezvous(void *context, const struct orr_event *event);

/* ---- astra_tree.c: the double binary tree ---- */
extern const struct sys_stepper_ops orr_astra_tree_steps;
void orr_astra_tree_step(struct sys *sys, struct sys_stream *stream, bool reduce);

/* ---- astra_events.c: events of both ---- */
/* Delay of a step, and whether a reduction follows. */
enum sys_step_wait { SYS_ENDPOINT, SYS_ENDPOINT_THEN_REDUCTION, SYS_REDUCTION };
/* Posts the next step of a chunk-phase; `packet` is passed to the reduction. */
void orr_sys_post_step(struct sys *sys, struct sys_stream *stream, sim_time delay,
                       enum sys_step_wait wait, uint32_t packet);
/* Posts a receive; a message that has already arrived is accepted in a separate event. */
void orr_sys_post_recv(struct sys *sys, struct sys_stream *stream, uint32_t recv);
sim_time orr_sys_reduction_time(const struct sys *sys, uint64_t bytes);

/* ---- astra_queues.c: queues of chunk-phases ---- */
extern const struct sys_chunk_ops orr_astra_chunks;

#endif
