/* The same part of the traces of all ranks, or of one file. */
#ifndef ORR_WORKLOAD_TRACE_TRACE_CUT_FILES_H
#define ORR_WORKLOAD_TRACE_TRACE_CUT_FILES_H

#include "workload/trace/trace_cut.h"

struct orr_cut_files {
    const char *in;     /* a file, or the prefix of a set (PREFIX.RANK.et, PREFIX.groups.json) */
    const char *out;    /* the same of what is written */
    uint32_t ranks;     /* of the set; 0: one file; set by orr_cut_files_find */
    struct orr_cut cut; /* a file of a name that ends in .gz is compressed without `gzip` too */
};

/* Added up over the ranks. */
struct orr_cut_sum {
    uint64_t nodes, of, edges; /* written; of so many */
    uint64_t dropped, dropping, group_nodes;
    bool groups; /* PREFIX.groups.json was copied */
};

/* Looks whether there is a set, and of how many ranks. */
void orr_cut_files_find(struct orr_cut_files *files);

/* The file of a rank that is read, in the arena; NULL when memory is out. */
const char *orr_cut_input(struct orr_arena *arena, const struct orr_cut_files *files,
                          uint32_t rank);

/* Cuts every file, as orr_trace_cut does. What was begun is left behind on an error. */
enum orr_status orr_trace_cut_files(const struct orr_cut_files *files, struct orr_cut_sum *sum,
                                    struct orr_diag *diag);

#endif
