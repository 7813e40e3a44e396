/* Ranks, digits and slots; see fold.h. */
#include "core/fold.h"

#include <string.h>

void orr_fold_init(struct orr_fold *fold, uint32_t npus)
{
    memset(fold, 0, sizeof *fold);
    fold->npus = fold->slots = npus;
    fold->class_size = 1;
    fold->none = true;
}

bool orr_fold_add_digit(struct orr_fold *fold, uint32_t size)
{
    if (fold->digits == ORR_FOLD_MAX_DIGITS) {
        return false;
    }
    uint32_t stride = 1;
    if (fold->digits > 0) {
        const struct orr_fold_digit *last = &fold->digit[fold->digits - 1];
        stride = last->stride * last->size;
    }
    fold->digit[fold->digits++] = (struct orr_fold_digit){.stride = stride,
                                                          .size = size,
                                                          .by_stride = orr_divisor_of(stride),
                                                          .by_size = orr_divisor_of(size)};
    return true;
}

void orr_fold_finish(struct orr_fold *fold)
{
    fold->slots = 1;
    fold->kept = 0;
    for (unsigned i = 0; i < fold->digits; i++) {
        struct orr_fold_digit *digit = &fold->digit[i];
        if (!digit->folded) {
            digit->slot_stride = fold->slots;
            fold->slots *= digit->size;
            fold->kept_digit[fold->kept++] = (uint8_t)i;
        }
    }
    fold->class_size = fold->npus / fold->slots;
    fold->none = fold->slots == fold->npus;
}

struct orr_rank orr_fold_rank(const struct orr_fold *fold, struct orr_slot slot)
{
    if (fold->none) {
        return orr_rank(slot.slot);
    }
    uint32_t rank = 0;
    for (unsigned i = 0; i < fold->kept; i++) {
        const struct orr_fold_digit *digit = &fold->digit[fold->kept_digit[i]];
        rank += slot.slot / digit->slot_stride % digit->size * digit->stride;
    }
    return orr_rank(rank);
}

void orr_fold_shift(const struct orr_fold *fold, struct orr_rank *first, struct orr_rank *second)
{
    for (unsigned i = 0; i < fold->digits && !fold->none; i++) {
        const struct orr_fold_digit *digit = &fold->digit[i];
        const uint32_t offset = first->rank / digit->stride % digit->size;
        if (digit->folded && offset != 0) {
            const uint32_t other = second->rank / digit->stride % digit->size;
            const uint32_t shifted = (other + digit->size - offset) % digit->size;
            second->rank = second->rank - other * digit->stride + shifted * digit->stride;
            first->rank -= offset * digit->stride;
        }
    }
}
