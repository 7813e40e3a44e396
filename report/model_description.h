/* The description of a generated model, without a run. */
#ifndef ORR_REPORT_MODEL_DESCRIPTION_H
#define ORR_REPORT_MODEL_DESCRIPTION_H

#include <stdio.h>

#include "core/status.h"

struct gen_model;
struct orr_arena;
struct orr_diag;

/* Prints parameters and operations, and memory and communication of the NPUs of each stage. */
enum orr_status orr_describe_model(FILE *out, struct orr_arena *arena,
                                   const struct gen_model *model, struct orr_diag *diag);

#endif
