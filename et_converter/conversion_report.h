/* What a conversion found: counts of every rank, traffic, and what was guessed or left out. */
#ifndef ORR_ET_CONVERTER_CONVERSION_REPORT_H
#define ORR_ET_CONVERTER_CONVERSION_REPORT_H

#include "workload/workload.h"

struct conv_rank {
    uint32_t rank;
    uint64_t nodes_in;           /* of the input: its own things (layers, operators, nodes) */
    uint64_t nodes_out;          /* written */
    uint64_t matched, unmatched; /* of nodes_in: those that became something, or were linked where
                                    two inputs are; and those that were not */
    uint64_t by_kind[ORR_NODE_KINDS]; /* of nodes_out */
    uint64_t communication_bytes;     /* of collectives, sends and receives */
    uint64_t operations;              /* of computations */
    int64_t compute_ps, cpu_ps;       /* recorded durations of computations, added up */
    int64_t start_ps, recorded_ps;    /* of a recorded run: after the first rank's start, and how
                                         long it took; 0: not recorded */
    int64_t critical_path_ps;         /* the largest sum of recorded durations along a path */
};

/* Communication of one kind in one group, on all ranks. */
struct conv_traffic {
    uint8_t kind, comm; /* enum orr_node_kind; enum orr_trace_comm of COLL */
    const char *group;  /* its name, "dims 0,1" where nodes say dimensions, "" of all NPUs */
    uint64_t count;     /* of nodes */
    uint64_t bytes;
};

/* Recorded collectives of one kind, group and size. */
struct conv_recorded {
    const char *group; /* "": all NPUs */
    uint64_t bytes;    /* of one, on a rank */
    uint64_t count;
    int64_t fastest_ps, median_ps; /* of the rank that came last, which waited for nobody */
    uint8_t comm;                  /* enum orr_trace_comm */
};

enum { CONV_EXAMPLES = 3 };

/* A kind of finding that the user should know. */
struct conv_note {
    const char *finding; /* "dependencies on nodes that do not exist" */
    uint64_t count;
    const char *example[CONV_EXAMPLES]; /* the first ones */
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

/* An empty report; all it holds lives in the arena. */
void orr_convert_report_init(struct conv_report *report, struct orr_arena *arena);

/* A row for the rank, zeroed; NULL when memory is out. It stays where it is. */
struct conv_rank *orr_convert_report_rank(struct conv_report *report, uint32_t rank);

/* Counts the nodes of a trace that `count` ranks from in->rank on have: a row for each of them, and
 * traffic. The rows' input side (nodes_in, matched, unmatched) is that of *in; NULL: rank 0, and
 * nothing. O(nodes + edges + count). */
enum orr_status orr_convert_report_trace(struct conv_report *report, const struct orr_trace *trace,
                                         const struct conv_rank *in, uint32_t count,
                                         struct orr_diag *diag);

/* Counts traffic, for converters that write without making a trace. */
void orr_convert_report_traffic(struct conv_report *report, const struct conv_traffic *traffic);

/* Adds recorded collectives; the group is copied. */
void orr_convert_report_recorded(struct conv_report *report, const struct conv_recorded *recorded);

/* Notes a finding, with an example while there are few: printf. Findings are the same when their
 * texts are. O(findings). */
void orr_convert_report_note(struct conv_report *report, const char *finding, const char *example,
                             ...) ORR_PRINTF(3, 4);

/* Out of memory when that happened on the way. */
enum orr_status orr_convert_report_check(const struct conv_report *report, struct orr_diag *diag);

#endif
