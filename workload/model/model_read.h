/* Models from files: a `model` section with its operators in order, and blocks of them that are
 * repeated behind each other or beside each other (docs/file-formats.md). */
#ifndef ORR_WORKLOAD_MODEL_MODEL_READ_H
#define ORR_WORKLOAD_MODEL_MODEL_READ_H

#include "workload/model/model_builder.h"

/* The `model` section, and a file that holds one. */
extern const struct orr_key_table orr_model_table, orr_model_file_table;

/* Reads the section (of the tree of a file) into a graph in the arena, which keeps parts of the
 * tree. Errors name file, line and column: unknown kinds and keys, inputs that are not listed
 * before, sizes that do not fit, what orr_model_add refuses. O(operators + edges + text). */
enum orr_status orr_model_read(struct orr_arena *arena, const struct orr_conf *section,
                               struct model_graph *out, struct orr_diag *diag);

#endif
