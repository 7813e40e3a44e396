/* What objects of the public interface share that are no simulations: an arena, and what is wrong.
 */
#ifndef ORR_SIM_API_OBJECT_H
#define ORR_SIM_API_OBJECT_H

#include <stdio.h>

#include "core/core.h"
#include "orrery/orrery.h"

/* The first member of such a struct. */
struct orr_object {
    struct orr_arena *arena;
    struct orr_diag diag; /* of the call that is running */
    char *text;           /* the last that orr_object_text made */
    char error[ORR_DIAG_MESSAGE_BYTES + ORR_DIAG_FILE_BYTES + 64];
};

/* Of so many bytes, zeroed but for this; NULL when memory is out. NULL can be freed. */
void *orr_object_new(size_t bytes);
void orr_object_free(struct orr_object *object);

/* Drops all that the arena holds; false when memory is out, which the diagnostic then tells. */
bool orr_object_clear(struct orr_object *object);

void orr_object_on_warning(struct orr_object *object, void (*warn)(void *user, const char *text),
                           void *user);

/* The end of a call: keeps what is wrong, and returns the status. */
enum orrery_status orr_object_finish(struct orr_object *object, enum orr_status status);

/* What was wrong with the last call that failed; of NULL that it is none. */
const char *orr_object_error(const struct orr_object *object);

/* Fails when a struct of the caller, NULL or with its size in front, is of another interface. */
enum orr_status orr_check_caller_struct(const char *name, const size_t *size, size_t expected,
                                        struct orr_diag *diag);

/* Fails when nothing more can be written. */
enum orr_status orr_check_written(FILE *out, struct orr_diag *diag);

/* What `write` writes, as a text of the object's until the next one; NULL on an error. */
const char *orr_object_text(struct orr_object *object,
                            enum orr_status (*write)(FILE *out, void *context), void *context);

#endif
