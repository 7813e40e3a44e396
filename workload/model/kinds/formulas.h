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

/* The same of causal attention whose queries see the last `window` keys alone (Beltagy et al.
 * 2020), or those before them in chunks of `window`, of which they see half on average: queries are
 * a part of a sequence of `keys` tokens, and every part does as much. 0, or a window as long as the
 * sequence: no limit. */
static inline uint64_t orr_model_window_flops(uint64_t queries, uint64_t keys, uint64_t width,
                                              uint64_t window, bool chunked)
{
    if (window == 0 || window >= keys) {
        return orr_model_score_flops(queries, keys, width, true);
    }
    if (chunked) {
        return sat_times(2, sat_times(width, sat_times(queries, window)));
    }
    const double cut = (double)window * (double)(window - 1) / 2 * (double)queries / (double)keys;
    return sat_times(4, sat_times(width, sat_times(queries, window) - (uint64_t)cut));
}

/* Bytes of attention scores that are not kept on chip: written by the product, read and written by
 * the softmax, read by the second product. */
static inline uint64_t orr_model_score_bytes(uint64_t heads, uint64_t pairs, uint64_t element_bytes)
{
    return sat_times(sat_times(4, sat_times(heads, pairs)), element_bytes);
}

#endif
