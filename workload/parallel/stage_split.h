/* The layers of each pipeline stage. The model is a row of layers, with the embedding in front and
 * the head behind if it has these; they count as layers if the plan says so. The chunks of the
 * stages alternate along the row. */
#ifndef ORR_WORKLOAD_PARALLEL_STAGE_SPLIT_H
#define ORR_WORKLOAD_PARALLEL_STAGE_SPLIT_H

#include "workload/parallel/parallel_plan.h"

struct gen_row {
    uint32_t layers;      /* without the ends */
    bool embedding, head; /* whether it has these */
};

/* The layers [first, end) of a stage's chunk; empty if it has only an end of the model. */
struct gen_range {
    uint32_t first, end;
    bool embedding, head;
};

/* Checks that the plan can split the row. */
enum orr_status orr_gen_check_split(const struct gen_plan *plan, const struct gen_row *row,
                                    struct orr_diag *diag);

/* Of a stage's chunk, of a part of the model. O(1); O(parts) with a list of numbers. */
struct gen_range orr_gen_part_range(const struct gen_plan *plan, const struct gen_row *row,
                                    uint32_t part);
struct gen_range orr_gen_chunk_range(const struct gen_plan *plan, const struct gen_row *row,
                                     uint32_t stage, uint32_t chunk);

/* orr_gen_stage_layers: layers of a stage, over all its chunks, in O(chunks) ranges.
 * orr_gen_max_layers: the maximum over the stages, in O(parts) ranges. */
uint32_t orr_gen_stage_layers(const struct gen_plan *plan, const struct gen_row *row,
                              uint32_t stage);
uint32_t orr_gen_max_layers(const struct gen_plan *plan, const struct gen_row *row);

#endif
