/* What the files of this room share: a part of each kind as an entry of its list. */
#ifndef ORR_SIM_EXTEND_PRIVATE_H
#define ORR_SIM_EXTEND_PRIVATE_H

#include "core/diag.h"
#include "core/extensions.h"
#include "orrery/extend.h"

/* Make the entry of a part, which lives as long as the process. `slot`: its index among the parts
 * of its kind. NULL: out of memory. */
void *orr_outside_backend_create(const struct orrery_backend *given, size_t slot);
void *orr_outside_controller_create(const struct orrery_controller *given, size_t slot);
void *orr_outside_collective_create(const struct orrery_collective *given, size_t slot);

/* Proves the programs of a collective, an entry of its list, for 1 to `ranks` ranks, all kinds that
 * it supports, and some roots. O(ranks^2) messages each, more of an all-to-all. */
enum orr_status orr_outside_collective_prove(const void *entry, uint32_t ranks,
                                             struct orr_diag *diag);

/* The extension that a shared object defines. The object stays loaded. */
enum orr_status orr_plugin_open(const char *file, const struct orrery_extension **out,
                                struct orr_diag *diag);

/* Adds the parts of an extension; `source` names it in messages. */
enum orr_status orr_extension_add_parts(const struct orrery_extension *extension,
                                        const char *source, struct orr_diag *diag);

/* Ends a call of the API: the message goes to `error` [bytes], which may be NULL. */
enum orrery_status orr_extend_finish(const struct orr_diag *diag, char *error, size_t bytes);

#endif
