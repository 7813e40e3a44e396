/* Which all-reduces of a group are the same but for a shift of its members, so that some of them
 * stand for all: see orr_sys_whole_fold_check in system/system.h.
 *
 * Around a ring each member sends to the next. Where the group lists the members of one place along
 * a digit after those of the other, and both in the same order, shifting along the digit is
 * shifting around the ring; so the first ones, which stand for their classes, do what all do: as
 * many messages, to the class of the next, and a round is over for all when it is for them. */
#include "system/whole/whole_private.h"

/* The only folded digit; NULL: there are several. */
static const struct orr_fold_digit *folded_digit(const struct orr_fold *fold)
{
    const struct orr_fold_digit *found = NULL;
    for (unsigned i = 0; i < fold->digits; i++) {
        if (fold->digit[i].folded && found != NULL) {
            return NULL;
        }
        found = fold->digit[i].folded ? &fold->digit[i] : found;
    }
    return found;
}

/* The place of a rank along the digit. */
static uint32_t along(const struct orr_fold_digit *digit, uint32_t rank)
{
    return rank / digit->stride % digit->size;
}

/* How many members come first that are at the first one's place along the digit. */
static uint32_t first_members(const struct sys *sys, uint32_t group,
                              const struct orr_fold_digit *digit)
{
    uint32_t size, i = 1;
    const uint32_t *given = orr_sys_group_given(sys, group, &size);
    while (i < size && along(digit, given[i]) == along(digit, given[0])) {
        i++;
    }
    return i;
}

/* Whether each is the one `first` before it, one further along the digit, from its place 0 on. */
static bool shifts_along(const struct sys *sys, uint32_t group, uint32_t first,
                         const struct orr_fold_digit *digit)
{
    uint32_t size;
    const uint32_t *given = orr_sys_group_given(sys, group, &size);
    if ((uint64_t)first * digit->size != size || along(digit, given[0]) != 0) {
        return false;
    }
    for (uint32_t i = first; i < size; i++) {
        if (given[i] != given[i - first] + digit->stride ||
            along(digit, given[i]) != along(digit, given[i - first]) + 1) {
            return false;
        }
    }
    return true;
}

const char *orr_sys_whole_fold_check(const struct sys *sys, uint32_t group,
                                     const struct sys_whole *choice, const struct orr_fold *fold)
{
    const struct orr_fold_digit *digit = folded_digit(fold);
    const uint32_t size = orr_sys_group_size(sys, group);
    uint32_t count;
    if (digit == NULL || orr_sys_group_given(sys, group, &count) == NULL) {
        return "is among all NPUs";
    }
    const uint32_t first = first_members(sys, group, digit);
    if (first == size) {
        return NULL; /* inside of one place: all of it is done */
    }
    const bool chosen = choice->kind != NULL && orr_sys_whole_fits(choice, size);
    const struct sys_whole_kind *kind = chosen ? choice->kind : orr_sys_whole_default();
    const bool of_servers = chosen && choice->inner_bytes_per_s > 0; /* rings of whole servers */
    if (!kind->shifts && !of_servers) {
        return "is done in a way that tells its members apart";
    }
    return shifts_along(sys, group, first, digit) ? NULL : "lists its members in another order";
}
