/* Loads models as graphs of operators from files; see model_file.h. */
#include "sim/load/model_file.h"

#include <math.h>

#include "core/conf/conf.h"
#include "core/conf/conf_read.h"
#include "core/file.h"
#include "sim/load/find_input.h"
#include "workload/gen/models.h"
#include "workload/model/model_read.h"
#include "workload/roofline/efficiency.h"
#include "workload/roofline/roofline.h"

/* Loads a file, or a shipped one of a kind, with its includes. */
static enum orr_status load(struct orr_arena *arena, const char *kind, const char *name,
                            const struct orr_conf **root, struct orr_diag *diag)
{
    char path[ORR_INPUT_PATH_BYTES], library[ORR_INPUT_PATH_BYTES];
    const char *file = NULL;
    orr_inputs_library(library);
    const enum orr_status status = orr_find_input(kind, name, path, &file, diag);
    if (status != ORR_OK) {
        return status;
    }
    file = orr_arena_strdup(arena, file);
    return file != NULL ? orr_conf_load_composed(arena, file, library, root, diag)
                        : orr_diag_no_memory(diag, "the path of a file");
}

/* ---- models ---- */

/* Reads the generated model of a workload, on one NPU, because its layout does not matter. */
static enum orr_status read_generated(struct orr_arena *arena, const struct orr_conf *workload,
                                      struct model_graph *out, struct orr_diag *diag)
{
    for (size_t i = 0; orr_gen_models[i] != NULL; i++) {
        const struct orr_conf *section = orr_conf_get(workload, orr_gen_models[i]->name);
        if (section == NULL) {
            continue;
        }
        const struct gen_sections sections = {.model = section,
                                              .training = orr_conf_get(workload, "training")};
        struct gen_model model = {.ops = orr_gen_models[i], .section = section};
        const char *name = orr_path_stem(arena, section->file);
        if (name == NULL) {
            return orr_diag_no_memory(diag, "a model");
        }
        const enum orr_status status = model.ops->read(arena, &sections, 1, &model.job, diag);
        return status == ORR_OK ? orr_gen_model_graph(arena, &model, name, out, diag) : status;
    }
    return orr_conf_expected(workload, "a generated model: transformer, dlrm or cnn", diag);
}

bool orr_model_is_generated(const struct orr_conf *section)
{
    bool generated = false;
    for (size_t i = 0; orr_gen_models[i] != NULL && section->kind == ORR_CONF_MAP; i++) {
        generated = generated || orr_conf_get(section, orr_gen_models[i]->name) != NULL;
    }
    return generated;
}

enum orr_status orr_model_section_read(struct orr_arena *arena, const struct orr_conf *section,
                                       struct model_graph *out, struct orr_diag *diag)
{
    return orr_model_is_generated(section) ? read_generated(arena, section, out, diag)
                                           : orr_model_read(arena, section, out, diag);
}

enum orr_status orr_model_file_open(struct orr_arena *arena, const char *path,
                                    const struct orr_conf **root, struct orr_diag *diag)
{
    return load(arena, "models", path, root, diag);
}

enum orr_status orr_model_file_load(struct orr_arena *arena, const char *path,
                                    struct model_graph *out, struct orr_diag *diag)
{
    const struct orr_conf *root = NULL;
    const enum orr_status status = orr_model_file_open(arena, path, &root, diag);
    return status == ORR_OK ? orr_model_root_read(arena, root, out, diag) : status;
}

enum orr_status orr_model_root_read(struct orr_arena *arena, const struct orr_conf *root,
                                    struct model_graph *out, struct orr_diag *diag)
{
    const struct orr_conf *workload =
        root->kind == ORR_CONF_MAP ? orr_conf_get(root, "workload") : NULL;
    if (workload != NULL && workload->kind == ORR_CONF_MAP && orr_conf_get(root, "model") == NULL) {
        return read_generated(arena, workload, out, diag);
    }
    const struct orr_conf *section = NULL;
    const struct orr_key_table *table = &orr_model_file_table;
    const enum orr_status read =
        orr_conf_read(root, table->owner, table->keys, table->count, &section, diag);
    return read == ORR_OK ? orr_model_read(arena, section, out, diag) : read;
}

/* ---- platforms ---- */

static const struct orr_conf *map_of(const struct orr_conf *root, const char *key)
{
    const struct orr_conf *node =
        root != NULL && root->kind == ORR_CONF_MAP ? orr_conf_get(root, key) : NULL;
    return node != NULL && node->kind == ORR_CONF_MAP ? node : NULL;
}

enum orr_status orr_model_roofline_load(struct orr_arena *arena, const char *platform,
                                        const char *const *set, size_t sets,
                                        struct wl_roofline *out, struct orr_diag *diag)
{
    const struct orr_conf *root = NULL;
    enum orr_status status = load(arena, "platforms", platform, &root, diag);
    for (size_t i = 0; i < sets && status == ORR_OK; i++) {
        status = orr_conf_set(arena, root, set[i], &root, diag);
    }
    return status == ORR_OK ? orr_model_roofline_read(arena, root, out, diag) : status;
}

enum orr_status orr_model_roofline_read(struct orr_arena *arena, const struct orr_conf *root,
                                        struct wl_roofline *out, struct orr_diag *diag)
{
    double share = 1;
    const struct orr_conf *compute = map_of(root, "compute");
    const struct orr_conf *peak = compute != NULL ? orr_conf_get(compute, "peak") : NULL;
    const struct orr_conf *local = map_of(map_of(root, "memory"), "local");
    const struct orr_conf *bandwidth = local != NULL ? orr_conf_get(local, "bandwidth") : NULL;
    if (peak == NULL) {
        const struct orr_location place = orr_conf_location(compute != NULL ? compute : root);
        return orr_diag_fail(diag, ORR_ERR_INPUT, &place,
                             "times by a roofline need the key compute.peak, such as peak: 312 "
                             "TFLOP/s");
    }
    *out = (struct wl_roofline){.memory_bytes_per_s = INFINITY};
    enum orr_status status = orr_conf_rate(peak, &out->peak_flops, diag);
    if (status == ORR_OK) {
        status = orr_wl_efficiency_read(arena, orr_conf_get(compute, "efficiency"), &share,
                                        &out->efficiency, diag);
    }
    out->peak_flops *= share;
    return status == ORR_OK && bandwidth != NULL
               ? orr_conf_bandwidth(bandwidth, &out->memory_bytes_per_s, diag)
               : status;
}
