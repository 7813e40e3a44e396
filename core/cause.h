/* Causes: why an event happens when it does. Off unless asked for.
 *
 * A cause is the chain of what had to happen, one thing after the other, for the simulation to be
 * where it is; it is kept as the time that the chain spent on each part of the machine, so that its
 * parts always add up to its end. Every pending event carries one: that of the event whose handler
 * posted it, grown by the time in between. A handler that lets somebody wait (a port, a link) makes
 * the cause of the wait current while it posts. The cause of a job's last event is its critical
 * path, and no log of events is needed to know it.
 *
 * Causes are immutable, shared and counted; a chain costs 24 bytes + 8 per part while it is held.
 * Marks are kept for good: they are the steps of the path, each linked to the one before. */
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
    ORR_PART_REDUCTION, /* of what arrives, in local memory */
    ORR_PART_ENDPOINT,  /* the delay of each end of a message */
    ORR_PART_STRAGGLER, /* waiting for the last members of a group */
    ORR_PART_CCL,       /* steps of a library's collectives, and their launch */
    ORR_PART_DIMS
};
#define ORR_PART_BANDWIDTH(dim) (ORR_PART_DIMS + 2 * (dim))
#define ORR_PART_LATENCY(dim) (ORR_PART_DIMS + 2 * (dim) + 1)
/* Where computing is told apart: of a kind of operations, behind the parts of so many dimensions.
 */
#define ORR_PART_OF_KIND(dims, kind, bound) (ORR_PART_BANDWIDTH(dims) + 3 * (kind) + (bound))
enum orr_part_bound { ORR_PART_BY_PEAK, ORR_PART_BY_MEMORY, ORR_PART_CONSTANT };
/* Of an event that serves many and is nobody's cause: what is posted behind it comes from the event
 * before, unless its handler enters another. */
#define ORR_PART_NONE 0xffu

typedef uint32_t orr_cause;
#define ORR_CAUSE_ROOT 0u /* of what happens at time 0 */
#define ORR_MARK_NONE UINT32_MAX

/* Whether causes are kept, which is rare: hot paths ask before they do anything about them. */
#define ORR_KEEPS_CAUSES(causes) __builtin_expect((causes) != NULL, 0)

struct orr_causes;

struct orr_mark {
    uint32_t previous; /* ORR_MARK_NONE: the first */
    uint32_t entity, item;
    sim_time time;
};

/* Keeps causes over so many parts, in the arena; NULL when memory is out. */
struct orr_causes *orr_causes_create(struct orr_arena *arena, unsigned parts);
/* Marks are not kept from now on, and no cause follows another: each is what had to happen, whoever
 * was late, so that its parts say how its end depends on what they take. */
void orr_causes_keep_plain(struct orr_causes *causes);
/* Whether memory ran out on the way; parts and marks then mean nothing. */
bool orr_causes_failed(const struct orr_causes *causes);

/* What a cause spent on a part; the parts add up to its end. */
sim_time orr_cause_part(const struct orr_causes *causes, orr_cause cause, unsigned part);
/* Its last mark, or ORR_MARK_NONE. */
uint32_t orr_cause_mark(const struct orr_causes *causes, orr_cause cause);
struct orr_mark orr_mark_at(const struct orr_causes *causes, uint32_t mark);

/* All functions below do nothing for causes == NULL. O(parts). */

/* A cause that belongs to the caller: the current one, grown to `until` by a part; and its end. */
/* The current cause; belongs to the causes. */
orr_cause orr_cause_current(const struct orr_causes *causes);
orr_cause orr_cause_hold(struct orr_causes *causes, unsigned part, sim_time until);
void orr_cause_drop(struct orr_causes *causes, orr_cause cause);

/* Makes `cause` current for good and takes it from the caller: of an event that begins. What is
 * posted between two events comes from the one before. */
void orr_cause_begin(struct orr_causes *causes, orr_cause cause);

/* Makes a copy of `cause` current; returns the one before, for orr_cause_leave. */
orr_cause orr_cause_enter(struct orr_causes *causes, orr_cause cause);
void orr_cause_leave(struct orr_causes *causes, orr_cause before);

/* Grows the current cause to `until`. */
void orr_cause_spend(struct orr_causes *causes, unsigned part, sim_time until);

/* Adds a mark of the current cause: the item of the entity begins at `time`. */
void orr_cause_add_mark(struct orr_causes *causes, uint32_t entity, uint32_t item, sim_time time);

/* The current cause becomes `reference` grown to `until` by a part; its last mark stays what it was
 * and follows on the reference's. */
void orr_cause_follow(struct orr_causes *causes, orr_cause reference, unsigned part,
                      sim_time until);

/* ---- what waits for several ---- */

/* The cause of the last of events that all have to happen; {0} at first. Of those of one instant it
 * is one that what they are tells, not the order in which they come: a fold, which simulates some
 * of them only and those in another order, finds the same. */
struct orr_cause_last {
    orr_cause cause; /* held while `any` */
    bool any;
};
/* Takes note of the current cause, grown to `until`, where it is later than what was noted, or of
 * the same time and before it in that order; of equals the newcomer if `newest`. */
void orr_cause_join(struct orr_causes *causes, struct orr_cause_last *last, sim_time until,
                    bool newest);
/* Makes the noted cause current, and nothing is noted any longer; returns the one before, for
 * orr_cause_leave. */
orr_cause orr_cause_joined(struct orr_causes *causes, struct orr_cause_last *last);
/* Forgets what was noted. */
void orr_cause_forget(struct orr_causes *causes, struct orr_cause_last *last);

#endif
