/* Reads the values of a mapping by its table of keys, or one by one. */
#ifndef ORR_CORE_CONF_CONF_READ_H
#define ORR_CORE_CONF_CONF_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/conf/keys.h"

struct orr_conf;
struct orr_diag;

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
