/* Point-to-point matching: the k-th send of (source, destination, tag, size) matches the k-th
 * receive of the same key. A send is complete when its data have arrived, posted receive or not.
 *
 * Keys are in a hash table that grows; the waiting receives and messages of a key are short lists
 * in one slab. With rendezvous a receive sends a request first, and the data leave when it has
 * arrived. The two ends are also paired as they start, for the accounting of waiting time. */
#include "core/evq.h"
#include "core/fold.h"
#include "network/coordinates.h"
#include "network/net.h"
#include "network/net_message.h"
#include "system/p2p/p2p_private.h"
#include "system/state.h"
#include "system/sys_config.h"

enum { FIRST_KEYS = 64, TABLE_PER_KEY = 2 };

enum orr_status orr_p2p_create(struct sys *sys, struct orr_diag *diag)
{
    struct p2p *p2p = orr_arena_alloc(sys->arena, sizeof *p2p);
    if (p2p == NULL) {
        return orr_diag_no_memory(diag, "point-to-point messages");
    }
    sys->p2p = p2p;
    p2p->free_head = SYS_NONE;
    p2p->key_capacity = FIRST_KEYS;
    p2p->table_mask = FIRST_KEYS * TABLE_PER_KEY - 1;
    p2p->sequence = orr_arena_array(sys->arena, sys->slots, sizeof *p2p->sequence);
    p2p->keys = orr_heap_alloc(FIRST_KEYS * sizeof *p2p->keys);
    p2p->table = orr_heap_calloc(p2p->table_mask + 1u, sizeof *p2p->table);
    if (p2p->sequence == NULL || p2p->keys == NULL || p2p->table == NULL) {
        return orr_diag_no_memory(diag, "point-to-point messages");
    }
    return ORR_OK;
}

void orr_p2p_destroy(struct sys *sys)
{
    if (sys->p2p != NULL) {
        orr_heap_free(sys->p2p->keys);
        orr_heap_free(sys->p2p->table);
        orr_heap_free(sys->p2p->records);
    }
}

/* ---- keys ---- */

static uint32_t hash_of(const struct p2p_op *op)
{
    uint64_t hash = (uint64_t)op->src.rank << 32 | op->dst.rank;
    hash = (hash ^ op->tag) * UINT64_C(0x9E3779B97F4A7C15);
    hash = (hash ^ hash >> 29 ^ op->bytes) * UINT64_C(0xBF58476D1CE4E5B9);
    hash = (hash ^ hash >> 32 ^ op->space) * UINT64_C(0x94D049BB133111EB);
    return (uint32_t)(hash >> 32);
}

static struct p2p_op op_of_key(const struct p2p_key *key)
{
    return (struct p2p_op){.src = key->src,
                           .dst = key->dst,
                           .tag = key->tag,
                           .bytes = key->bytes,
                           .space = key->space};
}

static bool grow_keys(struct p2p *p2p)
{
    const uint32_t capacity = p2p->key_capacity * 2;
    struct p2p_key *keys = orr_heap_realloc(p2p->keys, (size_t)capacity * sizeof *keys);
    if (keys == NULL) {
        return false;
    }
    p2p->keys = keys;
    uint32_t *table = orr_heap_calloc((size_t)capacity * TABLE_PER_KEY, sizeof *table);
    if (table == NULL) {
        return false;
    }
    orr_heap_free(p2p->table);
    p2p->table = table;
    p2p->table_mask = capacity * TABLE_PER_KEY - 1;
    p2p->key_capacity = capacity;
    for (uint32_t i = 0; i < p2p->key_count; i++) {
        const struct p2p_op op = op_of_key(&keys[i]);
        uint32_t slot = hash_of(&op) & p2p->table_mask;
        while (table[slot] != 0) {
            slot = (slot + 1) & p2p->table_mask;
        }
        table[slot] = i + 1;
    }
    return true;
}

static bool same_key(const struct p2p_key *key, const struct p2p_op *op)
{
    return key->src.rank == op->src.rank && key->dst.rank == op->dst.rank && key->tag == op->tag &&
           key->bytes == op->bytes && key->space == op->space;
}

static uint32_t add_key(struct p2p *p2p, const struct p2p_op *op)
{
    if (p2p->key_count == p2p->key_capacity && !grow_keys(p2p)) {
        return SYS_NONE;
    }
    const uint32_t index = p2p->key_count++;
    p2p->keys[index] = (struct p2p_key){.src = op->src,
                                        .dst = op->dst,
                                        .tag = op->tag,
                                        .bytes = op->bytes,
                                        .space = op->space,
                                        .recvs = {.first = SYS_NONE},
                                        .sends = {.first = SYS_NONE},
                                        .open = SYS_NONE};
    uint32_t slot = hash_of(op) & p2p->table_mask;
    while (p2p->table[slot] != 0) {
        slot = (slot + 1) & p2p->table_mask;
    }
    p2p->table[slot] = index + 1;
    return index;
}

static uint32_t find_key(struct sys *sys, const struct p2p_op *op)
{
    struct p2p *p2p = sys->p2p;
    uint32_t slot = hash_of(op) & p2p->table_mask;
    for (; p2p->table[slot] != 0; slot = (slot + 1) & p2p->table_mask) {
        if (same_key(&p2p->keys[p2p->table[slot] - 1], op)) {
            return p2p->table[slot] - 1;
        }
    }
    const uint32_t key = add_key(p2p, op);
    if (key == SYS_NONE) {
        orr_evq_stop(sys->queue, ORR_ERR_MEMORY);
    }
    return key;
}

/* ---- records ---- */

static uint32_t new_record(struct sys *sys, uint32_t key, const struct p2p_op *op)
{
    struct p2p *p2p = sys->p2p;
    uint32_t record = p2p->free_head;
    if (record != SYS_NONE) {
        p2p->free_head = p2p->records[record].next;
    } else {
        if (p2p->used == p2p->capacity) {
            const uint32_t capacity = p2p->capacity == 0 ? 64 : p2p->capacity * 2;
            void *grown = orr_heap_realloc(p2p->records, (size_t)capacity * sizeof *p2p->records);
            if (grown == NULL) {
                orr_evq_stop(sys->queue, ORR_ERR_MEMORY);
                return SYS_NONE;
            }
            p2p->records = grown;
            p2p->capacity = capacity;
        }
        record = p2p->used++;
    }
    p2p->records[record] = (struct p2p_record){.owner = op->owner, .key = key, .next = SYS_NONE};
    return record;
}

static void free_record(struct p2p *p2p, uint32_t record)
{
    p2p->records[record].next = p2p->free_head;
    p2p->free_head = record;
}

static void append(struct p2p *p2p, struct p2p_list *list, uint32_t record)
{
    if (list->first == SYS_NONE) {
        list->first = record;
    } else {
        p2p->records[list->last].next = record;
    }
    list->last = record;
}

/* Takes the oldest waiting operation; if there is none, counts the arrival. */
static uint32_t take_first(struct p2p *p2p, struct p2p_list *list)
{
    const uint32_t record = list->first;
    if (record == SYS_NONE) {
        list->last++;
        return record;
    }
    list->first = p2p->records[record].next;
    list->last = list->first == SYS_NONE ? 0 : list->last;
    return record;
}

/* ---- waiting time ---- */

/* The operation of the workload no longer waits for its other end. */
static void notify_transfers(struct sys *sys, struct orr_rank rank, uint32_t record)
{
    const struct p2p_owner *owner = &sys->p2p->records[record].owner;
    if (owner->stream == NULL && sys->listener.transfers != NULL) {
        sys->listener.transfers(sys->listener.context, sys_slot_of_rank(sys, rank), owner->cookie);
    }
}

static void notify_open(struct sys *sys, struct p2p_key *key, struct orr_rank rank)
{
    const uint32_t record = key->open;
    key->open = sys->p2p->records[record].next;
    notify_transfers(sys, rank, record);
}

/* The k-th send starts. */
static void pair_send(struct sys *sys, struct p2p_key *key, uint32_t record)
{
    if (key->ahead == 0 && key->open != SYS_NONE) {
        notify_open(sys, key, key->dst);
        if (sys->config->rendezvous) {
            notify_transfers(sys, key->src, record);
        }
        return;
    }
    key->ahead++;
    if (sys->config->rendezvous && key->open == SYS_NONE) {
        key->open = record;
    }
}

/* The k-th receive is posted. */
static void pair_recv(struct sys *sys, struct p2p_key *key, uint32_t record)
{
    if (key->ahead == 0) {
        key->open = key->open == SYS_NONE ? record : key->open;
        return;
    }
    key->ahead--;
    if (key->open != SYS_NONE) {
        notify_open(sys, key, key->src);
    }
    notify_transfers(sys, key->dst, record);
}

/* ---- completion ---- */

static void complete(struct sys *sys, struct orr_slot slot, uint32_t record)
{
    const struct p2p_owner owner = sys->p2p->records[record].owner;
    free_record(sys->p2p, record);
    if (owner.stream != NULL) {
        sys->up.op_done(sys, owner.stream, (uint32_t)owner.cookie);
    } else {
        sys->listener.done(sys->listener.context, slot, owner.cookie);
    }
}

static void post_completion(struct sys *sys, struct orr_rank rank, uint32_t record, uint16_t kind)
{
    const struct orr_event event = {.label = sys->p2p->records[record].label,
                                    .cookie = record,
                                    .entity = sys_slot_of_rank(sys, rank).slot,
                                    .kind = kind};
    orr_evq_post(sys->queue, orr_evq_now(sys->queue), &event);
}

void orr_sys_on_p2p_complete(void *context, const struct orr_event *event)
{
    complete(context, orr_slot(event->entity), (uint32_t)event->cookie);
}

/* Bit in the label of a send's completion, which must differ from an arrival's. */
#define COMPLETION (UINT64_C(1) << 59)

/* The relative source is a rank: at most 2^31 - 1. */
enum { COUNT_BITS = 28 };

/* Above the labels of collectives: relative source, then the source's count of messages. Only
 * events of `src` may take a label, so that its count depends on its own history alone. */
uint64_t orr_p2p_label(struct sys *sys, struct orr_rank src, struct orr_rank dst)
{
    const uint64_t relative = orr_net_shift(sys->net->config, dst.rank, src.rank);
    uint32_t *count = &sys->p2p->sequence[sys_slot_of_rank(sys, src).slot];
    if (*count >> COUNT_BITS != 0) {
        orr_evq_fail(sys->queue, "NPU %u has more than the supported 2^%d point-to-point messages",
                     src.rank, COUNT_BITS);
        return 0;
    }
    return UINT64_C(3) << 60 | relative << COUNT_BITS | (*count)++;
}

static void transmit(struct sys *sys, uint32_t record, bool request)
{
    struct p2p_record *message = &sys->p2p->records[record];
    const struct p2p_key *key = &sys->p2p->keys[message->key];
    const struct orr_rank from = request ? key->dst : key->src, to = request ? key->src : key->dst;
    const bool keyed = sys->policy->key_by_start;
    sys_count_messages(sys, from, 1);
    message->label = keyed ? orr_sys_route_key(sys, from) : orr_p2p_label(sys, from, to);
    const struct net_msg msg = {
        .src = from,
        .dst = to,
        .bytes = request ? SYS_REQUEST_BYTES : key->bytes,
        .order = sys->config->port_order != SYS_BY_AGE
                     ? key->bytes
                     : sys_port_order_of_age(sys->started[sys_slot_of_rank(sys, from).slot]),
        .label = message->label,
        .cookie = (uint64_t)(request ? message->key : record) << 2 | (request ? 2 : 0) | 1,
        .source_cookie = 1,
        .stream = message->owner.port_stream,
        .keyed = keyed,
        .sent_at_end = keyed};
    net_send(sys->net, &msg);
}

static void data_delivered(struct sys *sys, uint32_t send_record)
{
    struct p2p *p2p = sys->p2p;
    const uint32_t key_index = p2p->records[send_record].key;
    const struct orr_rank src = p2p->keys[key_index].src, dst = p2p->keys[key_index].dst;
    if (sys->policy->order == ORR_ORDER_INSERTION) {
        complete(sys, sys_slot_of_rank(sys, src), send_record);
    } else {
        p2p->records[send_record].label |= COMPLETION;
        post_completion(sys, src, send_record, EVENT_P2P_COMPLETE);
    }
    const uint32_t recv = take_first(p2p, &p2p->keys[key_index].recvs);
    if (recv != SYS_NONE) {
        complete(sys, sys_slot_of_rank(sys, dst), recv);
    }
}

/* A signal arrives at once; by labels the receiver gets it in a separate event. */
static void signal(struct sys *sys, uint32_t record)
{
    if (sys->policy->order == ORR_ORDER_INSERTION) {
        data_delivered(sys, record);
        return;
    }
    const struct p2p_key *key = &sys->p2p->keys[sys->p2p->records[record].key];
    sys->p2p->records[record].label = orr_p2p_label(sys, key->src, key->dst);
    post_completion(sys, key->dst, record, EVENT_SIGNAL);
}

void orr_sys_on_signal(void *context, const struct orr_event *event)
{
    data_delivered(context, (uint32_t)event->cookie);
}

static void send_or_wait(struct sys *sys, uint32_t record)
{
    struct p2p *p2p = sys->p2p;
    struct p2p_key *key = &p2p->keys[p2p->records[record].key];
    if (key->space == P2P_SIGNALS) {
        signal(sys, record);
    } else if (!sys->config->rendezvous) {
        transmit(sys, record, false);
    } else if (p2p_arrived(&key->sends) != 0) {
        key->sends.last--;
        p2p->records[record].label = orr_p2p_label(sys, key->src, key->src);
        post_completion(sys, key->src, record, EVENT_RENDEZVOUS_SEND);
    } else {
        append(p2p, &key->sends, record);
    }
}

void orr_sys_on_rendezvous_send(void *context, const struct orr_event *event)
{
    transmit(context, (uint32_t)event->cookie, false);
}

void orr_p2p_send(struct sys *sys, const struct p2p_op *op)
{
    const uint32_t key = find_key(sys, op);
    const uint32_t record = key != SYS_NONE ? new_record(sys, key, op) : SYS_NONE;
    if (record != SYS_NONE) {
        pair_send(sys, &sys->p2p->keys[key], record);
        send_or_wait(sys, record);
    }
}

/* With rendezvous no data can have arrived: the request is sent only now. */
static void post_recv(struct sys *sys, uint32_t record)
{
    struct p2p *p2p = sys->p2p;
    struct p2p_key *key = &p2p->keys[p2p->records[record].key];
    if (p2p_arrived(&key->recvs) != 0) {
        key->recvs.last--;
        p2p->records[record].label = orr_p2p_label(sys, key->dst, key->dst);
        post_completion(sys, key->dst, record, EVENT_P2P_COMPLETE);
    } else {
        append(p2p, &key->recvs, record);
    }
}

void orr_p2p_recv(struct sys *sys, const struct p2p_op *op)
{
    const uint32_t key = find_key(sys, op);
    const uint32_t record = key != SYS_NONE ? new_record(sys, key, op) : SYS_NONE;
    if (record == SYS_NONE) {
        return;
    }
    pair_recv(sys, &sys->p2p->keys[key], record);
    post_recv(sys, record);
    if (sys->config->rendezvous && op->space != P2P_SIGNALS) {
        transmit(sys, record, true);
    }
}

static void request_delivered(struct sys *sys, uint32_t key_index)
{
    struct p2p *p2p = sys->p2p;
    const uint32_t send = take_first(p2p, &p2p->keys[key_index].sends);
    if (send != SYS_NONE) {
        transmit(sys, send, false);
    }
}

/* Kept out of the handler of deliveries, because most are of collectives. */
ORR_NOINLINE void orr_p2p_delivered(struct sys *sys, uint64_t cookie)
{
    const uint32_t index = (uint32_t)(cookie >> 2);
    if ((cookie & 2) != 0) {
        request_delivered(sys, index);
    } else {
        data_delivered(sys, index);
    }
}
