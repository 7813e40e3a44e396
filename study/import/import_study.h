/* What files of a model say: its shape, its numbers; their forms. */
#ifndef ORR_STUDY_IMPORT_IMPORT_STUDY_H
#define ORR_STUDY_IMPORT_IMPORT_STUDY_H

#include <stdio.h>

#include "et_converter/launch/launch.h"
#include "workload/shape/model_shape.h"

struct orr_result_table;

struct orr_import_study {
    /* input */
    const char *const *file;
    size_t files;
    uint64_t sequence, npus;
    bool warn_not_understood;
    /* results */
    struct orr_arena *arena;
    struct orr_launch launch;
    const char *file_name;
    const char *what, *where; /* of a file that is none of a launch: what it is, what to do with
                                 it (NULL: nothing); NULL: they are of a launch */
    struct orr_shape_counts counts; /* if there is a model */
};

/* Reads the files. Errors: see orrery_import. Call orr_import_study_fini also after an error. */
enum orr_status orr_import_study_run(struct orr_import_study *study, struct orr_diag *diag);
void orr_import_study_fini(struct orr_import_study *study);

extern const struct orr_result_table orr_import_model_results; /* struct orr_import_study */
extern const struct orr_result_table orr_import_value_results; /* struct orr_launch_value */

/* Forms; the context is the study. */
int orr_import_text(FILE *out, const void *context);
int orr_import_json(FILE *out, const void *context);
int orr_import_csv(FILE *out, const void *context);

/* Why there is no workload of it: no model, or one that generated workloads cannot have; NULL:
 * there is. */
const char *orr_import_not_generated(const struct orr_import_study *study);

/* Writes the workload; only if it can be generated. */
int orr_import_workload(FILE *out, const void *context);

#endif
