/* Shared by the parts of the configuration reader (conf_*.c). */
#ifndef ORR_CORE_CONF_CONF_PRIVATE_H
#define ORR_CORE_CONF_CONF_PRIVATE_H

#include "core/diag.h"

struct orr_arena;
struct orr_conf;

enum {
    ORR_CONF_DEEPEST = 64,
    ORR_CONF_LONGEST_PATH = 512,
    ORR_CONF_LONGEST_KEY = 255,
    ORR_CONF_MAX_VALUES = 1 << 21,
    ORR_CONF_LARGEST_BYTES = 64 * 1024 * 1024,
    ORR_CONF_SHOWN_NAMES = 14,
    ORR_CONF_TEXT_BYTES = 1024
};

/* File name of values given by --set. */
extern const char orr_conf_command_line[];

/* Source text to parse. */
struct orr_conf_source {
    char *data; /* modified in place: tabs of JSON */
    size_t bytes;
    const char *name; /* file name in messages */
    const char *path; /* of the root; NULL: "" */
    struct orr_arena *arena;
    unsigned level; /* include level of its nodes */
};

/* As orr_conf_load, for a file at that include level. */
enum orr_status orr_conf_load_at(struct orr_arena *arena, const char *path, unsigned level,
                                 const struct orr_conf **root, struct orr_diag *diag);

/* Replaces tabs of JSON outside of strings by spaces; YAML is unchanged. O(bytes). */
void orr_conf_untab(const struct orr_conf_source *source);

/* Location of the byte at `offset`, counting lines and characters as libyaml does. O(offset). */
struct orr_location orr_conf_location_at(const struct orr_conf_source *source, size_t offset);

/* The byte at a line and column (1-based, as libyaml counts); a zero byte outside of the text.
 * O(bytes). */
char orr_conf_byte_at(const struct orr_conf_source *source, size_t line, size_t column);

/* As orr_conf_parse, for a value whose key path is `path`. */
enum orr_status orr_conf_parse_at(struct orr_arena *arena, const char *text, const char *name,
                                  const char *path, const struct orr_conf **root,
                                  struct orr_diag *diag);

/* Parses the text into a tree in the source's arena. */
enum orr_status orr_conf_parse_source(const struct orr_conf_source *source,
                                      const struct orr_conf **root, struct orr_diag *diag);

/* "a, b or c", cut to `bytes`. Returns text. */
char *orr_conf_join_names(const char *const *names, size_t count, char *text, size_t bytes);

/* ---- file type detection (conf_wrong_file.c) ---- */

/* As orr_conf_identify_file, for a source text that is not a mapping. */
enum orr_status orr_conf_identify_text(const struct orr_conf_source *source, struct orr_diag *diag);

/* ---- deprecated names (conf_deprecated.c) ---- */

/* The current name of a key or of a choice, or `name` itself if it is not deprecated. O(1). */
const char *orr_conf_current_key(const char *name);
const char *orr_conf_current_choice(const char *name);

/* Warns at the location that the old name will go. */
void orr_conf_warn_deprecated(const struct orr_location *location, const char *old,
                              const char *current, struct orr_diag *diag);

/* ---- merging (conf_merge.c) ---- */

/* A copy of a mapping with capacity for `extra` more keys; NULL when memory is out. */
struct orr_conf *orr_conf_copy_map(struct orr_arena *arena, const struct orr_conf *map,
                                   size_t extra, const struct orr_conf ***items,
                                   const char ***keys);

/* Context of a merge: arena and diagnostic, and the roots of directly included files. */
struct conf_merging {
    struct orr_arena *arena;
    struct orr_diag *diag;
    const struct orr_conf *const *named; /* roots of [names] */
    size_t names;
};

/* The union of two mappings. Values in both conflict unless both are mappings, only one is from a
 * directly included file (it wins), or the mapping `winner` (NULL: none) has the key too. */
enum orr_status orr_conf_merge_maps(const struct conf_merging *merging,
                                    const struct orr_conf *first, const struct orr_conf *second,
                                    const struct orr_conf *winner, const struct orr_conf **out);

/* `over` with the keys that only the other mapping has; NULL when memory is out. */
const struct orr_conf *orr_conf_overlay(struct orr_arena *arena, const struct orr_conf *over,
                                        const struct orr_conf *overridden);

#endif
