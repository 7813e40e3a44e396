/* State of a running system, shared by all rooms of the folder. This header is below all rooms and
 * knows their structs by name only. Calls between the rooms go down:
 *
 *   collectives < groups < p2p, plan < step < monolithic < astra < run
 *
 * Each room has a header that includes those of the rooms below it: program.h; group.h; p2p.h;
 * phase.h, operation.h, planning.h (with schedulers.h, autotune.h); stepping.h; mono_allreduce.h;
 * astra_stepping.h; running.h. Calls upwards go through struct sys_upward. */
#ifndef ORR_SYSTEM_STATE_H
#define ORR_SYSTEM_STATE_H

#include "core/evq.h"
#include "core/fold.h"
#include "core/slab.h"
#include "network/net_backend.h"
#include "network/net_config.h"
#include "system/sys.h"
#include "system/sys_config.h"
#include "system/sys_counts.h"

struct coll_rings;
struct orr_arena;
struct orr_evq;
struct sys_message_log;
struct sys_policy;
struct sys_queues;
struct sys_route_symmetry;
struct sys_tracker;
struct sys_tuning_cache;

#define SYS_NONE UINT32_MAX

enum { SYS_MAX_DIMS = 32, SYS_MAX_CHUNKS = 1 << 13 };

enum {
    EVENT_STEP = ORR_EVENT_SYSTEM, /* a chunk-phase of astra/ continues after a delay */
    EVENT_ACCEPTED,                /* a chunk-phase accepts a message after the endpoint delay */
    EVENT_EMPTY,                   /* a phase without messages ends */
    EVENT_UNEXPECTED,              /* a message that arrived before its receive was posted */
    EVENT_RENDEZVOUS,              /* a rendezvous request that arrived before the send */
    EVENT_RENDEZVOUS_SEND,         /* the same for a point-to-point send */
    EVENT_DONE,                    /* a collective without phases is complete */
    EVENT_P2P_COMPLETE,
    EVENT_SIGNAL, /* a signal arrives */
    EVENT_CUSTOM_COMPUTE,
    EVENT_SETTLED,     /* the latencies at the end of a collective have passed */
    EVENT_BUFFER_FREE, /* a receive buffer is free for another chunk */
    EVENT_MONO         /* a monolithic collective continues */
};

_Static_assert(EVENT_MONO < (int)ORR_EVENT_WORKLOAD, "kinds of events are the folder's own");

enum { SYS_REQUEST_BYTES = 8192 }; /* a rendezvous request */

enum { SYS_CHUNK_BITS = 13 };
_Static_assert(SYS_MAX_CHUNKS == 1 << SYS_CHUNK_BITS, "chunks are numbered in so many bits");

/* Priority at a port by age: the messages of older collectives go first. */
static inline uint64_t sys_port_order_of_age(uint64_t age)
{
    return age << SYS_CHUNK_BITS;
}

/* Hash table of group numbers with open addressing: a power of two of slots, 0: empty. */
struct sys_group_table {
    uint32_t *group;
    size_t mask, used;
};

/* Unexpected messages (step/unexpected.c). */
struct sys_unexpected {
    struct orr_slab items;
    uint32_t *heads; /* [2^bits], item + 1; NULL: none yet */
    unsigned bits;
    uint64_t count;
};

/* Bit fields of the labels of collectives (step/message_labels.c), and the counts they must hold.
 */
struct sys_labels {
    uint64_t steps, chunks, ordinals; /* counts: a field holds the numbers below */
    uint64_t ring_steps;              /* instead of `steps`, if a ring may run an all-to-all */
    unsigned request_shift, phase_shift, chunk_shift, ordinal_shift, name_shift;
    uint64_t step_mask, request_bit; /* no rendezvous: no bit */
    uint8_t phase_mask;
    unsigned needed; /* bits in all */
    bool chosen;     /* the widths are fixed */
};

/* Counters of a tenant (system/sys_counts.h). */
struct sys_tenant {
    uint64_t route_keys; /* handed out by orr_sys_route_key */
    struct sys_tenant_counts counts;
};

struct p2p;
struct sys_group;
struct sys_stream;
struct sys_operation;
struct sys_phase;
struct sys_stepper_ops;
struct sys_predictors;
struct sys_monos;
struct sys_member_id;

/* Calls from lower rooms to higher ones, set when the system is created. */
struct sys_upward {
    /* The stepper of a phase of a planned collective. NULL in a system that only plans. */
    const struct sys_stepper_ops *(*stepper_of)(const struct sys_operation *operation,
                                                const struct sys_phase *phase);
    /* The stream's phase has ended. */
    void (*phase_finished)(struct sys *sys, struct sys_stream *stream);
    /* A point-to-point operation of a custom collective is complete. */
    void (*op_done)(struct sys *sys, struct sys_stream *stream, uint32_t op);
    /* A member's part of a monolithic collective has ended; with the last member's part the
     * operation ends. */
    void (*mono_done)(struct sys *sys, struct sys_operation *operation,
                      struct sys_member_id member);
    /* The rings on links for the phases of a group; NULL: none. */
    const struct coll_rings *(*rings_of)(const struct sys *sys, struct sys_group *group);
    /* Predicted times of a collective that runs alone. */
    const struct sys_predictors *predict;
};

/* The groups of a system. (groups/) */
struct sys_group_list {
    struct sys_group **groups; /* [count] */
    uint32_t count;
    size_t capacity;
    uint32_t families;             /* distinct names of groups, without that of all NPUs */
    struct sys_group_table names;  /* the first group of each name */
    struct sys_group_table shared; /* groups of shared names, by their ranks */
};

/* What planning keeps from one operation to the next. (plan/) */
struct sys_planning {
    const struct sys_config *given; /* of the run; differs from sys.config in a system that only
                                       plans */
    const struct sys_route_symmetry *symmetry; /* set by orr_sys_planner_set_symmetry in a system
                                                  that only plans; or NULL */
    struct sys_tuning_cache *tuning_cache;
    struct sys_tracker *loads; /* of a scheduler, shared by the collectives of one instant; NULL:
                                  one for each operation */
    sim_time loads_ps;         /* the instant of `loads` */
    /* The next variant of trees, by kind and dimension (sys_policy.tree_turns_by_platform). */
    uint32_t tree_variant[SYS_LISTED_KINDS * SYS_MAX_DIMS];
};

/* What is counted of operations and messages. (run/, p2p/, sys_count_messages) */
struct sys_tally {
    uint64_t messages;
    uint64_t route_keys; /* handed out without tenants */
    uint32_t operation_ids;
    size_t operation_bytes;
    struct sys_tenants tenants;
    struct sys_tenant *tenant; /* [tenants.count]; NULL: there are none */
};

struct sys {
    struct sys_upward up;
    const struct sys_config *config;
    const struct sys_policy *policy;
    struct net *net;
    struct orr_evq *queue;
    struct orr_arena *arena;
    struct sys_listener listener;
    bool counts_departures; /* the network reports when a message has left its port */
    bool keeps_ring_links;  /* ring steps use the link between the two NPUs */
    uint32_t npus, slots;   /* slots: simulated NPUs, which index per-NPU arrays */
    struct sys_group_list all;
    uint32_t *started;         /* [slots], collectives started: ages and labels */
    int64_t *priority;         /* [slots], running priority */
    struct sys_queues *queues; /* of sys_chunk_ops that have queues; else NULL */
    struct sys_unexpected unexpected;
    struct p2p *p2p;
    struct sys_monos *monos;
    struct sys_labels labels;
    struct sys_message_log *log; /* of messages along user trees; NULL: not recorded */
    struct sys_tally tally;
    struct sys_planning planning;
};

/* Streams at ports (net_msg.stream): the number, or 0 for all if they share nothing. */
enum { SYS_P2P_STREAM = 1 };
static inline uint32_t sys_port_stream(const struct sys *sys, uint32_t stream)
{
    return sys->config->port_sharing == SYS_SHARE_STREAMS ? stream : 0;
}

/* Inline orr_sys_slot_of_rank. O(kept digits of the fold). */
static inline struct orr_slot sys_slot_of_rank(const struct sys *sys, struct orr_rank rank)
{
    return net_slot(sys->net->config, rank);
}

/* The tenant of a rank, or NULL. */
static inline struct sys_tenant *sys_tenant_of(const struct sys *sys, struct orr_rank rank)
{
    const uint32_t tenant = sys->tally.tenants.count != 0 ? sys->tally.tenants.of[rank.rank] : 0;
    return tenant < sys->tally.tenants.count ? &sys->tally.tenant[tenant] : NULL;
}

/* Counts messages sent by a rank. */
static inline void sys_count_messages(struct sys *sys, struct orr_rank rank, uint64_t messages)
{
    sys->tally.messages += messages;
    if (__builtin_expect(sys->tally.tenant != NULL, 0)) {
        struct sys_tenant *tenant = sys_tenant_of(sys, rank);
        if (tenant != NULL) {
            tenant->counts.messages += messages;
        }
    }
}

#endif
