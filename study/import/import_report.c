/* What an import found, as text, JSON and CSV; see import_study.h. */
#include <jansson.h>

#include "report/json_text.h"
#include "report/results/result.h"
#include "report/table_text.h"
#include "study/import/import_study.h"

enum { LABEL_WIDTH = 28 };

/* ---- text ---- */

static void print_keys(FILE *out, const char *title, const char *const *key, size_t count)
{
    if (count == 0) {
        return;
    }
    (void)fputs(title, out);
    for (size_t i = 0; i < count; i++) {
        orr_print(out, "%s%s", i == 0 ? " " : ", ", key[i]);
    }
    (void)fputc('\n', out);
}

static void print_values(FILE *out, const struct orr_launch *launch)
{
    if (launch->values == 0) {
        return;
    }
    (void)fputc('\n', out);
    orr_result_heads(out, &orr_import_value_results, (struct orr_row_style){0});
    (void)fputc('\n', out);
    for (size_t i = 0; i < launch->values; i++) {
        orr_result_cells(out, &orr_import_value_results, &launch->value[i],
                         (struct orr_row_style){0});
        (void)fputc('\n', out);
    }
}

int orr_import_text(FILE *out, const void *context)
{
    const struct orr_import_study *study = context;
    const struct orr_launch *launch = &study->launch;
    if (study->what != NULL) {
        orr_print(out, "%s: %s\n", study->file_name, study->what);
        if (study->where != NULL) {
            orr_print(out, "  %s\n", study->where);
        }
        return ferror(out) != 0 ? 1 : 0;
    }
    for (size_t i = 0; i < launch->files; i++) {
        orr_print(out, "%s: %s\n", launch->file[i].name, launch->file[i].what);
        print_keys(out, "  not understood:", launch->file[i].not_understood,
                   launch->file[i].not_understoods);
    }
    if (launch->has_shape) {
        (void)fputc('\n', out);
        orr_result_lines(out, &orr_import_model_results, study, LABEL_WIDTH);
    }
    print_values(out, launch);
    const char *why = orr_import_not_generated(study);
    if (why != NULL) {
        (void)fprintf(out, "\n%s\n", why);
    }
    return ferror(out) != 0 ? 1 : 0;
}

/* ---- JSON ---- */

static json_t *keys_array(const char *const *key, size_t count)
{
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++) {
        (void)json_array_append_new(list, orr_json_text(key[i]));
    }
    return list;
}

static json_t *files_array(const struct orr_launch *launch)
{
    json_t *list = json_array();
    for (size_t i = 0; i < launch->files; i++) {
        const struct orr_launch_file *file = &launch->file[i];
        json_t *object = json_object();
        (void)json_object_set_new(object, "file", orr_json_text(file->name));
        (void)json_object_set_new(object, "kind", json_string(file->kind));
        (void)json_object_set_new(object, "understood",
                                  keys_array(file->understood, file->understoods));
        (void)json_object_set_new(object, "not_understood",
                                  keys_array(file->not_understood, file->not_understoods));
        (void)json_array_append_new(list, object);
    }
    return list;
}

static json_t *contradictions_array(const struct orr_launch *launch)
{
    json_t *list = json_array();
    for (size_t i = 0; i < launch->contradictions; i++) {
        json_t *object = json_object(), *a = json_object(), *b = json_object();
        orr_result_add_json(a, &orr_import_value_results, &launch->contradiction[i].a);
        orr_result_add_json(b, &orr_import_value_results, &launch->contradiction[i].b);
        (void)json_object_set_new(object, "a", a);
        (void)json_object_set_new(object, "b", b);
        (void)json_array_append_new(list, object);
    }
    return list;
}

int orr_import_json(FILE *out, const void *context)
{
    const struct orr_import_study *study = context;
    const struct orr_launch *launch = &study->launch;
    json_t *root = json_object(), *values = json_array();
    (void)json_object_set_new(
        root, "kind", json_string(study->what != NULL ? study->what : launch->file[0].kind));
    if (study->where != NULL) {
        (void)json_object_set_new(root, "advice", json_string(study->where));
    }
    (void)json_object_set_new(root, "files", files_array(launch));
    if (launch->has_shape) {
        json_t *model = json_object();
        orr_result_add_json(model, &orr_import_model_results, study);
        (void)json_object_set_new(root, "model", model);
    }
    for (size_t i = 0; i < launch->values; i++) {
        orr_result_append_json(values, &orr_import_value_results, &launch->value[i]);
    }
    (void)json_object_set_new(root, "values", values);
    (void)json_object_set_new(root, "contradictions", contradictions_array(launch));
    return orr_json_write_and_free(root, out);
}

int orr_import_csv(FILE *out, const void *context)
{
    const struct orr_launch *launch = &((const struct orr_import_study *)context)->launch;
    orr_result_csv_head(out, &orr_import_value_results);
    (void)fputc('\n', out);
    for (size_t i = 0; i < launch->values; i++) {
        orr_result_csv_line(out, &orr_import_value_results, &launch->value[i]);
        (void)fputc('\n', out);
    }
    return ferror(out) != 0 ? 1 : 0;
}
