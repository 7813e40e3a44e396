/* Base of public API objects; see api_object.h. */
#include "sim/api_object.h"

#include <errno.h>
#include <string.h>

#include "core/conf/conf.h"
#include "sim/api_call.h"

void *orr_object_new(size_t bytes)
{
    struct orr_object *object = orr_heap_calloc(1, bytes);
    struct orr_arena *arena = object != NULL ? orr_arena_create() : NULL;
    if (arena == NULL) {
        orr_heap_free(object);
        return NULL;
    }
    object->arena = arena;
    orr_diag_init(&object->diag);
    return object;
}

void orr_object_free(struct orr_object *object)
{
    if (object != NULL) {
        orr_arena_destroy(object->arena);
        orr_heap_free(object->text);
        orr_heap_free(object);
    }
}

bool orr_object_clear(struct orr_object *object)
{
    struct orr_arena *arena = orr_arena_create();
    if (arena == NULL) {
        (void)orr_diag_no_memory(&object->diag, "what is read");
        return false;
    }
    orr_arena_destroy(object->arena);
    object->arena = arena;
    return true;
}

void orr_object_on_warning(struct orr_object *object, void (*warn)(void *user, const char *text),
                           void *user)
{
    if (object != NULL) {
        object->diag.warn = warn;
        object->diag.warn_user = user;
    }
}

enum orrery_status orr_object_finish(struct orr_object *object, enum orr_status status)
{
    if (status != ORR_OK) {
        (void)orr_conf_render_error(&object->diag, object->error, sizeof object->error);
    }
    object->diag.status = ORR_OK;
    return (enum orrery_status)status;
}

const char *orr_object_error(const struct orr_object *object)
{
    return object != NULL ? object->error : "there is no such object: the handle is NULL";
}

enum orr_status orr_check_caller_struct(const char *name, const size_t *size, size_t expected,
                                        struct orr_diag *diag)
{
    if (size == NULL) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL, "expected a struct %s, got NULL", name);
    }
    return orr_check_struct(name, *size, expected, diag);
}

enum orr_status orr_check_written(FILE *out, struct orr_diag *diag)
{
    errno = 0;
    return fflush(out) == 0 && ferror(out) == 0
               ? ORR_OK
               : orr_diag_fail(diag, ORR_ERR_IO, NULL, "nothing more can be written: %s",
                               errno != 0 ? strerror(errno) : "an earlier error of the stream");
}

const char *orr_object_text(struct orr_object *object,
                            enum orr_status (*write)(FILE *out, void *context), void *context)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    enum orr_status status =
        out != NULL ? write(out, context) : orr_diag_no_memory(&object->diag, "a text");
    if (out != NULL && fclose(out) != 0 && status == ORR_OK) {
        status = orr_diag_no_memory(&object->diag, "a text");
    }
    if (orr_object_finish(object, status) != ORRERY_OK) {
        orr_heap_free(text);
        return NULL;
    }
    orr_heap_free(object->text);
    object->text = text;
    return text;
}
