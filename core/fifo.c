/* FIFO queues as singly linked lists over a slab; see fifo.h. */
#include "core/fifo.h"

static struct orr_fifo_item *item_at(const struct orr_slab *slab, uint32_t handle)
{
    return orr_slab_at(slab, handle);
}

void orr_fifo_init(struct orr_fifo *fifo)
{
    fifo->head = fifo->tail = fifo->before_run = ORR_SLAB_NONE;
}

/* Links the record after `before`, or at the head if there is none. */
static void link_behind(struct orr_fifo *fifo, const struct orr_slab *slab, uint32_t before,
                        uint32_t handle)
{
    uint32_t *link = before == ORR_SLAB_NONE ? &fifo->head : &item_at(slab, before)->next;
    item_at(slab, handle)->next = *link;
    *link = handle;
    if (fifo->tail == before) {
        fifo->tail = handle;
    }
}

void orr_fifo_append(struct orr_fifo *fifo, const struct orr_slab *slab, uint32_t handle)
{
    fifo->before_run = fifo->tail;
    link_behind(fifo, slab, fifo->tail, handle);
}

static bool same_run(const struct orr_fifo_item *a, const struct orr_fifo_item *b)
{
    return a->order == b->order && a->since == b->since && a->label == b->label;
}

/* Whether a queued record stays before one that is inserted. */
static bool stays_before(const struct orr_fifo_item *queued, const struct orr_fifo_item *item)
{
    return queued->order < item->order ||
           (queued->order == item->order && (!same_run(queued, item) || queued->tie <= item->tie));
}

/* Inserts a record that does not become the last one. */
static void insert_inside(struct orr_fifo *fifo, const struct orr_slab *slab, uint32_t handle)
{
    const struct orr_fifo_item *item = item_at(slab, handle);
    uint32_t before = ORR_SLAB_NONE, at = fifo->head;
    while (stays_before(item_at(slab, at), item)) {
        before = at;
        at = item_at(slab, at)->next;
    }
    if (before == fifo->before_run) {
        fifo->before_run = handle; /* the last run has a larger order */
    }
    link_behind(fifo, slab, before, handle);
}

void orr_fifo_insert(struct orr_fifo *fifo, const struct orr_slab *slab, uint32_t handle)
{
    const struct orr_fifo_item *item = item_at(slab, handle);
    if (fifo->tail != ORR_SLAB_NONE && item_at(slab, fifo->tail)->order > item->order) {
        insert_inside(fifo, slab, handle);
        return;
    }
    if (fifo->tail == ORR_SLAB_NONE || !same_run(item_at(slab, fifo->tail), item)) {
        orr_fifo_append(fifo, slab, handle);
        return;
    }
    uint32_t before = fifo->before_run;
    uint32_t at = before == ORR_SLAB_NONE ? fifo->head : item_at(slab, before)->next;
    while (at != ORR_SLAB_NONE && item_at(slab, at)->tie <= item->tie) {
        before = at;
        at = item_at(slab, at)->next;
    }
    link_behind(fifo, slab, before, handle);
}

uint32_t orr_fifo_pop(struct orr_fifo *fifo, const struct orr_slab *slab)
{
    const uint32_t handle = fifo->head;
    fifo->head = item_at(slab, handle)->next;
    if (fifo->head == ORR_SLAB_NONE) {
        fifo->tail = ORR_SLAB_NONE;
    }
    if (fifo->before_run == handle) {
        fifo->before_run = ORR_SLAB_NONE;
    }
    return handle;
}
