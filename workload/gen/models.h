/* The generated models: transformers, recommendation models, convolutional networks. Each is an
 * entry of a table: a section of a workload file with its keys, and functions. */
#ifndef ORR_WORKLOAD_GEN_MODELS_H
#define ORR_WORKLOAD_GEN_MODELS_H

#include "workload/model/model_builder.h"
#include "workload/parallel/parallel_plan.h"

/* The sections of a workload that a model reads; NULL: absent. */
struct gen_sections {
    const struct orr_conf *model, *parallel, *training;
};

/* Sizes that are not aligned to tensor cores; 0: aligned. */
struct gen_misalignment {
    double width;       /* hidden / tensor, the width of a layer's products: not a multiple of 64 */
    uint64_t head_size; /* of attention: not a multiple of 8 */
};

#define GEN_FULLEST UINT32_MAX

struct gen_speed;
struct rank_program;

struct gen_model_ops {
    const char *name, *summary; /* the section's name */
    const struct orr_key_table *keys;
    /* Reads and checks the sections; *job lives in the arena. */
    enum orr_status (*read)(struct orr_arena *arena, const struct gen_sections *sections,
                            uint32_t npus, void **job, struct orr_diag *diag);
    const struct gen_plan *(*plan)(const void *job);
    /* What a rank does of the model, in the arena: of an expert-parallel rank where these differ
     * (GEN_FULLEST: the one with the most tokens). NULL when memory is out. */
    const struct rank_program *(*program)(struct orr_arena *arena, const void *job,
                                          uint32_t expert);
    void (*totals)(const void *job, struct gen_totals *totals);
    /* change: the model in another layout, in the arena; NULL: there is only one layout. estimate:
     * approximate seconds per sample in the job's layout. */
    enum orr_status (*change)(struct orr_arena *arena, const void *job,
                              const struct gen_change *change, void **out, struct orr_diag *diag);
    double (*estimate)(const void *job, const struct gen_speed *speed);
    /* Adds the model's operators to a builder; independent of the layout. NULL: ... */
    enum orr_status (*graph)(const void *job, struct model_builder *builder, struct orr_diag *diag);
    void (*misalignment)(const void *job,
                         struct gen_misalignment *misalignment); /* NULL: unknown */
    const struct model_graph *(*operators)(const void *job); /* ... the model is a graph of them */
};

/* The table ends with NULL. */
extern const struct gen_model_ops *const orr_gen_models[];

struct gen_model {
    const struct gen_model_ops *ops; /* NULL: none */
    void *job;
    const struct orr_conf *section; /* for the locations of errors */
};

/* The model as a graph of operators in the arena, with the section's batch if it sets one. */
enum orr_status orr_gen_model_graph(struct orr_arena *arena, const struct gen_model *model,
                                    const char *name, struct model_graph *out,
                                    struct orr_diag *diag);

/* The trace shared by the ranks of a class (orr_gen_class). O(nodes). */
enum orr_status orr_gen_model_trace(struct orr_arena *arena, const struct gen_model *model,
                                    uint32_t number, const struct orr_trace **out,
                                    struct orr_diag *diag);

/* Writes PREFIX.<rank>.et[.gz] for every rank, and PREFIX.groups.json with the ranks of every group
 * by its number. O(bytes written). */
enum orr_status orr_gen_model_write(const struct gen_model *model, const char *prefix, bool gzip,
                                    struct orr_diag *diag);

/* Calls `visit` for every group of the job's families: the family's number, the group's number
 * (from 1) and its ranks. Stops at the first failure and returns it. O(ranks). */
typedef enum orr_status (*gen_group_fn)(void *context, enum gen_family family, uint32_t number,
                                        const uint32_t *ranks, uint32_t count,
                                        struct orr_diag *diag);
enum orr_status orr_gen_model_groups(const struct gen_model *model, gen_group_fn visit,
                                     void *context, struct orr_diag *diag);

/* Memory of the rank of a stage that needs the most. False when memory is out. O(layers of the
 * model
 * + blocks of the stage's schedule). */
bool orr_gen_model_memory(const struct gen_model *model, uint32_t stage, struct gen_memory *memory);

/* Fails if a stage needs more memory than an NPU has; capacity 0: no limit. */
enum orr_status orr_gen_model_check_memory(const struct gen_model *model, uint64_t capacity_bytes,
                                           struct orr_diag *diag);

/* Fails if all NPUs together keep more in the remote memory than it holds; 0: no limit. */
enum orr_status orr_gen_model_check_pool(const struct gen_model *model, uint64_t capacity_bytes,
                                         struct orr_diag *diag);

/* The largest memory need of an NPU of any stage, and what all NPUs together keep in the remote
 * memory; false when memory is out. */
bool orr_gen_model_bytes(const struct gen_model *model, uint64_t *peak, uint64_t *pool);

uint64_t orr_gen_memory_total(const struct gen_memory *memory);

#endif
