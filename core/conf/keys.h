/* Tables of keys: the keys of a mapping, where their values go, and what is said of them. */
#ifndef ORR_CORE_CONF_KEYS_H
#define ORR_CORE_CONF_KEYS_H

#include <stdbool.h>
#include <stddef.h>

#include "core/status.h"

enum orr_key_type {
    ORR_KEY_TEXT,      /* const char *; with `names` one of these */
    ORR_KEY_BOOL,      /* bool: true, false, 0 or 1 */
    ORR_KEY_INTEGER,   /* int64_t in [low, high] */
    ORR_KEY_NUMBER,    /* double in [low, high], no unit */
    ORR_KEY_TIME,      /* sim_time, with a unit; low and high in ps */
    ORR_KEY_BYTES,     /* uint64_t, with a unit */
    ORR_KEY_BANDWIDTH, /* double, bytes/s, with a unit */
    ORR_KEY_RATE,      /* double, operations/s, with a unit */
    ORR_KEY_CHOICE,    /* unsigned: index into `choices` */
    ORR_KEY_NODE,      /* const struct orr_conf *: the caller reads it */
    ORR_KEY_IGNORED    /* accepted with a warning; `doc` says why */
};

/* Target of a list key. */
struct orr_conf_list {
    size_t count;
    const void *values; /* [count] of the C type of the key's type; in the tree's arena */
};

struct orr_key_table;

/* The index-th additional key table of a mapping; NULL after the last. */
typedef const struct orr_key_table *(*orr_key_parts_fn)(size_t index);

/* One key of a mapping: its target and its description. The reader, its messages, the JSON Schema,
 * the reference of keys and `--explain` are generated from this. */
struct orr_key {
    /* ---- what is read, and where to (conf_read.c) ---- */
    const char *name;
    enum orr_key_type type;
    size_t offset; /* into the target struct */
    bool required;
    double low, high;           /* inclusive, in the base unit; both 0: any value >= 0 */
    const char *const *choices; /* CHOICE: ends with NULL */
    /* TEXT: the index-th allowed value, usually of a registry; NULL after the last. */
    const char *(*names)(size_t index);
    /* NODE: key table of the mapping, or of each mapping of the list. */
    const struct orr_key_table *table;
    const struct orr_key *each; /* NODE: a mapping of arbitrary names to values of this key */
    /* An entry without a name: the keys of these tables also belong to the mapping. The target is a
     * `void *const *` with one target per table. A key of several tables is read into each; lookups
     * return the first one. */
    orr_key_parts_fn parts;
    struct {                      /* ---- words: messages, schema, reference, --explain ---- */
        const char *default_text; /* the default as written; NULL: the struct's own */
        const char *example;      /* a complete line, for messages; NULL: generated from the type */
        const char *doc;          /* one line */
        const char *absent;       /* behaviour without the key if there is no default: "no limit" */
    };
    struct {             /* ---- lists (conf_value.c) ---- */
        bool list;       /* a list of `type`; the target is a struct orr_conf_list */
        size_t min, max; /* min and max entries, inclusive; max 0: unlimited */
        /* a scalar is accepted as a list of one; quantities may share a unit: "1000_200 GB/s" */
        bool scalar_as_list;
        /* list of NODE: a text in place of the list may be all of it, one of these words, or that
         * begins like one of them up to its colon: "own, totient:4" */
        const char *list_text;
    };
    struct { /* ---- files: merged, and written back (conf_write.c) ---- */
        /* TEXT, or a text instead of the mapping: a file or folder, relative to the value's file */
        bool path;
        bool merge_only; /* read while files are merged and removed afterwards */
        /* Results output the value only if a file gives it, so that results of older files do not
         * change (orr_conf_omitted_default). */
        bool output_if_given;
    };
    struct {                     /* ---- relations of keys, checked by their readers ---- */
        const char *only_with;   /* key of the mapping without which this one has no effect */
        const char *replaced_by; /* a key of the parent mapping that gives what this one would */
        const char *needed_with, *not_for; /* a key that makes this one required unless its value is
                                              `not_for` */
    };
};

/* The keys of one kind of mapping. */
struct orr_key_table {
    const char *owner; /* name in messages: "the network section" */
    const struct orr_key *keys;
    size_t count;
    const char *const *one_of; /* exactly one of these keys is needed; ends with NULL; or NULL */
};

/* The index-th key of the mapping, including parts, each name once; NULL after the last.
 * O(keys^2). */
const struct orr_key *orr_key_at(const struct orr_key_table *table, size_t index);

/* The key of that name in the table itself, without parts, or NULL. O(keys). */
const struct orr_key *orr_key_find(const struct orr_key_table *table, const char *name);

/* The index-th value of a CHOICE, or of a TEXT with names; NULL after the last. */
const char *orr_key_name_at(const struct orr_key *key, size_t index);

/* Visits every key of the table and, after it, of the tables below it, with its path:
 * "network.dims[].bandwidth", "workload.groups.NAME". O(keys). */
typedef void (*orr_key_visit_fn)(void *context, const char *path, const struct orr_key_table *table,
                                 const struct orr_key *key);
void orr_keys_visit(const struct orr_key_table *table, orr_key_visit_fn visit, void *context);

#endif
