/* The waiting line of a FIFO server (a link, a memory pool): first come, first served, among those
 * of one `order`; a smaller order goes before a larger one, whenever it came.
 *
 * Under label order, requests of one instant come in the order of their labels, but requests of
 * different origins may have equal labels, and the order of their events is then unspecified. The
 * line orders these by a second key, `tie`, so that it never shows who was posted first. A server
 * must therefore not start before the round of its requests is over. */
#ifndef ORR_CORE_FIFO_H
#define ORR_CORE_FIFO_H

#include <stdbool.h>
#include <stdint.h>

#include "core/slab.h"
#include "core/time.h"

/* First member of the records that wait. */
struct orr_fifo_item {
    sim_time since; /* instant of the request */
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

/* Adds the record at the end. O(1). */
void orr_fifo_append(struct orr_fifo *fifo, const struct orr_slab *slab, uint32_t handle);

/* Adds the record behind those of its order and before those of larger ones, but among the last
 * records that have the same `order`, `since` and `label` by `tie`, smaller first. O(1) for equal
 * orders and distinct labels, else O(records before it). */
void orr_fifo_insert(struct orr_fifo *fifo, const struct orr_slab *slab, uint32_t handle);

/* Takes out the first; the line must not be empty. O(1). */
uint32_t orr_fifo_pop(struct orr_fifo *fifo, const struct orr_slab *slab);

#endif
