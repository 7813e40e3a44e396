/* What launch files say, alone or together: the model and how it is trained, each value with the
 * file and key that it comes from. */
#ifndef ORR_ET_CONVERTER_LAUNCH_LAUNCH_H
#define ORR_ET_CONVERTER_LAUNCH_LAUNCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/status.h"
#include "workload/shape/model_shape.h"

struct orr_arena;
struct orr_diag;

/* A value of a workload file, by its path there: "parallel.tensor". */
struct orr_launch_value {
    const char *path;
    const char *text;       /* as it is written: "8", "true", "selective" */
    const char *file, *key; /* where it comes from */
};

/* Two files that say different things of one value. */
struct orr_launch_contradiction {
    struct orr_launch_value a, b;
};

struct orr_launch_file {
    const char *name;
    const char *kind; /* "hugging_face_config", "megatron_arguments", ...: the table of launch.c */
    const char *what; /* the same for people */
    const char **understood, **not_understood;
    size_t understoods, not_understoods;
};

struct orr_launch {
    uint64_t npus; /* input of orr_launch_read: NPUs that the job runs on; 0: as the files say */
    struct orr_launch_file *file; /* [files] */
    size_t files;
    bool unknown; /* the last file is of no known kind, which is an error */
    bool has_shape;
    struct orr_model_shape shape;   /* of the first file that describes a model */
    const char *element;            /* type of its numbers; NULL: not said */
    struct orr_launch_value *value; /* [values] in the order of workload files */
    size_t values;
    struct orr_launch_contradiction *contradiction;
    size_t contradictions;
};

/* Reads the files; everything lies in the arena. A file is known by what it holds, not by its name.
 * Values that contradict each other are listed, and the first one counts. Warns of what is assumed.
 * Errors name the file: it cannot be read, is of no known kind, holds a value out of its range.
 * O(bytes). */
enum orr_status orr_launch_read(const char *const *path, size_t files, struct orr_arena *arena,
                                struct orr_launch *launch, struct orr_diag *diag);

/* The same of one text; `name` stands for the file. */
enum orr_status orr_launch_parse(const char *name, const char *text, size_t bytes,
                                 struct orr_arena *arena, struct orr_launch *launch,
                                 struct orr_diag *diag);

/* The value of a path ("parallel.tensor"); NULL: no file says it. O(values). */
const struct orr_launch_value *orr_launch_get(const struct orr_launch *launch, const char *path);

#endif
