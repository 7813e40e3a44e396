/* Folding (symmetry reduction): NPUs that are equivalent are simulated once (docs/models.md,
 * section 9).
 *
 * A rank is a number with digits, the lowest varying fastest. Ranks that differ in folded digits
 * only form a class; its representative is the rank whose folded digits are 0. Classes are numbered
 * by the kept digits: the slot of a class. All classes have equally many ranks. Without folding a
 * rank's slot is the rank.
 *
 * Ranks and slots have distinct struct types, so that mixing them does not compile. */
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

/* An NPU that is simulated: the index of its events, ports and state. */
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
    uint32_t slot_stride;  /* stride in slots, of kept digits */
    bool folded;
    struct orr_divisor by_stride, by_size;
};

struct orr_fold {
    uint32_t npus, slots;
    uint32_t class_size; /* npus = slots x class_size */
    bool none;           /* nothing is folded */
    unsigned digits;     /* number of digits; kept_digit lists the kept ones */
    struct orr_fold_digit digit[ORR_FOLD_MAX_DIGITS];
    unsigned kept;
    uint8_t kept_digit[ORR_FOLD_MAX_DIGITS];
};

/* Initializes a fold without folded digits. */
void orr_fold_init(struct orr_fold *fold, uint32_t npus);

/* Appends a digit above the previous ones, size > 1; false if there are too many. The caller then
 * sets `folded` of digits and calls orr_fold_finish. */
bool orr_fold_add_digit(struct orr_fold *fold, uint32_t size);
void orr_fold_finish(struct orr_fold *fold);

/* Slot of the class of a rank. O(kept digits). */
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

/* Shifts both ranks by the folded digits of the first, cyclically in each digit, so that the first
 * becomes the representative of its class. O(digits). */
void orr_fold_shift(const struct orr_fold *fold, struct orr_rank *first, struct orr_rank *second);

/* The representative of a class. O(kept digits). */
struct orr_rank orr_fold_rank(const struct orr_fold *fold, struct orr_slot slot);

#endif
