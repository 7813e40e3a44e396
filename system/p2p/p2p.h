/* Messages from point to point: sends and receives that find each other. */
#ifndef ORR_SYSTEM_P2P_P2P_H
#define ORR_SYSTEM_P2P_P2P_H

#include "system/state.h"

/* Who a completed operation belongs to: the workload's node, or an operation of a custom
 * collective's stream, which is told of it by sys->up.op_done. */
struct p2p_owner {
    struct sys_stream *stream; /* NULL: the workload */
    uint64_t cookie;           /* the workload's cookie, or the operation */
};
/* The space of signals, which are there at once and take nothing of the network. */
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

/* The label of a message from point to point, or like those: only events of `src` may ask for one
 * (order by labels). */
uint64_t orr_p2p_label(struct sys *sys, struct orr_rank src, struct orr_rank dst);

/* ---- p2p_report.c ---- */
/* Sends that nobody has posted a receive for. */
uint64_t orr_p2p_unmatched(const struct sys *sys);
/* Why an operation is not done; its other end is what the report calls it. */
void orr_p2p_explain_send(const struct sys *sys, const struct p2p_op *op, struct orr_rank receiver,
                          char *text, size_t bytes);
void orr_p2p_explain_recv(const struct sys *sys, const struct p2p_op *op, struct orr_rank sender,
                          char *text, size_t bytes);

/* ---- p2p_calls.c ---- */
/* The operation of a message. With a fold, seen from who stands for the sender's class:
 * the receiver's pair of sender and receiver is shifted there. */
struct p2p_op orr_sys_op_of(const struct sys *sys, const struct sys_message *message, bool sends);

/* The router's key of the next message of a rank, where messages take their ways by the order in
 * which they start (policy.key_by_start). */
uint64_t orr_sys_route_key(struct sys *sys, struct orr_rank rank);
/* The first of so many that follow each other. */
uint64_t orr_sys_route_keys(struct sys *sys, struct orr_rank rank, uint32_t count);

#endif
