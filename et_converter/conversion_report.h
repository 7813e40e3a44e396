/* Report of a conversion: counts per rank, traffic, and notes about guessed or omitted input. */
#ifndef ORR_ET_CONVERTER_CONVERSION_REPORT_H
#define ORR_ET_CONVERTER_CONVERSION_REPORT_H

#include "core/diag.h"
#include "workload/trace/trace.h"

struct orr_arena;

struct conv_rank {
    uint32_t rank;
    uint64_t nodes_in;  /* of the input: layers, operators or nodes */
    uint64_t nodes_out; /* written */
    /* of nodes_in: converted, or linked if there are two inputs; and the rest */
    uint64_t matched, unmatched;
    uint64_t by_kind[ORR_NODE_KINDS]; /* of nodes_out */
    uint64_t communication_bytes;     /* of collectives, sends and receives */
    uint64_t operations;              /* of computations */
    int64_t compute_ps, cpu_ps;       /* sums of recorded durations of computations */
    /* of a recorded run: delay after the first rank's start, and duration; 0: not recorded */
    int64_t start_ps, recorded_ps;
    int64_t critical_path_ps; /* the largest sum of recorded durations along a path */
};

/* Communication of one kind in one group, on all ranks. */
struct conv_traffic {
    uint8_t kind, comm; /* enum orr_node_kind; enum orr_trace_comm of COLL */
    const char *group;  /* its name, "dims 0,1" if nodes give dimensions, "" for all NPUs */
    uint64_t count;     /* of nodes */
    uint64_t bytes;
};

/* Recorded collectives of one kind, group and size. */
struct conv_recorded {
    const char *group; /* "": all NPUs */
    uint64_t bytes;    /* of one collective, on a rank */
    uint64_t count;
    int64_t fastest_ps, median_ps; /* on the last rank to start, which waits for no other */
    uint8_t comm;                  /* enum orr_trace_comm */
};

enum { CONV_EXAMPLES = 3 };

/* A finding to show to the user, with its number of occurrences. */
struct conv_note {
    const char *finding; /* "dependencies on nodes that do not exist" */
    uint64_t count;
    const char *example[CONV_EXAMPLES]; /* the first occurrences */
    unsigned examples;
};

struct conv_report {
    struct orr_arena *arena;
    struct conv_rank **rank; /* [ranks], in the order of orr_convert_report_rank */
    size_t ranks, rank_capacity;
    struct conv_traffic *traffic;
    size_t traffics, traffic_capacity;
    struct conv_recorded *recorded;
    size_t recordeds, recorded_capacity;
    struct conv_note *note;
    size_t notes, note_capacity;
    bool complete; /* false: memory ran out */
};

/* Initializes an empty report. All it holds lives in the arena. */
void orr_convert_report_init(struct conv_report *report, struct orr_arena *arena);

/* Adds a zeroed row for the rank. Its address stays valid. NULL if out of memory. */
struct conv_rank *orr_convert_report_rank(struct conv_report *report, uint32_t rank);

/* Adds a trace that `count` ranks share, from in->rank on: a row for each rank, and traffic. `in`
 * gives the input side of each row (nodes_in, matched, unmatched); NULL: rank 0 and zeros. O(nodes
 * + edges + count). */
enum orr_status orr_convert_report_trace(struct conv_report *report, const struct orr_trace *trace,
                                         const struct conv_rank *in, uint32_t count,
                                         struct orr_diag *diag);

/* Adds traffic, for converters that write without building a trace. O(kinds of traffic). */
void orr_convert_report_traffic(struct conv_report *report, const struct conv_traffic *traffic);

/* Adds recorded collectives; `group` is copied. */
void orr_convert_report_recorded(struct conv_report *report, const struct conv_recorded *recorded);

/* Counts a finding and keeps the first CONV_EXAMPLES examples (printf). Findings are identical if
 * their texts are. O(findings). */
void orr_convert_report_note(struct conv_report *report, const char *finding, const char *example,
                             ...) ORR_PRINTF(3, 4);

/* ORR_ERR_MEMORY if any of the calls above ran out of memory. */
enum orr_status orr_convert_report_check(const struct conv_report *report, struct orr_diag *diag);

#endif
