/* Networks without a simulation: graph metrics, embeddings and pictures, as `orrery topo`
 * (docs/how-to/networks.md).
 *
 *     struct orrery_topology *topology = orrery_topology_new();
 *     struct orrery_topology_input input = {ORRERY_SIZED(orrery_topology_input),
 *                                           .network = "torus:8x8", .npus = 64,
 *                                           .bandwidth = "100 Gb/s"};
 *     struct orrery_topology_figures figures = {ORRERY_SIZED(orrery_topology_figures)};
 *     orrery_topology_read(topology, &input);
 *     orrery_topology_figures(topology, &figures);
 *     orrery_topology_draw(topology, "torus.svg");
 *     orrery_topology_free(topology);
 *
 * One thread at a time may use a handle. A failed call stores its message, "LOCATION: MESSAGE", for
 * orrery_topology_error. Errors: ORRERY_ERROR_INPUT (an invalid or disconnected network, NULL, a
 * struct of another version, nothing read yet), _IO, _MEMORY. */
#ifndef ORRERY_TOPOLOGY_H
#define ORRERY_TOPOLOGY_H

#include <stdio.h>

#include "orrery/parts.h"

#ifdef __cplusplus
extern "C" {
#endif

struct orrery_topology;

/* Create and free a handle: NULL if out of memory; freeing NULL is fine. orrery_topology_error: the
 * error of the last failed call, owned by the handle. */
ORRERY_API struct orrery_topology *orrery_topology_new(void);
ORRERY_API void orrery_topology_free(struct orrery_topology *topology);
ORRERY_API const char *orrery_topology_error(const struct orrery_topology *topology);

/* `warn` is called with the text of each warning from now on; NULL (default): warnings are
 * ignored. */
ORRERY_API void orrery_topology_on_warning(struct orrery_topology *topology,
                                           void (*warn)(void *user, const char *text), void *user);

/* The network: exactly one of `network`, `platform` and `astra_network`. Texts are only read during
 * the call. */
struct orrery_topology_input {
    size_t size; /* ORRERY_SIZED(orrery_topology_input) */
    /* A platform file or the name of one that ships, a file with a graph (YAML, DOT), a notation
     * such as "Ring(4)_Switch(2)"; with `npus` the name of a fabric such as "fat-tree". */
    const char *network;
    struct orrery_platform *platform; /* its current network */
    const char *astra_network;        /* a network file of the ASTRA-sim simulator */
    const char *const *set;           /* [set_count] values of the file */
    size_t set_count;
    uint32_t npus; /* of a fabric; 0: not a fabric */
    uint64_t seed; /* of a random fabric; 0: 1 */
    /* Notation: of each dimension ("100 GB/s,50 GB/s") or one for all. Fabric, and links without
     * bandwidth in a file: "100 Gb/s". NULL: unknown. */
    const char *bandwidth;
    const char *latency;      /* likewise; NULL: 0 */
    const char *bandwidth_is; /* of a notation: "link" (NULL) or "npu" */
    /* optical device of direct links, for their cost: "patch-panel", "ocs"; NULL or "none": none */
    const char *optical;
};

/* Reads the network; replaces the previous one. O(bytes + nodes + links). */
ORRERY_API enum orrery_status orrery_topology_read(struct orrery_topology *topology,
                                                   const struct orrery_topology_input *input);

/* Metrics of a network. Bandwidths are one way, in bytes/s; 0: unknown. */
struct orrery_topology_figures {
    size_t size;                   /* ORRERY_SIZED(orrery_topology_figures) */
    bool graph;                    /* else it is a stack of dimensions */
    uint32_t npus, switches, dims; /* switches of a graph; dimensions of a stack */
    uint64_t links;                /* counted in each direction */
    uint32_t diameter;             /* hops between NPUs, on shortest paths */
    bool diameter_is_exact;        /* of huge graphs it is a lower bound */
    double mean_hops;
    double npu_bytes_per_s;       /* sum of the outgoing links of an NPU, on average */
    double network_bytes_per_s;   /* sum over all NPUs (stack) or all links (graph) */
    double bisection_bytes_per_s; /* of a graph: an upper bound */
    double cost_dollars;          /* of the hardware of a graph with known bandwidths; 0: unknown */
};

/* Fills in the metrics; set their `size` before. Takes some seconds at most for a graph: distances
 * are O(nodes (nodes + links)), the bisection is a heuristic search. */
ORRERY_API enum orrery_status orrery_topology_figures(struct orrery_topology *topology,
                                                      struct orrery_topology_figures *figures);

/* A dimension of a stack, from 0. */
struct orrery_topology_dim {
    size_t size;       /* ORRERY_SIZED(orrery_topology_dim) */
    const char *block; /* "ring", "fully_connected", "switch", "mesh" */
    uint32_t npus;
    uint64_t stride, links;
    double link_bytes_per_s, npu_bytes_per_s, bisection_bytes_per_s; /* 0: not known */
    int64_t latency_ps;
    uint32_t diameter;
    double mean_hops;
};
ORRERY_API enum orrery_status orrery_topology_dim(struct orrery_topology *topology, unsigned dim,
                                                  struct orrery_topology_dim *out);

/* Views of a network. */
enum orrery_topology_view {
    ORRERY_TOPOLOGY_SHOW,
    ORRERY_TOPOLOGY_SHOW_JSON,
    ORRERY_TOPOLOGY_CHECK, /* of graphs: without bisection and cost */
    ORRERY_TOPOLOGY_CHECK_JSON
};

/* No rank: coordinates and neighbors are not shown. */
#define ORRERY_NO_RANK UINT32_MAX

/* Writes the output of the command. `rank`: NPU of a stack whose coordinates and neighbors are
 * shown, or ORRERY_NO_RANK. */
ORRERY_API enum orrery_status orrery_topology_write(struct orrery_topology *topology, FILE *out,
                                                    enum orrery_topology_view view, uint32_t rank);

/* The same as a text, owned by the handle until the next call; NULL on an error. */
ORRERY_API const char *orrery_topology_text(struct orrery_topology *topology,
                                            enum orrery_topology_view view, uint32_t rank);

/* Draws the network into a file: .svg, .pdf, .png or .dot (of a graph; it can be read again). Large
 * networks are drawn in part, and a warning names the omitted part. Graphviz draws for one thread
 * at a time. */
ORRERY_API enum orrery_status orrery_topology_draw(struct orrery_topology *topology,
                                                   const char *path);

/* The same to a stream, in the format "svg", "pdf", "png" or "dot". */
ORRERY_API enum orrery_status orrery_topology_write_picture(struct orrery_topology *topology,
                                                            FILE *out, const char *format);

/* Embedding of edge-disjoint trees or rings in the network. Texts are only read during the call. */
struct orrery_topology_embedding {
    size_t size; /* ORRERY_SIZED(orrery_topology_embedding) */
    bool rings;  /* rings; else trees */
    /* number of trees to search for, or the parents of the ranks in each tree; NULL: system.trees
     * of the platform, or 2. Parents: "- 2 4 2 0 6 4 6; 3 - 3 5 7 1 7 5" with - for the root; or
     * "jump=3", the two trees of double_binary_tree,jump=3 */
    const char *trees;
    /* shape of trees to search for: "double-binary"; "free", any number of children; "any" (NULL),
     * free if a double binary tree needs detours or has conflicts. "usual" is a deprecated name of
     * "double-binary" */
    const char *shape;
    /* detours between NPUs without a link: over one other NPU ("on", NULL), over a number of NPUs
     * at most ("2"), or only through switches ("off") */
    const char *detours;
    /* [detour_count] prescribed detours: "2-0-4" from 2 over 0 to 4, and back */
    const char *const *detour;
    size_t detour_count;
    const char *ranks; /* member NPUs, "0,1,2,3"; NULL: all */
    bool around;       /* allow detours also between NPUs with a link, if other edges need it */
    bool strict;       /* a shared link is an error */
    uint64_t seed;     /* of searches beyond 8 NPUs; 0: 1 */
};

/* Searches the embedding and writes it: "text", "json", or a picture "svg", "pdf", "png", "dot".
 * Takes some seconds at most. */
ORRERY_API enum orrery_status
orrery_topology_embed(struct orrery_topology *topology,
                      const struct orrery_topology_embedding *embedding, FILE *out,
                      const char *format);

/* How fast a collective of all NPUs can be on the network (docs/models/bounds.md). */
struct orrery_topology_bound {
    size_t size; /* ORRERY_SIZED(orrery_topology_bound) */
    const char
        *collective; /* "all_gather", "reduce_scatter", "all_reduce", "broadcast", "all_to_all" */
    uint64_t bytes;  /* as workload.bytes: of an all-gather one rank's part, of an all-to-all all
                        that one rank sends */
    uint32_t root;   /* of a broadcast */
    uint32_t npus;   /* that the network must have; 0: any number */
};

/* Computes the bound, the optimum and the bottleneck cut, and writes them: "text" or "json". Takes
 * a maximum flow an NPU: seconds for 1,024. Errors: a bandwidth that is not known; NPUs that do not
 * reach others, with the cut. */
ORRERY_API enum orrery_status orrery_topology_write_bound(struct orrery_topology *topology,
                                                          const struct orrery_topology_bound *bound,
                                                          FILE *out, const char *format);

/* Hardware model of SiP-ML's fabrics (SIGCOMM'21), as `orrery topo sip-ml`, with its options
 * without "--", such as "gpus=512" and "hold=100 us,220 us"; defaults are the paper's. Texts are
 * only read during the call. It needs no network. */
struct orrery_sip_ml_input {
    size_t size;            /* ORRERY_SIZED(orrery_sip_ml_input) */
    const char *const *set; /* [set_count] */
    size_t set_count;
};

/* Metrics of the hardware (docs/models.md, section 16). Dollars are totals of all GPUs except those
 * of a chip; bandwidths and interfaces are those of SiP-OCS. */
struct orrery_sip_ml_figures {
    size_t size; /* ORRERY_SIZED(orrery_sip_ml_figures) */
    /* duty cycle of the first hold time: dark time in addition to it, and within it */
    double duty, slot_duty;
    double node_loss_db;      /* loss of light that passes a GPU */
    uint32_t reach;           /* number of GPUs that light can pass */
    uint32_t micro_rings;     /* of a GPU */
    uint32_t interfaces;      /* chips of a GPU */
    double chip_dollars;      /* of a small run */
    double mass_chip_dollars; /* in mass production, with electronics */
    double run_dollars, mass_dollars, optics_dollars, sr_optics_dollars;
    bool flat;              /* an OCS has a port for each GPU */
    bool clos_in_budget;    /* the loss of OCSs as Clos networks is within the budget; these have */
    uint32_t clos_stages;   /* this many stages, and */
    uint64_t clos_switches; /* this many OCSs */
    uint32_t bcube_levels, bcube_peers; /* bcube_peers: GPUs to which a GPU has a circuit */
    uint64_t bcube_switches;
    double bcube_share; /* fraction of SiP-ML's communicating pairs that have a circuit */
};
ORRERY_API enum orrery_status orrery_topology_sip_ml(struct orrery_topology *topology,
                                                     const struct orrery_sip_ml_input *input,
                                                     struct orrery_sip_ml_figures *figures);

/* Writes all metrics: "text", "json" or "csv". O(gpus x group). */
ORRERY_API enum orrery_status orrery_topology_write_sip_ml(struct orrery_topology *topology,
                                                           const struct orrery_sip_ml_input *input,
                                                           FILE *out, const char *format);

#ifdef __cplusplus
}
#endif

#endif
