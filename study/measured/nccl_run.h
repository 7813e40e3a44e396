/* A run of nccl-tests, from text or JSON: the devices that took part and the results, of which rows
 * are made when it is whole. */
#ifndef ORR_STUDY_MEASURED_NCCL_RUN_H
#define ORR_STUDY_MEASURED_NCCL_RUN_H

#include "study/measured/measured_build.h"
#include "study/measured/measured_fields.h"

struct nccl_member {
    uint32_t rank, group, host; /* host: of the run's texts */
    uint64_t pid;               /* 0: not told */
};

struct nccl_result {
    uint64_t bytes, count;
    unsigned type_bytes; /* 0: not known */
    double time_us;
    struct measured_number algbw, busbw; /* GB/s */
    uint32_t line, column;
};

struct nccl_run {
    const char *name;       /* of the program, as the file says it; NULL: it does not */
    uint32_t line, column;  /* of what the run begins with */
    uint32_t threads, gpus; /* of a process; 0: not told */
    struct nccl_member *member;
    struct nccl_result *result;
    size_t members, member_capacity, results, result_capacity;
    struct orr_strings hosts;
    bool cut;       /* not all members are told */
    bool processes; /* a member stands for all devices of a process */
};

void orr_nccl_run_init(struct nccl_run *run, struct orr_arena *arena);

/* `host` ends with its length. */
enum orr_status orr_nccl_add_member(struct orr_measured_build *build, struct nccl_run *run,
                                    struct nccl_member member, const char *host);
enum orr_status orr_nccl_add_result(struct orr_measured_build *build, struct nccl_run *run,
                                    const struct nccl_result *result);

/* What both forms say the same of a result. `wrong` is a text as printed: N/A or a number. */
enum orr_status orr_nccl_check_wrong(const struct orr_measured_build *build, const char *wrong,
                                     uint32_t line, uint32_t column);
enum orr_status orr_nccl_note_empty(struct orr_measured_build *build, uint32_t line);
enum orr_status orr_nccl_note_cpu(struct orr_measured_build *build, uint32_t line);

/* Makes rows of the results and begins the next run, without a name. Errors: nothing tells the
 * collective, on how many NPUs it ran, or on how many nodes; what tells it does not agree. */
enum orr_status orr_nccl_run_end(struct orr_measured_build *build, struct nccl_run *run);

/* On how many NPUs a run was, and how many of them a node has. */
struct nccl_size {
    uint32_t npus, npus_per_node;
};
enum orr_status orr_nccl_size(const struct orr_measured_build *build, const struct nccl_run *run,
                              enum coll_kind kind, struct nccl_size *out);

#endif
