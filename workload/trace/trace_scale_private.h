/* What scaling a set of traces is made of: groups, checks, writing. */
#ifndef ORR_WORKLOAD_TRACE_TRACE_SCALE_PRIVATE_H
#define ORR_WORKLOAD_TRACE_TRACE_SCALE_PRIVATE_H

#include "workload/trace/trace_scale.h"

/* Groups that are told by name, in files or in metadata. */
struct orr_listed_groups {
    struct orr_strings names;
    uint32_t *ranks; /* [names.count] how many ranks; of all of them: from 0 up, in this order */
    bool *all;       /* [names.count] */
    size_t capacity, all_capacity;
};

struct orr_scaler {
    const struct orr_trace_scale *scale;
    struct orr_trace_scale_result *result;
    struct orr_arena *arena;
    const struct orr_trace **by_rank; /* [from] */
    const char *group_path;           /* PREFIX.groups.json, or NULL: there is none */
    struct orr_listed_groups file;    /* in it */
};

/* trace_scale_groups.c */

/* Reads PREFIX.groups.json if there is one. */
enum orr_status orr_scale_read_groups(struct orr_scaler *scaler, struct orr_diag *diag);

/* Adds the groups that a trace's metadata tell. */
enum orr_status orr_scale_read_trace_groups(struct orr_scaler *scaler,
                                            const struct orr_trace *trace,
                                            struct orr_listed_groups *listed,
                                            struct orr_diag *diag);

/* Index of the group of this name, or UINT32_MAX. O(1). */
uint32_t orr_listed_groups_find(const struct orr_listed_groups *listed, const char *name);

/* The values of a metadata node with the groups of all ranks, as M ranks mean them. */
enum orr_status orr_scale_group_values(const struct orr_scaler *scaler, const char *values,
                                       const char **out, struct orr_diag *diag);

/* Writes OUT.groups.json with the groups of all ranks, if there was a file. */
enum orr_status orr_scale_write_groups(const struct orr_scaler *scaler, struct orr_diag *diag);

/* trace_scale_check.c: refuses what cannot be scaled. */
enum orr_status orr_scale_check(struct orr_scaler *scaler, struct orr_diag *diag);

#endif
