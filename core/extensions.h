/* Parts from outside: entries that lists of exchangeable things have in addition to their own, for
 * the whole process. Entries are only added, and never go. */
#ifndef ORR_CORE_EXTENSIONS_H
#define ORR_CORE_EXTENSIONS_H

#include <stddef.h>

enum orr_extension_kind {
    ORR_EXTENSION_BACKEND,    /* struct net_ops */
    ORR_EXTENSION_CONTROLLER, /* struct net_circuits_ops */
    ORR_EXTENSION_COLLECTIVE, /* struct coll_algorithm */
    ORR_EXTENSION_KINDS
};

enum { ORR_MAX_EXTENSIONS = 8 }; /* of a kind */

/* Adding, by one thread at a time (orr_extensions_lock): an entry is placed at a slot behind those
 * that are there, tried, and published with all before it, or replaced later. Name and entry live
 * as long as the process once they are published. O(1). */
size_t orr_extension_count(enum orr_extension_kind kind);
void orr_extension_place(enum orr_extension_kind kind, size_t slot, const char *name, void *entry);
/* Takes an entry back that is not published; NULL: there is none. */
void *orr_extension_withdraw(enum orr_extension_kind kind, size_t slot);
void orr_extension_publish(enum orr_extension_kind kind, size_t count);

/* The entry of a slot, published or not: for functions of entries, which know their slot. O(1). */
const void *orr_extension_of_slot(enum orr_extension_kind kind, size_t slot);

/* The index-th entry of a kind, or its name; NULL behind the last. O(1). */
const void *orr_extension_at(enum orr_extension_kind kind, size_t index);
const char *orr_extension_name(enum orr_extension_kind kind, size_t index);

/* The entry of a name; NULL: there is none. O(entries). */
const void *orr_extension_find(enum orr_extension_kind kind, const char *name);

/* One thread at a time checks and adds. Not recursive. */
void orr_extensions_lock(void);
void orr_extensions_unlock(void);

#endif
