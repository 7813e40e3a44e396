/* See fold_paths.h. */
#include "tests/property/fold_paths.h"

#include <string.h>

static bool same_parts(const struct orrery *a, const struct orrery *b)
{
    if (orrery_path_parts(a) != orrery_path_parts(b)) {
        return false;
    }
    for (size_t i = 0; i < orrery_path_parts(a); i++) {
        struct orrery_path_part first, second;
        (void)orrery_path_part(a, i, &first);
        (void)orrery_path_part(b, i, &second);
        if (strcmp(first.what, second.what) != 0 || first.dim != second.dim ||
            first.ps != second.ps) {
            return false;
        }
    }
    return true;
}

/* The rank that stands for a rank: its folded digits are 0. */
static uint32_t stands_for(const struct orrery *folded, uint32_t rank)
{
    struct orrery_fold_digit digit;
    uint32_t first = rank;
    for (unsigned i = 0; orrery_fold_digit(folded, i, &digit); i++) {
        first -= digit.folded ? rank / digit.stride % digit.size * digit.stride : 0;
    }
    return first;
}

/* Whether the node of another NPU is as late: it begins or ends in the same instant. */
static bool is_as_late(const struct orrery *all, const struct orrery_path_step *step, uint32_t rank)
{
    struct orrery_node mine, other;
    return orrery_node(all, step->rank, step->node, &mine) == ORRERY_OK &&
           orrery_node(all, rank, step->node, &other) == ORRERY_OK &&
           (mine.start_ps == other.start_ps || mine.end_ps == other.end_ps);
}

/* A folded path names whoever stands for the NPU, or another one that is as late. */
static bool same_steps(const struct orrery *all, const struct orrery *folded)
{
    if (orrery_path_steps(all) != orrery_path_steps(folded)) {
        return false;
    }
    for (size_t i = 0; i < orrery_path_steps(all); i++) {
        struct orrery_path_step first, second;
        (void)orrery_path_step(all, i, &first);
        (void)orrery_path_step(folded, i, &second);
        if ((stands_for(folded, first.rank) != second.rank &&
             !is_as_late(all, &first, second.rank)) ||
            first.node != second.node || first.id != second.id ||
            first.start_ps != second.start_ps || strcmp(first.name, second.name) != 0) {
            return false;
        }
    }
    return true;
}

const char *fold_path_parts_differ(const struct orrery *all, const struct orrery *folded)
{
    return same_parts(all, folded) ? NULL : "parts of the critical path";
}

const char *fold_path_differs(const struct orrery *all, const struct orrery *folded)
{
    const char *parts = fold_path_parts_differ(all, folded);
    if (parts != NULL) {
        return parts;
    }
    return same_steps(all, folded) ? NULL : "steps of the critical path";
}
