/* Cuts the same part of the traces of all ranks, or of one file. */
#ifndef ORR_WORKLOAD_TRACE_TRACE_CUT_FILES_H
#define ORR_WORKLOAD_TRACE_TRACE_CUT_FILES_H

#include "workload/trace/trace_cut.h"

struct orr_cut_files {
    const char *in;     /* a file, or the prefix of a set (PREFIX.RANK.et, PREFIX.groups.json) */
    const char *out;    /* the same for the output */
    uint32_t ranks;     /* ranks of the set; 0: one file; set by orr_cut_files_find */
    struct orr_cut cut; /* a file whose name ends in .gz is compressed without `gzip` too */
};

/* Added up over the ranks. */
struct orr_cut_sum {
    uint64_t nodes, of, edges; /* written; of the total `of` */
    uint64_t dropped, dropping, group_nodes;
    bool groups; /* PREFIX.groups.json was copied */
};

/* Finds out whether there is a set, and its number of ranks. */
void orr_cut_files_find(struct orr_cut_files *files);

/* The input file of a rank, in the arena; NULL when memory is out. */
const char *orr_cut_input(struct orr_arena *arena, const struct orr_cut_files *files,
                          uint32_t rank);

/* Cuts every file like orr_trace_cut. On an error partial output remains. */
enum orr_status orr_trace_cut_files(const struct orr_cut_files *files, struct orr_cut_sum *sum,
                                    struct orr_diag *diag);

#endif
