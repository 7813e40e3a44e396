/* The one configuration reader: YAML through libyaml, and so JSON too.
 *
 * A file becomes an immutable tree in an arena; every node knows its place and its key path. A
 * table of keys (struct orr_key) then says what a mapping may hold: from the same table come the
 * values, the messages about unknown, duplicate and missing keys, and the documentation. */
#ifndef ORR_CORE_CONF_CONF_H
#define ORR_CORE_CONF_CONF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/arena.h"
#include "core/diag.h"

struct orr_key;

enum orr_conf_kind { ORR_CONF_SCALAR, ORR_CONF_LIST, ORR_CONF_MAP };

struct orr_conf {
    enum orr_conf_kind kind;
    bool quoted;                   /* SCALAR: written in quotes, or as a block of text */
    unsigned level;                /* 1 in a composed file, 2 in what it includes, ...; else 0 */
    unsigned line, column;         /* 1-based */
    unsigned key_line, key_column; /* of the key before the value; 0: it has none */
    const char *file;
    const char *path;                   /* "network.dims[1].bandwidth"; "" at the root */
    const char *text;                   /* SCALAR */
    size_t count;                       /* LIST, MAP */
    const struct orr_conf *const *item; /* [count] values */
    const char *const *key;             /* [count], MAP */
    struct orr_arena *arena;            /* holds the node; NULL: made elsewhere */
    /* LIST: that of an included file in whose place it stands (orr_conf_load_composed), or NULL */
    const struct orr_conf *overridden;
};

/* Reads a file. Errors: cannot be opened or read (ORR_ERR_IO); larger than 64 MiB, not UTF-8, not
 * YAML, empty, duplicate keys, keys longer than 255 bytes, anchors, tags, several documents, nested
 * deeper than 64 levels, more than 2^21 values, a key path longer than 512 bytes (ORR_ERR_INPUT).
 * *root is set on success only. The tree lives in the arena. O(bytes). */
enum orr_status orr_conf_load(struct orr_arena *arena, const char *path,
                              const struct orr_conf **root, struct orr_diag *diag);

/* The same from memory; `name` is shown as the file. */
enum orr_status orr_conf_parse(struct orr_arena *arena, const char *data, size_t bytes,
                               const char *name, const struct orr_conf **root,
                               struct orr_diag *diag);

/* Reads a file together with the files that its key `include` names (one path or a list, relative
 * to the including file, or the names of files in the folder `library`, NULL: none), joined into
 * one tree. A value of the including file comes before those of the files that it includes; a value
 * that two of these set, and the including file does not, is an error that names both places; what
 * such a file has from files that it includes itself gives way to another's own value.
 * Mappings are joined key by key, lists are values; one that comes before another knows it, for
 * those that are joined by entry (orr_net_config_merge). Errors also: circles, more than 16 files
 * deep. */
enum orr_status orr_conf_load_composed(struct orr_arena *arena, const char *path,
                                       const char *library, const struct orr_conf **root,
                                       struct orr_diag *diag);

/* The union of two mappings; a value that both set is an error that names both places. */
enum orr_status orr_conf_merge(struct orr_arena *arena, const struct orr_conf *first,
                               const struct orr_conf *second, const struct orr_conf **out,
                               struct orr_diag *diag);

/* The tree with one value replaced or added: "network.dims[1].bandwidth=100GB/s". */
enum orr_status orr_conf_set(struct orr_arena *arena, const struct orr_conf *root,
                             const char *assignment, const struct orr_conf **out,
                             struct orr_diag *diag);

/* What a message says of a value that orr_conf_set set, without the option --set as its place: for
 * values that come from another one. Other messages as they are. */
const char *orr_conf_unset_message(const char *text);

/* The tree again, all of it in the arena: reading values may add to the arena of their nodes, so
 * trees that several threads read are copied by each. NULL when memory is out. O(values). */
const struct orr_conf *orr_conf_copy(struct orr_arena *arena, const struct orr_conf *root);

/* The value of a key of a mapping, or NULL. O(keys). */
const struct orr_conf *orr_conf_get(const struct orr_conf *map, const char *key);

/* The mapping with another value of the key, or without it (NULL). NULL: memory is out. O(keys). */
const struct orr_conf *orr_conf_with(struct orr_arena *arena, const struct orr_conf *map,
                                     const char *key, const struct orr_conf *value);

/* The path that a value names, relative to the value's own file. NULL when memory is out. */
const char *orr_conf_resolve_path(struct orr_arena *arena, const struct orr_conf *node);

struct orr_location orr_conf_location(const struct orr_conf *node);

/* The place of the key before the value; of the value where there is none. */
struct orr_location orr_conf_key_location(const struct orr_conf *node);

/* Warns that a key of the mapping (NULL: an empty one) does nothing where it stands, if it is
 * there: "FILE:LINE:COLUMN: warning: PATH has no effect: WHY". */
void orr_conf_warn_unused(const struct orr_conf *map, const char *key, const char *why,
                          struct orr_diag *diag);

/* The path that the value of such a key names (orr_key.path), as seen from here; NULL: it is none,
 * or reads so as it stands. */
const char *orr_conf_value_path(const struct orr_key *key, const struct orr_conf *node);

/* A text such as "1000_200 GB/s" as the list "1000 GB/s", "200 GB/s"; any other node as it is. The
 * list is in the node's arena. O(length). */
enum orr_status orr_conf_expand_shorthand(const struct orr_conf *node, const struct orr_conf **out,
                                          struct orr_diag *diag);

/* The value as one line of YAML, cut to `bytes`. Returns `text`. O(values written). */
char *orr_conf_format(const struct orr_conf *node, char *text, size_t bytes);

/* Fails with "FILE:LINE:COLUMN: PATH: expected WHAT, got FOUND". */
enum orr_status orr_conf_expected(const struct orr_conf *node, const char *what,
                                  struct orr_diag *diag);

/* Files of another kind, for readers that have refused one. Each fails with what the file is and
 * where it belongs ("x.json: this is a result of orrery run --json, not a sweep: ..."), or is
 * ORR_OK, when that is not known: from the keys of a mapping at the top of a file that is not for
 * the reader whose tables have this owner; from how the file begins, where `expected` names what it
 * should be. */
enum orr_status orr_conf_identify_map(const struct orr_conf *map, const char *owner,
                                      struct orr_diag *diag);
enum orr_status orr_conf_identify_file(const char *path, const char *expected,
                                       struct orr_diag *diag);

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
    ORR_KEY_NODE,      /* const struct orr_conf *: read by the caller */
    ORR_KEY_IGNORED    /* accepted with a warning; `doc` says why */
};

/* The target of a key that is a list. */
struct orr_conf_list {
    size_t count;
    const void *values; /* [count] of the C type of the key's type; in the tree's arena */
};

struct orr_key_table;

/* The index-th of further tables of keys of one mapping, NULL behind the last. */
typedef const struct orr_key_table *(*orr_key_parts_fn)(size_t index);

/* One key of a mapping: where its value goes, and what is known about it. The reader, its messages,
 * the JSON Schema, the reference of keys and `--explain` are all made from this. */
struct orr_key {
    const char *name;
    enum orr_key_type type;
    size_t offset; /* into the target struct */
    bool required;
    double low, high;           /* inclusive, in the base unit; both 0: any value >= 0 */
    const char *const *choices; /* CHOICE: ends with NULL */
    const char *default_text;   /* the default as it would be written; NULL: the struct's own */
    const char *example;        /* the whole line, for messages; NULL: made from the type */
    const char *doc;            /* one line */
    bool list;                  /* a list of `type`; the target is a struct orr_conf_list */
    size_t min, max;            /* list: how many entries, inclusive; most 0: any number */

    /* list: a value without brackets stands for a list of it; quantities may share their unit, as
     * in "1000_200_100 GB/s" */
    bool scalar_as_list;
    /* list of NODE: a text in place of the list may be all of it, one that begins like this up to
     * its colon: "totient:4" */
    const char *list_text;
    /* TEXT, or a text in place of the mapping: a file or folder, relative to the value's file */
    bool path;
    const char *only_with; /* a key of the mapping without which this one has no effect */
    bool merge_only;       /* read while files are joined, and gone after that */
    /* Results tell its value only where a file gives it, so that those of runs without it stay as
     * they were before there was the key (orr_conf_omitted_default). */
    bool output_if_given;
    /* TEXT: the index-th of the only values, of a registry as a rule; NULL behind the last. */
    const char *(*names)(size_t index);
    const char *absent; /* what holds without the key when there is no default: "no limit" */
    /* NODE: what the mapping, or each mapping of the list, holds. */
    const struct orr_key_table *table;
    const struct orr_key *each; /* NODE: a mapping of any names to values such as this key's */

    /* Rules between keys, which their readers check: a key of the mapping above that gives what
     * this one would; a key that makes this one needed, whatever its value but `not_for`. */
    const char *replaced_by;
    const char *needed_with, *not_for;

    /* An entry without a name: the keys of these tables belong to the mapping too. The target is a
     * `void *const *`, with a target for each of them. A key that several have is read into each,
     * and is the first one's to who looks at all keys. */
    orr_key_parts_fn parts;
};

/* The keys of one kind of mapping. */
struct orr_key_table {
    const char *owner; /* as messages name it: "the network section" */
    const struct orr_key *keys;
    size_t count;
    const char *const *one_of; /* exactly one of these keys is needed; ends with NULL; or NULL */
};

/* The index-th key of the mapping, those of parts included, each name once; NULL behind the last.
 * O(keys^2). */
const struct orr_key *orr_key_at(const struct orr_key_table *table, size_t index);

/* Whether the table itself has a key of that name. O(keys). */
const struct orr_key *orr_key_find(const struct orr_key_table *table, const char *name);

/* The values of a CHOICE, or of a TEXT with names: the index-th, NULL behind the last. */
const char *orr_key_name_at(const struct orr_key *key, size_t index);

/* Visits every key of the table and of the tables below it, each before those below it, with its
 * path: "network.dims[].bandwidth", "workload.groups.NAME". O(keys). */
typedef void (*orr_key_visit_fn)(void *context, const char *path, const struct orr_key_table *table,
                                 const struct orr_key *key);
void orr_keys_visit(const struct orr_key_table *table, orr_key_visit_fn visit, void *context);

/* Reads a mapping (NULL: an empty one) into a struct by its table. Keys not given take their
 * fallback, when there is one (that of a NODE is for documentation only). Reports unknown keys with
 * the nearest known one or, when none is near and they are at most 12, the valid ones; missing keys
 * with an example; values of a wrong type or out of range. `owner` names the kind of file for
 * messages, e.g. "a network file". On an error the target is partly filled. A fallback that its own
 * key refuses is ORR_ERR_INTERNAL. O(given x known). */
enum orr_status orr_conf_read(const struct orr_conf *map, const char *owner,
                              const struct orr_key *keys, size_t count, void *target,
                              struct orr_diag *diag);

/* Reads one value, or one list, as a key of a table would: uses type, low, high, choices, list,
 * least and most. `out` points to the C type of the key's type, or to a struct orr_conf_list. */
enum orr_status orr_conf_value(const struct orr_conf *node, const struct orr_key *key, void *out,
                               struct orr_diag *diag);

/* Whether the value is a text in place of the key's list (orr_key.words). */
bool orr_conf_is_list_text(const struct orr_conf *node, const struct orr_key *key);

/* `NAME: EXAMPLE`, as a file could say it: the key's own example, or one made from its type.
 * Returns `text`, cut to `bytes`. */
char *orr_key_example(const struct orr_key *key, char *text, size_t bytes);

/* Tells, for every key of the table and of those below it, the value in force and where it comes
 * from: "FILE:LINE", "command line" or "default". `map` may be NULL: all defaults. */
typedef void (*orr_conf_explain_fn)(void *context, const char *path, const char *value,
                                    const char *origin);
/* The origin, by its address, of a default that results leave out (output_if_given). */
extern const char orr_conf_omitted_default[];
void orr_conf_explain(const struct orr_conf *map, const struct orr_key_table *table,
                      orr_conf_explain_fn emit, void *context);

/* Writes the mapping as a file that gives the same values, with their origins as comments; so are
 * the defaults of mappings that are given, where they tell something. Paths are as seen from here.
 * `put` is handed the text in pieces. */
typedef void (*orr_conf_emit_fn)(void *context, const char *text);
void orr_conf_write(const struct orr_conf *map, const struct orr_key_table *table,
                    orr_conf_emit_fn put, void *context);

/* Single values; the error names path, place and what was expected, and *out is then unchanged.
 * Numbers may stand in quotes. A text is any scalar but an absent one (`key:` and nothing more); a
 * choice is the index of the text in `choices`, which ends with NULL. */
enum orr_status orr_conf_integer(const struct orr_conf *node, int64_t low, int64_t high,
                                 int64_t *out, struct orr_diag *diag);
enum orr_status orr_conf_number(const struct orr_conf *node, double low, double high, double *out,
                                struct orr_diag *diag);
enum orr_status orr_conf_text(const struct orr_conf *node, const char **out, struct orr_diag *diag);
enum orr_status orr_conf_bool(const struct orr_conf *node, bool *out, struct orr_diag *diag);
enum orr_status orr_conf_choice(const struct orr_conf *node, const char *const *choices,
                                unsigned *out, struct orr_diag *diag);
enum orr_status orr_conf_time(const struct orr_conf *node, int64_t *out_ps, struct orr_diag *diag);
enum orr_status orr_conf_bytes(const struct orr_conf *node, uint64_t *out, struct orr_diag *diag);
enum orr_status orr_conf_bandwidth(const struct orr_conf *node, double *out_bytes_per_s,
                                   struct orr_diag *diag);
enum orr_status orr_conf_rate(const struct orr_conf *node, double *out_per_s,
                              struct orr_diag *diag);

#endif
