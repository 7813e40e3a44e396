/* The queue of a FIFO server (a link, a memory pool): by `order` (a priority, smaller first), then
 * first come, first served.
 *
 * Under label order, requests of one instant arrive in the order of their labels, but requests of
 * different origins may have equal labels, whose order is unspecified. The queue orders these by a
 * second key, `tie`, so that the order of posting never shows. A server must therefore not start
 * before the round of its requests is over. */
#ifndef ORR_CORE_FIFO_H
#define ORR_CORE_FIFO_H

#include <stdbool.h>
#include <stdint.h>

#include "core/slab.h"
#include "core/time.h"

/* First member of queued records. */
struct orr_fifo_item {
    sim_time since; /* time of the request */
    uint64_t order;
    uint64_t label, tie;
    uint32_t next;
};

struct orr_fifo {
    uint32_t head, tail;
    uint32_t
        before_run; /* the record before the last run of equal (order, since, label); NONE = head
                     */
};

void orr_fifo_init(struct orr_fifo *fifo);

static inline bool orr_fifo_empty(const struct orr_fifo *fifo)
{
    return fifo->head == ORR_SLAB_NONE;
}

/* Appends the record. O(1). */
void orr_fifo_append(struct orr_fifo *fifo, const struct orr_slab *slab, uint32_t handle);

/* Inserts the record after records of the same or a smaller `order`; among the last records with
 * equal `order`, `since` and `label` by `tie`, smaller first. O(1) for equal orders and distinct
 * labels, else O(records before it). */
void orr_fifo_insert(struct orr_fifo *fifo, const struct orr_slab *slab, uint32_t handle);

/* Removes the first record; the queue must not be empty. O(1). */
uint32_t orr_fifo_pop(struct orr_fifo *fifo, const struct orr_slab *slab);

#endif
