/* 128-bit sums over NPUs, nodes and ports, which cannot overflow: a 64-bit count per NPU times 2^31
 * NPUs has 95 bits. */
#ifndef ORR_CORE_SUM_H
#define ORR_CORE_SUM_H

#include <stddef.h>
#include <stdint.h>

__extension__ typedef __int128 orr_sum;

enum { ORR_SUM_BYTES = 48 }; /* buffer for a sum as text */

/* As decimal digits into `text`; returns `text`. */
char *orr_sum_text(orr_sum value, char text[ORR_SUM_BYTES]);

/* The sum clamped to 64 bits. */
static inline int64_t orr_sum_clamp(orr_sum value)
{
    return value > INT64_MAX ? INT64_MAX : value < INT64_MIN ? INT64_MIN : (int64_t)value;
}

/* a + b, at most 2^64 - 1. */
static inline uint64_t orr_capped_sum(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

#endif
