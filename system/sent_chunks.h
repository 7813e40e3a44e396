/* The log of messages along trees. */
#ifndef ORR_SYSTEM_SENT_CHUNKS_H
#define ORR_SYSTEM_SENT_CHUNKS_H

#include <stddef.h>

#include "core/fold.h"
#include "core/time.h"

struct sys;

/* A message along a user tree (system.trees). */
struct sys_sent_chunk {
    struct orr_rank src, dst;
    uint32_t chunk;
    bool up;      /* towards the root */
    bool turns;   /* from the root down */
    bool through; /* over other NPUs */
    uint64_t bytes;
    sim_time sent_ps,
        there_ps; /* when it was sent, possibly to a busy link; when it was delivered */
};
/* Records messages along trees from now on, about 200 bytes each. False: no memory. */
bool orr_sys_log_messages(struct sys *sys);
/* The delivered messages, sorted by source, destination and time of sending. Owned by the system.
 */
const struct sys_sent_chunk *orr_sys_sent_chunks(const struct sys *sys, size_t *count);

#endif
