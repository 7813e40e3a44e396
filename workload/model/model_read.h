/* Models from files: a `model` section with a list of operators, and blocks of operators that are
 * repeated in sequence or in parallel (docs/file-formats.md). */
#ifndef ORR_WORKLOAD_MODEL_MODEL_READ_H
#define ORR_WORKLOAD_MODEL_MODEL_READ_H

#include "core/conf/keys.h"
#include "workload/model/model_builder.h"

struct model_graph;
struct orr_arena;
struct orr_conf;
struct orr_diag;

/* The keys of the `model` section, and of a file with one. */
extern const struct orr_key_table orr_model_table, orr_model_file_table;

/* Reads the section into a graph in the arena, which keeps parts of the tree. Errors name file,
 * line and column: unknown kinds and keys, inputs not listed before, sizes that do not fit, errors
 * of orr_model_add. O(operators + edges + text). */
enum orr_status orr_model_read(struct orr_arena *arena, const struct orr_conf *section,
                               struct model_graph *out, struct orr_diag *diag);

#endif
