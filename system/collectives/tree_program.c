/* Programs on trees; see tree_program.h. */
#include "system/collectives/tree_program.h"

#include <stddef.h>

#include "system/collectives/algorithm_parts.h"

bool orr_coll_tree_supports(enum coll_kind kind, uint32_t n)
{
    return n >= 1 && (kind == COLL_ALL_REDUCE || kind == COLL_BROADCAST || kind == COLL_REDUCE ||
                      kind == COLL_BARRIER);
}

static uint32_t child_of(const struct coll_args *args, const struct coll_tree_node *own, uint32_t i)
{
    return own->more != NULL ? own->more(args, args->rank, i) : own->child[i];
}

static bool has_up_phase(enum coll_kind kind)
{
    return kind != COLL_BROADCAST;
}

static bool has_down_phase(enum coll_kind kind)
{
    return kind != COLL_REDUCE;
}

static uint32_t ups_sent(const struct coll_args *args, const struct coll_tree_node *own)
{
    return has_up_phase(args->kind) && own->has_parent ? 1 : 0;
}

static uint32_t ups_received(const struct coll_args *args, const struct coll_tree_node *own)
{
    return has_up_phase(args->kind) ? own->children : 0;
}

uint32_t orr_coll_tree_sends(const struct coll_args *args, coll_tree_fn node)
{
    const struct coll_tree_node own = node(args, args->rank);
    return ups_sent(args, &own) + (has_down_phase(args->kind) ? own.children : 0);
}

uint32_t orr_coll_tree_recvs(const struct coll_args *args, coll_tree_fn node)
{
    const struct coll_tree_node own = node(args, args->rank);
    return ups_received(args, &own) + (has_down_phase(args->kind) && own.has_parent ? 1 : 0);
}

void orr_coll_tree_send(const struct coll_args *args, coll_tree_fn node, uint32_t k,
                        struct coll_send *out)
{
    const struct coll_tree_node own = node(args, args->rank);
    *out = (struct coll_send){.bytes = coll_buffer_bytes(args)};
    const uint32_t ups = ups_sent(args, &own);
    if (k < ups) {
        out->peer = own.parent;
        out->peer_recv = own.child_index;
        out->need = own.children;
        out->channel = own.up;
        out->up = args->kind != COLL_BARRIER;
        return;
    }
    out->peer = child_of(args, &own, k - ups);
    out->turns = !own.has_parent;
    const struct coll_tree_node child = node(args, out->peer);
    out->peer_recv = ups_received(args, &child);
    out->channel = child.down;
    out->need = orr_coll_tree_recvs(args, node);
}

void orr_coll_tree_recv(const struct coll_args *args, coll_tree_fn node, uint32_t k,
                        struct coll_recv *out)
{
    const struct coll_tree_node own = node(args, args->rank);
    const bool up = k < ups_received(args, &own);
    *out = (struct coll_recv){.peer = up ? child_of(args, &own, k) : own.parent,
                              .reduce = up && args->kind != COLL_BARRIER,
                              .bytes = coll_buffer_bytes(args)};
}

void orr_coll_tree_blocks(const struct coll_args *args, uint32_t k, coll_block_fn visit,
                          void *context)
{
    (void)k;
    coll_visit_all(args, visit, context);
}

uint32_t orr_coll_tree_steps(enum coll_kind kind, uint32_t depth)
{
    return (has_up_phase(kind) ? depth : 0) + (has_down_phase(kind) ? depth : 0);
}
