/* Runs of a job with a progress line on standard error. */
#ifndef ORR_CLI_PROGRESS_H
#define ORR_CLI_PROGRESS_H

#include "orrery/orrery.h"

enum orr_progress { ORR_PROGRESS_AUTO, ORR_PROGRESS_ALWAYS, ORR_PROGRESS_NEVER };

/* As orrery_run. AUTO: on a terminal, the line appears when the run has taken a second, and is
 * erased at the end. ALWAYS: also elsewhere; each state is a line of its own, and the last one is
 * at the end of the run. */
enum orrery_status orr_run_with_progress(struct orrery *job, enum orr_progress when);

#endif
