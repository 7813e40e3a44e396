/* Folding: NPUs that do alike are simulated once (docs/models.md, section 9).
 *
 * A rank is a number with digits, the lowest varying fastest. A folded digit makes no difference:
 * ranks that differ in folded digits only are a class, and the rank whose folded digits are 0
 * stands for it. Classes are numbered by the kept digits (the class's slot), in the order of those
 * that stand for them; all have equally many ranks. Nothing folded: a rank's slot is the rank.
 *
 * A number of the one kind is no number of the other, so each has a type of its own: one handed as
 * the other does not compile. */
#ifndef ORR_CORE_FOLD_H
#define ORR_CORE_FOLD_H

#include <stdbool.h>
#include <stdint.h>

#include "core/divide.h"

enum { ORR_FOLD_MAX_DIGITS = 64 };

/* An NPU of the job, as traces, groups and reports number it. */
struct orr_rank {
    uint32_t rank;
};

/* An NPU that is simulated: what its events, its ports and its state go by. */
struct orr_slot {
    uint32_t slot;
};

static inline struct orr_rank orr_rank(uint32_t rank)
{
    return (struct orr_rank){rank};
}

static inline struct orr_slot orr_slot(uint32_t slot)
{
    return (struct orr_slot){slot};
}

struct orr_fold_digit {
    uint32_t stride, size; /* digit = rank / stride % size */
    uint32_t slot_stride;  /* of the kept digits */
    bool folded;
    struct orr_divisor by_stride, by_size;
};

struct orr_fold {
    uint32_t npus, slots;
    uint32_t class_size; /* npus = slots x class_size */
    bool none;           /* nothing is folded */
    unsigned digits;     /* all of them; the kept ones first in `kept` */
    struct orr_fold_digit digit[ORR_FOLD_MAX_DIGITS];
    unsigned kept;
    uint8_t kept_digit[ORR_FOLD_MAX_DIGITS];
};

/* Nothing folded. */
void orr_fold_init(struct orr_fold *fold, uint32_t npus);

/* Appends a digit above those given, sizes > 1; false when there are too many. The caller then sets
 * `folded` where it wants, and calls orr_fold_finish. */
bool orr_fold_add_digit(struct orr_fold *fold, uint32_t size);
void orr_fold_finish(struct orr_fold *fold);

/* The slot of a rank's class. O(kept digits). */
static inline struct orr_slot orr_fold_slot(const struct orr_fold *fold, struct orr_rank rank)
{
    if (fold->none) {
        return orr_slot(rank.rank);
    }
    uint32_t slot = 0;
    for (unsigned i = 0; i < fold->kept; i++) {
        const struct orr_fold_digit *digit = &fold->digit[fold->kept_digit[i]];
        slot += orr_remainder(digit->by_size, orr_quotient(digit->by_stride, rank.rank)) *
                digit->slot_stride;
    }
    return orr_slot(slot);
}

/* Shifts a pair of ranks so that the first stands for its class: takes the first one's folded
 * digits off both, around in each digit. O(digits). */
void orr_fold_shift(const struct orr_fold *fold, struct orr_rank *first, struct orr_rank *second);

/* The rank that stands for a class. O(kept digits). */
struct orr_rank orr_fold_rank(const struct orr_fold *fold, struct orr_slot slot);

#endif
