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

/* What a file is, by the same rules ("an execution trace"), and what to do with it (NULL: nothing);
 * false: it is not known. The texts are constants. */
bool orr_conf_what_is(const char *path, const char **what, const char **where);

/* Replaces an error of a reader of the file by what the file is, if it is another than expected. */
void orr_conf_name_wrong(const char *path, const char *expected, struct orr_diag *diag);

/* As orr_diag_render, for the last word of a command or call, whichever reader found the error:
 * says what the file is where that is of a format of other programs that nothing here reads. */
int orr_conf_render_error(const struct orr_diag *diag, char *text, size_t bytes);

#endif
