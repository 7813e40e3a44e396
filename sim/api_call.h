/* What calls of the public interface that floors above implement begin and end with. */
#ifndef ORR_SIM_API_CALL_H
#define ORR_SIM_API_CALL_H

#include "core/core.h"
#include "orrery/orrery.h"

/* Keeps the error for orrery_error, and returns its status. */
enum orrery_status orr_fail_call(struct orrery *job, const struct orr_diag *diag);

/* Errors: the job has not run to its end. */
enum orr_status orr_check_ran(const struct orrery *job, struct orr_diag *diag);

/* Whether the job recorded when its nodes ran. */
bool orr_has_nodes(const struct orrery *job);

/* Whether it recorded what events wait for. */
bool orr_has_path(const struct orrery *job);

/* Whether it told what its time depends on. */
bool orr_records_sensitivities(const struct orrery *job);

/* Whether it recorded who sends to whom. */
bool orr_has_traffic(const struct orrery *job);

/* A chunk on its way along a tree that was given (system.trees), of a job that recorded its nodes.
 */
struct orr_chunk {
    uint32_t src, dst, chunk;
    bool up, turns, through; /* towards the root; down from it; over other NPUs */
    uint64_t bytes;
    int64_t sent_ps, there_ps; /* sent, maybe to a link that is taken; at its destination */
};
/* The i-th, by source, destination and when it was sent; false: there are no more. */
bool orr_chunk_message(const struct orrery *job, size_t i, struct orr_chunk *out);

/* What the job says of a call that failed. */
enum orr_status orr_forward_error(const struct orrery *job, enum orrery_status status,
                                  struct orr_diag *diag);

/* A copy of the text, the job's until it keeps another; NULL when memory is out. */
const char *orr_keep_text(struct orrery *job, const char *text);

/* Errors: the struct of the interface has another size than this library's. */
enum orr_status orr_check_struct(const char *name, size_t size, size_t expected,
                                 struct orr_diag *diag);

/* Writes the values that the job's files and options gave, as one file (orr_conf_write). Nothing of
 * jobs that are not of own files. */
void orr_write_user_values(const struct orrery *job, orr_conf_emit_fn put, void *context);

#endif
