/* The shipped inputs; see inputs_report.h and include/orrery/inputs.h. */
#include <string.h>

#include "core/arena.h"
#include "orrery/orrery.h"
#include "report/inputs_report.h"
#include "report/table_text.h"

static const char *const kinds[ORR_SHIPPED_KINDS] = {"platforms", "workloads", "models", "plans"};

struct orrery_catalogue *orrery_catalogue_new(void)
{
    return orr_object_new(sizeof(struct orrery_catalogue));
}

void orrery_catalogue_free(struct orrery_catalogue *catalogue)
{
    orr_object_free(catalogue != NULL ? &catalogue->object : NULL);
}

const char *orrery_catalogue_error(const struct orrery_catalogue *catalogue)
{
    return orr_object_error(catalogue != NULL ? &catalogue->object : NULL);
}

/* ---- by name ---- */

const char *orrery_inputs_folder(struct orrery_catalogue *catalogue)
{
    if (catalogue == NULL) {
        return NULL;
    }
    orr_inputs_library(catalogue->folder);
    return catalogue->folder[0] != '\0' ? catalogue->folder : NULL;
}

/* The index of a kind; ORR_SHIPPED_KINDS: none, and the diagnostic is filled. */
static unsigned kind_of(const char *kind, struct orr_diag *diag)
{
    unsigned i = 0;
    while (i < ORR_SHIPPED_KINDS && (kind == NULL || strcmp(kind, kinds[i]) != 0)) {
        i++;
    }
    if (i == ORR_SHIPPED_KINDS) {
        (void)orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                            "expected platforms, workloads, models or plans, got \"%s\"",
                            kind != NULL ? kind : "NULL");
    }
    return i;
}

const char *orrery_find_input(struct orrery_catalogue *catalogue, const char *kind,
                              const char *name)
{
    if (catalogue == NULL) {
        return NULL;
    }
    struct orr_diag *diag = &catalogue->object.diag;
    const char *found = NULL;
    enum orr_status status = kind_of(kind, diag) < ORR_SHIPPED_KINDS ? ORR_OK : ORR_ERR_INPUT;
    if (status == ORR_OK && name == NULL) {
        status =
            orr_diag_fail(diag, ORR_ERR_INPUT, NULL, "expected the name of an input, got NULL");
    }
    if (status == ORR_OK) {
        status = orr_find_input(kind, name, catalogue->found, &found, diag);
    }
    if (status == ORR_OK && found != catalogue->found) {
        found = orr_arena_strdup(catalogue->object.arena, found);
        status = found != NULL ? ORR_OK : orr_diag_no_memory(diag, "a path");
    }
    return orr_object_finish(&catalogue->object, status) == ORRERY_OK ? found : NULL;
}

bool orrery_shipped(struct orrery_catalogue *catalogue, const char *kind, size_t index,
                    struct orrery_shipped *out)
{
    if (catalogue == NULL) {
        return false;
    }
    struct orr_object *object = &catalogue->object;
    enum orr_status status = orr_check_caller_struct(
        "orrery_shipped", out != NULL ? &out->size : NULL, sizeof *out, &object->diag);
    const unsigned i = status == ORR_OK ? kind_of(kind, &object->diag) : ORR_SHIPPED_KINDS;
    struct orr_shipped_inputs *inputs = &catalogue->kind[i % ORR_SHIPPED_KINDS];
    status = i < ORR_SHIPPED_KINDS ? ORR_OK : ORR_ERR_INPUT;
    if (status == ORR_OK && inputs->input == NULL &&
        orr_shipped_inputs(object->arena, kind, inputs) != ORR_OK) {
        status = orr_diag_no_memory(&object->diag, "the list of inputs");
    }
    const bool there = orr_object_finish(object, status) == ORRERY_OK && index < inputs->count;
    if (there) {
        out->name = inputs->input[index].name;
        out->comment = inputs->input[index].comment;
    }
    return there;
}

/* ---- the list ---- */

static size_t list_kind(FILE *out, const char *kind, const struct orr_shipped_inputs *inputs)
{
    orr_print(out, "%s in %s:\n", kind, inputs->folder);
    for (size_t i = 0; i < inputs->count; i++) {
        orr_print(out, "  %-20s %s\n", inputs->input[i].name, inputs->input[i].comment);
    }
    return inputs->count;
}

enum orr_status orr_list_shipped(FILE *out, struct orr_diag *diag)
{
    struct orr_arena *arena = orr_arena_create();
    struct orr_shipped_inputs inputs = {.root = NULL};
    size_t count = 0;
    bool memory = arena != NULL;
    for (size_t i = 0; i < ORR_SHIPPED_KINDS && memory; i++) {
        memory = orr_shipped_inputs(arena, kinds[i], &inputs) == ORR_OK;
        count += memory ? list_kind(out, kinds[i], &inputs) : 0;
    }
    const enum orr_status status =
        !memory ? orr_diag_no_memory(diag, "the list of inputs")
        : count == 0
            ? orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                            "%s: no inputs here; ORRERY_INPUTS names another folder", inputs.root)
            : ORR_OK;
    orr_arena_destroy(arena);
    return status;
}

enum orrery_status orrery_write_inputs(struct orrery_catalogue *catalogue, FILE *out)
{
    if (catalogue == NULL) {
        return ORRERY_ERROR_INPUT;
    }
    enum orr_status status = orr_list_shipped(out, &catalogue->object.diag);
    if (status == ORR_OK) {
        status = orr_check_written(out, &catalogue->object.diag);
    }
    return orr_object_finish(&catalogue->object, status);
}
