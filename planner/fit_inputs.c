/* Inputs of fits: configuration trees, measured files, copied texts, and the checks of arguments.
 */
#include <string.h>

#include "core/conf/conf.h"
#include "planner/fit_api_private.h"
#include "sim/load/platform_network.h"
#include "study/measured/measured.h"

enum orr_status orr_fit_tree(struct orr_object *object, const struct fit_tree_input *given,
                             const struct orr_conf **root)
{
    struct orr_diag *diag = &object->diag;
    const struct orr_platform_source source = {given->path, given->set, given->sets};
    enum orr_status status;
    if (given->path != NULL) {
        return orr_platform_tree(object->arena, &source, root, diag);
    }
    status =
        orr_conf_parse(object->arena, given->text, strlen(given->text), given->what, root, diag);
    for (size_t i = 0; i < given->sets && status == ORR_OK; i++) {
        status = orr_conf_set(object->arena, *root, given->set[i], root, diag);
    }
    return status;
}

enum orr_status orr_fit_data(struct orr_object *object, const struct orrery_measured *measured,
                             size_t files, const struct orr_measured_source **out)
{
    struct orr_measured_source *source = orr_arena_array(object->arena, files + 1, sizeof *source);
    *out = source;
    if (source == NULL) {
        return orr_diag_no_memory(&object->diag, "measured tables");
    }
    for (size_t i = 0; i < files; i++) {
        const struct orrery_measured *data = &measured[i];
        const char *path = orr_arena_strdup(object->arena, data->path != NULL ? data->path : "");
        if (path == NULL) {
            return orr_diag_no_memory(&object->diag, "measured tables");
        }
        source[i] = (struct orr_measured_source){path, data->data, data->bytes};
    }
    return ORR_OK;
}

const char *orr_fit_copy_text(struct orr_object *object, const char *text, const char *other,
                              enum orr_status *status)
{
    const char *given = text != NULL ? text : other;
    const char *copy = given != NULL ? orr_arena_strdup(object->arena, given) : NULL;
    if (*status == ORR_OK && given != NULL && copy == NULL) {
        *status = orr_diag_no_memory(&object->diag, "a fit");
    }
    return copy;
}

enum orr_status orr_fit_copy_texts(struct orr_object *object, const char *const *path, size_t count,
                                   const char *const **out)
{
    const char **copy = orr_arena_array(object->arena, count + 1, sizeof *copy);
    enum orr_status status = copy != NULL ? ORR_OK : orr_diag_no_memory(&object->diag, "a fit");
    for (size_t i = 0; i < count && status == ORR_OK; i++) {
        copy[i] = orr_fit_copy_text(object, path[i], NULL, &status);
    }
    *out = copy;
    return status;
}

void orr_fit_warn(struct orr_object *object, const char *const *warning, size_t warnings)
{
    for (size_t i = 0; i < warnings; i++) {
        orr_diag_warn(&object->diag, NULL, "%s", warning[i]);
    }
}

enum orr_status orr_fit_check(struct orrery_fit *fit, const struct fit_common *common)
{
    struct orr_diag *diag = &fit->object.diag;
    const enum orr_status status =
        orr_check_caller_struct(common->name, common->size, common->expected, diag);
    fit->of = NULL;
    if (status != ORR_OK) {
        return status;
    }
    if ((common->platform == NULL) == (common->text == NULL)) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                             "expected either the path or the text of a platform");
    }
    if (common->keep != 0 && common->holdout != NULL) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                             "expected no rows to hold out where nothing is fitted");
    }
    return common->files > 0
               ? ORR_OK
               : orr_diag_fail(diag, ORR_ERR_INPUT, NULL, "expected files of measured times");
}
