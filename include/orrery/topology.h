/* Networks as objects, without a simulation: what they are as a graph, and pictures of them, as
 * `orrery topo` tells and draws (docs/user-guide.md).
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
 * A handle is used by one thread at a time. Every call that fails keeps what is wrong for
 * orrery_topology_error, as "PLACE: MESSAGE". Errors: ORRERY_ERROR_INPUT (a network that is wrong
 * or in pieces, a NULL, a struct of another interface, nothing read yet), _IO, _MEMORY. */
#ifndef ORRERY_TOPOLOGY_H
#define ORRERY_TOPOLOGY_H

#include <stdio.h>

#include "orrery/parts.h"

#ifdef __cplusplus
extern "C" {
#endif

struct orrery_topology;

/* As of other objects: NULL when memory is out; NULL can be freed; texts are the handle's. */
ORRERY_API struct orrery_topology *orrery_topology_new(void);
ORRERY_API void orrery_topology_free(struct orrery_topology *topology);
ORRERY_API const char *orrery_topology_error(const struct orrery_topology *topology);

/* `warn` is called with the text of each warning from now on; NULL: nothing is (the default). */
ORRERY_API void orrery_topology_on_warning(struct orrery_topology *topology,
                                           void (*warn)(void *user, const char *text), void *user);

/* One of `network`, `platform` and `astra_network`. Texts are only read during the call. */
struct orrery_topology_input {
    size_t size; /* ORRERY_SIZED(orrery_topology_input) */
    /* A platform file or the name of one that ships, a file with a graph (YAML, DOT), a notation
     * such as "Ring(4)_Switch(2)"; with `npus` the name of a fabric such as "fat-tree". */
    const char *network;
    struct orrery_platform *platform; /* its network, as it is now */
    const char *astra_network;        /* a network file of the ASTRA-sim simulator */
    const char *const *set;           /* [set_count] values of the file */
    size_t set_count;
    uint32_t npus; /* of a fabric; 0: it is none */
    uint64_t seed; /* of a random fabric; 0: 1 */
    /* Of a notation: of each dimension ("100 GB/s,50 GB/s") or one for all. Of a fabric, and of
     * links of which a file says nothing: "100 Gb/s". NULL: not known. */
    const char *bandwidth;
    const char *latency;      /* likewise; NULL: 0 */
    const char *bandwidth_is; /* of a notation: "link" (NULL) or "npu" */
    const char *optical;      /* what joins direct links, for their cost: "patch-panel", "ocs";
                               * NULL or "none": nothing */
};

/* Reads the network in place of what the handle held. O(bytes, and nodes + links). */
ORRERY_API enum orrery_status orrery_topology_read(struct orrery_topology *topology,
                                                   const struct orrery_topology_input *input);

/* Bandwidths are one way, in bytes a second; 0: not known. */
struct orrery_topology_figures {
    size_t size;                   /* ORRERY_SIZED(orrery_topology_figures) */
    bool graph;                    /* else it is a stack of dimensions */
    uint32_t npus, switches, dims; /* switches of a graph; dimensions of a stack */
    uint64_t links;                /* each way counted */
    uint32_t diameter;             /* hops between NPUs, by the shortest ways */
    bool diameter_is_exact;        /* of huge graphs it is a least one */
    double mean_hops;
    double npu_bytes_per_s;       /* of all links by which an NPU sends, on average */
    double network_bytes_per_s;   /* of all NPUs' (stack) or all links (graph) */
    double bisection_bytes_per_s; /* of a graph at most that */
    double cost_dollars; /* of the parts of a graph whose bandwidths are known; 0: unknown */
};

/* Fills in the figures, whose `size` is set. Of a graph at most some seconds: the distances are
 * O(nodes (nodes + links)), the bisection is searched for. */
ORRERY_API enum orrery_status orrery_topology_figures(struct orrery_topology *topology,
                                                      struct orrery_topology_figures *figures);

/* A dimension of a stack, from 0. */
struct orrery_topology_dim {
    size_t size;       /* ORRERY_SIZED(orrery_topology_dim) */
    const char *block; /* "ring", "fully_connected", "switch" */
    uint32_t npus;
    uint64_t stride, links;
    double link_bytes_per_s, npu_bytes_per_s, bisection_bytes_per_s; /* 0: not known */
    int64_t latency_ps;
    uint32_t diameter;
    double mean_hops;
};
ORRERY_API enum orrery_status orrery_topology_dim(struct orrery_topology *topology, unsigned dim,
                                                  struct orrery_topology_dim *out);

/* How a network is shown. */
enum orrery_topology_view {
    ORRERY_TOPOLOGY_SHOW,
    ORRERY_TOPOLOGY_SHOW_JSON,
    ORRERY_TOPOLOGY_CHECK, /* of graphs: without bisection and cost */
    ORRERY_TOPOLOGY_CHECK_JSON
};

/* No rank: its coordinates and neighbours are not asked for. */
#define ORRERY_NO_RANK UINT32_MAX

/* Writes what the command writes. `rank`: of a stack, whose coordinates and neighbours are told
 * too, or ORRERY_NO_RANK. */
ORRERY_API enum orrery_status orrery_topology_write(struct orrery_topology *topology, FILE *out,
                                                    enum orrery_topology_view view, uint32_t rank);

/* The same as a text, which is the handle's until the next one; NULL on an error. */
ORRERY_API const char *orrery_topology_text(struct orrery_topology *topology,
                                            enum orrery_topology_view view, uint32_t rank);

/* Draws the network into a file: .svg, .pdf, .png or .dot (of a graph, that can be read again). Of
 * large ones the picture is small, and a warning says what is left out. Graphviz draws for one
 * thread at a time. */
ORRERY_API enum orrery_status orrery_topology_draw(struct orrery_topology *topology,
                                                   const char *path);

/* The same into a stream, in a format: "svg", "pdf", "png" or "dot". */
ORRERY_API enum orrery_status orrery_topology_write_picture(struct orrery_topology *topology,
                                                            FILE *out, const char *format);

/* Trees or rings laid on the links of the network, so that no two of them share one. Texts are only
 * read during the call. */
struct orrery_topology_embedding {
    size_t size;         /* ORRERY_SIZED(orrery_topology_embedding) */
    bool rings;          /* rings; else trees */
    const char *trees;   /* how many are sought, or the parents of the ranks in each; NULL: as the
                          * platform says (system.trees), or 2 that are sought. Parents:
                          * "- 2 4 2 0 6 4 6; 3 - 3 5 7 1 7 5" with - for the root; or "jump=3",
                          * the two of double_binary_tree,jump=3 */
    const char *shape;   /* of trees that are searched for: "double-binary"; "free", any number of
                          * children; "any" (NULL), free if a double binary tree needs detours or
                          * has conflicts. "usual" is deprecated: "double-binary" */
    const char *detours; /* where two NPUs have no link: over one other ("on", NULL), over so many
                          * at most ("2"), or through switches only ("off") */
    const char *const *detour; /* [detour_count] given ones: "2-0-4" from 2 over 0 to 4, and back */
    size_t detour_count;
    const char *ranks; /* the NPUs that they are over, "0,1,2,3"; NULL: all */
    bool around;       /* detours also where there is a link that others need */
    bool strict;       /* a link that is used twice is an error */
    uint64_t seed;     /* of searches beyond 8 NPUs; 0: 1 */
};

/* Finds them and writes what was found: "text", "json", or a picture "svg", "pdf", "png", "dot".
 * Some seconds at most. */
ORRERY_API enum orrery_status
orrery_topology_embed(struct orrery_topology *topology,
                      const struct orrery_topology_embedding *embedding, FILE *out,
                      const char *format);

/* The fabrics of SiP-ML (SIGCOMM'21) as hardware, as `orrery topo sip-ml` tells them: the options
 * of that without "--", such as "gpus=512" and "hold=100 us,220 us"; what is not set is the
 * paper's. Texts are only read during the call. No network need have been read. */
struct orrery_sip_ml_input {
    size_t size;            /* ORRERY_SIZED(orrery_sip_ml_input) */
    const char *const *set; /* [set_count] */
    size_t set_count;
};

/* Some of its figures (docs/models.md, section 16). Dollars are those of all GPUs but for a chip's;
 * bandwidths and interfaces those of SiP-OCS. */
struct orrery_sip_ml_figures {
    size_t size;              /* ORRERY_SIZED(orrery_sip_ml_figures) */
    double duty, slot_duty;   /* of the first hold: with the dark time beside, within */
    double node_loss_db;      /* of light that passes a GPU */
    uint32_t reach;           /* GPUs that it gets past */
    uint32_t micro_rings;     /* of a GPU */
    uint32_t interfaces;      /* chips of a GPU */
    double chip_dollars;      /* of a small run */
    double mass_chip_dollars; /* in mass production, with electronics */
    double run_dollars, mass_dollars, optics_dollars, sr_optics_dollars;
    bool flat;              /* an OCS has a port for each GPU */
    bool clos_in_budget;    /* light gets through the OCSs as Clos networks, which have so many */
    uint32_t clos_stages;   /* stages, and */
    uint64_t clos_switches; /* OCSs in all */
    uint32_t bcube_levels, bcube_peers; /* GPUs to which one has a circuit */
    uint64_t bcube_switches;
    double
        bcube_share; /* of the pairs that SiP-ML's strategies send between, those with a circuit */
};
ORRERY_API enum orrery_status orrery_topology_sip_ml(struct orrery_topology *topology,
                                                     const struct orrery_sip_ml_input *input,
                                                     struct orrery_sip_ml_figures *figures);

/* Writes all of it: "text", "json" or "csv". O(gpus x group). */
ORRERY_API enum orrery_status orrery_topology_write_sip_ml(struct orrery_topology *topology,
                                                           const struct orrery_sip_ml_input *input,
                                                           FILE *out, const char *format);

#ifdef __cplusplus
}
#endif

#endif
