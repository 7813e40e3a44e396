/* Shared by pytorch.c (conversion of one rank after the other) and pytorch_ranks.c (checks and
 * clocks over all ranks). */
#ifndef ORR_ET_CONVERTER_PYTORCH_PYTORCH_PRIVATE_H
#define ORR_ET_CONVERTER_PYTORCH_PYTORCH_PRIVATE_H

#include "et_converter/pytorch/pytorch_graph.h"
#include "et_converter/trace_output.h"

/* The communication of the first rank that uses a group; other ranks must have the same. */
struct sequence {
    const char *group; /* NULL: all ranks */
    struct pt_traffic *traffic;
    uint32_t count, rank;
};

struct conversion {
    const struct conv_job *job;
    struct conv_report *report;
    struct conv_output *output;
    struct orr_arena *arena; /* data over all ranks */
    struct sequence *sequence;
    int64_t *start_ns; /* [ranks]: start of each profile by the clock of rank 0; NULL: unknown */
    int64_t first_ns;  /* time that rank 0 omits at its start */
    uint32_t sequences, ranks;
    size_t sequence_capacity;
    struct orr_diag *diag;
};

/* The path of a rank: the template with each {rank} replaced, in the arena; NULL if out of
 * memory. */
const char *orr_pytorch_path_of(struct orr_arena *arena, const char *template, uint32_t rank);

/* Sets conversion->start_ns: the start of each rank's profile after the earliest one. No effect
 * with one rank or without profiles. O(bytes of the profiles). */
enum orr_status orr_pytorch_read_clocks(struct conversion *conversion);

/* Compares the collectives of a rank with those of the first rank of each group; reports the first
 * difference as a note. O(collectives x groups). */
enum orr_status orr_pytorch_compare_ranks(struct conversion *conversion,
                                          const struct pt_graph *graph, uint32_t rank);

/* Reports the recorded durations of collectives over all ranks. */
enum orr_status orr_pytorch_report_recorded(struct conversion *conversion);

#endif
