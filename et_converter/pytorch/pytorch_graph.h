/* Execution trace from the steps of a run. */
#ifndef ORR_ET_CONVERTER_PYTORCH_PYTORCH_GRAPH_H
#define ORR_ET_CONVERTER_PYTORCH_PYTORCH_GRAPH_H

#include "et_converter/pytorch/steps.h"

struct conv_report;
struct kt_trace;
struct orr_diag;
struct orr_trace;
struct pt_comm;
struct pt_trace;

/* A process group as nodes name it. */
struct pt_group_use {
    const char *name;     /* NULL: all ranks */
    uint32_t size;        /* of the group */
    bool idle;            /* one rank of several: sends nothing */
    bool replayed;        /* a rank is missing: collectives take their recorded times */
    const bool *lacks;    /* [size]: positions whose rank is missing; NULL: none */
    const uint32_t *rank; /* [size], global; NULL: all ranks in order */
};

/* One communication node, in the order of the trace. */
struct pt_traffic {
    const char *group; /* NULL: all ranks */
    uint64_t bytes;
    int64_t recorded_ps;
    uint8_t kind; /* enum orr_node_kind */
    uint8_t comm; /* enum orr_trace_comm, of COLL */
    bool uneven;  /* ranks may have other sizes */
};

struct pt_graph {
    const struct pt_trace *trace;
    const struct kt_trace *kineto; /* NULL: none, and no work in the steps */
    const struct pt_timeline *timeline;
    const struct pt_group_use *group; /* [trace->groups + 1]; the last one is of PT_NONE */
    struct conv_report *report;       /* for notes */
    /* start of the rank after the earliest one; a first node of this length delays all others */
    int64_t delay_ns;
    /* out: */
    struct pt_traffic *traffic;
    uint32_t traffics;
    uint32_t kernels, nccl_kernels; /* work on the GPU, and NCCL's part of it */
    const struct orr_trace *out;
};

/* Builds the trace and the lists in trace->arena. Nodes are numbered in the order of time. O(steps
 * log steps + edges). */
enum orr_status orr_pytorch_graph_build(struct pt_graph *graph, struct orr_diag *diag);

/* Adds a note if the sizes of an uneven all-to-all are not known. (pytorch_splits.c) */
void orr_pytorch_splits_note(struct conv_report *report, const struct pt_comm *comm,
                             const char *name);

/* Number of collectives of single-rank groups, which have no GPU work. */
struct pt_single_rank_count {
    uint32_t kept; /* the rank is the whole job */
    uint32_t idle; /* the job has more ranks: omitted */
};

/* Adds steps for the collectives that are kept; `group` as in struct pt_graph. O(comms); if some
 * are kept, O(steps log steps + edges). (single_rank_groups.c) */
enum orr_status orr_pytorch_add_single_rank(struct pt_trace *trace,
                                            const struct pt_group_use *group,
                                            struct pt_timeline *timeline,
                                            struct pt_single_rank_count *count,
                                            struct orr_diag *diag);

/* Builds the steps of a trace without a profile: each operator is a step of its thread; operators
 * with GPU work and communication follow each other as on one stream; an asynchronous collective
 * ends at its wait. Times count operators. (no_profile.c) */
enum orr_status orr_pytorch_untimed_build(struct pt_trace *trace, struct pt_timeline *out,
                                          struct orr_diag *diag);

#endif
