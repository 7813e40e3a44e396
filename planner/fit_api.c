/* Fits for programs; see include/orrery/fit.h. */
#include "orrery/fit.h"

#include <string.h>

#include "planner/fit_collectives/fit_collectives.h"
#include "report/report.h"
#include "sim/sim.h"

struct orrery_fit {
    struct orr_object object;
    struct collfit *of; /* NULL: nothing was fitted yet; the object's arena */
};

struct orrery_fit *orrery_fit_new(void)
{
    return orr_object_new(sizeof(struct orrery_fit));
}

void orrery_fit_free(struct orrery_fit *fit)
{
    if (fit != NULL) {
        orr_object_free(&fit->object);
    }
}

const char *orrery_fit_error(const struct orrery_fit *fit)
{
    return orr_object_error(fit != NULL ? &fit->object : NULL);
}

void orrery_fit_on_warning(struct orrery_fit *fit, void (*warn)(void *user, const char *text),
                           void *user)
{
    orr_object_on_warning(fit != NULL ? &fit->object : NULL, warn, user);
}

/* ---- fitting ---- */

static enum orr_status read_platform(struct orr_object *object,
                                     const struct orrery_fit_collectives *input,
                                     const struct orr_conf **root)
{
    struct orr_diag *diag = &object->diag;
    const struct orr_platform_source source = {input->platform, input->set, input->set_count};
    enum orr_status status;
    if (input->platform != NULL) {
        return orr_platform_tree(object->arena, &source, root, diag);
    }
    status =
        orr_conf_parse(object->arena, input->text, strlen(input->text), "platform", root, diag);
    for (size_t i = 0; i < input->set_count && status == ORR_OK; i++) {
        status = orr_conf_set(object->arena, *root, input->set[i], root, diag);
    }
    return status;
}

static enum orr_status list_data(struct orr_object *object,
                                 const struct orrery_fit_collectives *input,
                                 struct orr_measured_inputs *out)
{
    struct orr_measured_source *source =
        orr_arena_array(object->arena, input->files + 1, sizeof *source);
    if (source == NULL) {
        return orr_diag_no_memory(&object->diag, "measured tables");
    }
    for (size_t i = 0; i < input->files; i++) {
        const struct orrery_measured *data = &input->data[i];
        const char *path = orr_arena_strdup(object->arena, data->path != NULL ? data->path : "");
        if (path == NULL) {
            return orr_diag_no_memory(&object->diag, "measured tables");
        }
        source[i] = (struct orr_measured_source){path, data->data, data->bytes};
    }
    *out = (struct orr_measured_inputs){.source = source,
                                        .sources = input->files,
                                        .collective = input->collective,
                                        .npus = input->npus,
                                        .npus_per_node = input->npus_per_node};
    return ORR_OK;
}

static enum orr_status fit_it(struct orrery_fit *fit, const struct orrery_fit_collectives *input)
{
    struct orr_object *object = &fit->object;
    struct collfit_input of = {.platform = "the platform", .keep = input->keep != 0};
    struct collfit *made = orr_arena_alloc(object->arena, sizeof *made);
    enum orr_status status = read_platform(object, input, &of.root);
    if (status == ORR_OK) {
        status = list_data(object, input, &of.data);
    }
    const char *name = input->name != NULL ? input->name : input->platform;
    if (status == ORR_OK && name != NULL) {
        of.platform = orr_arena_strdup(object->arena, name);
    }
    if (status == ORR_OK && input->holdout != NULL) {
        of.holdout = orr_arena_strdup(object->arena, input->holdout);
    }
    if (status == ORR_OK &&
        (made == NULL || of.platform == NULL || (input->holdout != NULL && of.holdout == NULL))) {
        status = orr_diag_no_memory(&object->diag, "a fit");
    }
    if (status == ORR_OK) {
        status = orr_collfit_open(object->arena, &of, made, &object->diag);
    }
    if (status == ORR_OK) {
        status = orr_collfit_solve(object->arena, made, &object->diag);
    }
    for (size_t i = 0; status == ORR_OK && i < made->warnings; i++) {
        orr_diag_warn(&object->diag, NULL, "%s", made->warning[i]);
    }
    fit->of = status == ORR_OK ? made : NULL;
    return status;
}

enum orrery_status orrery_fit_collectives(struct orrery_fit *fit,
                                          const struct orrery_fit_collectives *input)
{
    if (fit == NULL) {
        return ORRERY_ERROR_INPUT;
    }
    struct orr_diag *diag = &fit->object.diag;
    enum orr_status status = orr_check_given(
        "orrery_fit_collectives", input != NULL ? &input->size : NULL, sizeof *input, diag);
    fit->of = NULL;
    if (status == ORR_OK && (input->platform == NULL) == (input->text == NULL)) {
        status = orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                               "expected either the path or the text of a platform");
    }
    if (status == ORR_OK && input->keep != 0 && input->holdout != NULL) {
        status = orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                               "expected no rows to hold out where nothing is fitted");
    }
    if (status == ORR_OK && input->files == 0) {
        status = orr_diag_fail(diag, ORR_ERR_INPUT, NULL, "expected files of measured times");
    }
    if (status == ORR_OK) {
        status = orr_object_clear(&fit->object) ? fit_it(fit, input) : ORR_ERR_MEMORY;
    }
    return orr_object_finish(&fit->object, status);
}

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
static const struct orr_result_places places = {rows, "a fit"};

static enum orr_status check_fitted(const struct orrery_fit *fit, struct orr_diag *diag)
{
    return fit->of != NULL ? ORR_OK
                           : orr_diag_fail(diag, ORR_ERR_INPUT, NULL, "nothing was fitted yet");
}

enum orrery_status orrery_fit_rows(struct orrery_fit *fit, const char *place, size_t *count)
{
    *count = 0;
    if (fit == NULL) {
        return ORRERY_ERROR_INPUT;
    }
    struct orr_diag *diag = &fit->object.diag;
    enum orr_status status = check_fitted(fit, diag);
    if (status == ORR_OK) {
        const struct orr_result_query query = {&places, fit->of, NULL};
        status = orr_result_count_rows(&query, place, count, diag);
    }
    return orr_object_finish(&fit->object, status);
}

enum orrery_status orrery_fit_result(struct orrery_fit *fit, const char *name, size_t row,
                                     struct orrery_value *value)
{
    union {
        struct orr_fit_head_row head;
        struct orr_fit_time_row time;
        struct orr_fit_error_row error;
        struct orr_fit_parameter_row parameter;
    } room;
    struct orr_value found = {.kind = ORR_VALUE_NONE};
    *value = (struct orrery_value){.kind = ORRERY_VALUE_NONE};
    if (fit == NULL) {
        return ORRERY_ERROR_INPUT;
    }
    struct orr_diag *diag = &fit->object.diag;
    enum orr_status status = check_fitted(fit, diag);
    if (status == ORR_OK) {
        const struct orr_result_query query = {&places, fit->of, &room};
        status = orr_result_ask(&query, name, row, &found, diag);
    }
    if (status == ORR_OK) {
        *value = orr_result_hand_out(&found);
    }
    return orr_object_finish(&fit->object, status);
}

/* ---- views ---- */

static int (*const writers[])(FILE *out,
                              const void *context) = {[ORRERY_FIT_TEXT] = orr_collfit_text,
                                                      [ORRERY_FIT_JSON] = orr_collfit_json,
                                                      [ORRERY_FIT_SVG] = orr_collfit_svg,
                                                      [ORRERY_FIT_PLATFORM] = orr_collfit_platform};

struct view {
    struct orrery_fit *fit;
    enum orrery_fit_view which;
};

static enum orr_status write_view(FILE *out, void *context)
{
    const struct view *view = context;
    struct orr_diag *diag = &view->fit->object.diag;
    enum orr_status status = check_fitted(view->fit, diag);
    if (status == ORR_OK && (unsigned)view->which >= sizeof writers / sizeof *writers) {
        status = orr_diag_fail(diag, ORR_ERR_INPUT, NULL, "there is no view %d of a fit",
                               (int)view->which);
    }
    if (status == ORR_OK && writers[view->which](out, view->fit->of) != 0) {
        status = orr_diag_fail(diag, ORR_ERR_IO, NULL, "the fit cannot be written");
    }
    return status == ORR_OK ? orr_check_written(out, diag) : status;
}

enum orrery_status orrery_fit_write(struct orrery_fit *fit, FILE *out, enum orrery_fit_view view)
{
    struct view of = {fit, view};
    if (fit == NULL || out == NULL) {
        return ORRERY_ERROR_INPUT;
    }
    return orr_object_finish(&fit->object, write_view(out, &of));
}

const char *orrery_fit_text(struct orrery_fit *fit, enum orrery_fit_view view)
{
    struct view of = {fit, view};
    return fit != NULL ? orr_object_text(&fit->object, write_view, &of) : NULL;
}
