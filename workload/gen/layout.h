/* How a parallel job lies on the NPUs: the axes of parallelism, the order in which ranks run
 * through them, and the communicator groups that follow.
 *
 * A rank is a number with one digit per axis, the first axis of the order being the fastest, as in
 * Megatron-LM ("tp-cp-ep-dp-pp"). Data parallelism has two digits: the expert-parallel ranks among
 * which a layer's experts are spread, and the replicas of these; both together share gradients of
 * what is no expert. A family is a set of axes: its groups are the sets of ranks that differ in
 * these digits only. */
#ifndef ORR_WORKLOAD_GEN_LAYOUT_H
#define ORR_WORKLOAD_GEN_LAYOUT_H

#include "core/core.h"

enum gen_axis { GEN_TENSOR, GEN_CONTEXT, GEN_EXPERT, GEN_DATA, GEN_PIPELINE, GEN_AXES };

enum gen_family {
    GEN_WORLD,     /* all NPUs; no group of its own */
    GEN_TP,        /* tensor-parallel ranks */
    GEN_CP,        /* context-parallel ranks */
    GEN_EP,        /* ranks among which experts are spread */
    GEN_DP,        /* ranks with equal weights: context, expert and data */
    GEN_EDP,       /* ranks with equal experts: context and data */
    GEN_EMBEDDING, /* the first and the last pipeline stage */
    GEN_FAMILIES
};

struct gen_layout {
    uint32_t npus;
    uint32_t size[GEN_AXES], stride[GEN_AXES]; /* npus = product of the sizes */
};

/* Fills npus and strides for the sizes in *layout by an order such as "tp-dp-pp". Axes that the
 * order leaves out must have one rank ("ep" may always be left out: it comes before "dp"). The
 * error's text is the end of "parallel.order: ...". */
enum orr_status orr_gen_layout_init(struct gen_layout *layout, const char *order,
                                    struct orr_diag *diag);

/* The rank's digit of an axis. O(1). */
uint32_t orr_gen_coordinate(const struct gen_layout *layout, enum gen_axis axis, uint32_t rank);

/* The name of a family's groups ("tp"); "" for the world. */
const char *orr_gen_family_name(enum gen_family family);

/* How many ranks a group of the family has. */
uint32_t orr_gen_family_size(const struct gen_layout *layout, enum gen_family family);

/* Whether a rank is the first of its group; every group has exactly one such rank. */
bool orr_gen_family_leads(const struct gen_layout *layout, enum gen_family family, uint32_t rank);

/* Whether a rank is in a group of the family (only the ends are in the embedding's), and the rank
 * that leads that group. */
bool orr_gen_family_has(const struct gen_layout *layout, enum gen_family family, uint32_t rank);
uint32_t orr_gen_family_first(const struct gen_layout *layout, enum gen_family family,
                              uint32_t rank);

/* The ranks of the group of the family that `rank` leads, ascending in the order's digits:
 * ranks[orr_gen_family_size()]. */
void orr_gen_family_ranks(const struct gen_layout *layout, enum gen_family family, uint32_t rank,
                          uint32_t *ranks);

/* What to add (modulo npus) to a rank of a pipeline stage for its peer in another stage. */
uint32_t orr_gen_stage_offset(const struct gen_layout *layout, uint32_t from, uint32_t to);

#endif
