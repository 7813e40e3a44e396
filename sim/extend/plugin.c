/* Shared objects with parts. The loader of the system keeps what is loaded: a file that is loaded
 * again is the same object, whose parts are there already. */
#define _GNU_SOURCE /* secure_getenv */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "core/arena.h"
#include "sim/extend/extend_private.h"

enum orr_status orr_plugin_open(const char *file, const struct orrery_extension **out,
                                struct orr_diag *diag)
{
    const bool is_path = strchr(file, '/') != NULL;
    char *path = is_path ? orr_heap_strdup(file) : orr_heap_alloc(strlen(file) + 3);
    if (path == NULL) {
        return orr_diag_no_memory(diag, "the name of a plugin");
    }
    if (!is_path) { /* a name alone would be looked for in the folders of the system */
        (void)strcat(strcpy(path, "./"), file);
    }
    void *object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    orr_heap_free(path);
    if (object == NULL) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL, "%s: cannot be loaded: %s", file,
                             dlerror());
    }
    *out = dlsym(object, "orrery_plugin");
    if (*out == NULL) {
        (void)dlerror(); /* the C library gives up its message with the call behind the first */
        (void)dlerror();
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                             "%s: it defines no `orrery_plugin` (orrery/extend.h)", file);
    }
    return ORR_OK;
}

/* Whether the first part of the extension is there: of an extension, all are or none. */
static bool is_added(const struct orrery_extension *extension)
{
    const void *name = extension->backends != 0      ? extension->backend[0].name
                       : extension->controllers != 0 ? extension->controller[0].name
                       : extension->collectives != 0 ? extension->collective[0].name
                                                     : NULL;
    bool found = false;
    for (unsigned kind = 0; kind < ORR_EXTENSION_KINDS; kind++) {
        for (size_t i = 0; i < orr_extension_count(kind); i++) {
            found = found || orr_extension_name(kind, i) == name;
        }
    }
    return found;
}

enum orrery_status orrery_load_plugin(const char *file, char *error, size_t bytes)
{
    const struct orrery_extension *extension = NULL;
    struct orr_diag diag;
    orr_diag_init(&diag);
    if (orr_plugin_open(file, &extension, &diag) == ORR_OK &&
        (extension->version != ORRERY_EXTEND_VERSION || !is_added(extension))) {
        (void)orr_extension_add_parts(extension, file, &diag);
    }
    return orr_extend_finish(&diag, error, bytes);
}

enum orrery_status orrery_load_plugins(char *error, size_t bytes)
{
    const char *given = secure_getenv("ORRERY_PLUGINS");
    char *files = orr_heap_strdup(given != NULL ? given : ""), *rest = NULL;
    enum orrery_status status = files != NULL ? ORRERY_OK : ORRERY_ERROR_MEMORY;
    for (char *file = files != NULL ? strtok_r(files, ":", &rest) : NULL;
         file != NULL && status == ORRERY_OK; file = strtok_r(NULL, ":", &rest)) {
        status = orrery_load_plugin(file, error, bytes);
    }
    orr_heap_free(files);
    return status;
}
