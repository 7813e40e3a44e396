/* Loads a workload file without a platform, for commands that only inspect it. */
#include <string.h>

#include "core/conf/conf.h"
#include "sim/load/workload_config.h"

enum orr_status orr_wl_workload_load(struct orr_arena *arena, const struct wl_workload_file *file,
                                     uint32_t npus, struct wl_workload *out, struct orr_diag *diag)
{
    const struct orr_conf *root = NULL;
    enum orr_status status =
        file->text != NULL
            ? orr_conf_parse(arena, file->text, strlen(file->text), file->path, &root, diag)
            : orr_conf_load_composed(arena, file->path, file->library, &root, diag);
    for (size_t i = 0; i < file->set_count && status == ORR_OK; i++) {
        status = orr_conf_set(arena, root, file->set[i], &root, diag);
    }
    return status == ORR_OK ? orr_wl_workload_from(arena, root, npus, out, diag) : status;
}

enum orr_status orr_wl_workload_from(struct orr_arena *arena, const struct orr_conf *root,
                                     uint32_t npus, struct wl_workload *out, struct orr_diag *diag)
{
    if (root->kind != ORR_CONF_MAP) {
        return orr_conf_expected(root, "a mapping of sections", diag);
    }
    const struct orr_conf *section = orr_conf_get(root, "workload");
    if (section == NULL) {
        const struct orr_location place = orr_conf_location(root);
        return orr_diag_fail(diag, ORR_ERR_INPUT, &place,
                             "expected a section \"workload\" such as workload: {generate: "
                             "all_reduce, bytes: 1 GB}");
    }
    return orr_wl_workload_read(arena, section, npus, out, diag);
}
