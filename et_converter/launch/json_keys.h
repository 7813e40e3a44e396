/* Keys of a JSON object, read by name; notes which were asked for. The first error stays in the
 * diagnostic, and later reads give defaults. */
#ifndef ORR_ET_CONVERTER_LAUNCH_JSON_KEYS_H
#define ORR_ET_CONVERTER_LAUNCH_JSON_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/diag.h"

struct json_t;
struct orr_arena;

/* The key that a size of the model was read from: "layers", "num_hidden_layers". */
struct config_source {
    const char *size, *key;
};

enum { CONFIG_MAX_SOURCES = 16 };

struct config_keys {
    const char *name; /* of the file */
    const struct json_t *object,
        *outer; /* outer: where a key that the object lacks may be; or NULL */
    struct orr_arena *arena;
    struct orr_diag *diag;
    const char **read; /* keys that were there */
    size_t reads, capacity;
    const char *last; /* the key of the last number; NULL: it was absent */
    struct config_source source[CONFIG_MAX_SOURCES];
    size_t sources;
};

/* Parses a JSON object, which the caller drops (json_decref). NULL after an error: not JSON (with
 * its line), the same key twice. O(bytes). */
struct json_t *orr_config_parse(const char *name, const char *text, size_t bytes,
                                struct orr_diag *diag);

/* The objects must outlive the keys. */
void orr_config_open(struct config_keys *keys, const char *name, const struct json_t *object,
                     const struct json_t *outer, struct orr_arena *arena, struct orr_diag *diag);

/* The first of the names (ended by NULL) that has a number; null counts as absent. Errors: none of
 * them is there; no whole number from `min` to `max`. */
uint64_t orr_config_need(struct config_keys *keys, const char *const *names, uint64_t min,
                         uint64_t max);
/* The same with a value for absent keys. */
uint64_t orr_config_number(struct config_keys *keys, const char *const *names, uint64_t absent,
                           uint64_t min, uint64_t max);
/* Notes that the last number, if there was one, is a size of the model. `size` must outlive the
 * keys. */
void orr_config_source(struct config_keys *keys, const char *size);

bool orr_config_has(const struct config_keys *keys, const char *name);
bool orr_config_flag(struct config_keys *keys, const char *name, bool absent);
/* NULL if it is absent, or null. Owned by the object. */
const char *orr_config_text(struct config_keys *keys, const char *name);

/* A list: its size (0: absent), a text in it (NULL: none), whether it has the number. */
size_t orr_config_list_size(struct config_keys *keys, const char *name);
const char *orr_config_list_text(struct config_keys *keys, const char *name, size_t index);
bool orr_config_list_has(struct config_keys *keys, const char *name, uint64_t number);

/* Records the error "KEY: MESSAGE". */
void orr_config_fail(struct config_keys *keys, const char *key, const char *format, ...)
    ORR_PRINTF(3, 4);

/* Lists the keys that are understood: read, or known to say nothing of a shape; and the others.
 * Both lie in the arena. */
enum orr_status orr_config_close(struct config_keys *keys, const char ***read, size_t *reads,
                                 const char ***others, size_t *other_count);

#endif
