/* Groups of a sweep's points by the value of an axis; see sweep.h. */
#include <stdlib.h>
#include <string.h>

#include "core/strings.h"
#include "study/sweep/sweep.h"

enum { MAX_NAMED = 128, WHY_BYTES = 512 };

/* A label and the index of its value. */
struct labelled {
    const char *label;
    uint32_t index;
};

static int compare(const void *a, const void *b)
{
    const struct labelled *first = a, *second = b;
    const int order = strcmp(first->label, second->label);
    return order != 0 ? order : first->index < second->index ? -1 : first->index > second->index;
}

/* Numbers the labels in the order of the values that have them first. */
static void number_groups(struct orr_sweep *sweep, const struct labelled *sorted, uint32_t *group,
                          uint32_t *first)
{
    const size_t count = sweep->group_axis->count;
    for (size_t i = 0, begin = 0; i < count; i++) { /* index of the first value with that label */
        begin = i > 0 && strcmp(sorted[i].label, sorted[begin].label) == 0 ? begin : i;
        group[sorted[i].index] = sorted[begin].index;
    }
    sweep->groups = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (group[i] == i) {
            first[sweep->groups] = i;
            group[i] = sweep->groups++;
        } else {
            group[i] = group[group[i]]; /* an earlier value, numbered already */
        }
    }
}

static enum orr_status make_groups(struct orr_sweep *sweep, struct orr_diag *diag)
{
    const size_t count = sweep->group_axis->count;
    struct labelled *sorted = orr_arena_array(sweep->arena, count, sizeof *sorted);
    uint32_t *group = orr_arena_array(sweep->arena, count, sizeof *group);
    uint32_t *first = orr_arena_array(sweep->arena, count, sizeof *first);
    if (sorted == NULL || group == NULL || first == NULL) {
        return orr_diag_no_memory(diag, "the groups of a sweep");
    }
    for (uint32_t i = 0; i < count; i++) {
        sorted[i] = (struct labelled){sweep->group_axis->value[i].label, i};
    }
    qsort(sorted, count, sizeof *sorted, compare);
    number_groups(sweep, sorted, group, first);
    sweep->group_of = group;
    sweep->group_value = first;
    return ORR_OK;
}

/* "the axes are A, B and 3 more" */
static void list_axes(const struct orr_sweep *sweep, char *text, size_t bytes)
{
    enum { SHOWN = 6 };
    size_t used = (size_t)snprintf(text, bytes, "the axes are ");
    for (size_t a = 0; a < sweep->axes && a < SHOWN && used < bytes; a++) {
        used += (size_t)snprintf(text + used, bytes - used, "%s%s", a > 0 ? ", " : "",
                                 sweep->axis[a].path);
    }
    if (sweep->axes > SHOWN && used < bytes) {
        (void)snprintf(text + used, bytes - used, " and %zu more", sweep->axes - SHOWN);
    }
}

static void describe_unknown(const struct orr_sweep *sweep, const char *name, char *why,
                             size_t bytes)
{
    const char *known[MAX_NAMED];
    char axes[WHY_BYTES];
    size_t count = 0;
    for (size_t a = 0; a < sweep->axes && count < MAX_NAMED; a++) {
        known[count++] = sweep->axis[a].path;
    }
    for (size_t a = 0; a < sweep->axes && count < MAX_NAMED; a++) {
        known[count++] = orr_sweep_axis_label(sweep, a);
    }
    const char *nearest = orr_nearest_name(name, known, count);
    list_axes(sweep, axes, sizeof axes);
    if (nearest != NULL) {
        (void)snprintf(why, bytes, "\"%s\" is none of the axes; did you mean \"%s\"?", name,
                       nearest);
    } else {
        (void)snprintf(why, bytes, "\"%s\" is none of the axes; %s", name, axes);
    }
}

enum orr_status orr_sweep_group_by(struct orr_sweep *sweep, const char *name, const char *where,
                                   const struct orr_location *place, struct orr_diag *diag)
{
    char why[2 * WHY_BYTES], axes[WHY_BYTES];
    const int axis = orr_sweep_find_axis(sweep, name);
    if (axis >= 0 && (size_t)axis < sweep->axes) {
        sweep->group_axis = &sweep->axis[axis];
        return make_groups(sweep, diag);
    }
    if (axis == -2) {
        orr_sweep_describe_ambiguous(sweep, name, why, sizeof why);
    } else if (axis >= 0) {
        list_axes(sweep, axes, sizeof axes);
        (void)snprintf(why, sizeof why, "%s is the same for all points; %s", sweep->axis[axis].path,
                       axes);
    } else {
        describe_unknown(sweep, name, why, sizeof why);
    }
    return orr_diag_fail(diag, ORR_ERR_INPUT, place, "%s%s%s", where != NULL ? where : "",
                         where != NULL ? ": " : "", why);
}

uint32_t orr_sweep_group(const struct orr_sweep *sweep, uint32_t point)
{
    if (sweep->group_axis == NULL) {
        return 0;
    }
    const size_t axis = (size_t)(sweep->group_axis - sweep->axis);
    const struct orr_sweep_value *value = orr_sweep_value_at(sweep, axis, sweep->point[point]);
    return sweep->group_of[value - sweep->group_axis->value];
}

const char *orr_sweep_group_label(const struct orr_sweep *sweep, uint32_t group)
{
    return sweep->group_axis->value[sweep->group_value[group]].label;
}
