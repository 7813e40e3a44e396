/* The one configuration reader: YAML through libyaml, and so JSON too.
 *
 * A file becomes an immutable tree in an arena; every node knows its place and its key path. A
 * table of keys (struct orr_key) then says what a mapping may hold: from the same table come the
 * values, the messages about unknown, duplicate and missing keys, and the documentation. */
#ifndef ORR_CORE_CONF_H
#define ORR_CORE_CONF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/arena.h"
#include "core/diag.h"

enum orr_conf_kind { ORR_CONF_SCALAR, ORR_CONF_LIST, ORR_CONF_MAP };

struct orr_conf {
    enum orr_conf_kind kind;
    bool quoted;           /* SCALAR: written in quotes, so it is text */
    unsigned line, column; /* 1-based */
    const char *file;
    const char *path;                   /* "network.dims[1].bandwidth"; "" at the root */
    const char *text;                   /* SCALAR */
    size_t count;                       /* LIST, MAP */
    const struct orr_conf *const *item; /* [count] values */
    const char *const *key;             /* [count], MAP */
};

/* Reads a file. Errors: cannot be opened, larger than 64 MiB, not YAML, duplicate keys, anchors,
 * several documents, nested deeper than 64. The tree lives in the arena. */
enum orr_status orr_conf_load(struct orr_arena *arena, const char *path,
                              const struct orr_conf **root, struct orr_diag *diag);

/* The same from memory; `name` is shown as the file. */
enum orr_status orr_conf_parse(struct orr_arena *arena, const char *data, size_t bytes,
                               const char *name, const struct orr_conf **root,
                               struct orr_diag *diag);

/* Reads a file together with the files that its key `include` names (one path or a list, relative
 * to the including file), joined into one tree. Errors: circles, a value that two files set. */
enum orr_status orr_conf_load_composed(struct orr_arena *arena, const char *path,
                                       const struct orr_conf **root, struct orr_diag *diag);

/* The union of two mappings; a value that both set is an error that names both places. */
enum orr_status orr_conf_merge(struct orr_arena *arena, const struct orr_conf *first,
                               const struct orr_conf *second, const struct orr_conf **out,
                               struct orr_diag *diag);

/* The tree with one value replaced or added: "network.dims[1].bandwidth=100GB/s". */
enum orr_status orr_conf_set(struct orr_arena *arena, const struct orr_conf *root,
                             const char *assignment, const struct orr_conf **out,
                             struct orr_diag *diag);

/* The value of a key of a mapping, or NULL. O(keys). */
const struct orr_conf *orr_conf_get(const struct orr_conf *map, const char *key);

struct orr_place orr_conf_place(const struct orr_conf *node);

/* Fails with "FILE:LINE:COLUMN: PATH: expected WHAT, got FOUND". */
enum orr_status orr_conf_expected(const struct orr_conf *node, const char *what,
                                  struct orr_diag *diag);

enum orr_key_type {
    ORR_KEY_TEXT,      /* const char * */
    ORR_KEY_BOOL,      /* bool: true, false, 0 or 1 */
    ORR_KEY_INTEGER,   /* int64_t in [low, high] */
    ORR_KEY_NUMBER,    /* double in [low, high], no unit */
    ORR_KEY_TIME,      /* sim_time, with a unit */
    ORR_KEY_BYTES,     /* uint64_t, with a unit */
    ORR_KEY_BANDWIDTH, /* double, bytes/s, with a unit */
    ORR_KEY_RATE,      /* double, operations/s, with a unit */
    ORR_KEY_CHOICE,    /* unsigned: index into `choices` */
    ORR_KEY_NODE,      /* const struct orr_conf *: read by the caller */
    ORR_KEY_IGNORED    /* accepted with a warning; `doc` says why */
};

/* One key of a mapping: where its value goes, and what is known about it. */
struct orr_key {
    const char *name;
    enum orr_key_type type;
    size_t offset; /* into the target struct */
    bool required;
    double low, high;           /* INTEGER, NUMBER: inclusive; both 0: any value >= 0 */
    const char *const *choices; /* CHOICE: ends with NULL */
    const char *fallback;       /* the default as it would be written; NULL: the struct's own */
    const char *example;        /* for messages; NULL: made from the type */
    const char *doc;            /* one line */
};

/* Reads a mapping into a struct by its table. Keys not given take their default. Reports unknown
 * keys with the nearest known one, missing keys with an example, values of a wrong type or out of
 * range. `owner` names the kind of file for messages, e.g. "a network file". O(given x known). */
enum orr_status orr_conf_read(const struct orr_conf *map, const char *owner,
                              const struct orr_key *keys, size_t count, void *target,
                              struct orr_diag *diag);

/* Tells, for every key of the table, the value in force and where it comes from: "FILE:LINE",
 * "command line" or "default". `map` may be NULL: all defaults. */
typedef void (*orr_conf_explain_fn)(void *context, const char *path, const char *value,
                                    const char *origin);
enum orr_status orr_conf_explain(const struct orr_conf *map, const char *path,
                                 const struct orr_key *keys, size_t count, orr_conf_explain_fn emit,
                                 void *context);

/* Single values; the error names path, place and what was expected. */
enum orr_status orr_conf_integer(const struct orr_conf *node, int64_t low, int64_t high,
                                 int64_t *out, struct orr_diag *diag);
enum orr_status orr_conf_number(const struct orr_conf *node, double low, double high, double *out,
                                struct orr_diag *diag);
enum orr_status orr_conf_text(const struct orr_conf *node, const char **out, struct orr_diag *diag);

#endif
