/* The layouts of a job with the least estimates, as text and as keys. */
#ifndef ORR_STUDY_LAYOUTS_LAYOUT_FASTEST_H
#define ORR_STUDY_LAYOUTS_LAYOUT_FASTEST_H

#include <stdint.h>

#include "core/status.h"

struct orr_diag;
struct orrery;

enum { ORR_FAST_LAYOUT_BYTES = 128, ORR_FAST_LAYOUT_KEYS = 14, ORR_FAST_LAYOUT_KEY_BYTES = 64 };

struct orr_fast_layout {
    char name[ORR_FAST_LAYOUT_BYTES];                          /* "t8 p4 d1 mb1 zero1" */
    char key[ORR_FAST_LAYOUT_KEYS][ORR_FAST_LAYOUT_KEY_BYTES]; /* "workload.parallel.tensor=8" */
    unsigned keys;
    double step_s;         /* estimated */
    uint64_t memory_bytes; /* of the NPU that needs the most */
};

struct orr_fast_layouts {
    struct orr_fast_layout *best; /* [max], the caller's: the fastest first, */
    uint32_t max, count;          /* `count` of them */
    uint64_t fits;                /* layouts that fit */
};

/* Finds them among all layouts of a loaded job that fit the memory (capacity 0: all do). Errors as
 * of orr_estimate_layouts. */
enum orr_status orr_fastest_layouts(const struct orrery *job, uint64_t capacity_bytes,
                                    struct orr_fast_layouts *out, struct orr_diag *diag);

#endif
