/* What a command says of a job that needs more memory than there is. */
#ifndef ORR_CLI_LAYOUT_HINTS_H
#define ORR_CLI_LAYOUT_HINTS_H

#include "orrery/orrery.h"

/* On standard error, behind the refusal of a generated model with several layouts: those that fit,
 * as --set options, or what the smallest needs. */
void orr_print_layout_hints(struct orrery *job);

#endif
