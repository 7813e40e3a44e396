/* Union-find over 0 .. count - 1 with path halving. The root of a set is its smallest member. */
#ifndef ORR_CORE_UNION_FIND_H
#define ORR_CORE_UNION_FIND_H

#include <stdbool.h>
#include <stdint.h>

/* Initializes each item as a set of its own. */
static inline void orr_union_find_init(uint32_t *leads, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        leads[i] = i;
    }
}

/* The root of the item's set. O(log count), amortized. */
static inline uint32_t orr_union_find_root(uint32_t *leads, uint32_t item)
{
    while (leads[item] != item) {
        leads[item] = leads[leads[item]];
        item = leads[item];
    }
    return item;
}

/* Unites the sets of two items; false if they were one set already. */
static inline bool orr_union_find_unite(uint32_t *leads, uint32_t a, uint32_t b)
{
    a = orr_union_find_root(leads, a);
    b = orr_union_find_root(leads, b);
    leads[a > b ? a : b] = a > b ? b : a;
    return a != b;
}

#endif
