/* Platform and workload objects, shared by simulations (include/orrery/parts.h): a tree of values,
 * and traces made in memory. */
#ifndef ORR_SIM_LOAD_SHARED_PARTS_H
#define ORR_SIM_LOAD_SHARED_PARTS_H

#include <pthread.h>

#include "core/diag.h"
#include "orrery/orrery.h"
#include "orrery/parts.h"
#include "sim/api_call.h"

struct orr_arena;
struct orr_conf;
struct orr_trace;
struct orr_trace_builder;

/* Traces under construction, and sealed ones. */
struct orr_shared_traces {
    struct orr_trace_builder **builder; /* [capacity]; NULL: no node was added */
    const struct orr_trace **trace;     /* [count] once sealed */
    uint32_t count, capacity;
};

struct orr_shared_files;

struct orr_shared {
    pthread_mutex_t lock; /* guards `uses` and `sealed`; once sealed also `arena` and `files` */
    unsigned uses;        /* reference count: the maker, and each simulation that loaded it */
    bool sealed;
    struct orr_diag refusal; /* why it cannot be loaded, if so */
    struct orr_arena *arena;
    const struct orr_conf *root; /* NULL: nothing read yet */
    struct orr_shared_traces traces;
    struct orr_shared_files *files; /* already read (file_traces.c) */
    struct orr_diag diag;
    char error[ORR_DIAG_MESSAGE_BYTES + ORR_DIAG_FILE_BYTES + 64];
};

struct orrery_platform {
    struct orr_shared part;
};

struct orrery_workload {
    struct orr_shared part;
};

/* Acquires a reference, and seals the part: nothing can be added, traces are finished (once).
 * Acquires it also on an error: that of a part that cannot be loaded goes to `diag`. */
enum orr_status orr_shared_acquire(struct orr_shared *part, struct orr_diag *diag);

/* Releases a reference; the last one frees the part. NULL is fine. */
void orr_shared_release(struct orr_shared *part);

/* Ends a public call: keeps the error. */
enum orrery_status orr_shared_finish_call(struct orr_shared *part, enum orr_status status);

/* Fails if the part is sealed. */
enum orr_status orr_shared_check_open(struct orr_shared *part);

/* ---- file_traces.c ---- */

/* As orr_et_load_set, for an acquired part, which owns the traces. */
enum orr_status orr_shared_load_set(struct orr_shared *part, const char *prefix, uint32_t npus,
                                    const struct orr_trace **by_rank, struct orr_diag *diag);

/* ---- memory_traces.c ---- */

/* Finishes all traces; an empty one sets the error `refusal`. */
void orr_shared_seal_traces(struct orr_shared *part);
void orr_shared_free_traces(struct orr_shared *part);

#endif
