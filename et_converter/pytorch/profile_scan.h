/* The profiles of a job without execution traces, before they are converted: of which rank and run
 * each is, its steps, its clock, and the communication that it recorded. */
#ifndef ORR_ET_CONVERTER_PYTORCH_PROFILE_SCAN_H
#define ORR_ET_CONVERTER_PYTORCH_PROFILE_SCAN_H

#include "et_converter/pytorch/pytorch_private.h"

/* A kernel of NCCL: when it ends, and of which communication it is. */
struct pt_scan_kernel {
    int64_t end_ns; /* since 1970 */
    uint64_t key;   /* the same on all ranks that take part; 0: none */
    int64_t step;   /* -1: of none */
};

struct pt_scan_step {
    int64_t number, start_ns; /* since 1970 */
};

struct pt_scan {
    struct pt_scan_kernel *kernel; /* by start */
    struct pt_scan_step *step;     /* whole ones, ascending */
    uint32_t kernels, steps;
    int64_t origin_ns; /* of the profile, since 1970 */
    bool has_several;  /* the profile has rows of several steps */
};

/* Lists profiles that come without execution traces, those of --kineto and of the files, and sets
 * profile, files, many, lone and missing. One profile alone is replayed. Errors: those of
 * orr_profile_files_list. */
enum orr_status orr_profile_list(struct conversion *conversion);

/* Reads each profile of the conversion once; sets place, start_ns, step and scan. Errors: those of
 * orr_kineto_trace_read; a profile without operators or without work; no step that all have. */
enum orr_status orr_profile_scan(struct conversion *conversion);

/* The key of a communication: "Comms Id", else of group and "Seq"; 0: neither is known. */
uint64_t orr_profile_key(const struct pt_trace *trace, const struct pt_comm *comm);

/* Marks the communication of a rank that not all given ranks of its group recorded; a note counts
 * it. (profile_match.c) */
void orr_profile_mark_lone(struct conversion *conversion, struct pt_trace *trace,
                           struct kt_trace *kineto, const struct pt_group_use *group,
                           uint32_t rank);

/* Counts the keys of all profiles in the step. (profile_match.c) */
enum orr_status orr_profile_count_keys(struct conversion *conversion);

#endif
