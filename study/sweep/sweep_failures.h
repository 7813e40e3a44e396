/* Why points of a sweep failed: messages that differ in their numbers only are one reason. */
#ifndef ORR_STUDY_SWEEP_SWEEP_FAILURES_H
#define ORR_STUDY_SWEEP_SWEEP_FAILURES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct orr_arena;

/* A reason, told by its first point. */
struct orr_sweep_reason {
    const char *text; /* that point's message, its first line */
    uint32_t points, first;
    bool unfit;     /* it does not fit the memory */
    uint64_t alike; /* hash of the message without its numbers */
};

enum { ORR_SWEEP_REASONS = 256 };

struct orr_sweep_failures {
    struct orr_sweep_reason *reason; /* [ORR_SWEEP_REASONS], of the store's arena */
    size_t reasons;
    uint32_t others; /* points of further reasons */
};

/* Counts a failed point. False: no memory. O(reasons + bytes). */
bool orr_sweep_failures_add(struct orr_sweep_failures *failures, struct orr_arena *arena,
                            uint32_t point, const char *error, bool unfit);

/* Sorts the reasons: the most points first, of equal ones the first point. */
void orr_sweep_failures_sort(struct orr_sweep_failures *failures);

#endif
