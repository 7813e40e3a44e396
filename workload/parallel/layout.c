/* Axes, ranks and groups of a parallel job; see layout.h. */
#include "workload/parallel/layout_parts.h"

#include "core/diag.h"

#include <string.h>

static const char *const axis_names[GEN_AXES] = {"tp", "cp", "ep", "dp", "pp"};

static const char *const family_names[GEN_FAMILIES] = {
    [GEN_WORLD] = "",          [GEN_TP] = "tp",           [GEN_ETP] = "etp",
    [GEN_CP] = "cp",           [GEN_ULYSSES] = "ulysses", [GEN_EP] = "ep",
    [GEN_DP] = "dp",           [GEN_EDP] = "edp",         [GEN_FSDP] = "fsdp",
    [GEN_EFSDP] = "efsdp",     [GEN_REPLICA] = "replica", [GEN_EMBEDDING] = "embedding",
    [GEN_EP_NODE] = "ep_node", [GEN_EP_RAIL] = "ep_rail", [GEN_MIRROR] = "mirror",
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

/* What experts have of an axis; NULL: nothing. */
static struct gen_digit *digit_of_experts(struct gen_layout *layout, unsigned axis)
{
    return axis == GEN_TENSOR   ? &layout->experts.tensor
           : axis == GEN_EXPERT ? &layout->experts.ranks
           : axis == GEN_DATA   ? &layout->experts.data
                                : NULL;
}

/* The digits of experts. Stages are the same for all layers, so that their digit has one stride. */
static enum orr_status place_experts(struct gen_layout *layout, const char *order,
                                     const unsigned *axis, unsigned count, struct orr_diag *diag)
{
    const uint64_t of_stage = layout->npus / layout->size[GEN_PIPELINE];
    const uint64_t sets = (uint64_t)layout->experts.tensor.size * layout->experts.ranks.size;
    uint64_t stride = 1, placed = 1;
    ORR_ASSERT(sets > 0 && of_stage % sets == 0);
    layout->experts.data.size = (uint32_t)(of_stage / sets);
    for (unsigned i = 0; i < count; i++) {
        struct gen_digit *digit = digit_of_experts(layout, axis[i]);
        if (digit != NULL) {
            digit->stride = (uint32_t)stride;
            stride *= digit->size;
            placed *= digit->size;
        } else if (axis[i] == GEN_PIPELINE && layout->size[GEN_PIPELINE] > 1) {
            if (stride != layout->stride[GEN_PIPELINE]) {
                break;
            }
            stride *= layout->size[GEN_PIPELINE];
        }
    }
    if (stride != layout->npus || placed != of_stage) {
        return orr_diag_fail(
            diag, ORR_ERR_INPUT, NULL,
            "\"%s\" does not lay experts (expert_tensor %u, expert %u) over the "
            "same ranks of each stage; expected all of tp, dp and pp, with pp first "
            "or last",
            order, layout->experts.tensor.size, layout->experts.ranks.size);
    }
    return ORR_OK;
}

/* Replicas are the same for experts, too. */
static enum orr_status check_replicas(const struct gen_layout *layout, const char *order,
                                      struct orr_diag *diag)
{
    const struct gen_digit *experts = &layout->experts.data;
    const uint64_t dense = (uint64_t)layout->stride[GEN_DATA] * layout->size[GEN_DATA];
    if (layout->replicas > 1 && layout->experts.are_apart &&
        (experts->size % layout->replicas != 0 ||
         (uint64_t)experts->stride * experts->size != dense)) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                             "with \"%s\" experts have not the %u replicas of other weights; "
                             "expected dp behind tp, cp and ep, and replicas that divide the %u "
                             "ranks with equal experts",
                             order, layout->replicas, experts->size);
    }
    return ORR_OK;
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
    if (layout->experts.are_apart && place_experts(layout, order, axis, count, diag) != ORR_OK) {
        return diag->status;
    }
    return check_replicas(layout, order, diag);
}

/* ---- ranks and groups ---- */

uint32_t orr_gen_coordinate(const struct gen_layout *layout, enum gen_axis axis, uint32_t rank)
{
    return rank / layout->stride[axis] % layout->size[axis];
}

/* Adds a digit to those that there are, by stride; not one of one rank. */
static unsigned add_digit(struct gen_digit *digit, unsigned count, uint32_t size, uint32_t stride)
{
    unsigned at = count;
    if (size <= 1) {
        return count;
    }
    for (; at > 0 && digit[at - 1].stride > stride; at--) {
        digit[at] = digit[at - 1];
    }
    digit[at] = (struct gen_digit){size, stride};
    return count + 1;
}

static unsigned add_axis(const struct gen_layout *layout, struct gen_digit *digit, unsigned count,
                         enum gen_axis axis)
{
    return add_digit(digit, count, layout->size[axis], layout->stride[axis]);
}

/* The digit of the ranks over which experts are spread. */
static struct gen_digit expert_digit(const struct gen_layout *layout)
{
    const struct gen_digit within = {layout->size[GEN_EXPERT], layout->stride[GEN_EXPERT]};
    return layout->experts.are_apart ? layout->experts.ranks : within;
}

/* The digit of the ranks of a ring. */
static struct gen_digit ring_digit(const struct gen_layout *layout)
{
    return (struct gen_digit){gen_ring_ranks(layout),
                              layout->stride[GEN_CONTEXT] * gen_ulysses_ranks(layout)};
}

uint32_t orr_gen_expert_stride(const struct gen_layout *layout)
{
    return expert_digit(layout).stride;
}

uint32_t orr_gen_expert_ranks_of_node(const struct gen_layout *layout)
{
    const struct gen_digit digit = expert_digit(layout);
    const uint32_t node = layout->node;
    uint32_t inside = digit.stride % node == 0;
    if (digit.stride <= node && node % digit.stride == 0) {
        inside = node / digit.stride;
    }
    return inside < digit.size ? inside : digit.size;
}

unsigned orr_gen_differing_digits(const struct gen_layout *layout, struct gen_digit *digit)
{
    const struct gen_digit expert = expert_digit(layout), ring = ring_digit(layout);
    unsigned count = add_axis(layout, digit, 0, GEN_PIPELINE);
    count = add_digit(digit, count, ring.size, ring.stride);
    return layout->experts_differ ? add_digit(digit, count, expert.size, expert.stride) : count;
}

uint32_t orr_gen_classes(const struct gen_layout *layout)
{
    return layout->size[GEN_PIPELINE] * gen_ring_ranks(layout) *
           (layout->experts_differ ? gen_expert_ranks(layout) : 1);
}

uint32_t orr_gen_class(const struct gen_layout *layout, uint32_t rank)
{
    const struct gen_digit digit = expert_digit(layout);
    const uint32_t stage = orr_gen_coordinate(layout, GEN_PIPELINE, rank);
    const uint32_t expert = layout->experts_differ ? rank / digit.stride % digit.size : 0;
    return (expert * gen_ring_ranks(layout) + orr_gen_ring_place(layout, rank)) *
               layout->size[GEN_PIPELINE] +
           stage;
}

uint32_t orr_gen_class_first(const struct gen_layout *layout, uint32_t number)
{
    const uint32_t stages = layout->size[GEN_PIPELINE];
    const struct gen_digit ring = ring_digit(layout);
    return number % stages * layout->stride[GEN_PIPELINE] +
           number / stages % ring.size * ring.stride +
           number / stages / ring.size * expert_digit(layout).stride;
}

uint32_t orr_gen_ring_place(const struct gen_layout *layout, uint32_t rank)
{
    const struct gen_digit ring = ring_digit(layout);
    return rank / ring.stride % ring.size;
}

uint32_t orr_gen_ring_offset(const struct gen_layout *layout, uint32_t place, bool next)
{
    const struct gen_digit ring = ring_digit(layout);
    const uint32_t to = (place + (next ? 1 : ring.size - 1)) % ring.size;
    return to >= place ? (to - place) * ring.stride : layout->npus - (place - to) * ring.stride;
}

const char *orr_gen_family_name(enum gen_family family)
{
    return family_names[family];
}

/* Of the embedding the first and the last stage. */
static unsigned embedding_digits(const struct gen_layout *layout, struct gen_digit *digit)
{
    const uint32_t stages = layout->size[GEN_PIPELINE];
    return stages > 1 ? add_digit(digit, 0, 2, layout->stride[GEN_PIPELINE] * (stages - 1)) : 0;
}

/* Of data-parallel ranks those of one of `replicas`. */
static unsigned expert_data_digits(const struct gen_layout *layout, struct gen_digit *digit,
                                   uint32_t replicas)
{
    if (layout->experts.are_apart) {
        return add_digit(digit, 0, layout->experts.data.size / replicas,
                         layout->experts.data.stride);
    }
    return add_digit(digit, add_axis(layout, digit, 0, GEN_CONTEXT),
                     layout->size[GEN_DATA] / replicas, layout->stride[GEN_DATA]);
}

static unsigned data_digits(const struct gen_layout *layout, struct gen_digit *digit,
                            uint32_t replicas)
{
    const unsigned context = add_axis(layout, digit, 0, GEN_CONTEXT);
    return add_digit(digit, add_axis(layout, digit, context, GEN_EXPERT),
                     layout->size[GEN_DATA] / replicas, layout->stride[GEN_DATA]);
}

static unsigned replica_digits(const struct gen_layout *layout, struct gen_digit *digit)
{
    const uint32_t of_each = layout->size[GEN_DATA] / layout->replicas;
    return add_digit(digit, 0, layout->replicas, layout->stride[GEN_DATA] * of_each);
}

unsigned orr_gen_family_digits(const struct gen_layout *layout, enum gen_family family,
                               struct gen_digit *digit)
{
    const struct gen_digit expert = expert_digit(layout);
    switch (family) {
    case GEN_TP:
        return add_axis(layout, digit, 0, GEN_TENSOR);
    case GEN_ETP:
        return layout->experts.are_apart
                   ? add_digit(digit, 0, layout->experts.tensor.size, layout->experts.tensor.stride)
                   : 0;
    case GEN_CP:
        return add_axis(layout, digit, 0, GEN_CONTEXT);
    case GEN_ULYSSES:
        return layout->ulysses < layout->size[GEN_CONTEXT]
                   ? add_digit(digit, 0, layout->ulysses, layout->stride[GEN_CONTEXT])
                   : 0;
    case GEN_EP:
        return add_digit(digit, 0, expert.size, expert.stride);
    case GEN_DP:
        return data_digits(layout, digit, 1);
    case GEN_EDP:
        return expert_data_digits(layout, digit, 1);
    case GEN_FSDP:
        return layout->replicas > 1 ? data_digits(layout, digit, layout->replicas) : 0;
    case GEN_EFSDP:
        return layout->replicas > 1 ? expert_data_digits(layout, digit, layout->replicas) : 0;
    case GEN_REPLICA:
        return layout->replicas > 1 ? replica_digits(layout, digit) : 0;
    case GEN_EMBEDDING:
        return embedding_digits(layout, digit);
    case GEN_EP_NODE:
        return layout->node == 0
                   ? 0
                   : add_digit(digit, 0, orr_gen_expert_ranks_of_node(layout), expert.stride);
    case GEN_EP_RAIL:
        return layout->node == 0
                   ? 0
                   : add_digit(digit, 0, expert.size / orr_gen_expert_ranks_of_node(layout),
                               expert.stride * orr_gen_expert_ranks_of_node(layout));
    case GEN_MIRROR:
        return layout->mirrored ? embedding_digits(layout, digit) : 0;
    case GEN_WORLD:
    case GEN_FAMILIES:
        break;
    }
    return add_digit(digit, 0, layout->npus, 1);
}

uint32_t orr_gen_family_size(const struct gen_layout *layout, enum gen_family family)
{
    struct gen_digit digit[GEN_MAX_DIGITS];
    const unsigned count = orr_gen_family_digits(layout, family, digit);
    uint32_t size = 1;
    for (unsigned i = 0; i < count; i++) {
        size *= digit[i].size;
    }
    return size;
}

bool orr_gen_family_leads(const struct gen_layout *layout, enum gen_family family, uint32_t rank)
{
    return orr_gen_family_has(layout, family, rank) &&
           orr_gen_family_first(layout, family, rank) == rank;
}

bool orr_gen_family_has(const struct gen_layout *layout, enum gen_family family, uint32_t rank)
{
    const uint32_t stage = orr_gen_coordinate(layout, GEN_PIPELINE, rank);
    return family != GEN_EMBEDDING || stage == 0 || stage + 1 == layout->size[GEN_PIPELINE];
}

/* The stage of the copies of a stage's parts. */
static uint32_t mirror_of(const struct gen_layout *layout, uint32_t stage)
{
    return layout->size[GEN_PIPELINE] - 1 - stage;
}

uint32_t orr_gen_family_first(const struct gen_layout *layout, enum gen_family family,
                              uint32_t rank)
{
    struct gen_digit digit[GEN_MAX_DIGITS];
    const unsigned count = orr_gen_family_digits(layout, family, digit);
    if (family == GEN_MIRROR) {
        const uint32_t stage = orr_gen_coordinate(layout, GEN_PIPELINE, rank);
        const uint32_t other = mirror_of(layout, stage);
        return stage <= other ? rank : rank - (stage - other) * layout->stride[GEN_PIPELINE];
    }
    if (family == GEN_EMBEDDING) {
        return rank - orr_gen_coordinate(layout, GEN_PIPELINE, rank) * layout->stride[GEN_PIPELINE];
    }
    for (unsigned i = 0; i < count; i++) {
        rank -= rank / digit[i].stride % digit[i].size * digit[i].stride;
    }
    return rank;
}

void orr_gen_family_ranks(const struct gen_layout *layout, enum gen_family family, uint32_t rank,
                          uint32_t *ranks)
{
    struct gen_digit digit[GEN_MAX_DIGITS];
    const unsigned digits = orr_gen_family_digits(layout, family, digit);
    uint32_t count = 1;
    ranks[0] = rank;
    if (family == GEN_MIRROR) {
        const uint32_t stage = orr_gen_coordinate(layout, GEN_PIPELINE, rank);
        if (digits > 0) {
            ranks[1] = rank + orr_gen_stage_offset(layout, stage, mirror_of(layout, stage));
        }
        return;
    }
    for (unsigned d = 0; d < digits; d++) {
        for (uint32_t k = 1; k < digit[d].size; k++) {
            for (uint32_t i = 0; i < count; i++) {
                ranks[k * count + i] = ranks[i] + k * digit[d].stride;
            }
        }
        count *= digit[d].size;
    }
}

uint32_t orr_gen_stage_offset(const struct gen_layout *layout, uint32_t from, uint32_t to)
{
    const uint32_t stride = layout->stride[GEN_PIPELINE];
    return to >= from ? (to - from) * stride : layout->npus - (from - to) * stride;
}
