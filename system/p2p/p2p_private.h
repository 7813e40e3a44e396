/* State of the matching, private to p2p.c, which changes it, and p2p_report.c, which reads it. */
#ifndef ORR_SYSTEM_P2P_P2P_PRIVATE_H
#define ORR_SYSTEM_P2P_P2P_PRIVATE_H

#include "system/p2p/p2p.h"

/* Operations that wait for arrivals, oldest first; or, if none waits, the number of unmatched
 * arrivals. A key has one or the other. */
struct p2p_list {
    uint32_t first; /* SYS_NONE: none waits */
    uint32_t last;  /* if none waits: the number of arrivals */
};

struct p2p_key {
    struct orr_rank src, dst;
    uint64_t tag, bytes, space;
    struct p2p_list recvs; /* posted receives; or arrived messages without a receive */
    struct p2p_list sends; /* rendezvous: sends waiting for a request; or requests without a send */
    uint32_t ahead;        /* started sends without a posted receive */
    /* The oldest operation whose other end has not started: a receive or, if `ahead` > 0, a
     * rendezvous send. All operations behind it in its list are open too. */
    uint32_t open;
};

static inline uint32_t p2p_arrived(const struct p2p_list *list)
{
    return list->first == SYS_NONE ? list->last : 0;
}

/* A waiting operation or a message in flight. */
struct p2p_record {
    struct p2p_owner owner;
    uint64_t label;
    uint32_t key;
    uint32_t next;
};

struct p2p {
    struct p2p_key *keys;
    uint32_t key_count, key_capacity;
    uint32_t *table; /* key + 1; open addressing */
    uint32_t table_mask;
    struct p2p_record *records;
    uint32_t used, capacity, free_head;
    uint32_t *sequence; /* [slots], messages sent, for labels */
};

#endif
