/* The critical path, with ORRERY_RECORD_PATH; after the run. */
#ifndef ORRERY_CRITICAL_PATH_H
#define ORRERY_CRITICAL_PATH_H

#include "orrery/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The critical path: the chain of causes back from the last finish. Its parts break down the job's
 * time and add up to the wall time. */
struct orrery_path_part {
    /* "compute", "local memory", "dimension 2 bandwidth", ...; owned by the handle */
    const char *what;
    unsigned dim; /* of a bandwidth or latency part, from 0; UINT_MAX otherwise */
    int64_t ps;
};

/* A node on the path, from start_ps until the next step's start. */
struct orrery_path_step {
    uint32_t rank;
    size_t node; /* index, as of orrery_node */
    uint64_t id;
    const char *name;
    int64_t start_ps;
};

/* The number of parts and steps: 0 without ORRERY_RECORD_PATH (parts: or _SLOPES) and before the
 * end of the run. Parts of zero time are omitted. The functions by index return ORRERY_ERROR_INPUT
 * behind the last. Parts are in a fixed order, steps in the order of time. */
ORRERY_API size_t orrery_path_parts(const struct orrery *job);
ORRERY_API enum orrery_status orrery_path_part(const struct orrery *job, size_t index,
                                               struct orrery_path_part *part);
ORRERY_API size_t orrery_path_steps(const struct orrery *job);
ORRERY_API enum orrery_status orrery_path_step(const struct orrery *job, size_t index,
                                               struct orrery_path_step *step);

#ifdef __cplusplus
}
#endif

#endif
