/* Operation counts shared by the kinds of operators and the generated models. */
#ifndef ORR_WORKLOAD_MODEL_KINDS_FORMULAS_H
#define ORR_WORKLOAD_MODEL_KINDS_FORMULAS_H

#include <stdbool.h>

#include "core/saturate.h"

/* The product m x k by k x n. Each of its two gradients takes as many. */
static inline uint64_t orr_model_product_flops(uint64_t m, uint64_t k, uint64_t n)
{
    return sat_times(2, sat_times(m, sat_times(k, n)));
}

/* Attention: scores of queries and keys, and their product with the values; `width`: features of
 * all heads together. Causal (of equal lengths): half. The backward pass takes twice as many. */
static inline uint64_t orr_model_score_flops(uint64_t queries, uint64_t keys, uint64_t width,
                                             bool causal)
{
    const uint64_t flops = sat_times(4, sat_times(width, sat_times(queries, keys)));
    return causal ? flops / 2 : flops;
}

/* Bytes of attention scores that are not kept on chip: written by the product, read and written by
 * the softmax, read by the second product. */
static inline uint64_t orr_model_score_bytes(uint64_t heads, uint64_t pairs, uint64_t element_bytes)
{
    return sat_times(sat_times(4, sat_times(heads, pairs)), element_bytes);
}

#endif
