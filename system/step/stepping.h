/* Stepping: what happens in the phases of a member's chunks, once they are planned.
 *
 * A phase is stepped by one of several steppers (struct sys_stepper_ops), which is found when it is
 * planned. A stepper sends messages and gets those that arrive; when its part of the phase is over
 * it says so upwards (sys->up.phase_finished). */
#ifndef ORR_SYSTEM_STEP_STEPPING_H
#define ORR_SYSTEM_STEP_STEPPING_H

#include "system/p2p/p2p.h"
#include "system/plan/planning.h"

/* `phase` is the stream's, here because whoever asks has it at hand. */
struct sys_stepper_ops {
    const char *name;
    /* The phase begins, with its counters at 0. */
    void (*begin)(struct sys *sys, struct sys_stream *stream);
    /* Message `recv` of the phase has arrived. NULL: its messages are not those of collectives. */
    void (*arrived)(struct sys *sys, struct sys_stream *stream, const struct sys_phase *phase,
                    uint32_t recv);
    /* A peer asks for message `send` (rendezvous). NULL: nobody does. */
    void (*request)(struct sys *sys, struct sys_stream *stream, uint32_t send);
    /* A message has left the port, where the network tells. NULL: it does not matter. */
    void (*left)(struct sys *sys, struct sys_stream *stream, const struct sys_phase *phase);
};

/* ---- stepping.c: what a phase's stepper is asked through ---- */
void orr_sys_phase_begin(struct sys *sys, struct sys_stream *stream);
void orr_sys_collective_delivered(struct sys *sys, uint64_t label, uint64_t cookie);
void orr_sys_collective_left(struct sys *sys, uint64_t source_cookie);

/* ---- phase_turns.c ---- */
/* The stream is ready for its phase, which begins at once or, with an order, when it is its turn.
 */
void orr_sys_phase_enter(struct sys *sys, struct sys_stream *stream);
/* A chunk-phase of the member's dimension is over: lets the next one begin, if it is ready. */
void orr_sys_phase_serve_next(struct sys *sys, struct sys_operation *operation,
                              struct sys_member_id member, unsigned dim);

/* ---- messages.c ---- */
/* What messages go by at ports: those of a member, by its age; and of the stream's phase. */
uint64_t orr_sys_member_order(const struct sys *sys, const struct sys_member *member);
uint64_t orr_sys_port_order(const struct sys *sys, const struct sys_stream *stream);
void orr_sys_send_step(struct sys *sys, struct sys_stream *stream, struct sys_position peer,
                       const struct coll_send *send);
/* Asks the peer for its send `peer_send` (rendezvous). */
void orr_sys_send_request(struct sys *sys, struct sys_stream *stream, struct sys_position peer,
                          uint32_t peer_send);
/* Has an event of the kind happen to the stream in the next round of this instant. */
void orr_sys_post_now(struct sys *sys, struct sys_stream *stream, uint16_t kind, uint32_t step);

/* ---- message_labels.c ---- */
/* Such a collective will be started. */
void orr_sys_labels_announce(struct sys *sys, const struct sys_collective *request);
/* Gives a planned operation its labels; false, with the queue stopped, when they do not hold them.
 */
bool orr_sys_labels_fit(struct sys *sys, struct sys_operation *operation);

/* ---- message_log.c: where sys->log is there ---- */
__attribute__((cold)) void orr_sys_log_send(struct sys *sys, const struct sys_stream *stream,
                                            const struct coll_send *send,
                                            const struct net_msg *msg);
__attribute__((cold)) void orr_sys_log_arrival(struct sys *sys, uint64_t label, uint64_t cookie);
void orr_sys_log_fini(struct sys *sys);

/* ---- unexpected.c: messages that came before their receiver was ready for them ---- */
void orr_sys_unexpected_init(struct sys *sys);
void orr_sys_unexpected_fini(struct sys *sys);
void orr_sys_unexpected_add(struct sys *sys, struct sys_stream *stream, uint8_t phase,
                            uint32_t recv, bool request);
bool orr_sys_unexpected_take(struct sys *sys, struct sys_stream *stream, uint8_t phase,
                             uint32_t recv, bool request);

/* ---- generic_stepper.c: by the programs' own rules ---- */
extern const struct sys_stepper_ops orr_sys_generic_steps;
void orr_sys_generic_accept(struct sys *sys, struct sys_stream *stream, uint32_t recv);
/* Has a message that came taken in at a time to come. */
void orr_sys_generic_accept_at(struct sys *sys, const struct sys_stream *stream, uint32_t recv,
                               sim_time time);
/* Sends what may be sent; and ends the phase if that was all. */
void orr_sys_generic_pump(struct sys *sys, struct sys_stream *stream);
void orr_sys_generic_advance(struct sys *sys, struct sys_stream *stream);

/* ---- after_sends.c ---- */
/* Takes in what came and was not due before the sends that have gone by now, and sends what may be
 * sent then. */
__attribute__((cold)) void orr_sys_accept_after_sends(struct sys *sys, struct sys_stream *stream);

/* ---- tree_flow_control.c: what sends along trees wait for besides the receives that they need
 * ---- */
/* Whether a send that is next may go. Where not, orr_sys_generic_advance follows when it may. */
__attribute__((cold)) bool orr_sys_gates_pass(struct sys *sys, struct sys_stream *stream,
                                              const struct coll_send *send);
/* A message has been taken in. */
__attribute__((cold)) void orr_sys_gates_accepted(struct sys *sys, struct sys_stream *stream,
                                                  const struct coll_recv *recv);
void orr_sys_on_buffer_free(void *context, const struct orr_event *event);

/* ---- message_trains.c: callbacks of the network, see net_listener ---- */
bool orr_sys_repeats(void *context, uint64_t source_cookie, struct net_repeat *repeat);
void orr_sys_repeating(void *context, uint64_t source_cookie);
void orr_sys_repeated(void *context, uint64_t source_cookie);
void orr_sys_interrupted(void *context, uint64_t source_cookie,
                         const struct net_progress *progress);

/* ---- custom_stepper.c: programs read from traces ---- */
extern const struct sys_stepper_ops orr_sys_custom_steps;
enum orr_status orr_sys_custom_prepare(struct sys_operation *operation);
void orr_sys_custom_op_done(struct sys *sys, struct sys_stream *stream, uint32_t op);
void orr_sys_on_custom_compute(void *context, const struct orr_event *event);

#endif
