/* Point-to-point messages: matching of sends and receives. */
#ifndef ORR_SYSTEM_P2P_P2P_H
#define ORR_SYSTEM_P2P_P2P_H

#include "system/state.h"

/* Owner of an operation: a node of the workload, or an operation of a custom collective's stream,
 * which sys->up.op_done completes. */
struct p2p_owner {
    struct sys_stream *stream; /* NULL: the workload */
    uint64_t cookie;           /* the workload's cookie, or the operation */
    uint32_t port_stream;      /* of its messages */
};
/* The space of signals, which arrive at once and use no network resource. */
#define P2P_SIGNALS UINT64_MAX

struct p2p_op {
    struct orr_rank src, dst;
    uint64_t tag;
    uint64_t bytes;
    uint64_t space; /* separates custom collectives and signals; 0: messages of the workload */
    struct p2p_owner owner;
};

/* ---- p2p.c ---- */
enum orr_status orr_p2p_create(struct sys *sys, struct orr_diag *diag);
void orr_p2p_destroy(struct sys *sys);
void orr_p2p_send(struct sys *sys, const struct p2p_op *op);
void orr_p2p_recv(struct sys *sys, const struct p2p_op *op);
void orr_p2p_delivered(struct sys *sys, uint64_t cookie);
void orr_sys_on_signal(void *context, const struct orr_event *event);
void orr_sys_on_p2p_complete(void *context, const struct orr_event *event);
void orr_sys_on_rendezvous_send(void *context, const struct orr_event *event);

/* Label of a point-to-point message or similar event. Only events of `src` may call it (order by
 * labels). */
uint64_t orr_p2p_label(struct sys *sys, struct orr_rank src, struct orr_rank dst);

/* ---- p2p_report.c ---- */
/* Number of sends without a receive. */
uint64_t orr_p2p_unmatched(const struct sys *sys);
/* Describes why an operation is not complete; `receiver` or `sender` is the name of its other end
 * in the report. */
void orr_p2p_explain_send(const struct sys *sys, const struct p2p_op *op, struct orr_rank receiver,
                          char *text, size_t bytes);
void orr_p2p_explain_recv(const struct sys *sys, const struct p2p_op *op, struct orr_rank sender,
                          char *text, size_t bytes);

/* ---- p2p_calls.c ---- */
/* The operation of a message. With a fold, (sender, receiver) is shifted to the representative of
 * the sender's class. */
struct p2p_op orr_sys_op_of(const struct sys *sys, const struct sys_message *message, bool sends);

/* Route key of the next message of a rank, if routes are keyed by order of start
 * (policy.key_by_start). */
uint64_t orr_sys_route_key(struct sys *sys, struct orr_rank rank);
/* Reserves `count` consecutive keys; returns the first. */
uint64_t orr_sys_route_keys(struct sys *sys, struct orr_rank rank, uint32_t count);

#endif
