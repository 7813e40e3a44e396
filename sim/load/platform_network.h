/* The network of a platform, without a simulation. */
#ifndef ORR_SIM_LOAD_PLATFORM_NETWORK_H
#define ORR_SIM_LOAD_PLATFORM_NETWORK_H

#include "core/status.h"
#include "orrery/parts.h"

struct net_config;
struct net_graph_input;
struct orr_arena;
struct orr_conf;
struct orr_diag;
struct orrery;
struct orrery_platform;

/* A platform file with its includes (shipped ones too), and values set on top. */
struct orr_platform_source {
    const char *path;
    const char *const *set; /* [sets] */
    size_t sets;
};

/* Reads it as one tree. Errors: those of the files and of the values set. */
enum orr_status orr_platform_tree(struct orr_arena *arena, const struct orr_platform_source *source,
                                  const struct orr_conf **root, struct orr_diag *diag);

/* Its section `system`, with includes and values set; NULL: none, or not readable. */
const struct orr_conf *orr_platform_system(struct orr_arena *arena,
                                           const struct orr_platform_source *source);

const struct orr_conf *orr_platform_system_of(struct orr_arena *arena,
                                              const struct orrery_platform *platform);

/* Reads its section `network`, in the arena. */
enum orr_status orr_platform_network_read(struct orr_arena *arena,
                                          const struct orr_platform_source *source,
                                          struct net_config *config, struct orr_diag *diag);

/* The same for a platform object; its values are copied. */
enum orr_status orr_platform_network_of(struct orr_arena *arena, struct orrery_platform *platform,
                                        struct net_config *config, struct orr_diag *diag);

/* orr_net_graph_load of a platform file whose section `set` has values and expressions. Errors:
 * those of the file and of its expressions. */
enum orr_status orr_platform_graph_load(struct orr_arena *arena,
                                        const struct net_graph_input *source,
                                        struct net_config *config, struct orr_diag *diag);

/* A cache of the last task graph read, for successive trees that name the same file. */
struct orr_task_graph;
struct orr_kept_task_graph {
    struct orr_arena *arena; /* only for the cached graph; the caller's */
    const char *path;        /* NULL: none */
    struct orr_task_graph *graph;
};

/* Reads the network of a tree of a platform and its workload, as a run does: a design has as many
 * servers as the workload needs, and a tree without a network gets its task graph's. In the arena;
 * data of the task graph in kept->arena. Errors: those of the files. Cost: reading them.
 * (task_graph.c) */
enum orr_status orr_tree_network_read(struct orr_arena *arena, const struct orr_conf **root,
                                      struct orr_kept_task_graph *kept, struct net_config *config,
                                      struct orr_diag *diag);

/* The network of a loaded job, which owns it. (sim/network_api.c) */
const struct net_config *orr_job_network(const struct orrery *job);

/* Fails if a value is set below `section` ("": below any) of a network that is no file, in which
 * it would be lost: names the first one. */
enum orr_status orr_reject_lost_sets(const char *network, const char *section,
                                     const char *const *set, size_t sets, struct orr_diag *diag);

/* Whether the file describes a graph: DOT, or a section network.graph or network.design, also
 * through includes. Errors in the file are left to its reader. */
bool orr_file_has_graph(const char *path);

/* Whether a text is the notation of a topology: a name without a dot or slash, or with a
 * parenthesis, and no file. */
bool orr_is_notation(const char *text);

#endif
