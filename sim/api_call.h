/* Begin and end of public API calls that higher layers implement. */
#ifndef ORR_SIM_API_CALL_H
#define ORR_SIM_API_CALL_H

#include "core/conf/conf_read.h"
#include "orrery/orrery.h"

struct orr_diag;
struct orrery;

/* Keeps the error for orrery_error, and returns its status. */
enum orrery_status orr_fail_call(struct orrery *job, const struct orr_diag *diag);

/* Errors: the job has not run to its end. */
enum orr_status orr_check_ran(const struct orrery *job, struct orr_diag *diag);

/* Whether the job recorded when its nodes ran. */
bool orr_has_nodes(const struct orrery *job);

/* Whether the job recorded the causes of its events. */
bool orr_has_path(const struct orrery *job);

/* Whether the job recorded sensitivities. */
bool orr_records_sensitivities(const struct orrery *job);

/* Whether the job recorded its traffic matrix. */
bool orr_has_traffic(const struct orrery *job);

/* A chunk's message along a tree that the user gave (system.trees), of a job that recorded its
 * nodes. */
struct orr_chunk {
    uint32_t src, dst, chunk;
    bool up, turns, through; /* towards the root; turns at the root; forwarded by other NPUs */
    uint64_t bytes;
    int64_t sent_ps, there_ps; /* when it was sent, maybe to a busy link; when it arrived */
};
/* The i-th message, by source, destination and time sent; false: there is none. */
bool orr_chunk_message(const struct orrery *job, size_t i, struct orr_chunk *out);

/* Forwards the error of a call that failed. */
enum orr_status orr_forward_error(const struct orrery *job, enum orrery_status status,
                                  struct orr_diag *diag);

/* Copies the text; the copy is valid until the next call. NULL: out of memory. */
const char *orr_keep_text(struct orrery *job, const char *text);

/* Checks a public struct's size. Errors: it differs from this library's. */
enum orr_status orr_check_struct(const char *name, size_t size, size_t expected,
                                 struct orr_diag *diag);

/* Writes the values that files and options set, as one file (orr_conf_write). Writes nothing for
 * jobs of ASTRA-sim files. */
void orr_write_user_values(const struct orrery *job, orr_conf_emit_fn put, void *context);

#endif
