/* Keys of compute.efficiency; see efficiency_key.h. */
#include "workload/roofline/efficiency_key.h"

#include <string.h>

#include "workload/trace/op_kind.h"

static const char key_prefix[] = "compute.efficiency.";

static const char *const values[] = {[ORR_PART_BY_PEAK] = "points",
                                     [ORR_PART_BY_MEMORY] = "bandwidth",
                                     [ORR_PART_CONSTANT] = "constant"};

enum { VALUES = sizeof values / sizeof *values };

bool orr_wl_efficiency_key_read(const char *text, struct wl_efficiency_key *out)
{
    const size_t skip = sizeof key_prefix - 1;
    const char *dot = strncmp(text, key_prefix, skip) == 0 ? strchr(text + skip, '.') : NULL;
    if (dot == NULL) {
        return false;
    }
    const size_t length = (size_t)(dot - text) - skip;
    for (unsigned kind = 0; kind < ORR_OP_KINDS; kind++) {
        const char *name = orr_op_kind_names[kind];
        for (unsigned value = 0; value < VALUES; value++) {
            if (strlen(name) == length && strncmp(text + skip, name, length) == 0 &&
                strcmp(dot + 1, values[value]) == 0) {
                *out =
                    (struct wl_efficiency_key){(enum orr_op_kind)kind, (enum orr_part_bound)value};
                return true;
            }
        }
    }
    return false;
}

/* Whether two kinds have equal values. */
static bool agree(const struct wl_efficiency *efficiency, const struct wl_efficiency_key *key,
                  const struct wl_efficiency_key *part)
{
    const struct wl_kind_efficiency *a = &efficiency->of[key->kind],
                                    *b = &efficiency->of[part->kind];
    switch (key->bound) {
    case ORR_PART_BY_PEAK:
        return orr_wl_curves_agree(&a->peak, &b->peak);
    case ORR_PART_BY_MEMORY:
        return orr_wl_curves_agree(&a->memory, &b->memory);
    default:
        return a->constant_ps > 0 && a->constant_ps == b->constant_ps;
    }
}

static bool follows(const struct wl_efficiency_key *key, const struct wl_efficiency_key *part)
{
    return part->bound == ORR_PART_BY_MEMORY && part->kind == ORR_OP_MEMORY &&
           key->kind == ORR_OP_ELEMENTWISE;
}

/* A part as one of the kind that stands for its own. */
static struct wl_efficiency_key stand_for(const struct wl_efficiency *efficiency,
                                          const struct wl_efficiency_key *part)
{
    const enum orr_op_kind other = orr_wl_stands_for(part->kind);
    const bool own = efficiency != NULL && efficiency->own[part->kind];
    return (struct wl_efficiency_key){own || other == ORR_OP_DEFAULT ? part->kind : other,
                                      part->bound};
}

static size_t find(const struct wl_efficiency *efficiency, const struct wl_efficiency_key *key,
                   size_t count, const struct wl_efficiency_key *part)
{
    size_t found = SIZE_MAX;
    bool followed = false;
    for (size_t i = 0; i < count; i++) {
        if (key[i].bound != part->bound) {
            continue;
        }
        if (key[i].kind == part->kind) {
            return i;
        }
        if (follows(&key[i], part) && !followed) {
            found = i;
            followed = true;
        } else if (found == SIZE_MAX && efficiency != NULL && agree(efficiency, &key[i], part)) {
            found = i;
        }
    }
    return found;
}

size_t orr_wl_efficiency_key_find(const struct wl_efficiency *efficiency,
                                  const struct wl_efficiency_key *key, size_t count,
                                  const struct wl_efficiency_key *part)
{
    const struct wl_efficiency_key of = stand_for(efficiency, part);
    return find(efficiency, key, count, &of);
}
