/* What the parts of the configuration reader (conf_*.c) share. */
#ifndef ORR_CORE_CONF_CONF_PRIVATE_H
#define ORR_CORE_CONF_CONF_PRIVATE_H

#include "core/conf/conf.h"

enum {
    ORR_CONF_DEEPEST = 64,
    ORR_CONF_LONGEST_PATH = 512,
    ORR_CONF_LONGEST_KEY = 255,
    ORR_CONF_MAX_VALUES = 1 << 21,
    ORR_CONF_LARGEST_BYTES = 64 * 1024 * 1024,
    ORR_CONF_SHOWN_NAMES = 12,
    ORR_CONF_TEXT_BYTES = 1024
};

/* The file of values that --set gave. */
extern const char orr_conf_command_line[];

/* A text to parse. */
struct orr_conf_source {
    char *data; /* changed in place: JSON's tabs */
    size_t bytes;
    const char *name; /* shown as the file */
    const char *path; /* of the root; NULL: "" */
    struct orr_arena *arena;
    unsigned level; /* of its nodes */
};

/* As orr_conf_load, of a file at that level of includes. */
enum orr_status orr_conf_load_at(struct orr_arena *arena, const char *path, unsigned level,
                                 const struct orr_conf **root, struct orr_diag *diag);

/* Makes JSON's tabs outside of strings spaces; leaves YAML alone. O(bytes). */
void orr_conf_untab(const struct orr_conf_source *source);

/* The place of the byte at `offset`, counting lines and characters as libyaml does. O(offset). */
struct orr_location orr_conf_location_at(const struct orr_conf_source *source, size_t offset);

/* The byte at a place, counted from 1 as libyaml does; a zero byte outside of the text. O(bytes).
 */
char orr_conf_byte_at(const struct orr_conf_source *source, size_t line, size_t column);

/* As orr_conf_parse, of a value whose key path is `path`. */
enum orr_status orr_conf_parse_at(struct orr_arena *arena, const char *text, const char *name,
                                  const char *path, const struct orr_conf **root,
                                  struct orr_diag *diag);

/* Parses the text into a tree in the source's arena. */
enum orr_status orr_conf_parse_source(const struct orr_conf_source *source,
                                      const struct orr_conf **root, struct orr_diag *diag);

/* "a, b or c", cut to `bytes`. Returns text. */
char *orr_conf_join_names(const char *const *names, size_t count, char *text, size_t bytes);

/* ---- files that are something else (conf_wrong_file.c) ---- */

/* As orr_conf_identify_file, of a text that is no mapping. */
enum orr_status orr_conf_identify_text(const struct orr_conf_source *source, struct orr_diag *diag);

/* ---- deprecated names (conf_deprecated.c) ---- */

/* The current name of a key or of a choice, or `name` itself if it is not deprecated. O(1). */
const char *orr_conf_current_key(const char *name);
const char *orr_conf_current_choice(const char *name);

/* Warns at the location that the old name will go. */
void orr_conf_warn_deprecated(const struct orr_location *location, const char *old,
                              const char *current, struct orr_diag *diag);

/* ---- joining (conf_merge.c) ---- */

/* A copy of a mapping with room for more keys; NULL: memory is out. */
struct orr_conf *orr_conf_copy_map(struct orr_arena *arena, const struct orr_conf *map,
                                   size_t extra, const struct orr_conf ***items,
                                   const char ***keys);

/* Where joined mappings live, and errors go; the files that the including one names itself. */
struct conf_merging {
    struct orr_arena *arena;
    struct orr_diag *diag;
    const struct orr_conf *const *named; /* roots of [names] */
    size_t names;
};

/* The union of two mappings; values that both give are conflicts unless they are mappings, one is
 * of a file that is named itself and the other is not, or the mapping `winner` (NULL: none) gives
 * them too. */
enum orr_status orr_conf_merge_maps(const struct conf_merging *merging,
                                    const struct orr_conf *first, const struct orr_conf *second,
                                    const struct orr_conf *winner, const struct orr_conf **out);

/* `over` with what `under` has and it has not; NULL: memory is out. */
const struct orr_conf *orr_conf_overlay(struct orr_arena *arena, const struct orr_conf *over,
                                        const struct orr_conf *overridden);

#endif
