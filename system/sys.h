/* A running system: communicator groups, collectives as chunk pipelines over dimensions, and
 * point-to-point matching (docs/models.md, section 5).
 *
 * The workload layer starts operations; the system layer sends their messages through the network
 * and calls the listener when an operation is complete on an NPU. Traces and groups name NPUs by
 * rank, calls of a running system by slot (core/fold.h). */
#ifndef ORR_SYSTEM_SYS_H
#define ORR_SYSTEM_SYS_H

#include "core/fold.h"
#include "core/sum.h"
#include "system/sys_collective.h"
#include "system/sys_config.h"

struct net;
struct orr_arena;
struct orr_diag;
struct orr_evq;

struct sys;

/* Called in events of the NPU. */
struct sys_listener {
    void *context;
    void (*done)(void *context, struct orr_slot npu, uint64_t cookie);
    /* The operation no longer waits for others: the last member has started the collective, the
     * other end has started the send or posted the receive. For time accounting only. Called once,
     * in the event that ends the wait, and not for an operation that ends earlier. May be NULL. */
    void (*transfers)(void *context, struct orr_slot npu, uint64_t cookie);
    /* For `watched` collectives: the NPU holds the first `bytes` of the result, a prefix of
     * complete chunks. Ascending; the last chunk is reported by done(). May be NULL if nothing is
     * watched. */
    void (*progress)(void *context, struct orr_slot npu, uint64_t cookie, uint64_t bytes);
    /* The NPU starts (+1) or ends (-1) forwarding a message of others; see net_listener. May be
     * NULL. */
    void (*forwards)(void *context, struct orr_slot npu, int change);
};

enum orr_status orr_sys_create(struct sys **out, const struct sys_config *config, struct net *net,
                               struct orr_evq *queue, struct orr_arena *arena,
                               struct orr_diag *diag);
void orr_sys_destroy(struct sys *sys);

/* Sets npu[slot] for each NPU that channels of the network pass through. */
void orr_sys_forwarders(const struct sys *sys, bool *npu);
void orr_sys_set_listener(struct sys *sys, const struct sys_listener *listener);

/* Starts the NPU's part; listener.done() follows in a later event. */
void orr_sys_collective_start(struct sys *sys, const struct sys_collective *request);

/* Bytes of a watched collective in progress that the NPU holds. */
uint64_t orr_sys_collective_progress(const struct sys *sys, const struct sys_collective *request);

struct sys_message {
    struct orr_slot npu;
    struct orr_rank peer;
    uint32_t tag;
    uint64_t bytes;
    uint64_t cookie;
    bool signal; /* arrives at once and uses no network resource */
};

/* Whether sends use rendezvous: they wait for the receiver's request. */
bool orr_sys_sends_wait(const struct sys *sys);
/* Starts a send or a receive. A send is complete when its data have arrived; a receive when it is
 * posted and its data have arrived. */
void orr_sys_send(struct sys *sys, const struct sys_message *message);
void orr_sys_recv(struct sys *sys, const struct sys_message *message);

/* With an empty queue: whether messages in flight end beyond the maximum simulated time. */
bool orr_sys_outlasts_time(const struct sys *sys);

orr_sum orr_sys_messages(const struct sys *sys); /* sent so far */
size_t orr_sys_bytes(const struct sys *sys);     /* heap memory in use */

#endif
