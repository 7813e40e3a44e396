/* A part of an operator as an operator of its own: its kind fills it in again, with attributes and
 * inputs of the part's sizes. Sizes that the parts do not divide are rounded up, as of the largest
 * part. */
#ifndef ORR_WORKLOAD_MODEL_OP_PART_H
#define ORR_WORKLOAD_MODEL_OP_PART_H

#include "core/diag.h"
#include "workload/model/op_graph.h"

/* The part of an operator of a graph of `element_bytes`. degree[op->dims]: parts in each dimension,
 * >= 1; those of dimension 0 are of the samples and change nothing here, as all sizes are of one
 * sample. *out is the part: its shape, work, weights and what it keeps; it has the whole's names
 * and edges, and neither dimensions, attributes nor inputs. Errors: those of the kind. O(dims +
 * inputs). */
enum orr_status orr_model_part(const struct model_op *whole, uint64_t element_bytes,
                               const uint32_t *degree, struct model_op *out, struct orr_diag *diag);

#endif
