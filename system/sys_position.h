/* Positions of ranks in a group. */
#ifndef ORR_SYSTEM_SYS_POSITION_H
#define ORR_SYSTEM_SYS_POSITION_H

#include <stdbool.h>
#include <stdint.h>

/* Position of a rank in a group's order, 0 to size - 1. */
struct sys_position {
    uint32_t position;
};
static inline struct sys_position sys_position(uint32_t position)
{
    return (struct sys_position){position};
}
/* Whether the position is valid: the rank is in the group. */
static inline bool sys_in_group(struct sys_position position)
{
    return position.position != UINT32_MAX;
}

#endif
