/* Base of public API objects other than simulations: an arena, and the last error. */
#ifndef ORR_SIM_API_OBJECT_H
#define ORR_SIM_API_OBJECT_H

#include <stdio.h>

#include "core/diag.h"
#include "orrery/orrery.h"

struct orr_arena;

/* The first member of such a struct. */
struct orr_object {
    struct orr_arena *arena;
    struct orr_diag diag; /* of the running call */
    char *text;           /* the last text of orr_object_text */
    char error[ORR_DIAG_MESSAGE_BYTES + ORR_DIAG_FILE_BYTES + 64];
};

/* Allocates an object of `bytes`, zeroed except for this base; NULL: out of memory. Freeing NULL is
 * fine. */
void *orr_object_new(size_t bytes);
void orr_object_free(struct orr_object *object);

/* Resets the arena; false: out of memory, with the diagnostic set. */
bool orr_object_clear(struct orr_object *object);

void orr_object_on_warning(struct orr_object *object, void (*warn)(void *user, const char *text),
                           void *user);

/* Ends a call: keeps the error, and returns the status. */
enum orrery_status orr_object_finish(struct orr_object *object, enum orr_status status);

/* The error of the last failed call; for NULL an error of its own. */
const char *orr_object_error(const struct orr_object *object);

/* Fails if a struct of the caller is NULL, or its first member, its size, is not `expected`. */
enum orr_status orr_check_caller_struct(const char *name, const size_t *size, size_t expected,
                                        struct orr_diag *diag);

/* Fails if the stream has an error. */
enum orr_status orr_check_written(FILE *out, struct orr_diag *diag);

/* The output of `write` as a text, valid until the next one; NULL: error. */
const char *orr_object_text(struct orr_object *object,
                            enum orr_status (*write)(FILE *out, void *context), void *context);

#endif
