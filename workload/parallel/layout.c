/* Axes, ranks and groups of a parallel job; see layout.h. */
#include "workload/parallel/layout.h"

#include "core/diag.h"

#include <string.h>

static const char *const axis_names[GEN_AXES] = {"tp", "cp", "ep", "dp", "pp"};

/* The axes of each family, as a bit mask. */
static const struct {
    const char *name;
    unsigned axes;
} families[GEN_FAMILIES] = {
    [GEN_WORLD] = {"", (1u << GEN_AXES) - 1},
    [GEN_TP] = {"tp", 1u << GEN_TENSOR},
    [GEN_CP] = {"cp", 1u << GEN_CONTEXT},
    [GEN_EP] = {"ep", 1u << GEN_EXPERT},
    [GEN_DP] = {"dp", 1u << GEN_CONTEXT | 1u << GEN_EXPERT | 1u << GEN_DATA},
    [GEN_EDP] = {"edp", 1u << GEN_CONTEXT | 1u << GEN_DATA},
    [GEN_EMBEDDING] = {"embedding", 1u << GEN_PIPELINE},
};

/* ---- order ---- */

static unsigned axis_named(const char *name, size_t length)
{
    unsigned axis = 0;
    while (axis < GEN_AXES &&
           (strlen(axis_names[axis]) != length || strncmp(axis_names[axis], name, length) != 0)) {
        axis++;
    }
    return axis;
}

/* Parses an order into axis[]; "ep" is inserted before "dp" if it is omitted. */
static enum orr_status parse_order(const char *order, unsigned axis[GEN_AXES], unsigned *count,
                                   struct orr_diag *diag)
{
    unsigned used = 0;
    *count = 0;
    for (const char *at = order;; at++) {
        const size_t length = strcspn(at, "-");
        const unsigned found = axis_named(at, length);
        if (found == GEN_AXES || (used >> found & 1) != 0) {
            return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                                 "expected tp, cp, ep, dp and pp in any order, such as tp-dp-pp, "
                                 "got \"%s\" with %s \"%.*s\"",
                                 order, found == GEN_AXES ? "the unknown" : "a second", (int)length,
                                 at);
        }
        if (found == GEN_DATA && (used >> GEN_EXPERT & 1) == 0 && strstr(at, "-ep") == NULL) {
            axis[(*count)++] = GEN_EXPERT;
        }
        axis[(*count)++] = found;
        used |= 1u << found;
        at += length;
        if (*at == '\0') {
            return ORR_OK;
        }
    }
}

enum orr_status orr_gen_layout_init(struct gen_layout *layout, const char *order,
                                    struct orr_diag *diag)
{
    unsigned axis[GEN_AXES] = {0}, count, placed = 0;
    const enum orr_status status = parse_order(order, axis, &count, diag);
    if (status != ORR_OK) {
        return status;
    }
    uint64_t stride = 1;
    for (unsigned i = 0; i < count; i++) {
        layout->stride[axis[i]] = (uint32_t)stride;
        stride *= layout->size[axis[i]];
        placed |= 1u << axis[i];
        if (stride > UINT32_MAX) {
            return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                                 "the parallel degrees multiply to more than 4294967295 NPUs");
        }
    }
    for (unsigned a = 0; a < GEN_AXES; a++) {
        if ((placed >> a & 1) == 0 && layout->size[a] != 1) {
            return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                                 "\"%s\" leaves out %s, whose degree is %u", order, axis_names[a],
                                 layout->size[a]);
        }
        if ((placed >> a & 1) == 0) {
            layout->stride[a] = (uint32_t)stride;
        }
    }
    layout->npus = (uint32_t)stride;
    return ORR_OK;
}

/* ---- ranks and groups ---- */

uint32_t orr_gen_coordinate(const struct gen_layout *layout, enum gen_axis axis, uint32_t rank)
{
    return rank / layout->stride[axis] % layout->size[axis];
}

bool orr_gen_axis_differs(const struct gen_layout *layout, enum gen_axis axis)
{
    return axis == GEN_PIPELINE || (axis == GEN_EXPERT && layout->experts_differ);
}

uint32_t orr_gen_classes(const struct gen_layout *layout)
{
    return layout->size[GEN_PIPELINE] * (layout->experts_differ ? layout->size[GEN_EXPERT] : 1);
}

uint32_t orr_gen_class(const struct gen_layout *layout, uint32_t rank)
{
    const uint32_t stage = orr_gen_coordinate(layout, GEN_PIPELINE, rank);
    const uint32_t expert =
        layout->experts_differ ? orr_gen_coordinate(layout, GEN_EXPERT, rank) : 0;
    return expert * layout->size[GEN_PIPELINE] + stage;
}

uint32_t orr_gen_class_first(const struct gen_layout *layout, uint32_t number)
{
    const uint32_t stages = layout->size[GEN_PIPELINE];
    return number % stages * layout->stride[GEN_PIPELINE] +
           number / stages * layout->stride[GEN_EXPERT];
}

const char *orr_gen_family_name(enum gen_family family)
{
    return families[family].name;
}

/* Ranks of a group along one axis: all; for the embedding only the first and the last. */
static uint32_t axis_size(const struct gen_layout *layout, enum gen_family family, unsigned axis)
{
    if ((families[family].axes >> axis & 1) == 0) {
        return 1;
    }
    const uint32_t size = layout->size[axis];
    return family == GEN_EMBEDDING && size > 2 ? 2 : size;
}

uint32_t orr_gen_family_size(const struct gen_layout *layout, enum gen_family family)
{
    uint32_t size = 1;
    for (unsigned a = 0; a < GEN_AXES; a++) {
        size *= axis_size(layout, family, a);
    }
    return size;
}

bool orr_gen_family_leads(const struct gen_layout *layout, enum gen_family family, uint32_t rank)
{
    for (unsigned a = 0; a < GEN_AXES; a++) {
        if ((families[family].axes >> a & 1) != 0 && orr_gen_coordinate(layout, a, rank) != 0) {
            return false;
        }
    }
    return true;
}

bool orr_gen_family_has(const struct gen_layout *layout, enum gen_family family, uint32_t rank)
{
    const uint32_t stage = orr_gen_coordinate(layout, GEN_PIPELINE, rank);
    return family != GEN_EMBEDDING || stage == 0 || stage + 1 == layout->size[GEN_PIPELINE];
}

uint32_t orr_gen_family_first(const struct gen_layout *layout, enum gen_family family,
                              uint32_t rank)
{
    for (unsigned a = 0; a < GEN_AXES; a++) {
        if ((families[family].axes >> a & 1) != 0) {
            rank -= orr_gen_coordinate(layout, (enum gen_axis)a, rank) * layout->stride[a];
        }
    }
    return rank;
}

/* The axis in the set `left` with the smallest stride: the next of the order. */
static unsigned fastest(const struct gen_layout *layout, unsigned left)
{
    unsigned best = GEN_AXES;
    for (unsigned a = 0; a < GEN_AXES; a++) {
        if ((left >> a & 1) != 0 && layout->size[a] > 1 &&
            (best == GEN_AXES || layout->stride[a] < layout->stride[best])) {
            best = a;
        }
    }
    return best;
}

void orr_gen_family_ranks(const struct gen_layout *layout, enum gen_family family, uint32_t rank,
                          uint32_t *ranks)
{
    uint32_t count = 1;
    ranks[0] = rank;
    unsigned left = families[family].axes;
    for (unsigned a = fastest(layout, left); a != GEN_AXES; a = fastest(layout, left)) {
        const uint32_t times = axis_size(layout, family, a);
        const uint32_t step = times == layout->size[a] ? layout->stride[a]
                                                       : layout->stride[a] * (layout->size[a] - 1);
        for (uint32_t k = 1; k < times; k++) {
            for (uint32_t i = 0; i < count; i++) {
                ranks[k * count + i] = ranks[i] + k * step;
            }
        }
        count *= times;
        left &= ~(1u << a);
    }
}

uint32_t orr_gen_stage_offset(const struct gen_layout *layout, uint32_t from, uint32_t to)
{
    const uint32_t stride = layout->stride[GEN_PIPELINE];
    return to >= from ? (to - from) * stride : layout->npus - (from - to) * stride;
}
