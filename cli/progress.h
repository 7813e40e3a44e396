/* Runs a job, with a line on standard error that tells how far it is. */
#ifndef ORR_CLI_PROGRESS_H
#define ORR_CLI_PROGRESS_H

#include "orrery/orrery.h"

enum orr_progress { ORR_PROGRESS_AUTO, ORR_PROGRESS_ALWAYS, ORR_PROGRESS_NEVER };

/* As orrery_run. AUTO: the line appears on a terminal, when the run has taken a second, and is
 * wiped away at the end; ALWAYS: also elsewhere, each state on a line of its own, the last one at
 * the end of the run. */
enum orrery_status orr_run_with_progress(struct orrery *job, enum orr_progress when);

#endif
