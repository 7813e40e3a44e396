/* Check before a sweep: whether some points can be loaded; see sweep_complete.h. */
#include <string.h>

#include "core/arena.h"
#include "sim/load/shared_path.h"
#include "study/sweep/sweep.h"
#include "study/sweep/sweep_complete.h"
#include "study/sweep/sweep_worker.h"

enum { WHY_BYTES = ORR_DIAG_MESSAGE_BYTES + 640 };

/* The text of orr_sweep_check_point (heap). Without a worker in this process. */
static char *check_point(const struct orr_sweep *sweep, struct orr_sweep_worker *worker,
                         uint32_t point)
{
    char why[WHY_BYTES] = "";
    if (worker != NULL) {
        return orr_sweep_worker_request(worker, point, true) ? orr_sweep_worker_reply(worker)
                                                             : NULL;
    }
    (void)orr_sweep_check_point(sweep, point, why, sizeof why);
    return orr_heap_strdup(why);
}

static bool loaded(const char *why)
{
    return why != NULL && (why[0] == '\0' || why[0] == '\n');
}

/* Whether one of `tries` evenly spaced points loads; *first: why the first does not. */
static bool one_loads(const struct orr_sweep *sweep, struct orr_sweep_worker *worker,
                      uint32_t tries, char **first)
{
    bool loads = false;
    for (uint32_t i = 0; i < tries && !loads; i++) {
        const uint64_t point = tries > 1 ? (uint64_t)i * (sweep->points - 1) / (tries - 1) : 0;
        char *why = check_point(sweep, worker, (uint32_t)point);
        loads = loaded(why);
        if (i == 0) {
            *first = why;
        } else {
            orr_heap_free(why);
        }
    }
    return loads;
}

/* ---- how compute times are found ---- */

/* Axes that change it. */
static bool sets_compute(const struct orr_sweep_axis *axis)
{
    return axis->count > 1 &&
           (strcmp(axis->path, "platform") == 0 || strncmp(axis->path, "compute", 7) == 0);
}

/* The first point with this value of an axis; sweep->points: none. */
static uint32_t point_with(const struct orr_sweep *sweep, size_t axis, size_t value)
{
    uint32_t point = 0;
    while (point < sweep->points && orr_sweep_value_at(sweep, axis, sweep->point[point]) !=
                                        &sweep->axis[axis].value[value]) {
        point++;
    }
    return point;
}

/* Warns of the first value of an axis whose points are computed otherwise than those of the values
 * before. */
static void warn_of_axis(const struct orr_sweep *sweep, struct orr_sweep_worker *worker,
                         size_t axis, struct orr_diag *diag)
{
    enum { MOST = 16 }; /* loading takes time */
    const struct orr_sweep_axis *given = &sweep->axis[axis];
    const char *first_label = NULL;
    char *first = NULL;
    bool differ = false;
    for (size_t v = 0; v < given->count && v < MOST && !differ; v++) {
        const uint32_t point = point_with(sweep, axis, v);
        char *found = point < sweep->points ? check_point(sweep, worker, point) : NULL;
        const bool computes = found != NULL && found[0] == '\n';
        differ = computes && first != NULL && strcmp(found, first) != 0;
        if (differ) {
            orr_diag_warn(diag, &given->place,
                          "points that are compared differ in how their compute times are found: "
                          "with %s by %s, with %s by %s",
                          first_label, first + 1, given->value[v].label, found + 1);
        }
        if (computes && first == NULL) {
            first = found;
            first_label = given->value[v].label;
        } else {
            orr_heap_free(found);
        }
    }
    orr_heap_free(first);
}

static void warn_of_bases(const struct orr_sweep *sweep, struct orr_sweep_worker *worker,
                          struct orr_diag *diag)
{
    for (size_t i = 0; i < sweep->axes; i++) {
        if (sets_compute(&sweep->axis[i])) {
            warn_of_axis(sweep, worker, i, diag);
        }
    }
}

/* The place of the axis or fixed value that an error of a point begins with; else of the file. */
static struct orr_location place_of_error(const struct orr_sweep *sweep, const char *error)
{
    for (size_t i = 0; error != NULL && i < sweep->axes + sweep->sets; i++) {
        const struct orr_sweep_axis *given = &sweep->axis[i];
        const size_t length = given->path != NULL ? strlen(given->path) : 0;
        if (length != 0 && strncmp(error, given->path, length) == 0 && error[length] == ':') {
            return given->place;
        }
    }
    return orr_location_file(sweep->file);
}

static enum orr_status check(const struct orr_sweep *sweep, struct orr_sweep_worker *worker,
                             struct orr_diag *diag)
{
    enum { TRIES = 16 };
    char values[512], *first = NULL;
    const bool loads =
        one_loads(sweep, worker, sweep->points < TRIES ? sweep->points : TRIES, &first);
    if (!loads) {
        const struct orr_location location = place_of_error(sweep, first);
        const bool no_memory = first == NULL || strcmp(first, "out of memory") == 0;
        (void)orr_diag_fail(diag, no_memory ? ORR_ERR_MEMORY : ORR_ERR_INPUT, &location,
                            "none of the points can be loaded; point 0 (%s): %s",
                            orr_sweep_describe(sweep, 0, values, sizeof values),
                            first != NULL ? first : "out of memory");
    }
    orr_heap_free(first);
    if (loads && diag->warn != NULL) {
        warn_of_bases(sweep, worker, diag);
    }
    return loads ? ORR_OK : diag->status;
}

/* Warns if the first or the last point has a network that its memory's path contradicts. */
static void warn_shared_path(const struct orr_sweep *sweep, struct orr_diag *diag)
{
    const uint32_t point[] = {0, sweep->points - 1};
    bool warned = false;
    for (size_t i = 0; i < 2 && sweep->points > 0 && !warned; i++) {
        struct orr_arena *arena = orr_arena_create();
        const struct orr_conf *root =
            arena != NULL ? orr_sweep_tree(arena, sweep, sweep->point[point[i]]) : NULL;
        warned = root != NULL && orr_warn_shared_path(root, diag);
        orr_arena_destroy(arena);
    }
}

enum orr_status orr_sweep_check(const struct orr_sweep *sweep, struct orr_diag *diag)
{
    struct orr_sweep_worker worker = {.sweep = sweep};
    const enum orr_status status = check(sweep, &worker, diag);
    orr_sweep_worker_end(&worker);
    if (status == ORR_OK) {
        warn_shared_path(sweep, diag);
    }
    return status;
}

enum orr_status orr_sweep_check_here(const struct orr_sweep *sweep, struct orr_diag *diag)
{
    const enum orr_status status = check(sweep, NULL, diag);
    if (status == ORR_OK) {
        warn_shared_path(sweep, diag);
    }
    return status;
}
