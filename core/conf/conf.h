/* The configuration reader: YAML through libyaml, and therefore JSON.
 *
 * A file becomes an immutable tree in an arena; every node knows its location and key path. A table
 * of keys (struct orr_key) describes a mapping; values, messages about unknown, duplicate and
 * missing keys, and the documentation all come from the same table. */
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
    unsigned key_line, key_column; /* of the key of the value; 0: none */
    const char *file;
    const char *path;                   /* "network.dims[1].bandwidth"; "" at the root */
    const char *text;                   /* SCALAR */
    size_t count;                       /* LIST, MAP */
    const struct orr_conf *const *item; /* [count] values */
    const char *const *key;             /* [count], MAP */
    struct orr_arena *arena;            /* arena of the node; NULL: not parsed */
    /* LIST: the list of an included file that this one overrides (orr_conf_load_composed), or
     * NULL */
    const struct orr_conf *overridden;
};

/* Reads a file. Errors: cannot be opened or read (ORR_ERR_IO); larger than 64 MiB, not UTF-8, not
 * YAML, empty, duplicate keys, keys longer than 255 bytes, anchors, tags, several documents, nested
 * deeper than 64 levels, more than 2^21 values, a key path longer than 512 bytes (ORR_ERR_INPUT).
 * *root is set on success only. The tree lives in the arena. O(bytes). */
enum orr_status orr_conf_load(struct orr_arena *arena, const char *path,
                              const struct orr_conf **root, struct orr_diag *diag);

/* The same from memory; `name` is the file name in messages. */
enum orr_status orr_conf_parse(struct orr_arena *arena, const char *data, size_t bytes,
                               const char *name, const struct orr_conf **root,
                               struct orr_diag *diag);

/* Reads a file and the files that its key `include` names (one path or a list, relative to the
 * including file, or names of files in the folder `library`; NULL: none), merged into one tree.
 * Mappings are merged key by key. A value of the including file overrides those of included files.
 * A value that two included files set and the including file does not is an error with both
 * locations, unless one of the two has it from a file that it includes itself: the direct value
 * wins. Lists are values; an overriding list keeps the overridden one (`overridden`) for lists that
 * are merged by entry (orr_net_config_merge). Errors also: include cycles, more than 16 levels. */
enum orr_status orr_conf_load_composed(struct orr_arena *arena, const char *path,
                                       const char *library, const struct orr_conf **root,
                                       struct orr_diag *diag);

/* The union of two mappings; a value in both is an error with both locations. */
enum orr_status orr_conf_merge(struct orr_arena *arena, const struct orr_conf *first,
                               const struct orr_conf *second, const struct orr_conf **out,
                               struct orr_diag *diag);

/* The tree with one value replaced or added: "network.dims[1].bandwidth=100GB/s". */
enum orr_status orr_conf_set(struct orr_arena *arena, const struct orr_conf *root,
                             const char *assignment, const struct orr_conf **out,
                             struct orr_diag *diag);

/* The message without a leading "--set": for values that orr_conf_set set on behalf of another
 * option. Other messages are returned unchanged. */
const char *orr_conf_unset_message(const char *text);

/* A deep copy in the arena. Reading values may allocate in the arena of their nodes, so each thread
 * reads its own copy. NULL when memory is out. O(values). */
const struct orr_conf *orr_conf_copy(struct orr_arena *arena, const struct orr_conf *root);

/* The value of a key of a mapping, or NULL. O(keys). */
const struct orr_conf *orr_conf_get(const struct orr_conf *map, const char *key);

/* A copy of the mapping with the key set to a value, or removed (NULL). NULL when memory is out.
 * O(keys). */
const struct orr_conf *orr_conf_with(struct orr_arena *arena, const struct orr_conf *map,
                                     const char *key, const struct orr_conf *value);

/* Resolves the path of a value relative to the value's file. NULL when memory is out. */
const char *orr_conf_resolve_path(struct orr_arena *arena, const struct orr_conf *node);

struct orr_location orr_conf_location(const struct orr_conf *node);

/* Location of the key of a value; of the value if it has no key. */
struct orr_location orr_conf_key_location(const struct orr_conf *node);

/* Warns "FILE:LINE:COLUMN: warning: PATH has no effect: WHY" if the mapping (NULL: empty) has the
 * key. */
void orr_conf_warn_unused(const struct orr_conf *map, const char *key, const char *why,
                          struct orr_diag *diag);

/* The path of a value (orr_key.path) relative to the working directory; NULL: no path, or
 * unchanged. */
const char *orr_conf_value_path(const struct orr_key *key, const struct orr_conf *node);

/* Expands a text such as "1000_200 GB/s" to the list "1000 GB/s", "200 GB/s", in the node's arena;
 * other nodes are returned unchanged. O(length). */
enum orr_status orr_conf_expand_shorthand(const struct orr_conf *node, const struct orr_conf **out,
                                          struct orr_diag *diag);

/* Formats the value as one line of YAML, cut to `bytes`. Returns `text`. O(values written). */
char *orr_conf_format(const struct orr_conf *node, char *text, size_t bytes);

/* Fails with "FILE:LINE:COLUMN: PATH: expected WHAT, got FOUND". */
enum orr_status orr_conf_expected(const struct orr_conf *node, const char *what,
                                  struct orr_diag *diag);

/* File type detection, after a reader has failed. Each fails with the type of the file and where it
 * belongs ("x.json: this is a result of orrery run --json, not a sweep: ..."), or returns ORR_OK if
 * the type is unknown. By the keys of a mapping at the top of a file that the reader whose tables
 * have this `owner` does not accept; by the first bytes of a file, where `expected` names what was
 * expected. */
enum orr_status orr_conf_identify_map(const struct orr_conf *map, const char *owner,
                                      struct orr_diag *diag);
enum orr_status orr_conf_identify_file(const char *path, const char *expected,
                                       struct orr_diag *diag);

/* Replaces an error of a reader of the file by what the file is, if it is another than expected. */
void orr_conf_name_wrong(const char *path, const char *expected, struct orr_diag *diag);

/* As orr_diag_render, for the last word of a command or call, whichever reader found the error:
 * says what the file is where that is of a format of other programs that nothing here reads. */
int orr_conf_render_error(const struct orr_diag *diag, char *text, size_t bytes);

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
    const char *name;
    enum orr_key_type type;
    size_t offset; /* into the target struct */
    bool required;
    double low, high;           /* inclusive, in the base unit; both 0: any value >= 0 */
    const char *const *choices; /* CHOICE: ends with NULL */
    const char *default_text;   /* the default as written; NULL: the struct's own */
    const char *example;        /* a complete line, for messages; NULL: generated from the type */
    const char *doc;            /* one line */
    bool list;                  /* a list of `type`; the target is a struct orr_conf_list */
    size_t min, max;            /* list: min and max entries, inclusive; max 0: unlimited */

    /* list: a scalar is accepted as a list of one; quantities may share a unit: "1000_200_100
     * GB/s" */
    bool scalar_as_list;
    /* list of NODE: a text in place of the list may be all of it, one of these words, or that
     * begins like one of them up to its colon: "own, totient:4" */
    const char *list_text;
    /* TEXT, or a text instead of the mapping: a file or folder, relative to the value's file */
    bool path;
    const char *only_with; /* key of the mapping without which this one has no effect */
    bool merge_only;       /* read while files are merged and removed afterwards */
    /* Results output the value only if a file gives it, so that results of older files do not
     * change (orr_conf_omitted_default). */
    bool output_if_given;
    /* TEXT: the index-th allowed value, usually of a registry; NULL after the last. */
    const char *(*names)(size_t index);
    const char *absent; /* behaviour without the key if there is no default: "no limit" */
    /* NODE: key table of the mapping, or of each mapping of the list. */
    const struct orr_key_table *table;
    const struct orr_key *each; /* NODE: a mapping of arbitrary names to values of this key */

    /* Relations of keys, checked by their readers: a key of the parent mapping that gives what this
     * one would; a key that makes this one required unless its value is `not_for`. */
    const char *replaced_by;
    const char *needed_with, *not_for;

    /* An entry without a name: the keys of these tables also belong to the mapping. The target is a
     * `void *const *` with one target per table. A key of several tables is read into each; lookups
     * return the first one. */
    orr_key_parts_fn parts;
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

/* Reads a mapping (NULL: empty) into a struct by its key table. Absent keys take their default, if
 * any (the default of a NODE is documentation only). Errors: unknown keys, with the nearest known
 * key or, if none is near and there are at most 14, the valid keys; missing keys, with an example;
 * values of a wrong type or out of range. `owner` names the kind of file in messages, e.g. "a
 * network file". On an error the target is partly filled. A default that its own key rejects is
 * ORR_ERR_INTERNAL. O(given x known). */
enum orr_status orr_conf_read(const struct orr_conf *map, const char *owner,
                              const struct orr_key *keys, size_t count, void *target,
                              struct orr_diag *diag);

/* Reads one value, or one list, by a key: uses type, low, high, choices, list, min and max. `out`
 * points to the C type of the key's type, or to a struct orr_conf_list. */
enum orr_status orr_conf_value(const struct orr_conf *node, const struct orr_key *key, void *out,
                               struct orr_diag *diag);

/* Whether the value is a text instead of the key's list (orr_key.list_text). */
bool orr_conf_is_list_text(const struct orr_conf *node, const struct orr_key *key);

/* `NAME: EXAMPLE` as in a file: the key's example, or one generated from its type. Returns `text`,
 * cut to `bytes`. */
char *orr_key_example(const struct orr_key *key, char *text, size_t bytes);

/* Reports, for every key of the table and of the tables below it, the value in force and its
 * origin: "FILE:LINE", "command line" or "default". `map` may be NULL: all defaults. */
typedef void (*orr_conf_explain_fn)(void *context, const char *path, const char *value,
                                    const char *origin);
/* Origin (compared by address) of a default that results omit (output_if_given). */
extern const char orr_conf_omitted_default[];
void orr_conf_explain(const struct orr_conf *map, const struct orr_key_table *table,
                      orr_conf_explain_fn emit, void *context);

/* Writes the mapping as a file that gives the same values, with their origins as comments;
 * non-trivial defaults of given mappings are comments too. Paths are relative to the working
 * directory. `emit` gets the text in pieces. */
typedef void (*orr_conf_emit_fn)(void *context, const char *text);
void orr_conf_write(const struct orr_conf *map, const struct orr_key_table *table,
                    orr_conf_emit_fn put, void *context);

/* Typed getters of single values. Errors name the key path, the location and what was expected;
 * *out is then unchanged. Numbers may be quoted. A text is any scalar except an absent one (`key:`
 * without a value); a choice is the index of the text in `choices`, which ends with NULL. */
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
