/* Whether there is any use in running a sweep; see sweep_complete.h. */
#include "study/sweep/sweep_complete.h"
#include "study/sweep/sweep_guard.h"

/* Whether one of so many points that lie far apart loads, or why the first does not. */
static bool one_loads(struct orr_sweep_guard *guard, uint32_t tries, char **first)
{
    const uint32_t points = guard->sweep->points;
    bool loads = false;
    for (uint32_t i = 0; i < tries && !loads; i++) {
        const uint64_t point = tries > 1 ? (uint64_t)i * (points - 1) / (tries - 1) : 0;
        char *why = orr_sweep_guard_ask(guard, (uint32_t)point, true)
                        ? orr_sweep_guard_answer(guard)
                        : NULL;
        loads = why != NULL && why[0] == '\0';
        if (i == 0) {
            *first = why;
        } else {
            orr_heap_free(why);
        }
    }
    return loads;
}

enum orr_status orr_sweep_check(const struct orr_sweep *sweep, struct orr_diag *diag)
{
    enum { TRIES = 16 };
    struct orr_sweep_guard guard = {.sweep = sweep};
    char values[512], *first = NULL;
    const bool loads = one_loads(&guard, sweep->points < TRIES ? sweep->points : TRIES, &first);
    orr_sweep_guard_end(&guard);
    if (!loads) {
        const struct orr_place place = orr_place_file(sweep->file);
        (void)orr_diag_fail(diag, ORR_ERR_INPUT, &place,
                            "none of the points can be loaded; point 0 (%s): %s",
                            orr_sweep_describe(sweep, 0, values, sizeof values),
                            first != NULL ? first : "out of memory");
    }
    orr_heap_free(first);
    return loads ? ORR_OK : ORR_ERR_INPUT;
}
