/* One profile of a job; private to the room. */
#ifndef ORR_ET_CONVERTER_PROFILE_PROFILE_RANK_H
#define ORR_ET_CONVERTER_PROFILE_PROFILE_RANK_H

#include "et_converter/profile/profile_job.h"

/* Reads a profile and tells the view of a step; `place`: of the file in the list, its rank if
 * nothing says it. `out->file` is set by the caller. Errors as those of orr_profile_job_read. */
enum orr_status orr_profile_rank_read(const struct orr_profile_request *request, const char *step,
                                      uint32_t place, struct orr_profile_rank *out,
                                      struct orr_diag *diag);

#endif
