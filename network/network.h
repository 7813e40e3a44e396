/* The network layer: carries messages between NPUs, and knows nothing of collectives
 * (docs/architecture.md; docs/models.md, sections 3 and 4). Times are picoseconds, sizes bytes. The
 * folder's only public header. */
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

enum net_block { NET_RING, NET_FULLY_CONNECTED, NET_SWITCH, NET_MESH, NET_BLOCKS };

/* Blocks whose NPUs pass messages on: a ring, and a mesh, which is a ring cut open. */
static inline bool net_passes_on(enum net_block block)
{
    return block == NET_RING || block == NET_MESH;
}

/* One dimension of a stacked topology. Dimension 0 varies fastest in the rank. */
struct net_dim {
    enum net_block block;
    uint32_t npus;                /* >= 1 */
    double bandwidth_bytes_per_s; /* of a link, or of an NPU's whole port when `per_npu` */
    sim_time latency_ps;          /* of one hop */
    bool per_npu;                 /* bandwidth_is: npu (aggregate) instead of link */
    bool reduces;                 /* a switch that reduces data in transit */
    /* The reference simulator's own numbers, used under `astra_timing` only. */
    double astra_bytes_per_ns;
    double astra_latency_ns;
};

struct net_ops;

/* The values of one backend's options, in a struct of that backend. A list of these ends with ops
 * == NULL. */
struct net_backend_options {
    const struct net_ops *ops;
    const void *values;
};

struct net_config {
    const char *backend; /* name in the registry */
    unsigned dims;
    const struct net_dim *dim; /* [dims] */
    bool shaped;               /* the dimensions of a graph are those of network.topology */
    /* Truncate delays to whole ns where the reference truncates, and let sends of an NPU overlap
     * instead of sharing a port. */
    bool astra_timing;
    const struct orr_fold
        *fold; /* symmetry reduction: NPUs simulated once for a class; NULL: none */
    /* A graph instead of the blocks, which then only define the dimensions of collectives; NULL:
     * none. Not for all backends. */
    const struct net_graph *graph;
    /* Extra time that each message occupies each port or link, in addition to its bytes. Not under
     * astra_timing. */
    sim_time message_overhead_ps;
    struct net_route_options routes; /* of the graph */
    /* Pinned paths through the graph that messages can name; not for all backends. */
    const struct net_channel *channel;
    uint32_t channels;
    /* flow: overrides the flow model of the keys; NULL: no override. */
    const struct net_flow_model *flow_model;
    bool counts_paths;                 /* flow: count traffic per path, for orr_net_flows_path */
    const struct net_cost_rules *cost; /* of the graph's hardware; NULL: defaults */
    uint32_t ports; /* of the graph: the largest number of neighbours of an NPU */
    const struct net_backend_options
        *own;           /* options of the backends; NULL: defaults (net_backend_values) */
    const char *design; /* description of the section's design; NULL: no design */
};

/* The slot of a rank: the index of its ports, events and counters. */
static inline struct orr_slot net_slot(const struct net_config *config, struct orr_rank rank)
{
    return config->fold == NULL ? orr_slot(rank.rank) : orr_fold_slot(config->fold, rank);
}

/* A message. With a fold, `src` represents its class, and `dst` is any rank: the class of `dst`
 * gets the message. `order`: priority at a port (smaller first). `label`: order of deliveries at
 * the destination in one instant. The callbacks get `cookie` and `source_cookie` back. */
struct net_msg {
    struct orr_rank src, dst;
    uint64_t bytes;
    uint64_t order;
    uint64_t label;
    uint64_t cookie;        /* for delivered */
    uint64_t source_cookie; /* for sent */
    /* 0: by the routing; 1 + the index of a channel from src to dst; NET_RING_ROUTE + the index of
     * a ring route of the graph, used like a routed path; or NET_LINK. */
    uint32_t channel;
    /* Messages of one number are one stream: ports share their bandwidth among streams, each in its
     * own order. Below NET_MAX_STREAM. */
    uint32_t stream;
    /* > 0: how long the message occupies its first port, instead of the time of its bytes. Only for
     * messages to neighbours on the analytical backend. */
    sim_time hold_ps;
    /* flow: messages of an NPU with the same value, unless it is 0, count as one towards
     * messages_per_link. */
    uint64_t batch;
    bool at_once;   /* without latency, which is accounted for elsewhere */
    bool backwards; /* take the ring's other direction if both are equally long */
    bool keyed;     /* the label is also the router's key, the only input of its choice */
    /* With events in insertion order: the backend may call `sent` within one of its own events,
     * before it posts the arrival. That saves an event; `sent` must not send. */
    bool sent_at_end;
};

#define NET_MAX_STREAM UINT32_MAX
#define NET_RING_ROUTE (UINT32_C(1) << 31)
/* A step of a ring of the graph: the link from src to dst, if there is one, else the routing. */
#define NET_LINK UINT32_MAX

static inline bool net_has_channel(const struct net_msg *msg)
{
    return msg->channel - 1 < NET_RING_ROUTE - 1;
}

/* A round: messages between pairs of NPUs that start at once, repeatedly and with equal bytes, of
 * which only the last arrival matters. */
struct net_ends {
    struct orr_rank src, dst;
    uint32_t channel; /* as in net_msg */
};
struct net_round;

/* A train: consecutive messages of equal bytes, including the first, with labels that ascend by 1.
 * Each starts `pause_ps` after the arrival of the previous one. */
struct net_repeat {
    uint32_t count;
    sim_time pause_ps;
    uint64_t bytes;
};

/* The state of an interrupted train: how many messages have been sent, have left the port, and are
 * received. The last one sent is received at `taken_ps`; < 0: it is not delivered yet. If all sent
 * messages are received, the next one is due. */
struct net_progress {
    uint32_t sent, left, taken;
    sim_time taken_ps;
};

/* Callbacks of the network's user. `sent`: the last byte has left the source's port (in an event of
 * the source; never under reference timing or by backends without ports). `delivered`: the last
 * byte has arrived (in an event of the destination), with the message's label and cookie. */
struct net_listener {
    void *context;
    void (*sent)(void *context, struct orr_slot src, uint64_t source_cookie);
    void (*delivered)(void *context, struct orr_slot dst, uint64_t label, uint64_t cookie);
    /* Forwarding of a channel's message at an NPU that is not its end begins (+1) or ends (-1); in
     * events of that NPU. NULL: not needed. */
    void (*forwards)(void *context, struct orr_slot npu, int change);
    /* Trains of equal messages as one event (docs/models.md, section 9); NULL: none. When a message
     * of an NPU's class to itself starts on an idle port without waiting messages, the network may
     * call `repeats`, which fills the train that follows (false: not known), then `repeating` when
     * it makes the train. For the messages of a train the network calls neither `sent` nor
     * `delivered` but `repeated`, at the last one's delivery, or `interrupted`: from then on the
     * messages are single again. */
    bool (*repeats)(void *context, uint64_t source_cookie, struct net_repeat *repeat);
    void (*repeating)(void *context, uint64_t source_cookie);
    void (*repeated)(void *context, uint64_t source_cookie);
    void (*interrupted)(void *context, uint64_t source_cookie, const struct net_progress *progress);
};

struct net_dim_stats {
    orr_sum messages,
        bytes;        /* sent on this dimension by all NPUs (not multiplied by the links crossed) */
    orr_sum busy_ps;  /* summed over ports or links */
    uint64_t servers; /* ports or links of the dimension */
};

struct net;

/* The options of a backend: keys of the network section that not every backend has, and the struct
 * of their values. Backends that share a key must define it identically. */
struct net_backend_keys {
    struct orr_key_table table; /* `owner` is not used */
    size_t bytes;               /* size of the values */
    const void *defaults;       /* values if the section has none of these keys */
    /* A check across keys, after all of them have been read; NULL: none. */
    enum orr_status (*check)(const struct orr_conf *map, void *values, struct orr_diag *diag);
    /* Returns the name of a key, among the values, that no other backend may ignore, or NULL; NULL:
     * no key is needed. */
    const char *(*needed)(const void *values);
    /* Warns about options without effect in this config; NULL: there are none. */
    void (*warn)(const struct orr_conf *map, const struct net_config *config,
                 struct orr_diag *diag);
};

/* What a backend can do that not all can: tables that are NULL in those that cannot. */

/* The network is its links: an NPU's bandwidth, where it is given per NPU, is divided among its
 * links, and the network can be a graph. */
struct net_link_ops {
    bool default_for_graphs;
    /* The number of links the network would have; at most NET_MAX_LINKS. */
    uint64_t (*count)(const struct net_config *config);
    /* Whether messages are store-and-forward over their links; NULL: never. */
    bool (*is_store_and_forward)(const struct net_config *config);
    /* Bytes carried by a link of the config's graph. */
    uint64_t (*bytes)(const struct net *net, uint32_t link);
    /* Writes the first `max` links of the path that the message would take now (by its key or
     * channel), and returns the number of all its links; 0: no path. */
    uint32_t (*path)(struct net *net, const struct net_msg *msg, uint32_t *link, uint32_t max);
};

/* Link capacities of a graph can change. Used only if orr_net_changes, as is `in_flight`. */
struct net_capacity_ops {
    void (*set)(struct net *net, const struct net_batch *batch);
    /* Bytes that a link could have carried until `time`. */
    double (*offered)(const struct net *net, uint32_t link, sim_time time);
    /* How many parallel links of a record work now. */
    uint32_t (*working)(const struct net *net, uint32_t link);
    /* Visits the messages in flight, in their present state, in no particular order. */
    void (*waiting)(struct net *net, net_waiting_fn visit, void *context);
};

/* Rounds: `prepare` makes one, which lives as long as the network; NULL result: the messages have
 * to be sent one by one, because their routes vary or single messages are observed. `send` sends
 * one: `msg` has the common fields and the first label. `delivered` is called at the last arrival,
 * `sent` never. */
struct net_round_ops {
    struct net_round *(*prepare)(struct net *net, const struct net_ends *pair, uint32_t count);
    void (*send)(struct net *net, struct net_round *round, const struct net_msg *msg);
};

/* What folding has to know. NULL: no message crosses ports of others, and order matters. */
struct net_fold_ops {
    /* The result on a flat graph (orr_net_graph_is_flat) does not depend on the order of sends
     * within an instant. Classes of its NPUs can be folded, and on other graphs those that
     * rotations map to each other. */
    bool is_order_independent;
    /* Whether messages between other NPUs can cross an NPU's links of a dimension; then the
     * dimension folds entirely or not at all. */
    bool (*has_transit)(const struct net_config *config, unsigned dim);
    /* Why these keys rule out folding, or NULL; NULL: they never do. */
    const char *(*unfoldable)(const struct net_config *config);
};

struct net_ops {
    const char *name, *summary;
    const struct net_backend_keys *own; /* NULL: none */
    /* Whether the listener's `sent` is called (never under reference timing). */
    bool reports_sent;
    /* A port sends one message at a time, so that a phase can have a port to itself, and messages
     * can set how long they occupy their port (net_msg.hold_ps). */
    bool holds_ports;
    /* Builds the network in the arena. Entities 0..NPUs-1 of the queue are the NPUs; a backend adds
     * its own (links) with orr_evq_add_entities. A backend whose messages wait at an NPU's ports
     * until the NPU's events of a round are over registers orr_evq_on_flush. */
    enum orr_status (*create)(struct net **out, const struct net_config *config,
                              struct orr_evq *queue, struct orr_arena *arena,
                              struct orr_diag *diag);
    void (*send)(struct net *net, const struct net_msg *msg);
    /* Unloaded time from the first byte sent to the first byte received. */
    sim_time (*latency)(const struct net *net, uint32_t src, uint32_t dst);
    /* Statistics per dimension, into stats[config.dims]. */
    void (*stats)(const struct net *net, struct net_dim_stats *stats);
    /* Messages that are stalled on a link without capacity; NULL: this cannot happen. */
    struct net_flows_stuck (*stuck)(const struct net *net);
    /* Frees memory outside the arena; NULL: there is none. */
    void (*destroy)(struct net *net);

    const struct net_link_ops *links;
    const struct net_capacity_ops *capacities; /* needs `links` */
    const struct net_round_ops *rounds;
    const struct net_fold_ops *folding;
    /* The flows of the network; NULL: it has none. */
    const struct net_flows *(*flows)(const struct net *net);
};

/* The base struct of every backend. */
struct net {
    const struct net_ops *ops;
    const struct net_config *config;
    struct orr_evq *queue;
    struct net_listener listener;
    struct net_traffic *traffic; /* traffic matrix; NULL: not recorded */
    struct net_link_utilization
        *use;                    /* link utilization, of the simulated NPUs; NULL: not recorded */
    struct net_control *control; /* changes capacities; NULL: they are constant */
    uint64_t in_flight;          /* messages; counted if capacities can change */
};

/* All backends; ends with NULL. */
extern const struct net_ops *const orr_net_backends[];

/* By name, or NULL. */
const struct net_ops *orr_net_backend_find(const char *name);

/* The default backend, of blocks or of a graph; and both as a text for messages. */
const struct net_ops *orr_net_backend_default(bool graph);
extern const char orr_net_backends_default[];

/* The names of the backends for which `does` holds, as "a, b or c" with `last` " or ". Returns
 * `text`. */
char *orr_net_backends_that(bool (*does)(const struct net_ops *ops), const char *last, char *text,
                            size_t bytes);

/* The values of the backend's options. */
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

/* Sets the flow model to the section's values, over those in *flows, or over plain fluid ones if
 * the section has `fluid`. (backends/flow.c) */
void orr_net_config_flows(const struct net_config *config, struct net_flow_model *flows);

/* Creates the backend named config->backend. Error: an unknown name (the message lists the valid
 * ones), and those of the backend. The config must outlive the network. */
enum orr_status orr_net_create(struct net **out, const struct net_config *config,
                               struct orr_evq *queue, struct orr_arena *arena,
                               struct orr_diag *diag);

/* Records that links or ports of a dimension are busy for busy_ps in total, spread evenly over
 * [start, end); must match what stats counts in busy_ps. */
static inline void net_use(struct net *net, unsigned dim, sim_time start_ps, sim_time end_ps,
                           double busy_ps)
{
    if (__builtin_expect(net->use != NULL, 0)) {
        orr_net_link_utilization_add(net->use, dim, start_ps, end_ps, busy_ps);
    }
}

/* Sends a message. */
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

/* Prepares a round (net_round_ops); NULL: its messages have to be sent one by one. */
static inline struct net_round *net_round(struct net *net, const struct net_ends *pair,
                                          uint32_t count)
{
    const bool counted = net->traffic != NULL || net->use != NULL || net->control != NULL;
    return net->ops->rounds != NULL && !counted ? net->ops->rounds->prepare(net, pair, count)
                                                : NULL;
}

/* Checks that the config's channels are paths between NPUs through its graph. The error names the
 * channel and the hop. O(hops). (channel.c) */
enum orr_status orr_net_channels_check(const struct net_config *config, struct orr_diag *diag);

/* Whether an NPU forwards for a channel. Sets npu[rank] of each such NPU, unless `npu` is NULL.
 * O(hops). (channel.c) */
bool orr_net_channels_forward(const struct net_config *config, bool *npu);

/* Whether steps of rings (NET_LINK) may take another path than messages between the same NPUs. */
static inline bool net_keeps_ring_links(const struct net_config *config)
{
    return config->graph != NULL && config->graph->circuits == NULL &&
           (net_graph_has_rings(config->graph) || net_graph_finds_rings(config->graph)) &&
           !config->routes.rings_routed && net_routes_leave_links(&config->routes);
}

/* Whether rings of the config's graph can lose links; whether all-reduces then do something other
 * than use the routing (network.ring_recovery); and whether that is a detour over links of no ring.
 */
static inline bool net_can_recover_rings(const struct net_config *config)
{
    const struct net_graph *graph = config->graph;
    return graph != NULL && !config->routes.rings_routed &&
           (net_graph_has_rings(graph) || net_graph_finds_rings(graph)) &&
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

/* Reads a network file of ASTRA-sim (YAML; GiB/s, ns) into a config whose backend and timing rules
 * the caller sets. The dimensions are in the arena. */
enum orr_status orr_net_config_read_astra(struct orr_arena *arena, const char *path,
                                          struct net_config *config, struct orr_diag *diag);

/* Reads the `network` section of a platform file into a config that lives in the arena. */
enum orr_status orr_net_config_read(struct orr_arena *arena, const struct orr_conf *map,
                                    struct net_config *config, struct orr_diag *diag);
extern const struct orr_key_table orr_net_key_table;

/* Merges the dimensions of a `network` section from several files: for each dimension, a file's
 * values override those of the files it includes. A section from one file is unchanged.
 * ORR_ERR_INPUT: the topology has dimensions without any values. */
enum orr_status orr_net_config_merge(struct orr_arena *arena, const struct orr_conf **map,
                                     struct orr_diag *diag);

/* The same for the section in a platform's tree, if there is one. Call it before values are set. */
enum orr_status orr_net_tree_merge(struct orr_arena *arena, const struct orr_conf **root,
                                   struct orr_diag *diag);

/* Reads the section for a workload that contributes to it. */
struct net_config_input {
    struct orr_arena *arena;
    const struct orr_conf *map;
    struct net_workload_graph own;
    const struct net_cost_rules *defaults; /* default cost rules of the design, or NULL */
};
enum orr_status orr_net_config_read_for(const struct net_config_input *input,
                                        struct net_config *config, struct orr_diag *diag);

/* A config with the default backend of graphs, without a graph yet, that counts traffic per path.
 * `routes` and `flows` are borrowed. */
struct net_config orr_net_config_of_flows(const struct net_route_options *routes,
                                          const struct net_flow_model *flows);

/* Converts the config's dimensions to a graph; a config with a graph is unchanged. */
enum orr_status orr_net_config_make_graph(struct orr_arena *arena, struct net_config *config,
                                          struct orr_diag *diag);

/* Warns about keys of the section, read into the config, that have no effect. (network_warnings.c)
 */
void orr_net_config_warn(const struct orr_conf *map, const struct net_config *config,
                         struct orr_diag *diag);

/* Warns about keys of the section's design that only other designs use. (read/network_design.c) */
void orr_net_design_warn(const struct orr_conf *map, struct orr_diag *diag);

/* Scales the outermost of `dims` dimensions so that there are `npus` NPUs. Error (input): the inner
 * ones do not divide them. O(dims). */
enum orr_status orr_net_scale_outermost(const struct orr_conf *map, int64_t npus,
                                        struct net_dim *dim, unsigned dims, struct orr_diag *diag);

/* Checks that dimensions with `reduces` are switches. (read/network_config_reduces.c) */
enum orr_status orr_net_config_check_reduces(const struct orr_conf *map,
                                             const struct net_config *config,
                                             struct orr_diag *diag);

/* Sets the config's network to a graph. `shape` is a notation of the dimensions of collectives;
 * NULL: those of the graph's builder, else in servers and between servers, else one. Error:
 * dimensions with another number of NPUs. (read/network_config_graph.c) */
enum orr_status orr_net_config_set_graph(struct orr_arena *arena, struct net_config *config,
                                         const struct net_graph *graph,
                                         const struct orr_conf *shape, struct orr_diag *diag);

/* Makes one dimension of all NPUs of the config's graph. Error: memory.
 * (read/network_config_graph.c) */
enum orr_status orr_net_config_join_dims(struct orr_arena *arena, struct net_config *config,
                                         struct orr_diag *diag);

/* The key `cost` of a network section: reads it over the defaults of optical layer and degree
 * (NULL: none), and warns about keys without effect. Errors: keys and values; with the config's
 * graph, those of orr_net_graph_cost, with their location. (read/network_config_cost.c) */
extern const struct orr_key_table orr_net_cost_key_table;
enum orr_status orr_net_cost_read(const struct orr_conf *map, const struct net_cost_rules *defaults,
                                  struct net_cost_rules *rules, struct orr_diag *diag);
void orr_net_cost_warn(const struct orr_conf *map, const struct net_cost_rules *rules,
                       struct orr_diag *diag);
enum orr_status orr_net_config_add_cost(struct orr_arena *arena, struct net_config *config,
                                        const struct orr_conf *map, struct orr_diag *diag);
/* Computes the cost of the config's network. Errors: the network is no graph; those of
 * orr_net_graph_cost. */
enum orr_status orr_net_config_cost(const struct net_config *config, struct net_cost *out,
                                    struct orr_diag *diag);

/* Whether the graph is the config's dimensions with dimension-order paths, so that it is equivalent
 * to the blocks. O(dims). (read/network_config_graph.c) */
bool orr_net_is_stacked(const struct net_config *config);

/* A platform file, or one in DOT. */
struct net_graph_input {
    const char *path;
    const char *library;    /* folder of files to include by name; NULL: none */
    const char *const *set; /* values to set in it; not for DOT */
    size_t sets;
    struct net_link_kind kind; /* defaults of links */
    bool kind_requested;       /* the user gave `kind`: warn if a design overrides it */
    uint32_t npus;             /* of a fabric or design without a number; 0: that is an error */
};

/* Loads the network of a file as a graph, with its routing and flow model: its network.graph, its
 * dimensions as a graph, or the graph of a DOT file. (read/graph_load.c) */
enum orr_status orr_net_graph_load(struct orr_arena *arena, const struct net_graph_input *source,
                                   struct net_config *config, struct orr_diag *diag);

/* Parses "Ring(2)_FC(8)_Switch(4)" into dim[NET_MAX_DIMS] (block and npus; the rest is left alone).
 * The error shows the text with a caret; `place` may be NULL. */
enum orr_status orr_net_parse_notation(const char *text, struct net_dim *dim, unsigned *dims,
                                       const struct orr_location *place, struct orr_diag *diag);

/* The notation of a config's dimensions into `text`; returns `text`. */
char *orr_net_format_notation(const struct net_config *config, char *text, size_t bytes);

/* "ring", "fully_connected", "switch", "mesh". */
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
    unsigned
        hops;     /* ring: the shorter direction; mesh: the only one; fully connected 1; switch 2 */
    bool further; /* other dimensions differ too */
    bool down;    /* to a lower coordinate */
};

/* Whether the route goes in descending direction, in a block that passes messages on; `backwards`
 * decides if a ring's directions are equally long. */
static inline bool net_goes_down(const struct net_dim *dim, const struct net_route *route,
                                 bool backwards)
{
    const uint32_t back = dim->npus - route->forward;
    return dim->block == NET_MESH ? route->down
                                  : back < route->forward || (back == route->forward && backwards);
}

struct net_route orr_net_route(const struct net_config *config, uint32_t src, uint32_t dst);

/* The NPU that is `steps` < npus ahead in a dimension with that stride. */
uint32_t orr_net_ahead(const struct net_dim *dim, uint32_t stride, uint32_t npu, uint32_t steps);

/* The sum of latencies of the dimension-order path from one NPU to another. O(dims^2). */
sim_time orr_net_path_latency(const struct net_config *config, uint32_t src, uint32_t dst);

/* The image of `dst` under the shift of the topology that maps `src` to rank 0: the steps in each
 * dimension, ascending and cyclic. Invariant under shifts of the topology. O(dims). */
uint32_t orr_net_shift(const struct net_config *config, uint32_t src, uint32_t dst);

/* orr_net_route for hot paths: `by` are the divisors of the dimensions' NPUs. */
struct net_route orr_net_route_by(const struct net_config *config, const struct orr_divisor *by,
                                  uint32_t src, uint32_t dst);

/* Graph metrics of a topology (docs/models.md, section 3). Bandwidths are of one direction, and 0
 * where the config's are. Links count each direction. */
struct net_dim_metrics {
    uint64_t stride;         /* difference of neighbours' ranks */
    uint64_t lines;          /* rings, cliques or switches along the dimension */
    uint64_t links;          /* of the dimension, each direction counted */
    uint32_t links_per_npu;  /* outgoing links of an NPU; of a mesh, of one between two others */
    double link_bytes_per_s; /* of one of these */
    double npu_bytes_per_s;  /* of all of these */
    unsigned hops_max;
    double hops_from_one; /* sum of hops of the shortest paths from an NPU to all others of its
                             line; of a mesh the mean over its NPUs */
    double hops_mean;
    double bisection_bytes_per_s; /* of the cut that halves every line of the dimension */
};

struct net_metrics {
    uint64_t links;
    double npu_bytes_per_s;     /* of all dimensions */
    double network_bytes_per_s; /* over all NPUs */
    double bisection_bytes_per_s;
    unsigned bisection_dim; /* with the smallest bisection; config->dims */
    unsigned diameter;      /* hops */
    double hops_mean;
    sim_time longest_path_ps; /* largest latency of a shortest path */
    double mean_path_ps;
};

/* Metrics of a dimension of a config of 1 to 2^31 NPUs. O(dims). */
struct net_dim_metrics orr_net_dim_metrics(const struct net_config *config, unsigned d);

/* Ports of a dimension, of so many an NPU: those at the ends of a mesh lead nowhere. O(dims). */
uint64_t orr_net_servers(const struct net_config *config, unsigned d, uint32_t ports);

/* Metrics of the network. O(dims^2). */
struct net_metrics orr_net_metrics(const struct net_config *config);

/* The neighbours of an NPU in a dimension, reached without passing another NPU: how many there are
 * (at most two in a ring or a mesh, else all others of the line), and the index-th of them. Those
 * of a ring or a mesh are the previous and the next one; others ascend. O(dims). */
uint32_t orr_net_neighbours(const struct net_config *config, uint32_t rank, unsigned d);
uint32_t orr_net_neighbour(const struct net_config *config, uint32_t rank, unsigned d,
                           uint32_t index);

#endif
