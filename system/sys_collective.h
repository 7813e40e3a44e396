/* A collective of a group: what is asked, whether the platform can run it, and how it would. */
#ifndef ORR_SYSTEM_SYS_COLLECTIVE_H
#define ORR_SYSTEM_SYS_COLLECTIVE_H

#include "core/fold.h"
#include "core/status.h"
#include "network/net_dims.h"
#include "system/collectives/program.h"

struct orr_diag;
struct sys_mono;

struct sys;

/* Sizes of an uneven collective, shared by its members. Sizes are in the user's order of the group;
 * rows are by position. */
struct sys_sizes {
    /* All-to-all: [members], bytes that the member at a position has for each. All-gather and
     * reduce-scatter: one row, the contribution or the part of each. */
    const uint64_t *const *row;
    const uint32_t *column; /* [members], place of a position in a row; NULL: the position */
    uint64_t largest; /* the most bytes that a member sends or receives, its own part included;
                         all-gather: the largest contribution; reduce-scatter: n parts of the
                         largest, as many bytes as the even collective that contains it */
};

struct sys_collective {
    struct orr_slot npu;
    uint32_t group;
    enum coll_kind kind;
    uint64_t bytes;
    const struct sys_sizes
        *sizes;           /* of an uneven collective, `bytes` is its `largest`; NULL: even */
    struct orr_rank root; /* for rooted kinds */
    uint32_t
        ordinal; /* ordinal of the collective in the group on this NPU (pair_by_issue: unused) */
    uint32_t dim_mask; /* dimensions that take part; all ones = all */
    uint32_t priority; /* SYS_EXPLICIT */
    uint64_t cookie;
    const char *name; /* for reports */
    uint64_t node_id; /* for reports */
    /* Monolithic: starts when the last member starts it, ends for all members at once. Messages go
     * between ranks in the user's order of the group. NULL: in phases. */
    const struct sys_mono *whole;
    bool watched;  /* listener.progress is called for it */
    bool tokens;   /* of experts, by kernels of their own, not the library's (system.library) */
    bool launched; /* the launch by the host is added (system.library); no CPU node accounts for it
                    */
};

/* Checks that the platform can run the collective: each dimension has an algorithm that supports
 * its kind and size. Call it for every collective before the run: it also sizes the labels. Errors:
 * the reason, without location. */
enum orr_status orr_sys_collective_check(struct sys *sys, const struct sys_collective *request,
                                         struct orr_diag *diag);

/* Plan of a collective: the algorithm of each of the platform's dimensions (a group that is no box:
 * of the first), NULL where the dimension is idle; or a custom program. */
struct sys_description {
    const char *of[NET_MAX_DIMS];
    const char *scheduler, *custom;
    const struct sys_mono *whole;                       /* monolithic; NULL: in phases */
    const char *library, *library_algorithm, *protocol; /* NULL: not by a CCL */
    sim_time launch_ps;                                 /* of the library, in its time */
};
enum orr_status orr_sys_describe_collective(struct sys *sys, const struct sys_collective *request,
                                            struct sys_description *runs, struct orr_diag *diag);

/* Number of prefixes in which a member receives the result. 1 if it is complete only at the end:
 * one chunk, a custom program or a monolithic collective. Requires orr_sys_collective_check. */
uint64_t orr_sys_collective_prefixes(struct sys *sys, const struct sys_collective *request);

#endif
