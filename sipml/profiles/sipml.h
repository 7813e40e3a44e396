/* SiP-ML profiles: operators of a model with times and sizes, at one batch size. */
#ifndef ORR_SIPML_PROFILES_SIPML_H
#define ORR_SIPML_PROFILES_SIPML_H

#include "core/strings.h"
#include "et_converter/converter.h"
#include "workload/trace/et/et.h"

struct conv_report;
struct orr_arena;
struct orr_diag;
struct orr_trace;

enum sipml_op_type { SIPML_COMPUTE, SIPML_MEMORY, SIPML_CONTROL, SIPML_OP_TYPES };

enum sipml_mem_type {
    SIPML_TENSOR,
    SIPML_WRITE_VARIABLE,
    SIPML_READ_VARIABLE,
    SIPML_CONSTANT,
    SIPML_MEM_TYPES
};

struct sipml_op {
    uint64_t time_us, bytes, output_bytes;
    uint8_t type, memory;
};

struct sipml_edge {
    uint32_t from, to; /* indices of operators */
};

struct sipml_profile {
    const char *name; /* of the file */
    struct orr_strings names;
    struct sipml_op *op; /* [ops]; names.text[i] is the name of the i-th */
    uint32_t ops;
    struct sipml_edge *edge;
    size_t edges;
};

/* Reads a profile into the arena. O(bytes). Errors name byte and operator. */
enum orr_status orr_sipml_read(struct orr_arena *arena, const struct orr_et_bytes *bytes,
                               struct sipml_profile *profile, struct orr_diag *diag);

/* Linear interpolation between two profiles of a model: share 0 is the first, 1 the second. */
struct sipml_interpolation {
    const struct sipml_profile *low, *high; /* equal for a single profile */
    double share;                           /* below 0 or above 1: extrapolation */
};

/* Builds the trace at that point. Errors: operators that only one profile has or that differ in
 * type. */
enum orr_status orr_sipml_trace(struct orr_arena *arena,
                                const struct sipml_interpolation *interpolation,
                                const struct orr_trace **trace, struct conv_report *report,
                                struct orr_diag *diag);

struct sipml_model_info {
    const char *path; /* of the file */
    uint64_t batch;   /* samples of a batch, for times and sizes; 1: unknown */
};

/* Writes the operators of a profile's trace as a model (docs/how-to/convert.md). O(nodes + edges).
 * Errors: the file cannot be written. */
enum orr_status orr_sipml_model(struct orr_arena *arena, const struct orr_trace *trace,
                                const struct sipml_model_info *info, struct conv_report *report,
                                struct orr_diag *diag);

/* The batch size in a name: 4 of "FOLDER/NAME_bs4.pb" or ".pb.gz"; false if there is none. */
bool orr_sipml_batch_of_name(const char *path, uint64_t *batch);

/* SiP-ML profiles, one file per batch size (sipml.c). */
enum orr_status orr_convert_sipml(const struct conv_job *job, struct conv_report *report,
                                  struct orr_diag *diag);

#endif
