/* The functions of igraph used here. igraph and its dependencies take longer to load than most
 * runs, so they are loaded on first use. Its state is global: one thread at a time
 * (orr_library_lock). */
#ifndef ORR_NETWORK_ROUTING_IGRAPH_CALLS_H
#define ORR_NETWORK_ROUTING_IGRAPH_CALLS_H

#include <igraph.h>

#include "core/status.h"

struct orr_diag;

#define IGRAPH_CALLS(call)                                                                         \
    call(vector_view) call(vector_int_view) call(vector_int_size) call(vector_int_list_init)       \
        call(vector_int_list_destroy) call(vector_int_list_size) call(vector_int_list_get_ptr)     \
            call(create) call(destroy) call(get_k_shortest_paths) call(maxflow_value)              \
                call(set_error_handler) call(error_handler_ignore) call(set_warning_handler)       \
                    call(warning_handler_ignore)

struct igraph_calls {
#define IGRAPH_DECLARE(name) __typeof__(igraph_##name) *name;
    IGRAPH_CALLS(IGRAPH_DECLARE)
#undef IGRAPH_DECLARE
};

/* Loads igraph. Error: the library is missing or lacks one of the functions. */
enum orr_status orr_igraph_calls_load(struct igraph_calls *out, struct orr_diag *diag);

/* Makes igraph return error codes instead of printing and aborting. Returns the previous handlers,
 * for orr_igraph_calls_loud. */
struct igraph_handlers {
    igraph_error_handler_t *error;
    igraph_warning_handler_t *warning;
};
struct igraph_handlers orr_igraph_calls_quiet(const struct igraph_calls *calls);
void orr_igraph_calls_loud(const struct igraph_calls *calls, struct igraph_handlers handlers);

#endif
