/* What pytorch.c (one rank after the other) and pytorch_ranks.c (what ranks have in common) share.
 */
#ifndef ORR_ET_CONVERTER_PYTORCH_PYTORCH_PRIVATE_H
#define ORR_ET_CONVERTER_PYTORCH_PYTORCH_PRIVATE_H

#include "et_converter/pytorch/pytorch_graph.h"
#include "et_converter/trace_output.h"

/* The communication of the first rank that used a group, which the others must repeat. */
struct sequence {
    const char *group; /* NULL: all ranks */
    struct pt_traffic *traffic;
    uint32_t count, rank;
};

struct conversion {
    const struct conv_job *job;
    struct conv_report *report;
    struct conv_output *output;
    struct orr_arena *arena; /* what is kept over all ranks */
    struct sequence *sequence;
    int64_t *start_ns; /* [ranks]: of the profiles, by the clock of rank 0; NULL: none */
    int64_t first_ns;  /* what rank 0 leaves out at its start */
    uint32_t sequences, ranks;
    size_t sequence_capacity;
    struct orr_diag *diag;
};

/* The path of a rank: the template with each {rank} replaced; in the arena, NULL when memory is
 * out. */
const char *orr_pytorch_path_of(struct orr_arena *arena, const char *template, uint32_t rank);

/* When the ranks' profiles begin, from the earliest on: conversion->start_ns. Nothing with one rank
 * or without profiles. O(bytes of the profiles). */
enum orr_status orr_pytorch_read_clocks(struct conversion *conversion);

/* Compares the collectives of a rank with those of the first one of each group, noting the first
 * difference. O(collectives x groups). */
enum orr_status orr_pytorch_compare_ranks(struct conversion *conversion,
                                          const struct pt_graph *graph, uint32_t rank);

/* Reports what the collectives of all ranks took. */
enum orr_status orr_pytorch_report_recorded(struct conversion *conversion);

#endif
