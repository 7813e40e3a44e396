/* Hints for a job that exceeds the memory capacity. */
#ifndef ORR_CLI_LAYOUT_HINTS_H
#define ORR_CLI_LAYOUT_HINTS_H

#include "orrery/orrery.h"

/* Prints on stderr, after the error of a generated model with several layouts, the layouts that fit
 * as --set options, or the smallest need of all layouts. */
void orr_print_layout_hints(struct orrery *job);

#endif
