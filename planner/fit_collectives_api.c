/* Implements orrery_fit_collectives (include/orrery/fit.h). */
#include "core/arena.h"
#include "orrery/orrery.h"
#include "planner/fit_api_private.h"
#include "planner/fit_collectives/fit_collectives.h"
#include "report/results/fit_results.h"
#include "study/measured/measured.h"

/* ---- results ---- */

static size_t count_one(const void *of)
{
    (void)of;
    return 1;
}

static size_t count_rows(const void *of)
{
    return ((const struct collfit *)of)->measured.rows;
}

static size_t count_errors(const void *of)
{
    return ((const struct collfit *)of)->errors;
}

static size_t count_parameters(const void *of)
{
    (void)of;
    return COLLFIT_PARAMS;
}

static void get_head(const void *of, size_t index, void *row)
{
    (void)index;
    *(struct orr_fit_head_row *)row = ((const struct collfit *)of)->head;
}

static void get_row(const void *of, size_t index, void *row)
{
    *(struct orr_fit_time_row *)row = ((const struct collfit *)of)->row[index];
}

static void get_error(const void *of, size_t index, void *row)
{
    *(struct orr_fit_error_row *)row = ((const struct collfit *)of)->error[index];
}

static void get_parameter(const void *of, size_t index, void *row)
{
    *(struct orr_fit_parameter_row *)row = ((const struct collfit *)of)->parameter[index];
}

static const struct orr_result_rows rows[] = {
    {&orr_fit_head_results, count_one, get_head, NULL},
    {&orr_fit_time_results, count_rows, get_row, NULL},
    {&orr_fit_error_results, count_errors, get_error, NULL},
    {&orr_fit_parameter_results, count_parameters, get_parameter, NULL},
    {NULL, NULL, NULL, NULL}};
static const struct fit_kind of_collectives = {
    .result_sources = {rows, "a fit"},
    .write = {[ORRERY_FIT_TEXT] = orr_collfit_text,
              [ORRERY_FIT_JSON] = orr_collfit_json,
              [ORRERY_FIT_SVG] = orr_collfit_svg,
              [ORRERY_FIT_PLATFORM] = orr_collfit_platform}};

/* ---- fitting ---- */

static enum orr_status fit_collectives(struct orrery_fit *fit,
                                       const struct orrery_fit_collectives *input)
{
    struct orr_object *object = &fit->object;
    struct collfit_input of = {.keep = input->keep != 0};
    const struct fit_tree_input platform = {input->platform, input->text, "platform", input->set,
                                            input->set_count};
    struct collfit *made = orr_arena_alloc(object->arena, sizeof *made);
    enum orr_status status = orr_fit_tree(object, &platform, &of.root);
    if (status == ORR_OK) {
        of.data = (struct orr_measured_inputs){.sources = input->files,
                                               .collective = input->collective,
                                               .npus = input->npus,
                                               .npus_per_node = input->npus_per_node};
        status = orr_fit_data(object, input->data, input->files, &of.data.source);
    }
    of.platform = orr_fit_copy_text(object, input->name, input->platform, &status);
    of.platform = of.platform != NULL ? of.platform : "the platform";
    of.holdout = orr_fit_copy_text(object, input->holdout, NULL, &status);
    if (status == ORR_OK && made == NULL) {
        status = orr_diag_no_memory(&object->diag, "a fit");
    }
    if (status == ORR_OK) {
        status = orr_collfit_load(object->arena, &of, made, &object->diag);
    }
    if (status == ORR_OK) {
        status = orr_collfit_solve(object->arena, made, &object->diag);
    }
    if (status == ORR_OK) {
        orr_fit_warn(object, made->warning, made->warnings);
        fit->kind = &of_collectives;
        fit->of = made;
    }
    return status;
}

enum orrery_status orrery_fit_collectives(struct orrery_fit *fit,
                                          const struct orrery_fit_collectives *input)
{
    if (fit == NULL) {
        return ORRERY_ERROR_INPUT;
    }
    struct fit_common common = {.name = "orrery_fit_collectives", .expected = sizeof *input};
    if (input != NULL) {
        common.size = &input->size;
    }
    if (input != NULL && input->size == sizeof *input) {
        common.platform = input->platform;
        common.text = input->text;
        common.holdout = input->holdout;
        common.keep = input->keep;
        common.files = input->data != NULL ? input->files : 0;
    }
    enum orr_status status = orr_fit_check(fit, &common);
    if (status == ORR_OK) {
        status = orr_object_clear(&fit->object) ? fit_collectives(fit, input) : ORR_ERR_MEMORY;
    }
    return orr_object_finish(&fit->object, status);
}
