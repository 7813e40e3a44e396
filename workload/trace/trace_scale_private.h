/* State of scaling a set of traces: groups, checks, writing. */
#ifndef ORR_WORKLOAD_TRACE_TRACE_SCALE_PRIVATE_H
#define ORR_WORKLOAD_TRACE_TRACE_SCALE_PRIVATE_H

#include "core/strings.h"
#include "workload/trace/trace_scale.h"

struct orr_arena;
struct orr_diag;
struct orr_trace;

/* Groups listed by name, in a file or in metadata. */
struct orr_listed_groups {
    struct orr_strings names;
    uint32_t *ranks; /* [names.count] number of ranks; if all: 0, 1, ... in order */
    bool *all;       /* [names.count] */
    size_t capacity, all_capacity;
};

struct orr_scaler {
    const struct orr_trace_scale *scale;
    struct orr_trace_scale_result *result;
    struct orr_arena *arena;
    const struct orr_trace **by_rank; /* [from] */
    const char *group_path;           /* PREFIX.groups.json, or NULL */
    struct orr_listed_groups file;    /* groups of the file */
};

/* trace_scale_groups.c */

/* Reads PREFIX.groups.json if there is one. */
enum orr_status orr_scale_read_groups(struct orr_scaler *scaler, struct orr_diag *diag);

/* Adds the groups of a trace's metadata. */
enum orr_status orr_scale_read_trace_groups(struct orr_scaler *scaler,
                                            const struct orr_trace *trace,
                                            struct orr_listed_groups *listed,
                                            struct orr_diag *diag);

/* Index of the group of this name, or UINT32_MAX. O(1). */
uint32_t orr_listed_groups_find(const struct orr_listed_groups *listed, const char *name);

/* The values of a metadata node with its groups of all N ranks resized to M ranks. */
enum orr_status orr_scale_group_values(const struct orr_scaler *scaler, const char *values,
                                       const char **out, struct orr_diag *diag);

/* Writes OUT.groups.json with the groups of all ranks, if there was an input file. */
enum orr_status orr_scale_write_groups(const struct orr_scaler *scaler, struct orr_diag *diag);

/* trace_scale_check.c: fails if the set cannot be scaled. */
enum orr_status orr_scale_check(struct orr_scaler *scaler, struct orr_diag *diag);

#endif
