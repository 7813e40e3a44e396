/* The pending-event set: instants, rounds, entities and labels (docs/architecture.md).
 *
 * An entity owns state and handles events. Events of one instant are handled in rounds: an event
 * posted for now belongs to the next round of the same instant. The order in a round is the queue's
 * policy:
 *
 *   ORR_ORDER_LABEL      by entity, then by label, independent of the order of posting. After an
 *                        entity has handled its events of a round, its flush callback runs once.
 *   ORR_ORDER_INSERTION  FIFO; an event posted for now is appended to the running instant. Events
 *                        posted with orr_evq_post_batched form one batch per entity and instant,
 *                        at the position of its first event (as the reference simulator's per-NPU
 *                        event lists do).
 *
 * Times are in a hierarchical timing wheel, each with its bucket (evq_times.c). An event is 32
 * bytes in a slab; nothing is allocated per event. Posting is O(1); a time then moves at most 10
 * times. */
#ifndef ORR_CORE_EVQ_H
#define ORR_CORE_EVQ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/cause.h"
#include "core/diag.h"
#include "core/time.h"

enum orr_order { ORR_ORDER_LABEL, ORR_ORDER_INSERTION };

/* Kinds of events, a range for each folder, which numbers its kinds from the first one. */
enum {
    ORR_EVENT_NETWORK = 0,
    ORR_EVENT_MEMORY = 8,
    ORR_EVENT_SYSTEM = 12,
    ORR_EVENT_WORKLOAD = 28,
    ORR_EVENT_KINDS = 36
};

struct orr_event {
    uint64_t label;  /* order among the entity's events of one round */
    uint64_t cookie; /* the handler's own data */
    uint32_t entity;
    uint16_t kind; /* < ORR_EVENT_KINDS; selects the handler */
    uint8_t aux;   /* the handler's own data */
    uint8_t part;  /* enum orr_part: what the time until the event is spent on */
};

typedef void (*orr_event_fn)(void *context, const struct orr_event *event);
typedef void (*orr_flush_fn)(void *context, uint32_t entity);

struct orr_evq;

/* An empty queue at time 0 for entities 0..entities-1. NULL when memory is out. */
struct orr_evq *orr_evq_create(enum orr_order order, uint32_t entities);
void orr_evq_destroy(struct orr_evq *queue);

/* Adds `count` entities and returns the number of the first; UINT32_MAX when memory is out. To be
 * called before the first event is posted. */
uint32_t orr_evq_add_entities(struct orr_evq *queue, uint32_t count);

/* Keeps the causes of events, over `parts` parts; to be called before the first event is posted.
 * NULL when memory is out. */
struct orr_causes *orr_evq_keep_causes(struct orr_evq *queue, struct orr_arena *arena,
                                       unsigned parts);
/* NULL if causes are not kept (the default). */
struct orr_causes *orr_evq_causes(const struct orr_evq *queue);

/* Registers the handler of a kind of event. */
void orr_evq_handle(struct orr_evq *queue, unsigned kind, orr_event_fn handler, void *context);

/* Registers the callback that runs after an entity's events of a round (label order only). */
void orr_evq_on_flush(struct orr_evq *queue, orr_flush_fn flush, void *context);

/* Registers the callback that runs when an instant has no events left; it returns whether it did
 * anything, and is called again as long as it did (insertion order only). */
typedef bool (*orr_idle_fn)(void *context);
void orr_evq_on_idle(struct orr_evq *queue, orr_idle_fn idle, void *context);

/* Runs the flush callback of an entity that acted outside of its events, before the run. */
void orr_evq_flush(struct orr_evq *queue, uint32_t entity);

/* An event without label and cookie: 8 bytes, so that all arguments fit registers. */
struct orr_event_tail {
    uint32_t entity;
    uint16_t kind;
    uint8_t aux, part;
};
void orr_evq_post_parts(struct orr_evq *queue, sim_time time, uint64_t label, uint64_t cookie,
                        struct orr_event_tail tail);

/* Posts an event for `time` >= now. A failure (memory, time overflow) is kept and ends the run. */
static inline void orr_evq_post(struct orr_evq *queue, sim_time time, const struct orr_event *event)
{
    const struct orr_event_tail tail = {
        .entity = event->entity, .kind = event->kind, .aux = event->aux, .part = event->part};
    orr_evq_post_parts(queue, time, event->label, event->cookie, tail);
}

/* As orr_evq_post; under ORR_ORDER_INSERTION the event joins the batch of its entity for `time`. */
void orr_evq_post_batched(struct orr_evq *queue, sim_time time, const struct orr_event *event);

/* Handles events until none is left. Returns ORR_OK, or the first failure with `diag` filled. */
enum orr_status orr_evq_run(struct orr_evq *queue, struct orr_diag *diag);

/* As orr_evq_run, but handles at most `instants` distinct times; *empty: no event is left. */
enum orr_status orr_evq_run_some(struct orr_evq *queue, uint64_t instants, bool *empty,
                                 struct orr_diag *diag);

/* The error of an event beyond the maximum time, for code that detects it without posting. */
enum orr_status orr_time_overflow(struct orr_diag *diag);

/* Ends the run after the current event with `status`; the caller reports the message. */
void orr_evq_stop(struct orr_evq *queue, enum orr_status status);

/* Ends the run with ORR_ERR_INPUT and this message: the input cannot be simulated. */
void orr_evq_fail(struct orr_evq *queue, const char *format, ...) ORR_PRINTF(2, 3);

sim_time orr_evq_now(const struct orr_evq *queue);
/* Index of the running round in its instant. An event posted at an earlier instant is in round
 * 0. */
uint32_t orr_evq_round(const struct orr_evq *queue);
uint64_t orr_evq_handled(const struct orr_evq *queue); /* events handled so far */
/* Whether the running instant is the last one with events. */
bool orr_evq_is_last_instant(const struct orr_evq *queue);

/* Events after the running instant. */
struct orr_evq_ahead {
    sim_time next,
        last; /* times of the first and the last event; ORR_TIME_MAX and 0 if there is none */
    uint64_t of_kinds; /* events */
};
/* Scans all events and counts those whose kind has its bit set in `kinds`. O(events). */
struct orr_evq_ahead orr_evq_ahead(const struct orr_evq *queue, uint64_t kinds);
/* Whether this pending event of an entity is known to be the last one posted for its time, so that
 * an event posted now would follow it directly. O(1). */
bool orr_evq_is_newest(const struct orr_evq *queue, sim_time time, uint32_t entity, uint64_t label);
enum orr_order orr_evq_order(const struct orr_evq *queue);
size_t orr_evq_bytes(const struct orr_evq *queue); /* heap memory in use */

#endif
