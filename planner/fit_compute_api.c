/* Implements orrery_fit_compute (include/orrery/fit.h). */
#include <string.h>

#include "core/arena.h"
#include "orrery/orrery.h"
#include "orrery/parts.h"
#include "planner/fit_api_private.h"
#include "planner/fit_compute/fit_compute.h"
#include "report/results/fit_results.h"
#include "sim/load/find_input.h"

/* ---- results ---- */

static size_t count_one(const void *of)
{
    (void)of;
    return 1;
}

static size_t count_rows(const void *of)
{
    return ((const struct compfit *)of)->rows;
}

static size_t count_errors(const void *of)
{
    return ((const struct compfit *)of)->errors;
}

static size_t count_parameters(const void *of)
{
    return ((const struct compfit *)of)->params;
}

static void get_head(const void *of, size_t index, void *row)
{
    (void)index;
    *(struct orr_fit_head_row *)row = ((const struct compfit *)of)->head;
}

static void get_row(const void *of, size_t index, void *row)
{
    *(struct orr_fit_iteration_row *)row = ((const struct compfit *)of)->iteration[index];
}

static void get_error(const void *of, size_t index, void *row)
{
    *(struct orr_fit_error_row *)row = ((const struct compfit *)of)->error[index];
}

static void get_parameter(const void *of, size_t index, void *row)
{
    *(struct orr_fit_parameter_row *)row = ((const struct compfit *)of)->parameter[index];
}

static const struct orr_result_rows rows[] = {
    {&orr_fit_head_results, count_one, get_head, NULL},
    {&orr_fit_iteration_results, count_rows, get_row, NULL},
    {&orr_fit_error_results, count_errors, get_error, NULL},
    {&orr_fit_parameter_results, count_parameters, get_parameter, NULL},
    {NULL, NULL, NULL, NULL}};
static const struct fit_kind of_compute = {.result_sources = {rows, "a fit"},
                                           .write = {[ORRERY_FIT_TEXT] = orr_compfit_text,
                                                     [ORRERY_FIT_JSON] = orr_compfit_json,
                                                     [ORRERY_FIT_SVG] = orr_compfit_svg,
                                                     [ORRERY_FIT_PLATFORM] = orr_compfit_platform,
                                                     [ORRERY_FIT_COMPUTE] = orr_compfit_compute}};

/* ---- platform and workload ---- */

/* Values that are set, split by the file that they belong to. */
struct sets {
    const char **platform, **workload;
    size_t platforms, workloads;
};

static enum orr_status split_sets(struct orr_object *object, const char *const *set, size_t count,
                                  struct sets *out)
{
    static const char workload[] = "workload";
    *out = (struct sets){.platforms = 0};
    out->platform = orr_arena_array(object->arena, count + 1, sizeof *out->platform);
    out->workload = orr_arena_array(object->arena, count + 1, sizeof *out->workload);
    if (out->platform == NULL || out->workload == NULL) {
        return orr_diag_no_memory(&object->diag, "a fit");
    }
    for (size_t i = 0; i < count; i++) {
        const size_t length = strcspn(set[i], ".=[");
        if (length == sizeof workload - 1 && strncmp(set[i], workload, length) == 0) {
            out->workload[out->workloads++] = set[i];
        } else {
            out->platform[out->platforms++] = set[i];
        }
    }
    return ORR_OK;
}

/* The same configuration once more as a part of the public API, from which rows are run. */
static enum orr_status make_platform(struct orr_object *object,
                                     const struct fit_tree_input *tree_input,
                                     struct orrery_platform **out)
{
    char library[ORR_INPUT_PATH_BYTES];
    struct orrery_platform *part = *out = orrery_platform_new();
    orr_inputs_library(library);
    if (part == NULL) {
        return orr_diag_no_memory(&object->diag, "a platform");
    }
    enum orrery_status status = tree_input->path != NULL
                                    ? orrery_platform_read(part, tree_input->path, library)
                                    : orrery_platform_parse(part, tree_input->text);
    for (size_t i = 0; i < tree_input->sets && status == ORRERY_OK; i++) {
        status = orrery_platform_set(part, tree_input->set[i]);
    }
    return status == ORRERY_OK ? ORR_OK
                               : orr_diag_fail(&object->diag, (enum orr_status)status, NULL, "%s",
                                               orrery_platform_error(part));
}

static enum orr_status make_workload(struct orr_object *object,
                                     const struct fit_tree_input *tree_input,
                                     struct orrery_workload **out)
{
    char library[ORR_INPUT_PATH_BYTES];
    struct orrery_workload *part = *out = orrery_workload_new();
    orr_inputs_library(library);
    if (part == NULL) {
        return orr_diag_no_memory(&object->diag, "a workload");
    }
    enum orrery_status status = tree_input->path != NULL
                                    ? orrery_workload_read(part, tree_input->path, library)
                                    : orrery_workload_parse(part, tree_input->text);
    for (size_t i = 0; i < tree_input->sets && status == ORRERY_OK; i++) {
        status = orrery_workload_set(part, tree_input->set[i]);
    }
    return status == ORRERY_OK ? ORR_OK
                               : orr_diag_fail(&object->diag, (enum orr_status)status, NULL, "%s",
                                               orrery_workload_error(part));
}

static enum orr_status read_parts(struct orr_object *object, const struct orrery_fit_compute *input,
                                  struct compfit_input *of)
{
    struct sets sets;
    enum orr_status status = split_sets(object, input->set, input->set_count, &sets);
    if (status != ORR_OK) {
        return status;
    }
    const struct fit_tree_input platform = {input->platform, input->text, "platform", sets.platform,
                                            sets.platforms};
    const struct fit_tree_input workload = {input->workload, input->workload_text, "workload",
                                            sets.workload, sets.workloads};
    status = orr_fit_tree(object, &platform, &of->platform);
    if (status == ORR_OK) {
        status = orr_fit_tree(object, &workload, &of->workload);
    }
    if (status == ORR_OK) {
        status = make_platform(object, &platform, &of->platform_part);
    }
    return status == ORR_OK ? make_workload(object, &workload, &of->workload_part) : status;
}

/* ---- fitting ---- */

static enum orr_status fill_compute(struct orr_object *object,
                                    const struct orrery_fit_compute *input,
                                    struct compfit_input *of)
{
    enum orr_status status = orr_fit_data(object, input->data, input->files, &of->source);
    of->sources = input->files;
    of->platform_name = orr_fit_copy_text(object, input->name, input->platform, &status);
    of->platform_name = of->platform_name != NULL ? of->platform_name : "the platform";
    of->workload_name = orr_fit_copy_text(object, input->workload_name, input->workload, &status);
    of->workload_name = of->workload_name != NULL ? of->workload_name : "the workload";
    of->holdout = orr_fit_copy_text(object, input->holdout, NULL, &status);
    of->fits = input->fit_count;
    of->fixes = input->fix_count;
    if (status == ORR_OK) {
        status = orr_fit_copy_texts(object, input->fit, input->fit_count, &of->fit);
    }
    return status == ORR_OK ? orr_fit_copy_texts(object, input->fix, input->fix_count, &of->fix)
                            : status;
}

static enum orr_status fit_compute(struct orrery_fit *fit, const struct orrery_fit_compute *input)
{
    struct orr_object *object = &fit->object;
    struct compfit_input of = {.keep = input->keep != 0, .skip_refused = input->skip_refused != 0};
    struct compfit *made = orr_arena_alloc(object->arena, sizeof *made);
    enum orr_status status = made != NULL ? ORR_OK : orr_diag_no_memory(&object->diag, "a fit");
    if (status == ORR_OK) {
        status = fill_compute(object, input, &of);
    }
    if (status == ORR_OK) {
        status = read_parts(object, input, &of);
    }
    if (status == ORR_OK) {
        status = orr_compfit_load(object->arena, &of, made, &object->diag);
    }
    if (status == ORR_OK) {
        status = orr_compfit_solve(object->arena, made, &object->diag);
    }
    orrery_platform_free(of.platform_part);
    orrery_workload_free(of.workload_part);
    if (status == ORR_OK) {
        made->input.platform_part = NULL;
        made->input.workload_part = NULL;
        orr_fit_warn(object, made->warning, made->warnings);
        fit->kind = &of_compute;
        fit->of = made;
    }
    return status;
}

enum orrery_status orrery_fit_compute(struct orrery_fit *fit,
                                      const struct orrery_fit_compute *input)
{
    if (fit == NULL) {
        return ORRERY_ERROR_INPUT;
    }
    struct fit_common common = {.name = "orrery_fit_compute", .expected = sizeof *input};
    bool workload = true;
    if (input != NULL) {
        common.size = &input->size;
    }
    if (input != NULL && input->size == sizeof *input) {
        common.platform = input->platform;
        common.text = input->text;
        common.holdout = input->holdout;
        common.keep = input->keep;
        common.files = input->data != NULL ? input->files : 0;
        workload = (input->workload == NULL) != (input->workload_text == NULL);
    }
    enum orr_status status = orr_fit_check(fit, &common);
    if (status == ORR_OK && !workload) {
        status = orr_diag_fail(&fit->object.diag, ORR_ERR_INPUT, NULL,
                               "expected either the path or the text of a workload");
    }
    if (status == ORR_OK) {
        status = orr_object_clear(&fit->object) ? fit_compute(fit, input) : ORR_ERR_MEMORY;
    }
    return orr_object_finish(&fit->object, status);
}
