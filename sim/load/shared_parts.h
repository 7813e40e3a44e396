/* Platforms and workloads that simulations share (include/orrery/parts.h): a tree of values, and
 * traces made in memory. */
#ifndef ORR_SIM_LOAD_SHARED_PARTS_H
#define ORR_SIM_LOAD_SHARED_PARTS_H

#include <pthread.h>

#include "orrery/parts.h"
#include "sim/api_call.h"
#include "workload/workload.h"

/* Traces while they are made, and once they are sealed. */
struct orr_shared_traces {
    struct orr_trace_builder **builder; /* [room]; NULL: nothing was added to it */
    const struct orr_trace **trace;     /* [count] once sealed */
    uint32_t count, capacity;
};

struct orr_shared_files;

struct orr_shared {
    pthread_mutex_t lock; /* of `uses` and `sealed`; once sealed of `arena` and `files` too */
    unsigned uses;        /* the maker's, and one of each simulation that has loaded it */
    bool sealed;
    struct orr_diag refusal; /* what is wrong with it as a whole: why it cannot be loaded */
    struct orr_arena *arena;
    const struct orr_conf *root; /* NULL: nothing was read yet */
    struct orr_shared_traces traces;
    struct orr_shared_files *files; /* that have been read (file_traces.c) */
    struct orr_diag diag;
    char error[ORR_DIAG_MESSAGE_BYTES + ORR_DIAG_FILE_BYTES + 64];
};

struct orrery_platform {
    struct orr_shared part;
};

struct orrery_workload {
    struct orr_shared part;
};

/* Nothing more can be added: finishes the traces (once). The error of a part that cannot be loaded
 * is handed on to `diag`. Takes a use of the part, also on an error. */
enum orr_status orr_shared_acquire(struct orr_shared *part, struct orr_diag *diag);

/* Gives a use up; the last one frees the part. NULL is fine. */
void orr_shared_release(struct orr_shared *part);

/* The end of a public call: keeps what is wrong. */
enum orrery_status orr_shared_finish_call(struct orr_shared *part, enum orr_status status);

/* Fails when the part is sealed. */
enum orr_status orr_shared_check_open(struct orr_shared *part);

/* ---- file_traces.c ---- */

/* As orr_et_load_set, of a part that is held; the traces are the part's and live as long. */
enum orr_status orr_shared_load_set(struct orr_shared *part, const char *prefix, uint32_t npus,
                                    const struct orr_trace **by_rank, struct orr_diag *diag);

/* ---- memory_traces.c ---- */

/* Finishes all traces; one that nothing was added to is an error, of `refusal`. */
void orr_shared_seal_traces(struct orr_shared *part);
void orr_shared_free_traces(struct orr_shared *part);

#endif
