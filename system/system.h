/* The system layer: communicator groups, collectives as chunk pipelines over dimensions, and
 * point-to-point matching (docs/models.md, section 5). The folder's only public header.
 *
 * It starts what the workload asks for, sends messages through the network, and calls back when an
 * operation is complete on an NPU. Traces and groups name NPUs by rank, calls of a running system
 * by slot (core/fold.h). */
#ifndef ORR_SYSTEM_SYSTEM_H
#define ORR_SYSTEM_SYSTEM_H

#include "core/core.h"
#include "memory/memory.h"
#include "network/network.h"
#include "system/ccl/ccl.h"
#include "system/collectives/program.h"
#include "system/embedding/embedding.h"

/* The decisions in which the reference simulator and our own rules differ; one struct, no scattered
 * conditions. docs/compatibility.md explains every line. */
struct sys_policy {
    const char *name;
    bool astra_steps;      /* step collectives as the reference's event chains do */
    bool admit_chunks;     /* per-dimension queues admit `active_chunks` chunk-phases at a time */
    bool full_last_chunk;  /* the last chunk has the size of the others */
    bool minimum_chunk;    /* a chunk has at least one byte for every NPU of the platform */
    bool pair_by_issue;    /* collectives pair by order of issue; otherwise by trace order */
    bool replay_broadcast; /* a broadcast lasts as long as its node's recorded duration */
    bool flat_groups;      /* a group smaller than the platform is one flat dimension */
    bool one_comm_slot;    /* collectives, sends and memory share one slot per NPU */
    bool memory_path; /* the same of default rules: an NPU's path to memory and network is one */
    bool memory_is_remote;      /* every memory node is remote, whatever tensor_loc says */
    uint32_t tags;              /* point-to-point tags count modulo this; 0: as they are */
    bool five_parts;            /* waiting counts as communication, CPU nodes as compute */
    bool warns_of_unmatched;    /* a job may end with messages that nobody receives */
    bool ignores_rules;         /* what traces have of Orrery's own: rules, delays, signals */
    bool sparse_wakeup;         /* nodes freed by a skipped node wait for the next completion */
    sim_time group_endpoint_ps; /* >= 0: endpoint delay inside smaller groups; < 0: as elsewhere */
    enum orr_order order;       /* order of same-instant events */
    bool key_by_start;          /* messages take their ways by the order in which they start */
};

extern const struct sys_policy orr_sys_policy_default;
extern const struct sys_policy orr_sys_policy_task_graph;
extern const struct sys_policy orr_sys_policy_astra_sim;

struct sys_tuning;
struct sys_tuning_cache;

/* How an algorithm is chosen that no name says: that of the dimension's block (Table I of the
 * ASTRA-sim 2.0 paper), or the one that is predicted to take the least time. */
enum sys_choice { SYS_BY_BLOCK, SYS_AUTO };
/* "by_block", "auto"; NULL behind the last. */
const char *orr_sys_choice_name(size_t index);

/* An algorithm as configured for one dimension. */
struct sys_algorithm {
    const struct coll_algorithm *algorithm; /* NULL: by `choice` */
    enum sys_choice choice;
    uint32_t window; /* direct: 0 = unlimited */
    bool flat;       /* the reference's one...: all NPUs as one dimension, the list ends here */
};

/* The kinds that have a configurable algorithm list, and those of them that ASTRA-sim has. */
#define SYS_NAMED_KINDS 6u  /* COLL_ALL_REDUCE to COLL_REDUCE */
#define SYS_LISTED_KINDS 4u /* COLL_ALL_REDUCE to COLL_ALL_TO_ALL */

struct sys_algorithm_list {
    const struct sys_algorithm *items; /* [count] */
    unsigned count;                    /* 0: by the config's choice */
    const struct sys_custom *custom;   /* used instead of the items; NULL = none */
};

/* The channels that the edges of trees are to have in a graph: their own, which two may share where
 * links are few, or may not; or none. */
enum sys_tree_channels { SYS_CHANNELS_SHARED, SYS_CHANNELS_OWN, SYS_CHANNELS_NONE };
struct sys_tree_keys {
    enum sys_tree_channels channels;
    enum sys_detours detours;
    const struct sys_detour *way; /* [ways] that are given */
    uint32_t ways;
    uint32_t search; /* how many trees are sought; 0: they are given */
};
/* The channels of a dimension's trees: `count` for each of its slices from `first` on. */
struct sys_channel_range {
    uint32_t first, count; /* 0: none */
    uint32_t stride, n;    /* of the dimension */
};

/* As many chunks as are best for trees (C-Cube, Eq. 4). */
#define SYS_BEST_CHUNKS UINT32_MAX

enum sys_priority { SYS_LIFO, SYS_FIFO, SYS_EXPLICIT };

/* In which order a chunk visits the dimensions. */
struct sys_scheduler_ops;
/* All schedulers, the usual one first; ends with NULL. By index (NULL behind the last) and by name
 * (or NULL). */
extern const struct sys_scheduler_ops *const orr_sys_schedulers[];
const char *orr_sys_scheduler_name(size_t index);
const struct sys_scheduler_ops *orr_sys_scheduler_find(const char *name);
/* What the ASTRA-sim simulator has where it schedules. */
const struct sys_scheduler_ops *orr_sys_scheduler_astra(void);

/* What a dimension takes first among the chunks that wait: the oldest, the one with the smallest of
 * its input and output (the oldest of equals), or with the smallest input (the newest of equals,
 * as in the Themis paper). */
enum sys_port_order { SYS_BY_AGE, SYS_SMALLEST_FIRST, SYS_SMALLEST_INPUT_FIRST };

/* What a queue takes first among the chunk-phases that wait (admit_chunks only): by priority and
 * age; or the smallest ("SCF" of the reference; what is not reduced or gathered goes by priority).
 */
enum sys_queue_order { SYS_QUEUE_BY_PRIORITY, SYS_QUEUE_SMALLEST_FIRST };

/* A port takes the messages of any chunks that are ready; or a dimension serves one chunk-phase at
 * a time, in an order that is worked out beforehand, and latencies come at the end (Themis). */
enum sys_service { SYS_BY_MESSAGE, SYS_BY_PHASE };

/* Whether equal messages that follow each other become one event, where they probably remain
 * undisturbed, or wherever they can. Results do not depend on it. */
enum sys_advance { SYS_ADVANCE_LIKELY, SYS_ADVANCE_NEVER, SYS_ADVANCE_ALWAYS };

struct sys_mono;

struct sys_config {
    const struct sys_policy *policy;
    const struct sys_mono *whole; /* how groups do all-reduces as a whole; NULL: in phases */
    const char *mono_text;        /* as it was given, or NULL */
    /* Whose collectives groups do, all but those whose algorithms are named; NULL: no library's. */
    const struct sys_ccl *library;
    struct sys_algorithm_list algorithms[SYS_NAMED_KINDS];
    enum sys_choice choice; /* of what the lists do not name */
    struct sys_tuning_cache
        *tuning_cache; /* what is kept of choices between systems; NULL: each its own */
    const struct sys_tuning *tuning;     /* taken for all choices; NULL: they are made */
    uint32_t chunks;                     /* a collective is split into this many, >= 1 */
    uint32_t chunks_of[SYS_NAMED_KINDS]; /* of a kind, or SYS_BEST_CHUNKS; 0: the same as all */
    uint32_t active_chunks;              /* admitted per dimension, >= 1 (admit_chunks only) */
    uint32_t queues_per_dim;             /* >= 1 (admit_chunks only) */
    enum sys_priority priority;
    const struct sys_scheduler_ops
        *scheduler; /* NULL: the usual one, or with the algorithms picked */
    enum sys_port_order port_order;
    enum sys_queue_order queue_order;
    enum sys_service service;
    enum sys_advance advance;
    bool bandwidth_aware; /* all-reduce = reduce-scatter up, all-gather down (localBWAware) */
    bool rendezvous;      /* a receiver asks for the data with a message of 8192 bytes first */
    sim_time endpoint_delay_ps;
    struct sys_tree_keys tree_keys;
    const struct sys_channel_range *channel_ranges; /* [dims]; NULL: trees go by routes */
    const struct coll_trees *trees;                 /* that are given; NULL: none */
    double tree_bytes_per_s;  /* of their slowest channel, or a graph's slowest link; 0: no graph */
    bool phased;              /* roots of all-reduces send nothing down before all is up */
    uint32_t receive_buffers; /* chunks of an edge up that have not been reduced; 0: any */
    sim_time host_synchronization_ps; /* a part of the network's message_overhead */
    /* Bytes a second of local memory that local reductions read and write; 0 = overlapped. */
    double reduction_bytes_per_s;
};

/* Picks of algorithms, kept in the arena for all systems of one platform; NULL: no memory. */
struct sys_tuning_cache *orr_sys_tuning_cache_create(struct orr_arena *arena);

/* Where a rank is in a group's order: 0 to its size - 1. */
struct sys_position {
    uint32_t position;
};
static inline struct sys_position sys_position(uint32_t position)
{
    return (struct sys_position){position};
}
/* Whether a rank that was looked for has a position: it is in the group. */
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
    uint32_t first_child, child_end; /* into sys_custom_program.children */
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
    const uint32_t *reach; /* [ranks], the greatest peer of the positions up to this one */
};

/* Reads the `system` section of a platform file (NULL: not given) for a network of so many
 * dimensions. */
enum orr_status orr_sys_config_read(struct orr_arena *arena, const struct orr_conf *map,
                                    unsigned dims, struct sys_config *config,
                                    struct orr_diag *diag);
extern const struct orr_key_table orr_sys_key_table;
/* What the section says of all-reduces as a whole, which orr_sys_config_read keeps as text. */
enum orr_status orr_sys_config_mono(struct orr_arena *arena, const struct orr_conf *map,
                                    struct sys_config *config, struct orr_diag *diag);

/* The section's library, which needs the network; refused beside monolithic_all_reduce and
 * algorithms of all collectives by name. */
enum orr_status orr_sys_config_ccl(struct orr_arena *arena, const struct orr_conf *map,
                                   const struct net_config *net, struct sys_config *config,
                                   struct orr_diag *diag);

/* Whether algorithms that reduce inside a switch are those of switches. */
enum orr_status orr_sys_config_check(const struct orr_conf *map, const struct sys_config *config,
                                     const struct net_config *net, struct orr_diag *diag);

/* Finds the trees that are sought, on the network's graph (system/embedding/). Errors: no graph, or
 * none are found; memory. */
enum orr_status orr_sys_find_trees(struct orr_arena *arena, const struct orr_conf *map,
                                   struct sys_config *config, const struct net_config *net,
                                   struct orr_diag *diag);

/* Lays the trees that algorithms are named to go along on the network's graph, if it has one: the
 * channels of their edges are the network's from then on. Warns of those that several edges use.
 * Errors: an edge without a way, what embedding.h says of ways that are given; memory. */
enum orr_status orr_sys_embed_trees(struct orr_arena *arena, const struct orr_conf *map,
                                    struct sys_config *config, struct net_config *net,
                                    struct orr_diag *diag);

/* ---- all-reduces that a group does as a whole (docs/models.md, section 4) ---- */

struct sys_mono_kind;

/* How a level of it goes: in the rounds of a ring; each to all others, which reduce a part each; as
 * one message to the next. */
enum sys_mono_level { SYS_MONO_RING, SYS_MONO_SHARDED, SYS_MONO_STREAM };

/* A choice of how. All zero: a ring. */
struct sys_mono {
    const struct sys_mono_kind *kind;
    const struct coll_algorithm *program; /* NULL: in rounds with barriers */
    uint32_t number;                      /* behind the colon: members of a group, or chunks */
    /* hierarchical: how it goes in the groups and across them; or, > 0, each member is a server of
     * `number` GPUs, between which all goes at so many bytes/s before. */
    enum sys_mono_level inside, across;
    double inner_bytes_per_s;
    uint32_t jump; /* double_binary_tree: its place v is that of member jump x v; 0: 1 */
};

/* Reads "NAME" or "NAME:NUMBER", such as "ring" or "hierarchical:4"; behind that number may stand
 * ",inside=KIND", ",across=KIND", ",inner=BANDWIDTH" and ",jump=JUMP". '_' is the same as '-'.
 * Errors: an unknown name, which lists the forms; a number that is missing, out of range or not
 * asked for; options that are none. */
enum orr_status orr_sys_mono_parse(const char *text, struct sys_mono *out, struct orr_diag *diag);

/* What is done where none is named. */
extern const char orr_sys_mono_default_name[];

/* Whether it is one steady stream of everyone to the next, or what is usual (also none). */
bool orr_sys_mono_is_stream(const struct sys_mono *choice);
bool orr_sys_mono_is_default(const struct sys_mono *choice);

/* As it would be written; returns `text`. */
enum { SYS_MONO_BYTES = 128 };
char *orr_sys_mono_format(const struct sys_mono *choice, char *text, size_t bytes);

/* The index-th form, "tree[:CHUNKS]"; false behind the last. `summary` is one line. */
bool orr_sys_mono_form(size_t index, char form[SYS_MONO_BYTES], const char **summary);

/* Whether it goes around the rings that a graph has. */
bool orr_sys_mono_is_ring(const struct sys_mono *choice);

/* How `ring` goes for an all-reduce of so many bytes among `members` >= 2: rounds, and the bytes
 * that each member sends in one around each of `rings`. */
struct sys_ring_rounds {
    uint32_t rounds;
    uint64_t bytes;
};
struct sys_ring_rounds orr_sys_ring_rounds(uint64_t bytes, uint64_t members, uint32_t rings);

/* A group does a collective as the platform's library does it, whose kind has no name of its own.
 */
extern const struct sys_mono orr_sys_mono_by_ccl;
static inline bool sys_by_ccl(const struct sys_mono *choice)
{
    return choice == &orr_sys_mono_by_ccl;
}

/* Whether it is done so among that many members; where it is not, it is a ring. */
bool orr_sys_mono_fits(const struct sys_mono *choice, uint32_t members);

/* ---- the ASTRA-sim simulator's files ---- */

/* What its system file says. `config.policy` is the caller's to set. */
struct sys_astra {
    struct sys_config config;
    struct orr_location list_location[SYS_LISTED_KINDS], custom_location[SYS_LISTED_KINDS];
    const char *custom_prefix[SYS_LISTED_KINDS]; /* traces of custom collectives, or NULL */
    double local_memory_bytes_per_s;             /* INFINITY when not given */
    double peak_flops;
    bool roofline, replay_only, track_local_memory;
    const char *local_memory_trace;
};

/* Reads a system file (JSON). Keys that the reference ignores are warned about, but for the two of
 * dimension scheduling when they are to be obeyed. */
enum orr_status orr_sys_config_read_astra(struct orr_arena *arena, const char *path,
                                          bool dimension_scheduling, struct sys_astra *astra,
                                          struct orr_diag *diag);
/* Whether the algorithm lists fit a network of so many dimensions. */
enum orr_status orr_sys_astra_check_dims(const struct sys_astra *astra, unsigned dims,
                                         struct orr_diag *diag);

/* ---- the running system ---- */

struct sys;

/* Called in events of the NPU. */
struct sys_listener {
    void *context;
    void (*done)(void *context, struct orr_slot npu, uint64_t cookie);
    /* What the operation waited for is there: the last member of the collective has started it, the
     * other end has started the send or posted the receive. For the account of time only: called in
     * the event of whoever it waited for, once, and not for an operation that is done before. May
     * be NULL. */
    void (*transfers)(void *context, struct orr_slot npu, uint64_t cookie);
    /* Of collectives that are `watched`: the first `bytes` of the buffer are there at the NPU,
     * those of its chunks from the first on, one behind the other. Ascends; the last chunk is told
     * by done(). May be NULL where nothing is watched. */
    void (*progress)(void *context, struct orr_slot npu, uint64_t cookie, uint64_t bytes);
    /* A message of others begins (+1) to go on from the NPU, or has left it (-1); see net_listener.
     * May be NULL. */
    void (*forwards)(void *context, struct orr_slot npu, int change);
};

enum orr_status orr_sys_create(struct sys **out, const struct sys_config *config, struct net *net,
                               struct orr_evq *queue, struct orr_arena *arena,
                               struct orr_diag *diag);
void orr_sys_destroy(struct sys *sys);

/* A message along a tree that was given (system.trees). */
struct sys_sent_chunk {
    struct orr_rank src, dst;
    uint32_t chunk;
    bool up;      /* towards the root */
    bool turns;   /* down from the root, where it turned */
    bool through; /* over other NPUs */
    uint64_t bytes;
    sim_time sent_ps, there_ps; /* sent, maybe to a link that is taken; at its destination */
};
/* Has them kept from now on, where trees are given: some 200 bytes each. False: no memory. */
bool orr_sys_log_messages(struct sys *sys);
/* Those that have arrived, by source, destination, and when they were sent. */
const struct sys_sent_chunk *orr_sys_sent_chunks(const struct sys *sys, size_t *count);

/* Sets npu[slot] of those that channels of the network lead over. */
void orr_sys_forwarders(const struct sys *sys, bool *npu);
void orr_sys_set_listener(struct sys *sys, const struct sys_listener *listener);

/* Group 0 is all NPUs. Adds a group of the ranks[count] in the given order under a name; a rank out
 * of range or repeated is an error. A name may stand for several disjoint groups; the same name
 * with the same ranks gives the same group, with ranks that overlap an error that shows both.
 * O(count). */
enum orr_status orr_sys_group_add(struct sys *sys, const char *name, const uint32_t *ranks,
                                  uint32_t count, uint32_t *group, struct orr_diag *diag);
/* Adds a group of all NPUs in their order under a name of its own. O(1). */
enum orr_status orr_sys_group_add_all(struct sys *sys, const char *name, uint32_t *group,
                                      struct orr_diag *diag);
/* Adds the groups of a mapping of names to lists of ranks. */
enum orr_status orr_sys_groups_read(struct sys *sys, struct orr_arena *arena,
                                    const struct orr_conf *map, struct orr_diag *diag);
/* Adds the groups of a communicator group file (JSON: {"<number>": [ranks]}). */
enum orr_status orr_sys_groups_read_astra(struct sys *sys, struct orr_arena *arena,
                                          const char *path, struct orr_diag *diag);
/* The rank that stands for a slot, and the slot of a rank's class; the same number without a fold.
 */
struct orr_rank orr_sys_rank_of_slot(const struct sys *sys, struct orr_slot slot);
struct orr_slot orr_sys_slot_of_rank(const struct sys *sys, struct orr_rank rank);
/* The number of the group of that name which the rank belongs to, or UINT32_MAX. */
uint32_t orr_sys_group_find(const struct sys *sys, const char *name, struct orr_rank rank);
/* Why orr_sys_group_find found nothing, as the end of a sentence. */
void orr_sys_group_list(const struct sys *sys, const char *name, char *text, size_t bytes);
/* Position of a rank in the group, if it has one. O(log n). */
struct sys_position orr_sys_group_position(const struct sys *sys, uint32_t group,
                                           struct orr_rank rank);
uint32_t orr_sys_group_size(const struct sys *sys, uint32_t group);
uint32_t orr_sys_groups(const struct sys *sys); /* how many groups there are, group 0 included */
struct orr_rank orr_sys_group_rank(const struct sys *sys, uint32_t group,
                                   struct sys_position position);
/* The ranks of a group but group 0 as they were given; *count is set. */
const uint32_t *orr_sys_group_ranks(const struct sys *sys, uint32_t group, uint32_t *count);
/* Whether the group is all NPUs or a box of the platform's dimensions. */
bool orr_sys_group_is_box(const struct sys *sys, uint32_t group);
const char *orr_sys_group_name(const struct sys *sys, uint32_t group);

struct sys_collective {
    struct orr_slot npu;
    uint32_t group;
    enum coll_kind kind;
    uint64_t bytes;
    struct orr_rank root; /* for rooted kinds */
    uint32_t
        ordinal; /* which collective of the group this is on this NPU (pair_by_issue: unused) */
    uint32_t dim_mask; /* dimensions that take part; all ones = all */
    uint32_t priority; /* SYS_EXPLICIT */
    uint64_t cookie;
    const char *name; /* for reports */
    uint64_t node_id; /* for reports */
    /* The group does it as a whole, an all-reduce: it begins within the call by which the last
     * member starts it, and ends for all members at once. Their messages go between the ranks as
     * the group was given them. NULL: in phases. */
    const struct sys_mono *whole;
    bool watched;  /* the listener is told of what is there before the end */
    bool launched; /* a host launches it, which nothing else accounts for (system.library) */
};

/* Whether the platform can run it (an algorithm that supports the kind and the sizes on every
 * dimension); fills `diag` otherwise. To be called for what will be started, before the run: labels
 * get room for it. */
enum orr_status orr_sys_collective_check(struct sys *sys, const struct sys_collective *request,
                                         struct orr_diag *diag);

/* What a collective runs with: the algorithm of each of the platform's dimensions (a group that is
 * no box: of the first), NULL where it has nothing to do; or a custom program. */
struct sys_description {
    const char *of[NET_MAX_DIMS];
    const char *scheduler, *custom;
    const struct sys_mono *whole; /* the group does it as a whole; NULL: in phases */
    const char *library, *library_algorithm, *protocol; /* NULL: it is not by a library */
};
enum orr_status orr_sys_describe_collective(struct sys *sys, const struct sys_collective *request,
                                            struct sys_description *runs, struct orr_diag *diag);

/* In how many parts, one behind the other, the collective's buffer is there at a member: 1: only at
 * its end, as it is where it is one chunk, by a custom program or done as a whole. After
 * orr_sys_collective_check. */
uint64_t orr_sys_collective_prefixes(struct sys *sys, const struct sys_collective *request);

/* ---- folding (core/fold.h) ---- */

/* A system that plans collectives and runs none: groups can be added to it, without any state of
 * NPUs. The config of the network must outlive it. */
enum orr_status orr_sys_planner_create(struct sys **out, const struct sys_config *config,
                                       const struct net_config *net, struct orr_arena *arena,
                                       struct orr_diag *diag);
/* What the planner knows of ways through a graph, without which it holds that they tell ranks
 * apart: whether the way of a message is as that of every message that turns of the folded digits
 * take it to. */
struct sys_route_symmetry {
    bool (*is_equivalent)(void *context, struct orr_rank src, struct orr_rank dst, bool backwards);
    void *context;
};
void orr_sys_planner_set_symmetry(struct sys *planner, const struct sys_route_symmetry *ways);

/* The folded digits that the collective tells apart, as a set of bits: they must be kept. The
 * request is that of the planner's slot for the rank that stands for its class. O(phases x NPUs of
 * a slice). */
enum orr_status orr_sys_fold_check(struct sys *planner, const struct sys_collective *request,
                                   const struct orr_fold *fold, uint64_t *unfoldable,
                                   struct orr_diag *diag);
/* Why an all-reduce that such a group does as a whole cannot be done by those of its members that
 * stand for their classes, as the end of a sentence; NULL: it can. A member does so. Where the
 * network has rings they are the same for those of a class (orr_sys_mono_check_rotation).
 * O(members). (monolithic/mono_fold.c) */
const char *orr_sys_mono_fold_check(const struct sys *planner, uint32_t group,
                                    const struct sys_mono *choice, const struct orr_fold *fold);

/* An all-reduce as a whole, and a turn of the NPUs' numbers that takes a member of the group to one
 * of another, or of the same. */
struct sys_mono_rotation {
    const struct sys_mono *choice;
    uint32_t group, image;
    struct orr_rank member;
    const struct net_rotation *rotation;
    const uint32_t *link_image; /* where the turn takes the network's links */
    /* Whether it takes the way of a message to the way of the message that it takes that to;
     * `over_link`: a step of a ring, which a network may send over the link between the two. */
    bool (*keeps_route)(void *context, struct orr_rank src, struct orr_rank dst, bool over_link);
    void *context;
};
/* Why the turn does not take what the one group does to what the other does, as the end of a
 * sentence; NULL: it does. O(members x rings). (monolithic/mono_fold.c) */
const char *orr_sys_mono_check_rotation(struct sys *planner,
                                        const struct sys_mono_rotation *rotation);

/* ---- running ---- */

/* Starts the NPU's part; the listener's done() follows in a later event. */
void orr_sys_collective_start(struct sys *sys, const struct sys_collective *request);

/* How many bytes of a watched collective that has not ended are there at the NPU. */
uint64_t orr_sys_collective_progress(const struct sys *sys, const struct sys_collective *request);

struct sys_message {
    struct orr_slot npu;
    struct orr_rank peer;
    uint32_t tag;
    uint64_t bytes;
    uint64_t cookie;
    bool signal; /* is there at once, and takes nothing of the network */
};

/* Whether a send waits for the receiver to ask for its data. */
bool orr_sys_sends_wait(const struct sys *sys);
/* A send is complete when its data have arrived; a receive when it is posted and they have. */
void orr_sys_send(struct sys *sys, const struct sys_message *message);
void orr_sys_recv(struct sys *sys, const struct sys_message *message);

/* What an unfinished collective (by request), send or receive waits for, as text for a deadlock
 * report. With a fold, as `rank` of the NPU's class sees it, whose receive is from `sender`. For a
 * collective returns the first rank that has not started it; UINT32_MAX when all have. */
struct orr_rank orr_sys_explain_collective(const struct sys *sys,
                                           const struct sys_collective *request,
                                           struct orr_rank rank, char *text, size_t bytes);
void orr_sys_explain_recv(const struct sys *sys, const struct sys_message *message,
                          struct orr_rank sender, char *text, size_t bytes);
void orr_sys_explain_send(const struct sys *sys, const struct sys_message *message,
                          struct orr_rank receiver, char *text, size_t bytes);

/* What is left when nothing happens any more: sends that nobody received, and collectives that some
 * members never started. */
struct sys_unmatched {
    uint64_t sends, collectives;
};
struct sys_unmatched orr_sys_unmatched(const struct sys *sys);
/* The index-th of the kinds of sends that are left, and how many of it: those that started last;
 * false behind the last. `custom`: of custom collectives. O(kinds). */
struct sys_unmatched_send {
    struct orr_rank src, dst;
    uint64_t tag, bytes, count;
    bool custom;
};
bool orr_sys_unmatched_send(const struct sys *sys, uint32_t index, struct sys_unmatched_send *out);
/* The index-th collective that is left: of the first who started it, and who never does as text. */
struct sys_unmatched_collective {
    struct orr_rank npu;
    uint64_t node_id, bytes;
    const char *name;
    enum coll_kind kind;
    char missing[256];
};
bool orr_sys_unmatched_collective(const struct sys *sys, uint32_t index,
                                  struct sys_unmatched_collective *out);

/* With an empty queue: whether messages are under way that end beyond the end of time. */
bool orr_sys_outlasts_time(const struct sys *sys);

/* Adds to the message what stands still in the network, if anything does. */
void orr_sys_describe_stall(const struct sys *sys, struct orr_diag *diag);

/* All-reduces that groups of two and more have begun as a whole, their rounds that end with a
 * barrier, and how many of them the chosen way does not fit. */
struct sys_mono_counts {
    uint64_t all_reduces, rounds, ring_fallbacks;
};
struct sys_mono_counts orr_sys_mono_counts(const struct sys *sys);

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
/* Before anything runs; the arrays must outlive the system. */
enum orr_status orr_sys_set_tenants(struct sys *sys, const struct sys_tenants *tenants,
                                    struct orr_diag *diag);
struct sys_tenant_counts orr_sys_tenant_counts(const struct sys *sys, uint32_t tenant);

orr_sum orr_sys_messages(const struct sys *sys); /* sent so far */
size_t orr_sys_bytes(const struct sys *sys);     /* heap memory in use */

#endif
