/* orrery gen WORKLOAD.yml: description of a generated model, and its traces. */
#ifndef ORR_CLI_GEN_GEN_MODEL_H
#define ORR_CLI_GEN_GEN_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/cli.h"
#include "sim/load/find_input.h"

struct orr_gen_file {
    const char *path; /* the workload */
    const char *text; /* what the file would hold; NULL: it is read */
    struct orr_texts set;
    uint32_t npus;
    const char *out; /* prefix of the traces; NULL: describe only */
    bool gzip;
    char found[ORR_INPUT_PATH_BYTES]; /* storage of `path` if the workload ships */
};

/* Describes the model and writes its traces; returns the exit status. */
int orr_gen_from_file(const struct orr_gen_file *file);

#endif
