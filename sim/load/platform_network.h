/* The network of a platform, for what needs no simulation. */
#ifndef ORR_SIM_LOAD_PLATFORM_NETWORK_H
#define ORR_SIM_LOAD_PLATFORM_NETWORK_H

#include "network/network.h"
#include "orrery/parts.h"

/* A platform file with its includes, those that ship among them, and values set on top. */
struct orr_platform_source {
    const char *path;
    const char *const *set; /* [sets] */
    size_t sets;
};

/* Its section `system`, with what the file includes and the values set; NULL: there is none, or it
 * cannot be read. */
const struct orr_conf *orr_platform_system(struct orr_arena *arena,
                                           const struct orr_platform_source *source);

const struct orr_conf *orr_platform_system_of(struct orr_arena *arena,
                                              const struct orrery_platform *platform);

/* Reads its section `network`, in the arena. */
enum orr_status orr_platform_network_read(struct orr_arena *arena,
                                          const struct orr_platform_source *source,
                                          struct net_config *config, struct orr_diag *diag);

/* The same of a platform that was made by a program; its values are copied. */
enum orr_status orr_platform_network_of(struct orr_arena *arena, struct orrery_platform *platform,
                                        struct net_config *config, struct orr_diag *diag);

/* Whether the file describes a graph: DOT, or a section network.graph, also of what it includes.
 * Mistakes in the file are told by who reads it in earnest. */
bool orr_holds_graph(const char *path);

/* Whether a text is the notation of a topology: a name without a dot or slash, or with a
 * parenthesis, and no file. */
bool orr_is_notation(const char *text);

#endif
