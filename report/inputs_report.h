/* The shipped inputs as a list, and the handle by which programs find them. */
#ifndef ORR_REPORT_INPUTS_REPORT_H
#define ORR_REPORT_INPUTS_REPORT_H

#include "orrery/inputs.h"
#include "sim/api_object.h"
#include "sim/load/find_input.h"

struct orr_diag;

enum { ORR_SHIPPED_KINDS = 4 };

struct orrery_catalogue {
    struct orr_object object;
    struct orr_shipped_inputs kind[ORR_SHIPPED_KINDS]; /* root NULL: not read yet */
    char folder[ORR_INPUT_PATH_BYTES], found[ORR_INPUT_PATH_BYTES];
};

/* Prints all kinds. Errors: no inputs are installed (with their folder). */
enum orr_status orr_list_shipped(FILE *out, struct orr_diag *diag);

#endif
