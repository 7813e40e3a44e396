/* For readers of launch files: adds what a file says. */
#ifndef ORR_ET_CONVERTER_LAUNCH_LAUNCH_BUILD_H
#define ORR_ET_CONVERTER_LAUNCH_LAUNCH_BUILD_H

#include "core/diag.h"
#include "et_converter/launch/launch.h"

struct json_t;
struct launch_argument;
struct launch_table;
struct launch_arguments;

/* What a value is if no file says it. */
struct launch_assumption {
    struct orr_launch_value value;
    bool of_model;   /* counts less than what a file says of the training */
    const char *why; /* a warning if it is taken; NULL: none */
};

/* A launch under construction. The file being read is the last one. */
struct launch_build {
    struct orr_arena *arena;
    struct orr_launch *launch;
    struct orr_diag *diag;
    /* of the file being read: the argument that said each row of its table; whether of those that
     * say the same row the last one counts, not the first */
    struct launch_origin {
        const struct launch_table *table;
        const struct launch_argument **argument;
    } origin;
    bool last_counts;
    /* processes of the job, and where that is said; number 0: nowhere */
    struct launch_world {
        uint64_t number;
        const char *file, *key;
    } world;
    /* ranks that share each expert's matrices; number 0: as `parallel.tensor` */
    struct launch_world expert_tensor;
    struct launch_assumption *assumption;
    size_t assumptions, assumption_capacity;
    uint64_t unpadded_vocabulary; /* where a file says one that is padded; else 0 */
    size_t value_capacity, contradiction_capacity, understood_capacity, not_understood_capacity;
    uint64_t samples_per_rank; /* of a step, where a file says so; times the data-parallel ranks:
                                  batch */
    const char *samples_key;   /* that says it; NULL: DeepSpeed's */
};

/* Text of the file being read, and what all formats of its kind need of it. */
struct launch_text {
    const char *name, *text; /* ends with a zero byte */
    size_t bytes;
    const struct json_t *json; /* of a text that begins as a JSON object; else NULL */
    const struct launch_arguments *arguments; /* of any other; else NULL */
};

/* Adds a value; or a contradiction, if another file says something else. Texts are copied. The key
 * of an argument that was read by a row is its path in the file. */
void orr_launch_set(struct launch_build *build, const char *path, const char *text,
                    const char *key);
/* The same of a file and key that are those of `origin`. */
void orr_launch_set_from(struct launch_build *build, const char *path, const char *text,
                         const struct orr_launch_value *origin);
void orr_launch_set_number(struct launch_build *build, const char *path, uint64_t number,
                           const char *key);

/* The path in the file of the argument that a row's name stands for; the name, if nothing said it.
 * (launch_rows.c) */
const char *orr_launch_origin(const struct launch_build *build, const char *name);

/* Notes that two values contradict each other. Their texts must lie in the arena. */
void orr_launch_contradict(struct launch_build *build, const struct orr_launch_value *a,
                           const struct orr_launch_value *b);

/* Says how many processes the job has. */
void orr_launch_set_world(struct launch_build *build, uint64_t processes, const char *key);
/* Says how many ranks share each expert's matrices. */
void orr_launch_set_expert_tensor(struct launch_build *build, uint64_t ranks, const char *key);
/* Behind all files: the data-parallel ranks, of the processes; the batch, of what a rank does.
 * (launch_ranks.c) */
void orr_launch_finish_ranks(struct launch_build *build);

/* Says what a value is if no file says it: what a framework does then, `why` a warning of it (NULL:
 * none); or, `of_model`, what a model's file says, if no framework does anything. */
void orr_launch_assume(struct launch_build *build, const struct launch_assumption *assumption);
/* Takes those that are needed, behind all files. */
void orr_launch_take_assumptions(struct launch_build *build);

/* Notes a key as understood, or not. */
void orr_launch_note(struct launch_build *build, const char *key, bool understood);

/* The key of a file that a size of the model comes from ("layers": "num_hidden_layers"). */
struct launch_size_key {
    const char *size, *key;
};

/* Adds the model that the file describes; its sizes whose keys are named are values, too. */
void orr_launch_set_shape(struct launch_build *build, const struct orr_model_shape *shape,
                          const struct launch_size_key *key, size_t keys);

#endif
