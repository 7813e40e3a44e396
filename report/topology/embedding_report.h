/* Trees and rings on a graph as text, JSON and pictures (system/embedding/). */
#ifndef ORR_REPORT_TOPOLOGY_EMBEDDING_REPORT_H
#define ORR_REPORT_TOPOLOGY_EMBEDDING_REPORT_H

#include "report/topology/topology_report.h"
#include "system/embedding/embedding.h"

struct net_channel;
struct net_config;
struct net_graph;
struct orr_arena;
struct orr_conf;
struct orr_diag;
struct orr_graph_view;

/* Options of an embedding, as texts of the command line or the API. */
struct orr_embedding_options {
    bool rings;                /* else trees */
    const char *trees;         /* how many to search, or the parents of each: "- 0 0; 1 - 1" */
    const char *shape;         /* "any" (NULL), "double-binary", "free" */
    const char *detours;       /* "on" (NULL), "off", or the maximum number of NPUs in a detour */
    const char *const *detour; /* "2-0-4" each: from 2 over 0 to 4, and back */
    size_t given;
    const char *ranks; /* "0,1,2,3"; NULL: all */
    bool around, strict;
    uint64_t seed;
};

struct orr_embedding {
    const struct orr_graph_view *view;
    bool is_rings;
    uint32_t n;
    struct sys_trees trees;
    struct sys_rings rings;
};

/* Fills unset options from the platform's `system` section. False: no memory.
 * (embedding_platform.c) */
bool orr_embedding_of_platform(const struct orr_conf *system, struct orr_embedding_options *options,
                               struct orr_arena *arena);

/* The members of the platform's trees where no ranks are given: the first slice of the first
 * dimension that has trees, as a run has them. False when memory is out. (embedding_platform.c) */
bool orr_embedding_members(const struct orr_conf *system, const struct net_config *config,
                           struct orr_embedding_options *options, struct orr_arena *arena);

/* Makes the trees or rings, in the view's arena. Errors: invalid options, and those of the trees
 * and rings. (embedding_request.c) */
enum orr_status orr_embedding_make(const struct orr_graph_view *view,
                                   const struct orr_embedding_options *options,
                                   struct orr_embedding *out, struct orr_diag *diag);

/* Writes an embedding as "text", "json", or a picture: "svg", "pdf", "png", "dot". Errors: format;
 * output. */
enum orr_status orr_embedding_write(FILE *out, const struct orr_embedding *embedding,
                                    const char *format, struct orr_diag *diag);

/* Write one form; false: it cannot be written. (embedding_text.c, embedding_json.c,
 * embedding_draw.c) */
bool orr_embedding_text(FILE *out, const struct orr_embedding *embedding);
bool orr_embedding_json(FILE *out, const struct orr_embedding *embedding);
enum orr_status orr_embedding_draw(FILE *out, const struct orr_embedding *embedding,
                                   const char *format, struct orr_diag *diag);

/* Number of links that the trees or rings use at least once; parallel links and directions count
 * separately. */
uint32_t orr_embedding_used(const struct orr_embedding *embedding);

/* The node at which a hop of a channel begins; `hop` == hops: the node at which the last one
 * ends. */
uint32_t orr_embedding_hop_node(const struct net_graph *graph, const struct net_channel *channel,
                                uint32_t hop);

#endif
