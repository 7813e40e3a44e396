/* Causes: the critical path of an event. Off by default.
 *
 * A cause is the chain of events that had to happen, one after the other, before an event. It is
 * stored as the time that the chain spent on each part of the machine, so its parts always add up
 * to its end. Every pending event carries a cause: that of the event whose handler posted it,
 * extended by the time between the two. A handler that makes something wait (for a port, for a
 * link) makes the cause of the wait current while it posts. The cause of a job's last event is its
 * critical path; no log of events is needed.
 *
 * Causes are immutable, shared and reference-counted; a cause takes 24 bytes + 8 per part while it
 * is held. Marks are kept until the arena is freed: they are the steps of the path, each linked to
 * the previous one. */
#ifndef ORR_CORE_CAUSE_H
#define ORR_CORE_CAUSE_H

#include <stdbool.h>

#include "core/arena.h"
#include "core/slab.h"
#include "core/time.h"

/* The parts of a machine that time is spent on. Dimension d has two: ORR_PART_BANDWIDTH(d) for
 * serialization and waiting for its ports or links, ORR_PART_LATENCY(d). */
enum orr_part {
    ORR_PART_OTHER,
    ORR_PART_COMPUTE,
    ORR_PART_CPU,
    ORR_PART_LOCAL_MEMORY,
    ORR_PART_REMOTE_MEMORY,
    ORR_PART_REPLAYED,  /* communication that takes its recorded duration */
    ORR_PART_REDUCTION, /* of received data, in local memory */
    ORR_PART_ENDPOINT,  /* the delay of each end of a message */
    ORR_PART_STRAGGLER, /* waiting for the last members of a group */
    ORR_PART_CCL,       /* steps of CCL collectives, and their launch */
    ORR_PART_DIMS
};
#define ORR_PART_BANDWIDTH(dim) (ORR_PART_DIMS + 2 * (dim))
#define ORR_PART_LATENCY(dim) (ORR_PART_DIMS + 2 * (dim) + 1)
/* Compute time by kind of operation: parts after those of `dims` dimensions. */
#define ORR_PART_OF_KIND(dims, kind, bound) (ORR_PART_BANDWIDTH(dims) + 3 * (kind) + (bound))
enum orr_part_bound { ORR_PART_BY_PEAK, ORR_PART_BY_MEMORY, ORR_PART_CONSTANT };
/* An event that serves many others and is no one's cause: events posted by its handler take the
 * cause of the previous event unless the handler enters another. */
#define ORR_PART_NONE 0xffu

typedef uint32_t orr_cause;
#define ORR_CAUSE_ROOT 0u /* the cause of events at time 0 */
#define ORR_MARK_NONE UINT32_MAX

/* Whether causes are kept, which is rare: hot paths check this first. */
#define ORR_KEEPS_CAUSES(causes) __builtin_expect((causes) != NULL, 0)

struct orr_causes;

struct orr_mark {
    uint32_t previous; /* ORR_MARK_NONE: the first */
    uint32_t entity, item;
    sim_time time;
};

/* Keeps causes of `parts` parts in the arena; NULL when memory is out. */
struct orr_causes *orr_causes_create(struct orr_arena *arena, unsigned parts);
/* Disables marks and orr_cause_follow: each cause is then the chain of what had to happen,
 * independent of who was late, so its parts give the derivative of its end by the times of the
 * parts. */
void orr_causes_keep_plain(struct orr_causes *causes);
/* Whether memory ran out; parts and marks are then invalid. */
bool orr_causes_failed(const struct orr_causes *causes);

/* Time that a cause spent on a part; the parts add up to its end. */
sim_time orr_cause_part(const struct orr_causes *causes, orr_cause cause, unsigned part);
/* Its last mark, or ORR_MARK_NONE. */
uint32_t orr_cause_mark(const struct orr_causes *causes, orr_cause cause);
struct orr_mark orr_mark_at(const struct orr_causes *causes, uint32_t mark);

/* All functions below do nothing for causes == NULL. O(parts). */

/* The current cause; not owned by the caller. */
orr_cause orr_cause_current(const struct orr_causes *causes);

/* The current cause extended to `until` by a part; the caller owns it and releases it with
 * orr_cause_drop. */
orr_cause orr_cause_hold(struct orr_causes *causes, unsigned part, sim_time until);
void orr_cause_drop(struct orr_causes *causes, orr_cause cause);

/* Makes `cause` current and takes ownership: an event begins. Events posted between two events take
 * the cause of the first. */
void orr_cause_begin(struct orr_causes *causes, orr_cause cause);

/* Makes a copy of `cause` current; returns the previous one, for orr_cause_leave. */
orr_cause orr_cause_enter(struct orr_causes *causes, orr_cause cause);
void orr_cause_leave(struct orr_causes *causes, orr_cause before);

/* Extends the current cause to `until` by a part. */
void orr_cause_spend(struct orr_causes *causes, unsigned part, sim_time until);

/* Adds a mark of the current cause: the item of the entity begins at `time`. */
void orr_cause_add_mark(struct orr_causes *causes, uint32_t entity, uint32_t item, sim_time time);

/* The current cause becomes `reference` extended to `until` by a part; it keeps its last mark,
 * which is linked to the last mark of `reference`. */
void orr_cause_follow(struct orr_causes *causes, orr_cause reference, unsigned part,
                      sim_time until);

/* ---- joins: what waits for several events ---- */

/* The cause of the last of several events that all have to happen; {0} initially. Ties of one
 * instant are broken by the contents of the causes, not by their order of arrival, so a fold, which
 * simulates only some events and in another order, finds the same. */
struct orr_cause_last {
    orr_cause cause; /* held while `any` */
    bool any;
};
/* Records the current cause, extended to `until`, if it is later than the recorded one, or at the
 * same time and before it in the order of ties; if equal, only if `newest`. */
void orr_cause_join(struct orr_causes *causes, struct orr_cause_last *last, sim_time until,
                    bool newest);
/* Makes the recorded cause current and clears the record; returns the previous cause, for
 * orr_cause_leave. */
orr_cause orr_cause_joined(struct orr_causes *causes, struct orr_cause_last *last);
/* Clears the record. */
void orr_cause_forget(struct orr_causes *causes, struct orr_cause_last *last);

#endif
