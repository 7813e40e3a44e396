/* Stepping: execution of the phases of a member's planned chunks.
 *
 * Each phase has a stepper (struct sys_stepper_ops), selected when it is planned. A stepper sends
 * messages and gets those that arrive; when its part of the phase ends it calls
 * sys->up.phase_finished. */
#ifndef ORR_SYSTEM_STEP_STEPPING_H
#define ORR_SYSTEM_STEP_STEPPING_H

#include "network/net_message.h"
#include "system/groups/group.h"
#include "system/p2p/p2p.h"
#include "system/plan/planning.h"
#include "system/sys_position.h"

struct coll_recv;
struct coll_send;
struct orr_event;
struct sys;
struct sys_collective;
struct sys_member;
struct sys_operation;
struct sys_phase;
struct sys_stream;

/* `phase` is the stream's current phase, passed because callers have it. */
struct sys_stepper_ops {
    const char *name;
    /* Begins the phase; its counters are 0. */
    void (*begin)(struct sys *sys, struct sys_stream *stream);
    /* Message `recv` of the phase has arrived. NULL: its messages are point-to-point. */
    void (*arrived)(struct sys *sys, struct sys_stream *stream, const struct sys_phase *phase,
                    uint32_t recv);
    /* A peer requests message `send` (rendezvous). NULL: unused. */
    void (*request)(struct sys *sys, struct sys_stream *stream, uint32_t send);
    /* A message has left the port, if the network reports that. NULL: unused. */
    void (*left)(struct sys *sys, struct sys_stream *stream, const struct sys_phase *phase);
};

/* When the chunks of a member begin their phases, and who steps these (sys_policy.chunks). */
struct sys_chunk_ops {
    const char *name;
    /* With the system, in its arena; false: out of memory. NULL: nothing to do. */
    bool (*create)(struct sys *sys);
    /* A member starts its part of an operation. NULL: nothing to do. */
    enum orr_status (*plan)(struct sys *sys, struct sys_operation *operation, struct orr_slot npu,
                            struct sys_member *member);
    /* The stepper of a phase of a planned collective. */
    const struct sys_stepper_ops *(*stepper_of)(const struct sys_operation *operation,
                                                const struct sys_phase *phase);
    void (*start)(struct sys *sys, struct sys_stream *stream); /* its first phase */
    void (*next)(struct sys *sys, struct sys_stream *stream);  /* a phase has ended, not the last */
    /* The last phase has ended, and the chunk is done. NULL: nothing to do. */
    void (*leave)(struct sys *sys, struct sys_stream *stream);
    const char *stall_hint; /* appended to the report of a stuck collective */
};

/* ---- stepping.c: dispatch to the stepper ---- */
void orr_sys_phase_begin(struct sys *sys, struct sys_stream *stream);
void orr_sys_collective_delivered(struct sys *sys, uint64_t label, uint64_t cookie);
void orr_sys_collective_left(struct sys *sys, uint64_t source_cookie);

/* ---- phase_turns.c ---- */
extern const struct sys_chunk_ops orr_sys_chunks_by_turns;
/* The stream is ready for its phase. It begins at once or, with a service order, at its turn. */
void orr_sys_phase_enter(struct sys *sys, struct sys_stream *stream);
/* A chunk-phase of the member's dimension has ended: begins the next one if it is ready. */
void orr_sys_phase_serve_next(struct sys *sys, struct sys_operation *operation,
                              struct sys_member_id member, unsigned dim);

/* ---- messages.c ---- */
/* Priority of messages at ports: of a member, by age; of the stream's phase. */
uint64_t orr_sys_member_order(const struct sys *sys, const struct sys_member *member);
uint64_t orr_sys_port_order(const struct sys *sys, const struct sys_stream *stream);
void orr_sys_send_step(struct sys *sys, struct sys_stream *stream, struct sys_position peer,
                       const struct coll_send *send);
/* Requests the peer's send `peer_send` (rendezvous). */
void orr_sys_send_request(struct sys *sys, struct sys_stream *stream, struct sys_position peer,
                          uint32_t peer_send);
/* Posts an event for the stream in the next round of this instant. */
void orr_sys_post_now(struct sys *sys, struct sys_stream *stream, uint16_t kind, uint32_t step);

/* ---- message_labels.c ---- */
/* Announces a collective that will be started, so that labels have bits for it. */
void orr_sys_labels_announce(struct sys *sys, const struct sys_collective *request);
/* Sets the label of a planned operation; false, with the queue stopped, if the labels have too few
 * bits. */
bool orr_sys_labels_fit(struct sys *sys, struct sys_operation *operation);

/* ---- message_log.c: only if sys->log is set ---- */
__attribute__((cold)) void orr_sys_log_send(struct sys *sys, const struct sys_stream *stream,
                                            const struct coll_send *send,
                                            const struct net_msg *msg);
__attribute__((cold)) void orr_sys_log_arrival(struct sys *sys, uint64_t label, uint64_t cookie);
void orr_sys_log_fini(struct sys *sys);

/* ---- unexpected.c: unexpected messages ---- */
void orr_sys_unexpected_init(struct sys *sys);
void orr_sys_unexpected_fini(struct sys *sys);
void orr_sys_unexpected_add(struct sys *sys, struct sys_stream *stream, uint8_t phase,
                            uint32_t recv, bool request);
bool orr_sys_unexpected_take(struct sys *sys, struct sys_stream *stream, uint8_t phase,
                             uint32_t recv, bool request);

/* ---- generic_stepper.c: steps programs by their conditions ---- */
extern const struct sys_stepper_ops orr_sys_generic_steps;
void orr_sys_generic_accept(struct sys *sys, struct sys_stream *stream, uint32_t recv);
/* Posts the acceptance of an arrived message at a later time. */
void orr_sys_generic_accept_at(struct sys *sys, const struct sys_stream *stream, uint32_t recv,
                               sim_time time);
/* pump: sends what may be sent. advance: also ends the phase if it is complete. */
void orr_sys_generic_pump(struct sys *sys, struct sys_stream *stream);
void orr_sys_generic_advance(struct sys *sys, struct sys_stream *stream);

/* ---- after_sends.c ---- */
/* Accepts arrived messages that are due after the sends issued so far, and sends what they allow.
 */
__attribute__((cold)) void orr_sys_accept_after_sends(struct sys *sys, struct sys_stream *stream);

/* ---- tree_flow_control.c: further constraints on sends along trees ---- */
/* Whether the next send may go. If not, orr_sys_generic_advance is called when it may. */
__attribute__((cold)) bool orr_sys_gates_pass(struct sys *sys, struct sys_stream *stream,
                                              const struct coll_send *send);
/* A message has been accepted. */
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
