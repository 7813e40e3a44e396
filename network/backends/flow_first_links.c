/* Queues of the flow backend's first links. An NPU has a few of its own messages in flight on each
 * of its links; the others queue by (order, label). If all started at once, the chunks of a
 * collective would also end at once, and none could be a dimension ahead of the others.
 *
 * A batch counts as one message: messages to many peers at once, whose paths part behind the link.
 * If they had to wait for each other, the link would idle whenever one is slow further on. */
#include "network/backends/flow_private.h"

void orr_flow_mark_dirty(struct flow_net *net, uint32_t npu, uint32_t link)
{
    struct first_link *first = &net->first[link];
    const uint32_t slot = net_slot(net->linked.base.config, orr_rank(npu)).slot;
    if (!first->dirty) {
        first->dirty = true;
        first->next_dirty = net->dirty[slot];
        net->dirty[slot] = link;
    }
}

/* Queues the message at its first link. */
void orr_flow_wait_for_link(struct flow_net *net, uint32_t handle)
{
    const struct flow_msg *flow_msg = flow_msg_at(net, handle);
    struct first_link *first = &net->first[flow_msg->first_link];
    const uint32_t item = port_slab_new(&net->waiting);
    if (item == PORT_NONE) {
        orr_evq_stop(net->linked.base.queue, ORR_ERR_MEMORY);
        return;
    }
    net->waiting.items[item] = (struct port_msg){.order = flow_msg->msg.order,
                                                 .label = flow_msg->msg.label,
                                                 .cookie = handle,
                                                 .service_ps = (sim_time)flow_msg->msg.bytes,
                                                 .src = flow_msg->msg.src.rank,
                                                 .dst = flow_msg->msg.dst.rank};
    /* Messages in flight share the link already: no stream is ahead by one of them. */
    if (!port_line_push(&net->waiting, &first->line, item, flow_msg->msg.stream,
                        &(struct port_wire){.ahead_ps = first->in_flight != 0})) {
        orr_evq_stop(net->linked.base.queue, ORR_ERR_MEMORY);
        return;
    }
    orr_flow_mark_dirty(net, flow_msg->msg.src.rank, flow_msg->first_link);
}

/* The list's entry of the message's batch, or the end of the list. O(messages_per_link). */
static uint32_t *find_batch(const struct flow_net *net, struct first_link *first,
                            const struct net_msg *msg)
{
    uint32_t *at = &first->batches;
    while (*at != ORR_SLAB_NONE) {
        struct flow_batch *batch = orr_slab_at(&net->batches, *at);
        if (batch->batch == msg->batch) {
            break;
        }
        at = &batch->next;
    }
    return at;
}

void orr_flow_enter_link(struct flow_net *net, uint32_t link, const struct net_msg *msg)
{
    struct first_link *first = &net->first[link];
    if (msg->batch == 0) {
        first->in_flight++;
        return;
    }
    uint32_t index = *find_batch(net, first, msg);
    if (index == ORR_SLAB_NONE) {
        index = orr_slab_new(&net->batches);
        if (index == ORR_SLAB_NONE) {
            orr_evq_stop(net->linked.base.queue, ORR_ERR_MEMORY);
            return;
        }
        *(struct flow_batch *)orr_slab_at(&net->batches, index) =
            (struct flow_batch){.batch = msg->batch, .next = first->batches};
        first->batches = index;
        first->in_flight++;
    }
    ((struct flow_batch *)orr_slab_at(&net->batches, index))->messages++;
}

void orr_flow_leave_link(struct flow_net *net, uint32_t link, const struct net_msg *msg)
{
    struct first_link *first = &net->first[link];
    uint32_t *at = msg->batch != 0 ? find_batch(net, first, msg) : NULL;
    if (at != NULL && *at != ORR_SLAB_NONE) {
        const uint32_t index = *at;
        struct flow_batch *batch = orr_slab_at(&net->batches, index);
        if (--batch->messages != 0) {
            return;
        }
        *at = batch->next;
        orr_slab_free(&net->batches, index);
    }
    first->in_flight--;
    orr_flow_mark_dirty(net, msg->src.rank, link);
}

static bool may_begin(const struct flow_net *net, struct first_link *first,
                      const struct net_msg *msg)
{
    return first->in_flight < net->max_in_flight ||
           (msg->batch != 0 && *find_batch(net, first, msg) != ORR_SLAB_NONE);
}

static void start_waiting(struct flow_net *net, uint32_t link)
{
    struct first_link *first = &net->first[link];
    for (;;) {
        const uint32_t item = port_line_first(&net->waiting, &first->line);
        if (item == PORT_NONE) {
            (void)port_line_pop(&net->waiting, &first->line); /* is no longer shared */
            return;
        }
        const uint32_t handle = (uint32_t)net->waiting.items[item].cookie;
        const struct net_msg *msg = &flow_msg_at(net, handle)->msg;
        if (!may_begin(net, first, msg)) {
            return;
        }
        orr_flow_enter_link(net, link, msg);
        (void)port_line_pop(&net->waiting, &first->line);
        port_slab_free(&net->waiting, item);
        orr_flow_begin(net, handle);
    }
}

/* Starts the messages that the NPU sent in this round, and the next ones on links with free slots.
 */
void orr_flow_on_flush(void *context, uint32_t npu)
{
    struct flow_net *net = context;
    while (npu < net->linked.slots && net->dirty[npu] != PORT_NONE) {
        const uint32_t link = net->dirty[npu];
        net->dirty[npu] = net->first[link].next_dirty;
        net->first[link].dirty = false;
        start_waiting(net, link);
    }
}

enum orr_status orr_flow_queues_create(struct flow_net *net, struct orr_diag *diag)
{
    const uint32_t links = net->linked.links, slots = net->linked.slots;
    orr_slab_init(&net->batches, net->linked.arena, sizeof(struct flow_batch));
    if (orr_evq_order(net->linked.base.queue) == ORR_ORDER_INSERTION) {
        return ORR_OK;
    }
    net->first = orr_arena_array(net->linked.arena, (size_t)links + 1, sizeof *net->first);
    net->dirty = orr_arena_array(net->linked.arena, (size_t)slots + 1, sizeof *net->dirty);
    net->waiting = (struct port_slab){.config = net->linked.base.config, .free_head = PORT_NONE};
    if (net->first == NULL || net->dirty == NULL) {
        return orr_diag_no_memory(diag, "the links of the network");
    }
    for (uint32_t i = 0; i < links; i++) {
        net->first[i].line.waiting = PORT_NONE;
        net->first[i].batches = ORR_SLAB_NONE;
    }
    for (uint32_t i = 0; i < slots; i++) {
        net->dirty[i] = PORT_NONE;
    }
    orr_evq_on_flush(net->linked.base.queue, orr_flow_on_flush, net);
    return ORR_OK;
}
