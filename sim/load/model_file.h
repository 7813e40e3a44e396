/* Models as graphs of operators from any file that describes one, and the speed of a platform's
 * devices. */
#ifndef ORR_SIM_LOAD_MODEL_FILE_H
#define ORR_SIM_LOAD_MODEL_FILE_H

#include "workload/workload.h"

/* A file with a `model` section, or with a `workload` section that has a generated model, with its
 * includes; or the name of one that ships (inputs/models). */
enum orr_status orr_model_file_load(struct orr_arena *arena, const char *path,
                                    struct model_graph *out, struct orr_diag *diag);

/* The two halves of that: the file's tree, with its includes; and the model of such a tree. */
enum orr_status orr_model_file_open(struct orr_arena *arena, const char *path,
                                    const struct orr_conf **root, struct orr_diag *diag);
enum orr_status orr_model_root_read(struct orr_arena *arena, const struct orr_conf *root,
                                    struct model_graph *out, struct orr_diag *diag);

/* Whether a section of a model is that of a generator, {transformer: ..., training: ...}; and the
 * model of a section of either kind. */
bool orr_model_is_generated(const struct orr_conf *section);
enum orr_status orr_model_section_read(struct orr_arena *arena, const struct orr_conf *section,
                                       struct model_graph *out, struct orr_diag *diag);

/* Peak rate, efficiency and memory bandwidth of a platform's file, or of one that ships, with
 * values set on top (`set[sets]`). */
enum orr_status orr_model_roofline_load(struct orr_arena *arena, const char *platform,
                                        const char *const *set, size_t sets,
                                        struct wl_roofline *out, struct orr_diag *diag);

/* The same of a platform's tree. */
enum orr_status orr_model_roofline_read(struct orr_arena *arena, const struct orr_conf *root,
                                        struct wl_roofline *out, struct orr_diag *diag);

#endif
