/* Which of some numbers are joined, by way of others too: an array in which each leads to a lower
 * one of those it is joined with, the lowest to itself (disjoint sets, with ways halved). */
#ifndef ORR_CORE_UNION_FIND_H
#define ORR_CORE_UNION_FIND_H

#include <stdbool.h>
#include <stdint.h>

/* Each by itself. */
static inline void orr_union_find_init(uint32_t *leads, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        leads[i] = i;
    }
}

/* The lowest of those that it is joined with. O(log count), amortized. */
static inline uint32_t orr_union_find_root(uint32_t *leads, uint32_t item)
{
    while (leads[item] != item) {
        leads[item] = leads[leads[item]];
        item = leads[item];
    }
    return item;
}

/* Joins two, and all that they are joined with; whether they were apart. */
static inline bool orr_union_find_unite(uint32_t *leads, uint32_t a, uint32_t b)
{
    a = orr_union_find_root(leads, a);
    b = orr_union_find_root(leads, b);
    leads[a > b ? a : b] = a > b ? b : a;
    return a != b;
}

#endif
