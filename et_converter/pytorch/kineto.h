/* Kineto profile (JSON of torch.profiler) in memory: events of CPU threads and GPU streams, in
 * nanoseconds since the first event of the profile. */
#ifndef ORR_ET_CONVERTER_PYTORCH_KINETO_H
#define ORR_ET_CONVERTER_PYTORCH_KINETO_H

#include "et_converter/pytorch/pytorch_trace.h"

/* An operator or annotation on a thread. */
struct kt_op {
    int64_t start_ns, end_ns;
    uint64_t rf_id;      /* 0: unknown */
    int64_t sequence;    /* -1: none */
    int64_t external_id; /* ascends on a thread; -1: unknown */
    uint32_t name;       /* number in strings */
    uint32_t thread;     /* index into kt_trace.thread */
    uint32_t index;      /* in the file */
    uint32_t node;       /* of the execution trace, once linked; or PT_NONE */
    uint32_t comm;       /* of a profile alone: index into pt_trace.comm, or PT_NONE */
    uint8_t op;          /* of a profile alone, by the shapes of its inputs: enum orr_op_kind, */
    uint64_t flops;      /* operations, 0: not known, */
    uint64_t bytes;      /* and bytes of its inputs and of an output as large as the largest */
    bool is_annotation;
    bool is_unfinished; /* the profile ended first */
};

enum kt_call_kind {
    KT_LAUNCH,      /* starts work on the GPU */
    KT_STREAM_WAIT, /* a stream waits for an event of another */
    KT_SYNC         /* the thread may wait for the GPU */
};

/* A call of the CUDA runtime or driver that affects order. */
struct kt_call {
    int64_t start_ns, end_ns;
    int64_t correlation;
    uint32_t thread;
    uint32_t name;
    uint8_t kind; /* enum kt_call_kind */
};

/* Attributes of an NCCL kernel, in newer profiles. */
struct kt_nccl {
    struct pt_comm comm; /* the group is one of the pt_trace's */
};

/* Work on a stream: a kernel, copy or fill. */
struct kt_work {
    int64_t start_ns, end_ns;
    int64_t correlation;
    int64_t stream;
    uint64_t bytes; /* of a copy or a fill */
    uint32_t name;
    uint32_t device;
    uint32_t nccl; /* index into kt_trace.nccl, or PT_NONE */
    bool is_nccl, is_copy;
    bool is_comm; /* communication: NCCL's, or of another library by its name */
};

/* A stream's wait for another stream, in profiles that record it ("cuda_sync"). */
struct kt_wait {
    int64_t correlation, stream, for_stream;
    int64_t record; /* correlation of the call that recorded the awaited event; -1: not known */
};

/* A call that records an event on a stream. */
struct kt_record {
    int64_t correlation, start_ns;
};

/* One end of a link from a forward operator to its backward operator ("fwdbwd"). */
struct kt_link_end {
    int64_t id, at_ns;
    uint32_t thread;
    bool is_start;
};

struct kt_trace {
    const char *path;
    struct orr_arena *arena;
    struct orr_strings *strings;
    int64_t origin_ns;    /* time of the first event, since 1970 */
    struct kt_op *op;     /* by thread, then start; outer before inner */
    struct kt_call *call; /* by thread, then start */
    struct kt_work *work; /* by start */
    struct kt_nccl *nccl;
    struct kt_wait *wait;         /* by correlation */
    struct kt_record *record;     /* by correlation */
    struct kt_link_end *link_end; /* by id, starts first */
    int64_t *thread;              /* their numbers */
    uint32_t ops, calls, works, nccls, waits, records, link_ends, threads;
    int64_t base_ns;     /* "baseTimeNanoseconds"; 0: unknown */
    int64_t pid;         /* of the first operator; -1: none */
    int64_t rank, world; /* -1: unknown */
    size_t op_capacity, call_capacity, work_capacity, nccl_capacity, wait_capacity, record_capacity,
        link_end_capacity, thread_capacity; /* of the arrays */
};

/* What "distributedInfo" says. */
struct kt_place {
    int64_t rank, world; /* -1: not said */
};

/* Clock of a profile: its start, and the ends of its NCCL kernels. */
struct kt_clock {
    int64_t origin_ns; /* of the first operator or call, since 1970 */
    int64_t *end_ns;   /* [ends], by start of the kernel; in the arena */
    uint32_t ends;
    struct kt_place place;
};

/* Converts microseconds with decimals to nanoseconds, exactly; false if it is no time. */
bool orr_kineto_read_ns(struct js_value value, int64_t *out);

/* Converts a time to one since 1970. Newer profiles count from "baseTimeNanoseconds"; older ones
 * count from 1970 even if they have it. */
int64_t orr_kineto_absolute_ns(int64_t ns, int64_t base_ns);

/* Reads only the clock of a profile; the ends live in the arena. O(bytes). */
enum orr_status orr_kineto_clock_read(struct orr_arena *arena, const struct js_source *source,
                                      struct kt_clock *out, struct orr_diag *diag);

/* Reads a profile into the arena, texts into `strings`; adds its process groups to `trace`. Errors
 * as those of orr_pytorch_trace_read. O(bytes + events log events). */
enum orr_status orr_kineto_trace_read(struct pt_trace *trace, const struct js_source *source,
                                      struct kt_trace *out, struct orr_diag *diag);

/* The same of a profile without an execution trace: what its operators say of communication is
 * added to trace->comm. */
enum orr_status orr_kineto_alone_read(struct pt_trace *trace, const struct js_source *source,
                                      struct kt_trace *out, struct orr_diag *diag);

#endif
