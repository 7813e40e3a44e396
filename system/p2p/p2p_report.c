/* Reports of what sends and receives wait for, and of unmatched sends. */
#include <stdio.h>

#include "core/fold.h"
#include "system/p2p/p2p_private.h"
#include "system/state.h"
#include "system/sys_waits.h"

/* A key with unmatched arrivals for this receive under another size or tag: the likeliest mistake
 * first. */
static const struct p2p_key *near_miss(const struct p2p *p2p, const struct p2p_op *op,
                                       bool same_tag)
{
    for (uint32_t i = 0; i < p2p->key_count; i++) {
        const struct p2p_key *key = &p2p->keys[i];
        if (key->src.rank == op->src.rank && key->dst.rank == op->dst.rank &&
            key->space == op->space && p2p_arrived(&key->recvs) != 0 &&
            (!same_tag || key->tag == op->tag)) {
            return key;
        }
    }
    return NULL;
}

static const struct p2p_key *key_of(const struct p2p *p2p, const struct p2p_op *op)
{
    for (uint32_t i = 0; i < p2p->key_count; i++) {
        const struct p2p_key *key = &p2p->keys[i];
        if (key->src.rank == op->src.rank && key->dst.rank == op->dst.rank &&
            key->space == op->space && key->tag == op->tag && key->bytes == op->bytes) {
            return key;
        }
    }
    return NULL;
}

/* Whether the operation is in a list between two records. */
static bool is_listed(const struct p2p *p2p, const struct p2p_op *op, uint32_t from, uint32_t end)
{
    for (uint32_t at = from; at != SYS_NONE && at != end; at = p2p->records[at].next) {
        const struct p2p_owner *owner = &p2p->records[at].owner;
        if (owner->stream == op->owner.stream && owner->cookie == op->owner.cookie) {
            return true;
        }
    }
    return false;
}

/* Whether a waiting receive has a started send: receives before `open` have one. */
static bool recv_is_sent(const struct p2p *p2p, const struct p2p_op *op)
{
    const struct p2p_key *key = key_of(p2p, op);
    return key != NULL && is_listed(p2p, op, key->recvs.first, key->open);
}

void orr_p2p_explain_send(const struct sys *sys, const struct p2p_op *op, struct orr_rank receiver,
                          char *text, size_t bytes)
{
    const struct p2p_key *key = key_of(sys->p2p, op);
    const bool asks = sys->config->rendezvous && op->space != P2P_SIGNALS,
               asked =
                   key == NULL || key->ahead == 0 || !is_listed(sys->p2p, op, key->open, SYS_NONE);
    (void)snprintf(text, bytes,
                   asks && !asked ? "NPU %u has not requested it: it has not started the receive"
                                  : "the network does not deliver it to NPU %u",
                   receiver.rank);
}

void orr_p2p_explain_recv(const struct sys *sys, const struct p2p_op *op, struct orr_rank sender,
                          char *text, size_t bytes)
{
    if (recv_is_sent(sys->p2p, op)) {
        (void)snprintf(text, bytes,
                       "NPU %u has started to send it, but the network does not deliver it",
                       sender.rank);
        return;
    }
    const struct p2p_key *size = near_miss(sys->p2p, op, true);
    const struct p2p_key *tag = near_miss(sys->p2p, op, false);
    if (size != NULL) {
        (void)snprintf(
            text, bytes,
            "NPU %u sent %llu bytes with tag %llu instead: sender and receiver must give "
            "the same size",
            sender.rank, (unsigned long long)size->bytes, (unsigned long long)size->tag);
    } else if (tag != NULL) {
        (void)snprintf(text, bytes,
                       "NPU %u sent %llu bytes with tag %llu, which matches no receive here",
                       sender.rank, (unsigned long long)tag->bytes, (unsigned long long)tag->tag);
    } else {
        (void)snprintf(text, bytes, "NPU %u has not sent it", sender.rank);
    }
}

/* ---- unmatched sends ---- */

bool orr_sys_unmatched_send(const struct sys *sys, uint32_t index, struct sys_unmatched_send *out)
{
    const struct p2p *p2p = sys->p2p;
    for (uint32_t i = 0; i < p2p->key_count; i++) {
        const struct p2p_key *key = &p2p->keys[i];
        if (key->ahead != 0 && index-- == 0) {
            *out =
                (struct sys_unmatched_send){.src = key->src,
                                            .dst = key->dst,
                                            .tag = key->tag,
                                            .bytes = key->bytes,
                                            .count = key->ahead,
                                            .custom = key->space != 0 && key->space != P2P_SIGNALS};
            return true;
        }
    }
    return false;
}

uint64_t orr_p2p_unmatched(const struct sys *sys)
{
    uint64_t left = 0;
    for (uint32_t i = 0; i < sys->p2p->key_count; i++) {
        left += sys->p2p->keys[i].ahead;
    }
    return left;
}
