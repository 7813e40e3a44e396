/* The system layer: communicator groups, collectives as chunk pipelines over dimensions, and
 * point-to-point matching (docs/models.md, section 5). The folder's only public header.
 *
 * The workload layer starts operations; the system layer sends their messages through the network
 * and calls the listener when an operation is complete on an NPU. Traces and groups name NPUs by
 * rank, calls of a running system by slot (core/fold.h). */
#ifndef ORR_SYSTEM_SYSTEM_H
#define ORR_SYSTEM_SYSTEM_H

#include "core/core.h"
#include "memory/memory.h"
#include "network/network.h"
#include "system/ccl/ccl.h"
#include "system/collectives/program.h"
#include "system/embedding/embedding.h"

/* Decisions in which ASTRA-sim and Orrery differ; one struct, no scattered conditions.
 * docs/compatibility.md explains every line. */
struct sys_policy {
    const char *name;
    bool astra_steps;        /* step collectives by ASTRA-sim's event chains */
    bool admit_chunks;       /* per-dimension queues admit `active_chunks` chunk-phases at a time */
    bool full_last_chunk;    /* the last chunk has the size of the others */
    bool minimum_chunk;      /* a chunk has at least one byte for every NPU of the platform */
    bool pair_by_issue;      /* collectives pair by order of issue; otherwise by trace order */
    bool replay_broadcast;   /* a broadcast lasts as long as its node's recorded duration */
    bool flat_groups;        /* a group smaller than the platform is one flat dimension */
    bool one_comm_slot;      /* collectives, sends and memory share one slot per NPU */
    bool memory_path;        /* with default rules: memory and network of an NPU share one path */
    bool memory_is_remote;   /* all memory nodes are remote; tensor_loc is ignored */
    uint32_t tags;           /* modulus of point-to-point tags; 0: none */
    bool five_parts;         /* waiting counts as communication, CPU nodes as compute */
    bool warns_of_unmatched; /* messages that are never received cause a warning, not an error */
    bool ignores_rules;      /* Orrery's extensions of traces are ignored: rules, delays, signals */
    bool sparse_wakeup;      /* nodes freed by a skipped node wait for the next completion */
    sim_time group_endpoint_ps; /* >= 0: endpoint delay inside smaller groups; < 0: as elsewhere */
    enum orr_order order;       /* order of same-instant events */
    bool key_by_start;          /* routes are keyed by the order in which messages start */
};

extern const struct sys_policy orr_sys_policy_default;
extern const struct sys_policy orr_sys_policy_task_graph;
extern const struct sys_policy orr_sys_policy_astra_sim;

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

/* Order of waiting chunk-phases in a queue (admit_chunks only): by priority and age; or smallest
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
    uint32_t active_chunks;                /* admitted per dimension, >= 1 (admit_chunks only) */
    uint32_t queues_per_dim;               /* >= 1 (admit_chunks only) */
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

/* ---- custom collectives: a program read from traces ---- */

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

/* Reads the `system` section of a platform file (NULL: absent) for a network of `dims` dimensions.
 * Errors: those of the keys, with location; memory. */
enum orr_status orr_sys_config_read(struct orr_arena *arena, const struct orr_conf *map,
                                    unsigned dims, struct sys_config *config,
                                    struct orr_diag *diag);
extern const struct orr_key_table orr_sys_key_table;
/* Parses system.monolithic_all_reduce, which orr_sys_config_read keeps as text. Errors: as
 * orr_sys_mono_parse; memory. */
enum orr_status orr_sys_config_mono(struct orr_arena *arena, const struct orr_conf *map,
                                    struct sys_config *config, struct orr_diag *diag);

/* Reads system.library, which needs the network. Errors: it is combined with
 * monolithic_all_reduce; those of orr_sys_ccl_read. */
enum orr_status orr_sys_config_ccl(struct orr_arena *arena, const struct orr_conf *map,
                                   const struct net_config *net, struct sys_config *config,
                                   struct orr_diag *diag);

/* Checks the section against the network: in-switch algorithms need switches that reduce, tree keys
 * need matching trees. Errors: the first mismatch, with location. */
enum orr_status orr_sys_config_check(const struct orr_conf *map, const struct sys_config *config,
                                     const struct net_config *net, struct orr_diag *diag);

/* Whether a platform searches for trees through all NPUs of a graph, as `orrery topo trees` does:
 * `trees: search` for an algorithm that is named once for all dimensions. Where the network names
 * no dimensions those of the fabric are then one (orr_net_config_join_dims). */
bool orr_sys_trees_span_all(const struct orr_conf *system);

/* Searches for trees on the network's graph (system/embedding/) if `trees: search` is set. Errors:
 * no graph; none found; memory. */
enum orr_status orr_sys_find_trees(struct orr_arena *arena, const struct orr_conf *map,
                                   struct sys_config *config, const struct net_config *net,
                                   struct orr_diag *diag);

/* Embeds the trees on the network's graph, if it has one and an algorithm uses trees: the channels
 * of their edges are added to `net`. Warns of links that several edges share. Errors: an edge
 * without a path; user paths that embedding.h rejects; memory. */
enum orr_status orr_sys_embed_trees(struct orr_arena *arena, const struct orr_conf *map,
                                    struct sys_config *config, struct net_config *net,
                                    struct orr_diag *diag);

/* ---- monolithic all-reduces (docs/models.md, section 4) ---- */

struct sys_mono_kind;

/* How a level of a hierarchical all-reduce runs: in rounds of a ring; each member to all others,
 * which reduce a part each; as one message to the next. */
enum sys_mono_level { SYS_MONO_RING, SYS_MONO_SHARDED, SYS_MONO_STREAM };

/* A monolithic all-reduce algorithm. All zero: a ring. */
struct sys_mono {
    const struct sys_mono_kind *kind;
    const struct coll_algorithm *program; /* NULL: in rounds with barriers */
    uint32_t number; /* number after the colon: members of a group, or chunks */
    /* hierarchical: algorithms inside and across groups; or, if `inner_bytes_per_s` > 0, each
     * member is a server of `number` GPUs that reduce at this bandwidth first. */
    enum sys_mono_level inside, across;
    double inner_bytes_per_s;
    uint32_t jump; /* double_binary_tree: label v of the tree is member jump x v; 0: 1 */
};

/* Parses "NAME" or "NAME:NUMBER", such as "ring" or "hierarchical:4", with options ",inside=KIND",
 * ",across=KIND", ",inner=BANDWIDTH" and ",jump=JUMP" after the number. '_' equals '-'. Errors: an
 * unknown name, with the list of forms; a number that is missing, out of range or not allowed;
 * unknown options. */
enum orr_status orr_sys_mono_parse(const char *text, struct sys_mono *out, struct orr_diag *diag);

/* Name of the default algorithm. */
extern const char orr_sys_mono_default_name[];

/* Whether it is `ring_stream`; whether it is the default (also if none is set). */
bool orr_sys_mono_is_stream(const struct sys_mono *choice);
bool orr_sys_mono_is_default(const struct sys_mono *choice);

/* Writes the algorithm in the syntax of orr_sys_mono_parse; returns `text`. */
enum { SYS_MONO_BYTES = 128 };
char *orr_sys_mono_format(const struct sys_mono *choice, char *text, size_t bytes);

/* The index-th form, such as "tree[:CHUNKS]"; false past the end. `summary` is one line. */
bool orr_sys_mono_form(size_t index, char form[SYS_MONO_BYTES], const char **summary);

/* Whether it uses the rings of a graph. */
bool orr_sys_mono_is_ring(const struct sys_mono *choice);

/* Rounds of `ring` for an all-reduce of `bytes` among `members` >= 2, and the bytes that each
 * member sends per round around each of `rings`. */
struct sys_ring_rounds {
    uint32_t rounds;
    uint64_t bytes;
};
struct sys_ring_rounds orr_sys_ring_rounds(uint64_t bytes, uint64_t members, uint32_t rings);

/* The group runs the collective by the platform's CCL model. This kind has no name of its own. */
extern const struct sys_mono orr_sys_mono_by_ccl;
static inline bool sys_by_ccl(const struct sys_mono *choice)
{
    return choice == &orr_sys_mono_by_ccl;
}

/* Whether the algorithm supports `members`; if not, a ring runs (counted as a fallback). */
bool orr_sys_mono_fits(const struct sys_mono *choice, uint32_t members);

/* ---- the ASTRA-sim simulator's files ---- */

/* Contents of a system file. The caller sets `config.policy`. */
struct sys_astra {
    struct sys_config config;
    struct orr_location list_location[SYS_LISTED_KINDS], custom_location[SYS_LISTED_KINDS];
    const char *custom_prefix[SYS_LISTED_KINDS]; /* traces of custom collectives, or NULL */
    double local_memory_bytes_per_s;             /* INFINITY when not given */
    double peak_flops;
    bool roofline, replay_only, track_local_memory;
    const char *local_memory_trace;
};

/* Reads a system file (JSON). Warns of keys that ASTRA-sim ignores, except for the two of dimension
 * scheduling if `dimension_scheduling` obeys them. Errors: those of the keys, with location;
 * memory. */
enum orr_status orr_sys_config_read_astra(struct orr_arena *arena, const char *path,
                                          bool dimension_scheduling, struct sys_astra *astra,
                                          struct orr_diag *diag);
/* Checks the algorithm lists for a network of `dims` dimensions: too many entries are an error, too
 * few a warning. */
enum orr_status orr_sys_astra_check_dims(const struct sys_astra *astra, unsigned dims,
                                         struct orr_diag *diag);

/* ---- the running system ---- */

struct sys;

/* Called in events of the NPU. */
struct sys_listener {
    void *context;
    void (*done)(void *context, struct orr_slot npu, uint64_t cookie);
    /* The operation no longer waits for others: the last member has started the collective, the
     * other end has started the send or posted the receive. For time accounting only. Called once,
     * in the event that ends the wait, and not for an operation that ends earlier. May be NULL. */
    void (*transfers)(void *context, struct orr_slot npu, uint64_t cookie);
    /* For `watched` collectives: the NPU holds the first `bytes` of the result, a prefix of
     * complete chunks. Ascending; the last chunk is reported by done(). May be NULL if nothing is
     * watched. */
    void (*progress)(void *context, struct orr_slot npu, uint64_t cookie, uint64_t bytes);
    /* The NPU starts (+1) or ends (-1) forwarding a message of others; see net_listener. May be
     * NULL. */
    void (*forwards)(void *context, struct orr_slot npu, int change);
};

enum orr_status orr_sys_create(struct sys **out, const struct sys_config *config, struct net *net,
                               struct orr_evq *queue, struct orr_arena *arena,
                               struct orr_diag *diag);
void orr_sys_destroy(struct sys *sys);

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

/* Sets npu[slot] for each NPU that channels of the network pass through. */
void orr_sys_forwarders(const struct sys *sys, bool *npu);
void orr_sys_set_listener(struct sys *sys, const struct sys_listener *listener);

/* Adds a group of the ranks[count], in this order, under a name. Group 0 is all NPUs. Several
 * disjoint groups may have one name; the same name with the same ranks gives the same group.
 * Errors: a rank out of range or repeated; ranks that overlap a group of the same name, showing
 * both; memory. O(count). */
enum orr_status orr_sys_group_add(struct sys *sys, const char *name, const uint32_t *ranks,
                                  uint32_t count, uint32_t *group, struct orr_diag *diag);
/* Adds a group of all NPUs in order under a name. O(1). Error: memory. */
enum orr_status orr_sys_group_add_all(struct sys *sys, const char *name, uint32_t *group,
                                      struct orr_diag *diag);
/* Says that the group belongs to a family of a generated model (groups of its name): algorithms are
 * judged with groups of the family alone at the same time. Returns whether messages of the group
 * may share links with those of others, whose groups must then be added too. */
bool orr_sys_group_set_of_model(struct sys *sys, uint32_t group);
/* Adds the groups of a mapping of names to lists of ranks. Errors: as orr_sys_group_add, with
 * location. */
enum orr_status orr_sys_groups_read(struct sys *sys, struct orr_arena *arena,
                                    const struct orr_conf *map, struct orr_diag *diag);
/* Adds the groups of ASTRA-sim's communicator group file (JSON: {"<name>": [ranks]}). Errors:
 * likewise; by ASTRA-sim's rules names at which it stops are warned of. */
enum orr_status orr_sys_groups_read_astra(struct sys *sys, struct orr_arena *arena,
                                          const char *path, struct orr_diag *diag);
/* The rank that represents a slot, and the slot of a rank's class. Equal numbers without a fold. */
struct orr_rank orr_sys_rank_of_slot(const struct sys *sys, struct orr_slot slot);
struct orr_slot orr_sys_slot_of_rank(const struct sys *sys, struct orr_rank rank);
/* The group of this name that contains the rank, or UINT32_MAX. */
uint32_t orr_sys_group_find(const struct sys *sys, const char *name, struct orr_rank rank);
/* Whether a group other than group 0 has the name. */
bool orr_sys_group_known(const struct sys *sys, const char *name);
/* The group that a trace names: "" is all NPUs, and so is "0" unless a group has that name; else as
 * orr_sys_group_find. */
uint32_t orr_sys_group_named(const struct sys *sys, const char *name, struct orr_rank rank);
/* Describes why orr_sys_group_find found no group, as the end of a sentence. */
void orr_sys_group_list(const struct sys *sys, const char *name, char *text, size_t bytes);
/* Position of a rank in the group; check with sys_in_group. O(log n). */
struct sys_position orr_sys_group_position(const struct sys *sys, uint32_t group,
                                           struct orr_rank rank);
uint32_t orr_sys_group_size(const struct sys *sys, uint32_t group);
uint32_t orr_sys_groups(const struct sys *sys); /* number of groups, with group 0 */
struct orr_rank orr_sys_group_rank(const struct sys *sys, uint32_t group,
                                   struct sys_position position);
/* The ranks of a group in the user's order, NULL for group 0; sets *count. */
const uint32_t *orr_sys_group_ranks(const struct sys *sys, uint32_t group, uint32_t *count);
/* Whether the group is all NPUs or a box of the platform's dimensions. */
bool orr_sys_group_is_box(const struct sys *sys, uint32_t group);
const char *orr_sys_group_name(const struct sys *sys, uint32_t group);

/* Sizes of an uneven collective, shared by its members. Sizes are in the user's order of the group;
 * rows are by position. */
struct sys_sizes {
    /* All-to-all: [members], bytes that the member at a position has for each. All-gather and
     * reduce-scatter: one row, the contribution or the part of each. */
    const uint64_t *const *row;
    const uint32_t *column; /* [members], place of a position in a row; NULL: the position */
    uint64_t largest; /* the most bytes that a member sends or receives, its own part included;
                         all-gather: the largest contribution; reduce-scatter: n parts of the
                         largest, as many bytes as the even collective that contains it */
};

struct sys_collective {
    struct orr_slot npu;
    uint32_t group;
    enum coll_kind kind;
    uint64_t bytes;
    const struct sys_sizes
        *sizes;           /* of an uneven collective, `bytes` is its `largest`; NULL: even */
    struct orr_rank root; /* for rooted kinds */
    uint32_t
        ordinal; /* ordinal of the collective in the group on this NPU (pair_by_issue: unused) */
    uint32_t dim_mask; /* dimensions that take part; all ones = all */
    uint32_t priority; /* SYS_EXPLICIT */
    uint64_t cookie;
    const char *name; /* for reports */
    uint64_t node_id; /* for reports */
    /* Monolithic: starts when the last member starts it, ends for all members at once. Messages go
     * between ranks in the user's order of the group. NULL: in phases. */
    const struct sys_mono *whole;
    bool watched;  /* listener.progress is called for it */
    bool launched; /* the launch by the host is added (system.library); no CPU node accounts for it
                    */
};

/* Checks that the platform can run the collective: each dimension has an algorithm that supports
 * its kind and size. Call it for every collective before the run: it also sizes the labels. Errors:
 * the reason, without location. */
enum orr_status orr_sys_collective_check(struct sys *sys, const struct sys_collective *request,
                                         struct orr_diag *diag);

/* Plan of a collective: the algorithm of each of the platform's dimensions (a group that is no box:
 * of the first), NULL where the dimension is idle; or a custom program. */
struct sys_description {
    const char *of[NET_MAX_DIMS];
    const char *scheduler, *custom;
    const struct sys_mono *whole;                       /* monolithic; NULL: in phases */
    const char *library, *library_algorithm, *protocol; /* NULL: not by a CCL */
    sim_time launch_ps;                                 /* of the library, in its time */
};
enum orr_status orr_sys_describe_collective(struct sys *sys, const struct sys_collective *request,
                                            struct sys_description *runs, struct orr_diag *diag);

/* Number of prefixes in which a member receives the result. 1 if it is complete only at the end:
 * one chunk, a custom program or a monolithic collective. Requires orr_sys_collective_check. */
uint64_t orr_sys_collective_prefixes(struct sys *sys, const struct sys_collective *request);

/* ---- folding (core/fold.h) ---- */

/* Creates a system that plans collectives and runs none. Groups can be added; there is no per-NPU
 * state. The network's config must outlive it. Error: memory. */
enum orr_status orr_sys_planner_create(struct sys **out, const struct sys_config *config,
                                       const struct net_config *net, struct orr_arena *arena,
                                       struct orr_diag *diag);
/* Symmetry of routes through a graph. is_equivalent: whether the route of a message and those of
 * all its images under rotations of the folded digits map to each other. Without it the planner
 * assumes that no routes are equivalent. */
struct sys_route_symmetry {
    bool (*is_equivalent)(void *context, struct orr_rank src, struct orr_rank dst, bool backwards);
    void *context;
};
void orr_sys_planner_set_symmetry(struct sys *planner, const struct sys_route_symmetry *ways);

/* Sets *unfoldable to the folded digits that the collective distinguishes, as a set of bits; they
 * must not be folded. The request is that of the representative of the class. Errors: the plan's;
 * memory. O(phases x NPUs of a slice). */
enum orr_status orr_sys_fold_check(struct sys *planner, const struct sys_collective *request,
                                   const struct orr_fold *fold, uint64_t *unfoldable,
                                   struct orr_diag *diag);
/* Why the representatives of the classes cannot run the group's monolithic all-reduce for all
 * members, as the end of a sentence; NULL: they can. A single member can. Rings of the network are
 * assumed equal within a class (orr_sys_mono_check_rotation). O(members). (monolithic/mono_fold.c)
 */
const char *orr_sys_mono_fold_check(const struct sys *planner, uint32_t group,
                                    const struct sys_mono *choice, const struct orr_fold *fold);

/* A monolithic all-reduce, and a rotation of NPU numbers that maps a member of `group` to a member
 * of `image`, which may be the same group. */
struct sys_mono_rotation {
    const struct sys_mono *choice;
    uint32_t group, image;
    struct orr_rank member;
    const struct net_rotation *rotation;
    const uint32_t *link_image; /* image of each link of the network */
    /* Whether the rotation maps the route of a message to the route of the message's image.
     * `over_link`: the message is a ring step, which a network may send over the link between the
     * two. */
    bool (*keeps_route)(void *context, struct orr_rank src, struct orr_rank dst, bool over_link);
    void *context;
};
/* Why the rotation does not map the traffic of `group` to that of `image`, as the end of a
 * sentence; NULL: it does. O(members x rings). (monolithic/mono_fold.c) */
const char *orr_sys_mono_check_rotation(struct sys *planner,
                                        const struct sys_mono_rotation *rotation);

/* ---- running ---- */

/* Starts the NPU's part; listener.done() follows in a later event. */
void orr_sys_collective_start(struct sys *sys, const struct sys_collective *request);

/* Bytes of a watched collective in progress that the NPU holds. */
uint64_t orr_sys_collective_progress(const struct sys *sys, const struct sys_collective *request);

struct sys_message {
    struct orr_slot npu;
    struct orr_rank peer;
    uint32_t tag;
    uint64_t bytes;
    uint64_t cookie;
    bool signal; /* arrives at once and uses no network resource */
};

/* Whether sends use rendezvous: they wait for the receiver's request. */
bool orr_sys_sends_wait(const struct sys *sys);
/* Starts a send or a receive. A send is complete when its data have arrived; a receive when it is
 * posted and its data have arrived. */
void orr_sys_send(struct sys *sys, const struct sys_message *message);
void orr_sys_recv(struct sys *sys, const struct sys_message *message);

/* Describes what an unfinished collective, send or receive waits for, for a deadlock report. With a
 * fold, as `rank` of the NPU's class sees it, whose receive is from `sender`. For a collective
 * returns the first rank that has not started it; UINT32_MAX if all have. */
struct orr_rank orr_sys_explain_collective(const struct sys *sys,
                                           const struct sys_collective *request,
                                           struct orr_rank rank, char *text, size_t bytes);
void orr_sys_explain_recv(const struct sys *sys, const struct sys_message *message,
                          struct orr_rank sender, char *text, size_t bytes);
void orr_sys_explain_send(const struct sys *sys, const struct sys_message *message,
                          struct orr_rank receiver, char *text, size_t bytes);

/* Unmatched operations at the end: sends without receive, and collectives that some members never
 * started. */
struct sys_unmatched {
    uint64_t sends, collectives;
};
struct sys_unmatched orr_sys_unmatched(const struct sys *sys);
/* The index-th group of unmatched sends with equal source, destination, tag and size, and their
 * number; false past the end. `custom`: sends of custom collectives. O(groups). */
struct sys_unmatched_send {
    struct orr_rank src, dst;
    uint64_t tag, bytes, count;
    bool custom;
};
bool orr_sys_unmatched_send(const struct sys *sys, uint32_t index, struct sys_unmatched_send *out);
/* The index-th unmatched collective: node of the first member that started it, and the missing
 * members as text. */
struct sys_unmatched_collective {
    struct orr_rank npu;
    uint64_t node_id, bytes;
    const char *name;
    enum coll_kind kind;
    char missing[256];
};
bool orr_sys_unmatched_collective(const struct sys *sys, uint32_t index,
                                  struct sys_unmatched_collective *out);

/* With an empty queue: whether messages in flight end beyond the maximum simulated time. */
bool orr_sys_outlasts_time(const struct sys *sys);

/* Appends to the message which flows are stalled in the network, if any. */
void orr_sys_describe_stall(const struct sys *sys, struct orr_diag *diag);

/* Counters of monolithic all-reduces of groups of two or more members: started, rounds with a
 * barrier, and all-reduces that fell back to `ring`. */
struct sys_mono_counts {
    uint64_t all_reduces, rounds, ring_fallbacks;
};
struct sys_mono_counts orr_sys_mono_counts(const struct sys *sys);

/* What all-reduces of the largest group that did some went around: how many rings, and how many of
 * the links among its members their steps take. */
struct sys_ring_use {
    uint32_t members, rings;
    uint64_t links_used, links; /* one way, parallel ones each */
};
/* false: there are no such links, or no memory to tell. O(links + rings x members). */
bool orr_sys_ring_use(const struct sys *sys, struct sys_ring_use *out);

/* Several users of one system, none of whose ranks two have: what they send and their all-reduces
 * are counted apart, and the ways of the messages of one do not depend on the others (keys by start
 * begin with its number). */
struct sys_tenants {
    uint32_t count;
    const uint32_t *of;     /* [npus] the tenant of a rank; >= count: none */
    const uint32_t *number; /* [count] */
};
struct sys_tenant_counts {
    uint64_t messages;
    struct sys_mono_counts whole;
};
/* Call before the run; the arrays must outlive the system. Error: memory. */
enum orr_status orr_sys_set_tenants(struct sys *sys, const struct sys_tenants *tenants,
                                    struct orr_diag *diag);
struct sys_tenant_counts orr_sys_tenant_counts(const struct sys *sys, uint32_t tenant);

orr_sum orr_sys_messages(const struct sys *sys); /* sent so far */
size_t orr_sys_bytes(const struct sys *sys);     /* heap memory in use */

#endif
