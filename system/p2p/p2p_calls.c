/* Calls of the workload become point-to-point operations between ranks. */
#include "core/fold.h"
#include "system/p2p/p2p.h"
#include "system/sys_groups.h"

enum { ROUTE_KEY_BITS = 40 }; /* a tenant's number is above them */

struct p2p_op orr_sys_op_of(const struct sys *sys, const struct sys_message *message, bool sends)
{
    const struct orr_fold *fold = sys->net->config->fold;
    const struct orr_rank rank = orr_sys_rank_of_slot(sys, message->npu);
    struct orr_rank src = sends ? rank : message->peer, dst = sends ? message->peer : rank;
    if (fold != NULL) {
        orr_fold_shift(fold, &src, &dst);
    }
    return (struct p2p_op){
        .src = src,
        .dst = dst,
        .tag = message->tag,
        .bytes = message->bytes,
        .space = message->signal ? P2P_SIGNALS : 0,
        .owner = {.cookie = message->cookie, .port_stream = sys_port_stream(sys, SYS_P2P_STREAM)}};
}

uint64_t orr_sys_route_keys(struct sys *sys, struct orr_rank rank, uint32_t count)
{
    struct sys_tenant *tenant = sys_tenant_of(sys, rank);
    uint64_t *route_keys = tenant != NULL ? &tenant->route_keys : &sys->tally.route_keys;
    const uint64_t first = *route_keys;
    *route_keys += count;
    return tenant == NULL
               ? first
               : (uint64_t)sys->tally.tenants.number[tenant - sys->tally.tenant] << ROUTE_KEY_BITS |
                     first;
}

uint64_t orr_sys_route_key(struct sys *sys, struct orr_rank rank)
{
    return orr_sys_route_keys(sys, rank, 1);
}

bool orr_sys_sends_wait(const struct sys *sys)
{
    return sys->config->rendezvous;
}

void orr_sys_send(struct sys *sys, const struct sys_message *message)
{
    const struct p2p_op op = orr_sys_op_of(sys, message, true);
    orr_p2p_send(sys, &op);
}

void orr_sys_recv(struct sys *sys, const struct sys_message *message)
{
    const struct p2p_op op = orr_sys_op_of(sys, message, false);
    orr_p2p_recv(sys, &op);
}

void orr_sys_explain_recv(const struct sys *sys, const struct sys_message *message,
                          struct orr_rank sender, char *text, size_t bytes)
{
    const struct p2p_op op = orr_sys_op_of(sys, message, false);
    orr_p2p_explain_recv(sys, &op, sender, text, bytes);
}

void orr_sys_explain_send(const struct sys *sys, const struct sys_message *message,
                          struct orr_rank receiver, char *text, size_t bytes)
{
    const struct p2p_op op = orr_sys_op_of(sys, message, true);
    orr_p2p_explain_send(sys, &op, receiver, text, bytes);
}
