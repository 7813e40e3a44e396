/* Time classes: sets of NPUs with equal times. Results are stored and printed per class. */
#ifndef ORR_SIM_TIME_CLASSES_H
#define ORR_SIM_TIME_CLASSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "orrery/orrery.h"

struct orr_class {
    struct orrery_times times;
    const uint32_t *rank; /* [members], ascending */
    uint32_t members;
};

struct orr_classes {
    struct orr_class *item; /* [count], by their smallest rank */
    uint32_t count;
    uint32_t *ranks; /* storage of all lists */
};

/* The classes of a job that has run; false when memory is out. O(NPUs log NPUs). */
bool orr_classes_init(struct orr_classes *classes, const struct orrery *job);
void orr_classes_fini(struct orr_classes *classes);

/* Formats ranks as "0-511,1024"; ends in "..." if `text` is too small. Returns the bytes of the
 * complete text, with the terminator. */
size_t orr_format_ranks(const uint32_t *ranks, uint32_t count, char *text, size_t bytes);

#endif
