/* igraph, loaded on first use: see igraph_calls.h. It stays loaded. */
#include "network/routing/igraph_calls.h"

#include "core/diag.h"
#include "core/library_lock.h"

#include <dlfcn.h>
#include <string.h>

/* ISO C cannot convert an object pointer to a function pointer; POSIX can. */
static bool find(void *library, const char *name, void *call, size_t bytes)
{
    void *address = dlsym(library, name);
    memcpy(call, &address, bytes);
    return address != NULL;
}

enum orr_status orr_igraph_calls_load(struct igraph_calls *out, struct orr_diag *diag)
{
    void *library = dlopen(ORR_IGRAPH_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    bool found = library != NULL;
#define IGRAPH_FIND(name)                                                                          \
    found = found && find(library, "igraph_" #name, &out->name, sizeof out->name);
    IGRAPH_CALLS(IGRAPH_FIND)
#undef IGRAPH_FIND
    if (!found) {
        const char *why = dlerror();
        return orr_diag_fail(diag, ORR_ERR_IO, NULL, "igraph is needed and cannot be loaded: %s",
                             why == NULL ? ORR_IGRAPH_LIBRARY : why);
    }
    return ORR_OK;
}

struct igraph_handlers orr_igraph_calls_quiet(const struct igraph_calls *calls)
{
    orr_library_lock();
    return (struct igraph_handlers){.error = calls->set_error_handler(calls->error_handler_ignore),
                                    .warning =
                                        calls->set_warning_handler(calls->warning_handler_ignore)};
}

void orr_igraph_calls_loud(const struct igraph_calls *calls, struct igraph_handlers handlers)
{
    (void)calls->set_error_handler(handlers.error);
    (void)calls->set_warning_handler(handlers.warning);
    orr_library_unlock();
}
