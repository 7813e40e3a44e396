/* Custom collectives: programs that are read from traces. */
#ifndef ORR_SYSTEM_CUSTOM_PROGRAM_H
#define ORR_SYSTEM_CUSTOM_PROGRAM_H

#include "core/time.h"
#include "system/sys_position.h"

enum sys_custom_type { SYS_CUSTOM_SEND, SYS_CUSTOM_RECV, SYS_CUSTOM_COMPUTE, SYS_CUSTOM_NONE };

struct sys_custom_op {
    enum sys_custom_type type;
    struct sys_position peer;
    uint32_t tag;
    uint64_t bytes;
    sim_time duration_ps; /* COMPUTE */
    uint32_t parents;
    uint32_t first_child, child_end; /* children[first_child..child_end) of sys_custom_program */
};

struct sys_custom_program {
    uint32_t ops;
    const struct sys_custom_op *op; /* [ops] */
    const uint32_t *children;
};

/* One program per position of the group. */
struct sys_custom {
    const char *name;
    uint32_t ranks;
    const struct sys_custom_program *program; /* [ranks] */
    const uint32_t *reach; /* [ranks], the greatest peer named by positions 0 to i */
};

#endif
