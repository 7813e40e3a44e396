/* The list of pipeline schedules: by index, by name; requests. */
#ifndef ORR_WORKLOAD_SCHEDULE_SCHEDULE_KINDS_H
#define ORR_WORKLOAD_SCHEDULE_SCHEDULE_KINDS_H

#include "workload/schedule/pipeline_schedule.h"

/* The index-th schedule of the list; NULL after the last one. */
const struct orr_schedule_kind *orr_schedule_kind_at(size_t index);

/* The schedule of this name. An unknown name is an error that lists the names. */
enum orr_status orr_schedule_kind_find(const char *name, const struct orr_schedule_kind **kind,
                                       struct orr_diag *diag);

/* Checks the request and completes its defaults. Errors: no stages or micro-batches, more slots
 * than ORR_SCHEDULE_MAX_SLOTS, chunks that the schedule does not have, what its own check says. */
enum orr_status orr_schedule_complete(const struct orr_schedule_kind *kind,
                                      struct orr_schedule_request *request, struct orr_diag *diag);

#endif
