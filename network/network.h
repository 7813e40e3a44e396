/* The network: carries messages and knows no collective (docs/architecture.md; docs/models.md,
 * sections 3 and 4). Times are picoseconds, sizes bytes. The folder's only public header. */
#ifndef ORR_NETWORK_NETWORK_H
#define ORR_NETWORK_NETWORK_H

#include "core/core.h"
#include "network/allocation.h"
#include "network/capacity_changes.h"
#include "network/channel.h"
#include "network/cost/cost.h"
#include "network/design.h"
#include "network/flows/flows.h"
#include "network/graph.h"
#include "network/hardware/sip_hardware.h"
#include "network/link_utilization.h"
#include "network/permutations/permutations.h"
#include "network/routing/routing.h"
#include "network/traffic.h"
#include "network/wavelengths/edge_colors.h"
#include "network/wavelengths/wavelengths.h"

enum { NET_MAX_DIMS = 32 };

enum net_block { NET_RING, NET_FULLY_CONNECTED, NET_SWITCH, NET_BLOCKS };

/* One dimension of a stacked topology. Dimension 0 varies fastest in the rank. */
struct net_dim {
    enum net_block block;
    uint32_t npus;                /* >= 1 */
    double bandwidth_bytes_per_s; /* of a link, or of an NPU's whole port when `per_npu` */
    sim_time latency_ps;          /* of one hop */
    bool per_npu;                 /* bandwidth_is: npu (aggregate) instead of link */
    bool reduces;                 /* a switch that reduces what passes it */
    /* The reference simulator's own numbers, used under `astra_timing` only. */
    double astra_bytes_per_ns;
    double astra_latency_ns;
};

struct net_ops;

/* What the own keys of a backend say, in its own struct. A list of them ends with ops == NULL. */
struct net_backend_options {
    const struct net_ops *ops;
    const void *values;
};

struct net_config {
    const char *backend; /* name in the registry */
    unsigned dims;
    const struct net_dim *dim; /* [dims] */
    /* Truncate delays to whole ns where the reference truncates, and let sends of an NPU overlap
     * instead of sharing a port. */
    bool astra_timing;
    const struct orr_fold *fold; /* NPUs that are simulated once for many; NULL: none */
    /* A network of any shape instead of the blocks, which then only say what collectives go along;
     * NULL: none. Not for all backends. */
    const struct net_graph *graph;
    /* Every message holds each port or link for so long beside what its bytes take. Not under
     * astra_timing. */
    sim_time message_overhead_ps;
    struct net_route_options routes; /* of the graph */
    /* Ways of their own through the graph that messages may name; not for all backends. */
    const struct net_channel *channel;
    uint32_t channels;
    /* flow: what flows are like, whatever keys say; NULL: as these say. */
    const struct net_flow_model *flow_model;
    bool counts_paths;                 /* flow: what goes over each, for orr_net_flows_path */
    const struct net_cost_rules *cost; /* of the graph's hardware; NULL: as usual */
    uint32_t ports;                    /* of the graph: neighbours of the NPU that has most */
    const struct net_backend_options
        *own;           /* what backends' own keys say; NULL: as usual (net_backend_values) */
    const char *design; /* what the section's design stands for; NULL: it has none */
};

/* The slot of a rank: what its ports, its events and its counters go by. */
static inline struct orr_slot net_slot(const struct net_config *config, struct orr_rank rank)
{
    return config->fold == NULL ? orr_slot(rank.rank) : orr_fold_slot(config->fold, rank);
}

/* A message. With a fold, `src` stands for its class and `dst` is any rank: its class gets the
 * message. `order` is what a port goes by among waiting messages (smaller first), `label` orders
 * same-instant deliveries at the destination, `cookie` comes back in the callbacks. */
struct net_msg {
    struct orr_rank src, dst;
    uint64_t bytes;
    uint64_t order;
    uint64_t label;
    uint64_t cookie;        /* for delivered */
    uint64_t source_cookie; /* for sent */
    /* 0: by routes; 1 + the index of a channel from src to dst; NET_RING_ROUTE + that of a way of
     * the graph, which is taken as a route is; or NET_LINK. */
    uint32_t channel;
    /* > 0: how long the message takes the port that it leaves by, whatever its bytes. Of messages
     * to neighbours on the analytical backend only. */
    sim_time hold_ps;
    bool at_once;   /* without latency: it is accounted for elsewhere */
    bool backwards; /* take the ring's other direction where both ways are equally long */
    bool keyed;     /* the label is the router's key as well: ways go by it alone */
    /* With events in the order of insertion the listener's `sent` may be called in the middle of
     * what the network does, before the arrival's event is posted, and must not send: no event is
     * spent on it. */
    bool sent_at_end;
};

#define NET_RING_ROUTE (UINT32_C(1) << 31)
/* A step of a ring that the graph has: the link from src to dst, if there is one, else by routes.
 */
#define NET_LINK UINT32_MAX

static inline bool net_has_channel(const struct net_msg *msg)
{
    return msg->channel - 1 < NET_RING_ROUTE - 1;
}

/* Messages between so many NPUs that go at once, again and again and as many bytes each, and of
 * which it only matters when the last has arrived: a round. */
struct net_ends {
    struct orr_rank src, dst;
    uint32_t channel; /* of net_msg */
};
struct net_round;

/* Messages that follow each other, the one that starts included: each `pause_ps` after the one
 * before has arrived, with labels that ascend by 1 and as many bytes. */
struct net_repeat {
    uint32_t count;
    sim_time pause_ps;
    uint64_t bytes;
};

/* Where a train of them is that somebody else's message interrupts: how many have been sent, have
 * left the port, and are taken in; the last one sent will be at `taken_ps`, or < 0: it is yet to be
 * delivered. When all that have been sent are taken in, the next one is due. */
struct net_progress {
    uint32_t sent, left, taken;
    sim_time taken_ps;
};

/* What the network tells its user. `sent`: the last byte has left the source's port (in
 * an event of the source; not called under reference timing or by backends without ports).
 * `delivered`: the last byte has arrived (in an event of the destination); label and cookie are the
 * message's. */
struct net_listener {
    void *context;
    void (*sent)(void *context, struct orr_slot src, uint64_t source_cookie);
    void (*delivered)(void *context, struct orr_slot dst, uint64_t label, uint64_t cookie);
    /* A message of a channel begins (+1) to go on from an NPU that is neither of its ends, or has
     * left it (-1); in events of that NPU. NULL: nobody wants to know. */
    void (*forwards)(void *context, struct orr_slot npu, int change);
    /* Runs of equal messages as one event (docs/models.md, section 9); NULL: none. A network that
     * can do so asks for a message of an NPU's class to itself that starts on an idle port for
     * which nothing waits: `repeats` tells what follows, false: that is not known; `repeating` that
     * the network makes a train of it. For the messages of a train neither `sent` nor `delivered`
     * is called but `repeated`, when the last of these calls would be, unless it is `interrupted`:
     * from then on they go one by one. */
    bool (*repeats)(void *context, uint64_t source_cookie, struct net_repeat *repeat);
    void (*repeating)(void *context, uint64_t source_cookie);
    void (*repeated)(void *context, uint64_t source_cookie);
    void (*interrupted)(void *context, uint64_t source_cookie, const struct net_progress *progress);
};

struct net_dim_stats {
    orr_sum messages, bytes; /* sent on this dimension by all NPUs (bytes x links crossed is not) */
    orr_sum busy_ps;         /* summed over ports or links */
    uint64_t servers;        /* ports or links of the dimension */
};

struct net;

/* The keys of the network section that a backend obeys and not every other does, and what they are
 * read into. Of a key that several backends obey, all say the same. */
struct net_backend_keys {
    struct orr_key_table table; /* the owner is not used */
    size_t bytes;               /* of the values */
    const void *defaults;       /* the values of a section without these keys */
    /* What the table cannot say, once all of it has been read; NULL: nothing. */
    enum orr_status (*check)(const struct orr_conf *map, void *values, struct orr_diag *diag);
    /* A key among the values that no other backend may leave out, or NULL; NULL: there is none. */
    const char *(*needed)(const void *values);
};

struct net_ops {
    const char *name, *summary;
    const struct net_backend_keys *own; /* NULL: none */
    /* Whether the listener's `sent` is called (never under reference timing). */
    bool reports_sent;
    /* An NPU's bandwidth is that of its links: where it is given as a whole, each has a share. */
    bool shares_links;
    /* Networks may be graphs; and this is what carries one when nobody says what does. */
    bool supports_graphs, default_for_graphs;
    /* Bandwidths of a graph's links may change. */
    bool supports_capacity_changes;
    /* A port sends one message at a time, so that phases may have one for themselves. */
    bool serializes_ports;
    /* Messages may say how long they take their port (net_msg.hold_ps). */
    bool supports_hold;
    /* Whether messages of others may pass an NPU's links of a dimension, so that all of it folds or
     * nothing; NULL: never. */
    bool (*has_transit)(const struct net_config *config, unsigned dim);
    /* Why no NPUs can be folded under these keys, or NULL; NULL: they always can. */
    const char *(*unfoldable)(const struct net_config *config);
    /* What happens on a flat graph (orr_net_graph_is_flat) in an instant does not depend on the
     * order in which messages are sent in it: classes of its NPUs may be folded, and those of other
     * graphs that turns take to each other. */
    bool is_order_independent;
    /* Whether a message passes its links one after the other, each as a whole; NULL: never. */
    bool (*is_store_and_forward)(const struct net_config *config);
    /* Warns of own keys that have no effect beside the config's others; NULL: there are none. */
    void (*warn)(const struct orr_conf *map, const struct net_config *config,
                 struct orr_diag *diag);
    /* Builds the network into the arena. Entities 0..NPUs-1 of the queue are the NPUs; a backend
     * adds its own (links) with orr_evq_add_entities. Where messages wait at the ports of an NPU
     * until its events of a round are over, the queue tells it so (orr_evq_on_flush). */
    enum orr_status (*create)(struct net **out, const struct net_config *config,
                              struct orr_evq *queue, struct orr_arena *arena,
                              struct orr_diag *diag);
    void (*send)(struct net *net, const struct net_msg *msg);
    /* Prepares a round, which is kept as long as the network; NULL: it has to be sent one by one,
     * since ways are not always the same, or somebody looks at single messages. And sends one, of
     * which `msg` has what all have in common and the first one's label: `delivered` is called when
     * the last has arrived, where its would be, and `sent` never. NULL = messages go one by one. */
    struct net_round *(*round)(struct net *net, const struct net_ends *pair, uint32_t count);
    void (*send_round)(struct net *net, struct net_round *round, const struct net_msg *msg);
    /* Unloaded time from the first byte sent to the first byte received. */
    sim_time (*latency)(const struct net *net, uint32_t src, uint32_t dst);
    /* How many links it would hold; at most NET_MAX_LINKS. NULL = none. */
    uint64_t (*links)(const struct net_config *config);
    /* Per dimension; `stats` has room for config.dims. */
    void (*stats)(const struct net *net, struct net_dim_stats *stats);
    /* Messages that stand still on a link without capacity; NULL = there are none. */
    struct net_flows_stuck (*stuck)(const struct net *net);
    /* Bytes that went over a link of the config's graph; NULL = there are no graphs. */
    uint64_t (*link_bytes)(const struct net *net, uint32_t link);
    /* Changes capacities of the config's graph, and counts what is under way; NULL = they do not
     * change. Only where orr_net_changes. */
    void (*set_capacities)(struct net *net, const struct net_batch *batch);
    /* Bytes that a link could have carried until `time`; with set_capacities. */
    double (*offered)(const struct net *net, uint32_t link, sim_time time);
    /* How many of a link record's links work now; with set_capacities. */
    uint32_t (*working)(const struct net *net, uint32_t link);
    /* Visits what is under way, as it is now, in no order; with set_capacities. */
    void (*waiting)(struct net *net, net_waiting_fn visit, void *context);
    /* The first `most` links of the way that a message would take now, and how many there are; 0:
     * there is none. By a key, or over a channel (1 + its index). NULL = ways are not of a graph.
     */
    uint32_t (*path)(struct net *net, const struct net_msg *msg, uint32_t *link, uint32_t max);
    /* The flows of a network that has them; NULL = there are none. */
    const struct net_flows *(*flows)(const struct net *net);
    /* Frees what is not in the arena; NULL = nothing. */
    void (*destroy)(struct net *net);
};

/* What every backend begins with. */
struct net {
    const struct net_ops *ops;
    const struct net_config *config;
    struct orr_evq *queue;
    struct net_listener listener;
    struct net_traffic *traffic; /* counts what is sent; NULL: nobody asked for it */
    struct net_link_utilization
        *use; /* when links are busy, of the NPUs that are simulated; NULL: likewise */
    struct net_control *control; /* changes capacities; NULL: they stay */
    uint64_t in_flight;          /* messages; counted where capacities may change */
};

/* All backends; ends with NULL. */
extern const struct net_ops *const orr_net_backends[];

/* By name, or NULL. */
const struct net_ops *orr_net_backend_find(const char *name);

/* What carries a network, or one that is a graph, when nobody says what does; and both as a text
 * for people. */
const struct net_ops *orr_net_backend_default(bool graph);
extern const char orr_net_backends_default[];

/* The names of the backends that do so, as "a, b or c" with `last` " or ". Returns `text`. */
char *orr_net_backends_that(bool (*does)(const struct net_ops *ops), const char *last, char *text,
                            size_t bytes);

/* What the backend's own keys say. */
static inline const void *net_backend_values(const struct net_config *config,
                                             const struct net_ops *ops)
{
    for (const struct net_backend_options *own = config->own; own != NULL && own->ops != NULL;
         own++) {
        if (own->ops == ops) {
            return own->values;
        }
    }
    return ops->own->defaults;
}

/* What the section says of flows, over what they are like without it, or over fluid ones where it
 * has `fluid`. (backends/flow.c) */
void orr_net_config_flows(const struct net_config *config, struct net_flow_model *flows);

/* Creates the backend that config->backend names; an unknown name is an input error that lists the
 * valid ones. The config must outlive the network. */
enum orr_status orr_net_create(struct net **out, const struct net_config *config,
                               struct orr_evq *queue, struct orr_arena *arena,
                               struct orr_diag *diag);

/* Links or ports of a dimension are busy for busy_ps together, evenly from start to end: what stats
 * counts in busy_ps, no more and no less. */
static inline void net_use(struct net *net, unsigned dim, sim_time start_ps, sim_time end_ps,
                           double busy_ps)
{
    if (__builtin_expect(net->use != NULL, 0)) {
        orr_net_link_utilization_add(net->use, dim, start_ps, end_ps, busy_ps);
    }
}

/* Sends a message of the listener's user. */
static inline void net_send(struct net *net, const struct net_msg *msg)
{
    if (__builtin_expect(net->traffic != NULL, 0)) {
        orr_net_traffic_add(net->traffic, msg->src.rank, msg->dst.rank, msg->bytes);
    }
    if (__builtin_expect(net->control != NULL, 0)) {
        orr_net_control_watch(net->control, msg);
    }
    net->ops->send(net, msg);
}

/* A round that goes at once (net_ops); NULL: its messages have to go one by one. */
static inline struct net_round *net_round(struct net *net, const struct net_ends *pair,
                                          uint32_t count)
{
    const bool counted = net->traffic != NULL || net->use != NULL || net->control != NULL;
    return net->ops->round != NULL && !counted ? net->ops->round(net, pair, count) : NULL;
}

/* Whether the config's channels are ways through its graph between NPUs. Error: which one is not,
 * and where. O(hops). (channel.c) */
enum orr_status orr_net_channels_check(const struct net_config *config, struct orr_diag *diag);

/* Whether NPUs lie between two hops of a channel; and sets npu[rank] of those that do, unless it is
 * NULL. O(hops). (channel.c) */
bool orr_net_channels_forward(const struct net_config *config, bool *npu);

/* Whether steps of rings (NET_LINK) may go another way than messages between the same NPUs. */
static inline bool net_keeps_ring_links(const struct net_config *config)
{
    return config->graph != NULL && config->graph->circuits == NULL &&
           net_graph_has_rings(config->graph) && !config->routes.rings_routed &&
           net_routes_leave_links(&config->routes);
}

/* Whether rings of the config's graph may lose links; whether all-reduces around them then do
 * something else than to send by routes (network.ring_recovery); and whether that is to borrow
 * links. */
static inline bool net_can_recover_rings(const struct net_config *config)
{
    const struct net_graph *graph = config->graph;
    return graph != NULL && !config->routes.rings_routed && net_graph_has_rings(graph) &&
           (graph->failed_links != 0 || graph->changes != 0);
}
static inline bool net_recovers_rings(const struct net_config *config)
{
    return net_can_recover_rings(config) && config->graph->recovery != NET_RECOVER_PATH;
}
static inline bool net_uses_detours(const struct net_config *config)
{
    return net_recovers_rings(config) && config->graph->recovery == NET_RECOVER_DETOUR;
}

/* Frees what the backend holds outside the arena; NULL is fine. */
void orr_net_destroy(struct net *net);

/* Reads the network file of the ASTRA-sim simulator (YAML; GiB/s, ns) into a config whose backend
 * and timing rules the caller chooses. The dimensions live in the arena. */
enum orr_status orr_net_config_read_astra(struct orr_arena *arena, const char *path,
                                          struct net_config *config, struct orr_diag *diag);

/* Reads the `network` section of a platform file into a config that lives in the arena. */
enum orr_status orr_net_config_read(struct orr_arena *arena, const struct orr_conf *map,
                                    struct net_config *config, struct orr_diag *diag);
extern const struct orr_key_table orr_net_key_table;

/* Joins what several files say of the dimensions of a `network` section, which is done with it: by
 * dimension, a file's values before those of the files that it includes. A section of one file
 * stays as it is. ORR_ERR_INPUT where a topology has dimensions that nobody says anything of. */
enum orr_status orr_net_config_merge(struct orr_arena *arena, const struct orr_conf **map,
                                     struct orr_diag *diag);

/* The same of the section of a platform's tree, if there is one; best before values are set. */
enum orr_status orr_net_tree_merge(struct orr_arena *arena, const struct orr_conf **root,
                                   struct orr_diag *diag);

/* The same for a workload that brings something for it. */
struct net_config_input {
    struct orr_arena *arena;
    const struct orr_conf *map;
    struct net_workload_graph own;
    const struct net_cost_rules
        *defaults; /* of its hardware's cost, as its design has it, or NULL */
};
enum orr_status orr_net_config_read_for(const struct net_config_input *input,
                                        struct net_config *config, struct orr_diag *diag);

/* A config of the usual backend of graphs, with such routes and flows, which must outlive it, and
 * which counts what goes over paths; it is to take a graph. */
struct net_config orr_net_config_of_flows(const struct net_route_options *routes,
                                          const struct net_flow_model *flows);

/* Makes a graph of the config's dimensions its network; one that has a graph is left alone. */
enum orr_status orr_net_config_make_graph(struct orr_arena *arena, struct net_config *config,
                                          struct orr_diag *diag);

/* Warns of keys of the section, read into the config, that have no effect on it.
 * (network_warnings.c)
 */
void orr_net_config_warn(const struct orr_conf *map, const struct net_config *config,
                         struct orr_diag *diag);

/* The same of keys of its design that others have. (read/network_design.c) */
void orr_net_design_warn(const struct orr_conf *map, struct orr_diag *diag);

/* Whether those that are said to reduce are switches. (read/network_config_reduces.c) */
enum orr_status orr_net_config_check_reduces(const struct orr_conf *map,
                                             const struct net_config *config,
                                             struct orr_diag *diag);

/* Makes the graph the config's network. `shape` is a notation of the dimensions that collectives go
 * along; NULL: as the graph's builder has them, else in servers and between them, else one. Error:
 * dimensions of other than the graph's NPUs. (read/network_config_graph.c) */
enum orr_status orr_net_config_set_graph(struct orr_arena *arena, struct net_config *config,
                                         const struct net_graph *graph,
                                         const struct orr_conf *shape, struct orr_diag *diag);

/* The key `cost` of a network section, and what it says over the usual optical layer and degree
 * (NULL: none); the keys of it that have no effect by these rules, as warnings. Errors: keys and
 * values; and, with the config's graph, what orr_net_graph_cost has, with their place.
 * (read/network_config_cost.c) */
extern const struct orr_key_table orr_net_cost_key_table;
enum orr_status orr_net_cost_read(const struct orr_conf *map, const struct net_cost_rules *defaults,
                                  struct net_cost_rules *rules, struct orr_diag *diag);
void orr_net_cost_warn(const struct orr_conf *map, const struct net_cost_rules *rules,
                       struct orr_diag *diag);
enum orr_status orr_net_config_add_cost(struct orr_arena *arena, struct net_config *config,
                                        const struct orr_conf *map, struct orr_diag *diag);
/* What the config's network costs by its rules. Errors: it is no graph; as orr_net_graph_cost. */
enum orr_status orr_net_config_cost(const struct net_config *config, struct net_cost *out,
                                    struct orr_diag *diag);

/* Whether the graph is the config's dimensions, with a way along them for every message, so that it
 * can be taken for the blocks. O(dims). (read/network_config_graph.c) */
bool orr_net_is_stacked(const struct net_config *config);

/* A platform file, or one in DOT. */
struct net_graph_input {
    const char *path;
    const char *library;    /* folder of files to include by name; NULL: none */
    const char *const *set; /* values set in it, which DOT has no place for */
    size_t sets;
    struct net_link_kind kind; /* of links of which the file says nothing */
    bool kind_requested;       /* for this kind: a design, which gives its own, is warned of */
    uint32_t npus;             /* of a fabric or a design that says nothing; 0: an error */
};

/* The network of the file as a graph, with its routes and what it says of flows: its network.graph,
 * or its dimensions as a graph; or the graph of a DOT file. (read/graph_load.c) */
enum orr_status orr_net_graph_load(struct orr_arena *arena, const struct net_graph_input *source,
                                   struct net_config *config, struct orr_diag *diag);

/* Parses "Ring(2)_FC(8)_Switch(4)" into dim[NET_MAX_DIMS] (block and npus; the rest is left alone).
 * The error shows the text with a caret; `place` may be NULL. */
enum orr_status orr_net_parse_notation(const char *text, struct net_dim *dim, unsigned *dims,
                                       const struct orr_location *place, struct orr_diag *diag);

/* The notation of a config's dimensions into `text`; returns `text`. */
char *orr_net_format_notation(const struct net_config *config, char *text, size_t bytes);

/* "ring", "fully_connected", "switch". */
const char *orr_net_block_name(enum net_block block);

/* NPUs of all dimensions together; 0 when the product exceeds 2^31. O(dims). */
uint32_t orr_net_npus(const struct net_config *config);

/* Coordinates of a rank, coords[dims]; the rank of coordinates. Inverse of each other. O(dims). */
void orr_net_coords(const struct net_config *config, uint32_t rank, uint32_t *coords);
uint32_t orr_net_rank(const struct net_config *config, const uint32_t *coords);

/* How two ranks differ: the first dimension in which their coordinates do. */
struct net_route {
    unsigned dim;     /* config.dims when src == dst */
    uint32_t forward; /* steps from src to dst in ascending direction, 1..npus-1 */
    unsigned hops;    /* ring: the shorter way; fully connected 1; switch 2 */
    bool further;     /* other dimensions differ as well */
};
struct net_route orr_net_route(const struct net_config *config, uint32_t src, uint32_t dst);

/* The NPU that is `steps` < npus ahead in a dimension with that stride. */
uint32_t orr_net_ahead(const struct net_dim *dim, uint32_t stride, uint32_t npu, uint32_t steps);

/* The latencies of the way from one NPU to another, one dimension after the other. O(dims^2). */
sim_time orr_net_path_latency(const struct net_config *config, uint32_t src, uint32_t dst);

/* The rank that the shift of the topology which takes `src` to rank 0 takes `dst` to: the steps in
 * each dimension, ascending and around. Shifts of the whole topology leave it alone. O(dims). */
uint32_t orr_net_shift(const struct net_config *config, uint32_t src, uint32_t dst);

/* orr_net_route for hot paths: `by` are the divisors of the dimensions' NPUs. */
struct net_route orr_net_route_by(const struct net_config *config, const struct orr_divisor *by,
                                  uint32_t src, uint32_t dst);

/* What a topology is as a graph (docs/models.md, section 3). Bandwidths are one way, and 0 where
 * the config's are. Links count each direction. */
struct net_dim_metrics {
    uint64_t stride;         /* how far the ranks of neighbours are apart */
    uint64_t lines;          /* rings, cliques or switches along the dimension */
    uint64_t links;          /* in all, each way */
    uint32_t links_per_npu;  /* by which an NPU sends */
    double link_bytes_per_s; /* of one of these */
    double npu_bytes_per_s;  /* of all of these */
    unsigned hops_max;
    uint64_t hops_from_one; /* of the shortest ways from an NPU to all others of its line */
    double hops_mean;
    double
        bisection_bytes_per_s; /* over the links that part every line of the dimension in halves */
};

struct net_metrics {
    uint64_t links;
    double npu_bytes_per_s;     /* of all dimensions */
    double network_bytes_per_s; /* that, of all NPUs */
    double bisection_bytes_per_s;
    unsigned bisection_dim; /* the least one's; config->dims when no dimension has links */
    unsigned diameter;      /* hops */
    double hops_mean;
    sim_time longest_path_ps; /* latency of the longest of the shortest ways */
    double mean_path_ps;
};

/* A dimension of a config of 1 to 2^31 NPUs. O(dims). */
struct net_dim_metrics orr_net_dim_metrics(const struct net_config *config, unsigned d);

/* The whole network. O(dims^2). */
struct net_metrics orr_net_metrics(const struct net_config *config);

/* How many NPUs one reaches over a dimension without passing another NPU: at most two in a ring,
 * else all others of the line; and the index-th of them. A ring's are the one before and the one
 * behind, others ascend. O(dims). */
uint32_t orr_net_neighbours(const struct net_config *config, unsigned d);
uint32_t orr_net_neighbour(const struct net_config *config, uint32_t rank, unsigned d,
                           uint32_t index);

#endif
