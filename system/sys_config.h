/* How collectives run: algorithms, chunks, order of dimensions and ports (the `system` section). */
#ifndef ORR_SYSTEM_SYS_CONFIG_H
#define ORR_SYSTEM_SYS_CONFIG_H

#include "system/collectives/program.h"
#include "system/embedding/embedding.h"
#include "system/sys_policy.h"

struct coll_trees;
struct orr_arena;
struct sys_ccl;
struct sys_custom;

struct sys_tuning;
struct sys_tuning_cache;

/* How an algorithm is chosen if none is named: the one of the dimension's block (ASTRA-sim 2.0,
 * Table I), or autotuning: the one with the shortest predicted time. */
enum sys_choice { SYS_BY_BLOCK, SYS_AUTO };
/* "by_block", "auto"; NULL past the end. */
const char *orr_sys_choice_name(size_t index);

/* An algorithm as configured for one dimension. */
struct sys_algorithm {
    const struct coll_algorithm *algorithm; /* NULL: by `choice` */
    enum sys_choice choice;
    uint32_t window; /* direct: 0 = unlimited */
    bool flat;       /* ASTRA-sim's "one...": all NPUs as one dimension; the list ends here */
};

/* Kinds with a configurable algorithm list, and those of them that ASTRA-sim has. */
#define SYS_NAMED_KINDS 6u  /* COLL_ALL_REDUCE to COLL_REDUCE */
#define SYS_LISTED_KINDS 4u /* COLL_ALL_REDUCE to COLL_ALL_TO_ALL */

struct sys_algorithm_list {
    const struct sys_algorithm *items; /* [count] */
    unsigned count;                    /* 0: use sys_config.choice */
    const struct sys_custom *custom;   /* used instead of the items; NULL = none */
};

/* Channels of the edges of trees in a graph: one each, shared by two edges where links are few
 * (SHARED) or never shared (OWN); or none. */
enum sys_tree_channels { SYS_CHANNELS_SHARED, SYS_CHANNELS_OWN, SYS_CHANNELS_NONE };
struct sys_tree_keys {
    enum sys_tree_channels channels;
    enum sys_detours detours;
    const struct sys_detour *way; /* [ways] user paths */
    uint32_t ways;
    uint32_t search; /* number of trees to search for; 0: no search */
};
/* Channels of a dimension's trees: slice i has the `count` channels from `first` + i x `count` on.
 */
struct sys_channel_range {
    uint32_t first, count; /* 0: none */
    uint32_t stride, n;    /* of the dimension */
};

/* The optimal number of chunks for trees (C-Cube, Eq. 4). */
#define SYS_BEST_CHUNKS UINT32_MAX

enum sys_priority { SYS_LIFO, SYS_FIFO, SYS_EXPLICIT };

/* The order in which a chunk visits the dimensions. */
struct sys_scheduler_ops;
/* All schedulers, the default first; NULL ends the array. By index (NULL past the end); by name
 * (NULL if unknown). */
extern const struct sys_scheduler_ops *const orr_sys_schedulers[];
const char *orr_sys_scheduler_name(size_t index);
const struct sys_scheduler_ops *orr_sys_scheduler_find(const char *name);
/* The scheduler that stands for ASTRA-sim's dimension scheduling. */
const struct sys_scheduler_ops *orr_sys_scheduler_astra(void);

/* Order of waiting chunks at a dimension: oldest first; smallest of max(input, output) first, ties
 * oldest first; or smallest input first, ties newest first (Themis paper). */
enum sys_port_order { SYS_BY_AGE, SYS_SMALLEST_FIRST, SYS_SMALLEST_INPUT_FIRST };

/* What shares a port's bandwidth: nothing, since the messages of all wait in one line; or streams:
 * the collectives of a group (or of groups of one name), and the point-to-point messages of an NPU.
 */
enum sys_port_sharing { SYS_SHARE_MESSAGES, SYS_SHARE_STREAMS };

/* Order of waiting chunk-phases in a queue (queues only): by priority and age; or smallest
 * first (ASTRA-sim's "SCF"; phases other than reduce-scatter and all-gather go by priority). */
enum sys_queue_order { SYS_QUEUE_BY_PRIORITY, SYS_QUEUE_SMALLEST_FIRST };

/* Service discipline: a port serves messages of any ready chunk; or a dimension serves one
 * chunk-phase at a time in a precomputed order, with all latencies at the end (Themis). */
enum sys_service { SYS_BY_MESSAGE, SYS_BY_PHASE };

/* When equal back-to-back messages become one event (message train): if probably undisturbed,
 * never, or wherever possible. Results do not depend on it. */
enum sys_advance { SYS_ADVANCE_LIKELY, SYS_ADVANCE_NEVER, SYS_ADVANCE_ALWAYS };

struct sys_mono;

struct sys_config {
    const struct sys_policy *policy;
    const struct sys_mono *whole; /* how groups run monolithic all-reduces; NULL: in phases */
    const char *mono_text;        /* the user's text, or NULL */
    /* The CCL that runs all collectives without a named algorithm; NULL: none. */
    const struct sys_ccl *library;
    struct sys_algorithm_list algorithms[SYS_NAMED_KINDS];
    enum sys_choice choice;                /* for collectives that the lists do not name */
    struct sys_tuning_cache *tuning_cache; /* autotuning results, shared between systems; NULL: one
                                              cache for each system */
    const struct sys_tuning *tuning;       /* used for all choices; NULL: autotune */
    uint32_t chunks;                       /* a collective is split into this many, >= 1 */
    uint32_t chunks_of[SYS_NAMED_KINDS];   /* per kind, or SYS_BEST_CHUNKS; 0: as `chunks` */
    uint32_t active_chunks;                /* admitted per dimension, >= 1 (queues only) */
    uint32_t queues_per_dim;               /* >= 1 (queues only) */
    enum sys_priority priority;
    const struct sys_scheduler_ops
        *scheduler; /* NULL: the default, or autotuned with the algorithms */
    enum sys_port_order port_order;
    enum sys_port_sharing port_sharing;
    enum sys_queue_order queue_order;
    enum sys_service service;
    enum sys_advance advance;
    bool bandwidth_aware; /* all-reduce = reduce-scatter up, all-gather down (localBWAware) */
    bool rendezvous;      /* a receiver first sends a request of 8192 bytes */
    sim_time endpoint_delay_ps;
    struct sys_tree_keys tree_keys;
    const struct sys_channel_range *channel_ranges; /* [dims]; NULL: messages of trees use routes */
    const struct coll_trees *trees; /* user trees or trees found by search; NULL: none */
    double tree_bytes_per_s; /* of the slowest channel of the trees, else of the graph's slowest
                                link; 0: no graph */
    bool phased; /* the root of an all-reduce sends nothing down before it has all chunks */
    uint32_t receive_buffers;         /* chunks sent up an edge and not yet reduced; 0: unlimited */
    sim_time host_synchronization_ps; /* included in the network's message_overhead */
    /* Bandwidth of local memory for local reductions, bytes/s; 0: reductions are overlapped. */
    double reduction_bytes_per_s;
};

/* Cache of autotuning results for all systems of one platform, in the arena; NULL: no memory. */
struct sys_tuning_cache *orr_sys_tuning_cache_create(struct orr_arena *arena);

#endif
