/* A point in words; see sweep.h. */
#include <stdio.h>
#include <string.h>

#include "study/sweep/sweep.h"

/* The shortest end of an axis's path, from behind a dot, that no other axis ends in. */
static const char *short_name(const struct orr_sweep *sweep, size_t axis)
{
    const char *path = sweep->axis[axis].path, *name = path + strlen(path);
    bool unique = false;
    while (name > path && !unique) {
        do {
            name--;
        } while (name > path && name[-1] != '.');
        unique = true;
        for (size_t a = 0; a < sweep->axes && unique; a++) {
            const char *other = sweep->axis[a].path;
            const size_t length = strlen(other), end = strlen(name);
            unique = a == axis || length < end || strcmp(other + length - end, name) != 0;
        }
    }
    return name;
}

char *orr_sweep_describe(const struct orr_sweep *sweep, uint32_t point, char *text, size_t bytes)
{
    size_t used = 0;
    text[0] = '\0';
    for (size_t a = 0; a < sweep->axes && used < bytes; a++) {
        used += (size_t)snprintf(text + used, bytes - used, "%s%s=%s", a > 0 ? ", " : "",
                                 short_name(sweep, a),
                                 orr_sweep_value_at(sweep, a, sweep->point[point])->label);
    }
    return text;
}
