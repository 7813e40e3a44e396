/* What files are that are no configuration, or not the one that was asked for; see conf_foreign.c.
 */
#ifndef ORR_CORE_CONF_CONF_FOREIGN_H
#define ORR_CORE_CONF_CONF_FOREIGN_H

#include "core/diag.h"

enum { ORR_FOREIGN_KEYS = 3 };

struct orr_foreign {
    const char *key[ORR_FOREIGN_KEYS]; /* all of these at the top of a mapping */
    const char *owner; /* whose readers take it, as their messages call it; or NULL */
    const char *what, *where;
};

/* The index-th; NULL behind the last. */
const struct orr_foreign *orr_foreign_by_keys(size_t index);

/* Fails: the file is `what`, not `expected`, and belongs to `where` (NULL: inputs that ship). */
enum orr_status orr_foreign_tell(const char *path, const char *what, const char *where,
                                 const char *expected, struct orr_diag *diag);

#endif
