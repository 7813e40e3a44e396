/* Models as graphs of operators, from any file that describes one; and the roofline of a platform.
 */
#ifndef ORR_SIM_LOAD_MODEL_FILE_H
#define ORR_SIM_LOAD_MODEL_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "core/status.h"

struct model_graph;
struct orr_arena;
struct orr_conf;
struct orr_diag;
struct wl_roofline;

/* Loads a file with a `model` section, or with a `workload` section with a generated model, and its
 * includes; or a shipped one by name (inputs/models). */
enum orr_status orr_model_file_load(struct orr_arena *arena, const char *path,
                                    struct model_graph *out, struct orr_diag *diag);

/* The two steps of it: the file's tree, with its includes; the model of such a tree. */
enum orr_status orr_model_file_open(struct orr_arena *arena, const char *path,
                                    const struct orr_conf **root, struct orr_diag *diag);
enum orr_status orr_model_root_read(struct orr_arena *arena, const struct orr_conf *root,
                                    struct model_graph *out, struct orr_diag *diag);

/* Whether a model section is a generator's, {transformer: ..., training: ...}; and the model of a
 * section of either kind. */
bool orr_model_is_generated(const struct orr_conf *section);
enum orr_status orr_model_section_read(struct orr_arena *arena, const struct orr_conf *section,
                                       struct model_graph *out, struct orr_diag *diag);

/* Loads peak rate, efficiency and memory bandwidth of a platform file, or a shipped one, with
 * values set on top (`set[sets]`). */
enum orr_status orr_model_roofline_load(struct orr_arena *arena, const char *platform,
                                        const char *const *set, size_t sets,
                                        struct wl_roofline *out, struct orr_diag *diag);

/* The same from a platform's tree. */
enum orr_status orr_model_roofline_read(struct orr_arena *arena, const struct orr_conf *root,
                                        struct wl_roofline *out, struct orr_diag *diag);

#endif
