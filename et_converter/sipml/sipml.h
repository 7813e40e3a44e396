/* SiP-ML profiles: the operators of a model with times and sizes, at one batch size. */
#ifndef ORR_ET_CONVERTER_SIPML_SIPML_H
#define ORR_ET_CONVERTER_SIPML_SIPML_H

#include "et_converter/converter.h"

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
    struct sipml_op *op; /* [ops], the i-th is called names.text[i] */
    uint32_t ops;
    struct sipml_edge *edge;
    size_t edges;
};

/* Reads a profile; it lives in the arena. O(bytes). Errors name the byte and the operator. */
enum orr_status orr_sipml_read(struct orr_arena *arena, const struct orr_et_bytes *bytes,
                               struct sipml_profile *profile, struct orr_diag *diag);

/* Two profiles of a model, and how far between them: 0 is the first, 1 the second. */
struct sipml_interpolation {
    const struct sipml_profile *low, *high; /* the same for a profile as it is */
    double share;                           /* below 0 or above 1: beyond them */
};

/* The trace at that point. Errors: operators or dependencies that only one of them has. */
enum orr_status orr_sipml_trace(struct orr_arena *arena,
                                const struct sipml_interpolation *interpolation,
                                const struct orr_trace **trace, struct conv_report *report,
                                struct orr_diag *diag);

struct sipml_model_info {
    const char *path; /* of the file */
    uint64_t batch;   /* samples that times and sizes are of; 1: not known */
};

/* Writes what the trace of a profile was made of as a model (docs/user-guide.md). O(nodes + edges).
 * Errors: a file that cannot be written. */
enum orr_status orr_sipml_model(struct orr_arena *arena, const struct orr_trace *trace,
                                const struct sipml_model_info *info, struct conv_report *report,
                                struct orr_diag *diag);

/* The 4 of "FOLDER/NAME_bs4.pb" or ".pb.gz"; false when the name has none. */
bool orr_sipml_batch_of_name(const char *path, uint64_t *batch);

#endif
