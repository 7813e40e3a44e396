/* Queues of the flow backend's first links. An NPU has a few of its own messages in flight on each
 * of its links; the others queue by (order, label). If all shared the link alike, the chunks of a
 * collective would end at once, and none could be a dimension or a step ahead of the others. So
 * those in flight take turns: of each stream the first by order counts as 256 flows, the second as
 * 16, and they get what those before them leave, because these are slower further on. That is what
 * packets do that queue by order. A message that is before one in flight does not wait for it.
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

/* ---- turns ---- */

/* The weights of the first turns of a stream; those behind have 1. Steep, so that the next has
 * little of what the first could use; no steeper, because the solver counts 2^32 flows on a link.
 */
enum { WEIGHED = 2 };
static const uint16_t weights[WEIGHED + 1] = {256, 16, 1};

static struct flow_turn *turn_at(const struct flow_net *net, uint32_t turn)
{
    return orr_slab_at(&net->turns, turn);
}

/* Batches are addresses, which are even. */
static uint64_t key_of(const struct net_msg *msg, uint32_t handle)
{
    return msg->batch != 0 ? msg->batch : (uint64_t)handle << 1 | 1;
}

/* The list's entry of the turn, or the end of the list. O(turns). */
static uint32_t *find_turn(const struct flow_net *net, struct first_link *first, uint64_t key)
{
    uint32_t *at = &first->turns;
    while (*at != ORR_SLAB_NONE && turn_at(net, *at)->key != key) {
        at = &turn_at(net, *at)->next;
    }
    return at;
}

/* Whether a turn is before another: it is older, or of one order and began earlier. */
static bool is_before(const struct flow_turn *a, const struct flow_turn *b)
{
    return a->order != b->order ? a->order < b->order : a->since < b->since;
}

/* The weight of the turn's messages. Turns that are not before each other have one place. O(turns
 * before it, until there are two of its stream). */
static uint16_t weight_of(const struct flow_net *net, const struct first_link *first,
                          const struct flow_turn *turn)
{
    uint32_t place = 0;
    const struct flow_turn *last = NULL;
    for (uint32_t at = first->turns; is_before(turn_at(net, at), turn) && place < WEIGHED;
         at = turn_at(net, at)->next) {
        const struct flow_turn *before = turn_at(net, at);
        if (before->stream == turn->stream && (last == NULL || is_before(last, before))) {
            last = before;
            place++;
        }
    }
    return weights[place];
}

/* Weighs the flows on the link again, after turns have come or gone. */
static void weigh(struct flow_net *net, const struct first_link *first)
{
    for (uint32_t at = first->turns; at != ORR_SLAB_NONE; at = turn_at(net, at)->next) {
        const uint16_t weight = weight_of(net, first, turn_at(net, at));
        for (uint32_t i = turn_at(net, at)->first; i != ORR_SLAB_NONE;) {
            struct flow_msg *flow_msg = flow_msg_at(net, i);
            if (flow_msg->weight == weight) {
                break; /* those of a turn are alike */
            }
            flow_msg->weight = weight;
            if (flow_msg->live && flow_msg->flow != ORR_SLAB_NONE) {
                orr_net_flows_set_weight(net->flows, flow_msg->flow, weight);
            }
            i = flow_msg->next;
        }
    }
}

/* A turn for the message, behind those with its order; ORR_SLAB_NONE: out of memory. */
static uint32_t add_turn(struct flow_net *net, struct first_link *first, uint32_t handle)
{
    const struct net_msg *msg = &flow_msg_at(net, handle)->msg;
    const uint32_t turn = orr_slab_new(&net->turns);
    if (turn == ORR_SLAB_NONE) {
        orr_evq_stop(net->linked.base.queue, ORR_ERR_MEMORY);
        return turn;
    }
    uint32_t *at = &first->turns;
    while (*at != ORR_SLAB_NONE && turn_at(net, *at)->order <= msg->order) {
        at = &turn_at(net, *at)->next;
    }
    *turn_at(net, turn) = (struct flow_turn){.key = key_of(msg, handle),
                                             .order = msg->order,
                                             .since = orr_evq_now(net->linked.base.queue),
                                             .stream = msg->stream,
                                             .first = ORR_SLAB_NONE,
                                             .next = *at};
    *at = turn;
    first->in_flight++;
    return turn;
}

void orr_flow_enter_link(struct flow_net *net, uint32_t link, uint32_t handle)
{
    struct first_link *first = &net->first[link];
    struct flow_msg *flow_msg = flow_msg_at(net, handle);
    uint32_t index = *find_turn(net, first, key_of(&flow_msg->msg, handle));
    if (index == ORR_SLAB_NONE) {
        index = add_turn(net, first, handle);
    }
    if (index == ORR_SLAB_NONE) {
        return;
    }
    struct flow_turn *turn = turn_at(net, index);
    flow_msg->weight = turn->first == ORR_SLAB_NONE ? weight_of(net, first, turn)
                                                    : flow_msg_at(net, turn->first)->weight;
    flow_msg->previous = ORR_SLAB_NONE;
    flow_msg->next = turn->first;
    if (turn->first != ORR_SLAB_NONE) {
        flow_msg_at(net, turn->first)->previous = handle;
    }
    turn->first = handle;
    turn->messages++;
}

/* Takes the message off the turn's list. O(1). */
static void leave_turn(const struct flow_net *net, struct flow_turn *turn,
                       const struct flow_msg *flow_msg)
{
    if (flow_msg->next != ORR_SLAB_NONE) {
        flow_msg_at(net, flow_msg->next)->previous = flow_msg->previous;
    }
    if (flow_msg->previous != ORR_SLAB_NONE) {
        flow_msg_at(net, flow_msg->previous)->next = flow_msg->next;
    } else {
        turn->first = flow_msg->next;
    }
}

void orr_flow_leave_link(struct flow_net *net, uint32_t link, uint32_t handle)
{
    struct first_link *first = &net->first[link];
    const struct flow_msg *flow_msg = flow_msg_at(net, handle);
    uint32_t *at = find_turn(net, first, key_of(&flow_msg->msg, handle));
    const uint32_t index = *at;
    if (index == ORR_SLAB_NONE) {
        return;
    }
    struct flow_turn *turn = turn_at(net, index);
    leave_turn(net, turn, flow_msg);
    if (--turn->messages == 0) {
        *at = turn->next;
        orr_slab_free(&net->turns, index);
        first->in_flight--;
        orr_flow_mark_dirty(net, flow_msg->msg.src.rank, link);
    }
}

/* Whether a message may begin beside those in flight: there are few, it belongs to one of them, or
 * it is before one of its stream. O(turns). */
static bool may_begin(const struct flow_net *net, const struct first_link *first,
                      const struct net_msg *msg)
{
    bool may = first->in_flight < net->max_in_flight;
    for (uint32_t at = first->turns; at != ORR_SLAB_NONE && !may; at = turn_at(net, at)->next) {
        const struct flow_turn *turn = turn_at(net, at);
        may = (msg->batch != 0 && turn->key == msg->batch) ||
              (turn->stream == msg->stream && turn->order > msg->order);
    }
    return may;
}

/* ---- beginning ---- */

/* Takes the first message that waits for the link, if it may begin; ORR_SLAB_NONE: none. */
static uint32_t take_waiting(struct flow_net *net, struct first_link *first)
{
    const uint32_t item = port_line_first(&net->waiting, &first->line);
    if (item == PORT_NONE) {
        (void)port_line_pop(&net->waiting, &first->line); /* is no longer shared */
        return ORR_SLAB_NONE;
    }
    const uint32_t handle = (uint32_t)net->waiting.items[item].cookie;
    if (!may_begin(net, first, &flow_msg_at(net, handle)->msg)) {
        return ORR_SLAB_NONE;
    }
    (void)port_line_pop(&net->waiting, &first->line);
    port_slab_free(&net->waiting, item);
    return handle;
}

static void start_waiting(struct flow_net *net, uint32_t link)
{
    struct first_link *first = &net->first[link];
    for (uint32_t handle = take_waiting(net, first); handle != ORR_SLAB_NONE;
         handle = take_waiting(net, first)) {
        orr_flow_enter_link(net, link, handle);
        orr_flow_begin(net, handle);
    }
    weigh(net, first);
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
    orr_slab_init(&net->turns, net->linked.arena, sizeof(struct flow_turn));
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
        net->first[i].turns = ORR_SLAB_NONE;
    }
    for (uint32_t i = 0; i < slots; i++) {
        net->dirty[i] = PORT_NONE;
    }
    orr_evq_on_flush(net->linked.base.queue, orr_flow_on_flush, net);
    return ORR_OK;
}
