/* A trace under construction: nodes in any order with the ids of their parents, and where each came
 * from. orr_build_finish sorts, resolves and validates. Used by all readers. */
#ifndef ORR_WORKLOAD_ET_ET_BUILD_H
#define ORR_WORKLOAD_ET_ET_BUILD_H

#include "core/core.h"
#include "workload/trace.h"

struct build_source {
    uint64_t record, offset;
    uint64_t first_dep; /* into deps */
};

struct build {
    struct orr_arena *arena;   /* of the trace */
    struct orr_arena *scratch; /* of the construction */
    const char *path;
    struct orr_node *nodes; /* first_child is the index into sources until finished */
    struct build_source *sources;
    uint64_t *deps;
    struct orr_node_extra *extras;
    size_t node_capacity, source_capacity, dep_capacity, extra_capacity;
    uint32_t node_count, extra_count;
    uint64_t dep_count;
    struct orr_strings names, groups;
    const char *version;
};

enum orr_status build_init(struct build *build, struct orr_arena *arena, const char *path,
                           struct orr_diag *diag);
void build_fini(struct build *build);

/* Adds a node without parents; NULL when memory is out. `first_child` is taken. */
struct orr_node *build_add(struct build *build, uint64_t record, uint64_t offset);
bool build_add_dep(struct build *build, uint64_t parent);
/* The node's rare attributes, created when it has none yet; NULL when memory is out. */
struct orr_node_extra *build_extra(struct build *build, struct orr_node *node);

enum orr_status build_finish(struct build *build, const struct orr_trace **out,
                             struct orr_diag *diag);

#endif
