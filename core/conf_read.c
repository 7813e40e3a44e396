/* From the tree to values: typed scalars and the table-driven reader; see conf.h. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/conf.h"
#include "core/strings.h"
#include "core/units.h"

enum { SHOWN_NAMES = 12, TEXT_BYTES = 1024 };

const struct orr_conf *orr_conf_get(const struct orr_conf *map, const char *key)
{
    for (size_t i = 0; map->kind == ORR_CONF_MAP && i < map->count; i++) {
        if (strcmp(map->key[i], key) == 0) {
            return map->item[i];
        }
    }
    return NULL;
}

struct orr_place orr_conf_place(const struct orr_conf *node)
{
    return orr_place_text(node->file, node->line, node->column);
}

enum orr_status orr_conf_expected(const struct orr_conf *node, const char *what,
                                  struct orr_diag *diag)
{
    const struct orr_place place = orr_conf_place(node);
    const char *colon = node->path[0] != '\0' ? ": " : "";
    if (node->kind == ORR_CONF_SCALAR) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, &place, "%s%sexpected %s, got \"%s\"", node->path,
                             colon, what, node->text);
    }
    const char *found = node->kind == ORR_CONF_MAP ? "a mapping"
                        : node->count == 0         ? "an empty list"
                                                   : "a list";
    return orr_diag_fail(diag, ORR_ERR_INPUT, &place, "%s%sexpected %s, got %s", node->path, colon,
                         what, found);
}

enum orr_status orr_conf_text(const struct orr_conf *node, const char **out, struct orr_diag *diag)
{
    if (node->kind != ORR_CONF_SCALAR) {
        return orr_conf_expected(node, "a text", diag);
    }
    *out = node->text;
    return ORR_OK;
}

enum orr_status orr_conf_integer(const struct orr_conf *node, int64_t low, int64_t high,
                                 int64_t *out, struct orr_diag *diag)
{
    int64_t value = 0;
    if (node->kind != ORR_CONF_SCALAR || !orr_parse_integer(node->text, &value) || value < low ||
        value > high) {
        char what[96];
        if (high == INT64_MAX) {
            (void)snprintf(what, sizeof what, "a whole number >= %lld", (long long)low);
        } else {
            (void)snprintf(what, sizeof what, "a whole number from %lld to %lld", (long long)low,
                           (long long)high);
        }
        return orr_conf_expected(node, what, diag);
    }
    *out = value;
    return ORR_OK;
}

enum orr_status orr_conf_number(const struct orr_conf *node, double low, double high, double *out,
                                struct orr_diag *diag)
{
    double value = 0;
    if (node->kind != ORR_CONF_SCALAR || !orr_parse_number(node->text, &value) || value < low ||
        value > high) {
        char what[96];
        if (high == INFINITY) {
            (void)snprintf(what, sizeof what, "a number >= %g", low);
        } else {
            (void)snprintf(what, sizeof what, "a number from %g to %g", low, high);
        }
        return orr_conf_expected(node, what, diag);
    }
    *out = value;
    return ORR_OK;
}

/* ---- values by key ---- */

static enum orr_status read_bool(const struct orr_conf *node, bool *out, struct orr_diag *diag)
{
    static const char *const yes[] = {"true", "True", "1", "yes", "on"};
    static const char *const no[] = {"false", "False", "0", "no", "off"};
    for (size_t i = 0; node->kind == ORR_CONF_SCALAR && i < sizeof yes / sizeof *yes; i++) {
        if (strcmp(node->text, yes[i]) == 0 || strcmp(node->text, no[i]) == 0) {
            *out = strcmp(node->text, yes[i]) == 0;
            return ORR_OK;
        }
    }
    return orr_conf_expected(node, "true or false", diag);
}

/* "a, b or c" */
static void join(const char *const *names, size_t count, char *text, size_t bytes)
{
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < count && used < bytes; i++) {
        const char *between = i == 0 ? "" : i + 1 == count ? " or " : ", ";
        used += (size_t)snprintf(text + used, bytes - used, "%s%s", between, names[i]);
    }
}

static enum orr_status read_choice(const struct orr_conf *node, const struct orr_key *key,
                                   unsigned *out, struct orr_diag *diag)
{
    size_t count = 0;
    for (; key->choices[count] != NULL; count++) {
        if (node->kind == ORR_CONF_SCALAR && strcmp(node->text, key->choices[count]) == 0) {
            *out = (unsigned)count;
            return ORR_OK;
        }
    }
    char what[TEXT_BYTES];
    join(key->choices, count, what, sizeof what);
    return orr_conf_expected(node, what, diag);
}

static enum orr_status read_quantity(const struct orr_conf *node, const struct orr_key *key,
                                     void *out, struct orr_diag *diag)
{
    const char *text = node->kind == ORR_CONF_SCALAR ? node->text : "";
    switch (key->type) {
    case ORR_KEY_TIME:
        return orr_parse_time(text, out)
                   ? ORR_OK
                   : orr_conf_expected(node, "a time such as \"500 ns\"", diag);
    case ORR_KEY_BYTES:
        return orr_parse_bytes(text, out)
                   ? ORR_OK
                   : orr_conf_expected(node, "a size such as \"1 MiB\"", diag);
    case ORR_KEY_BANDWIDTH:
        return orr_parse_bandwidth(text, out)
                   ? ORR_OK
                   : orr_conf_expected(node, "a positive bandwidth such as \"50 GB/s\"", diag);
    default:
        return orr_parse_compute_rate(text, out)
                   ? ORR_OK
                   : orr_conf_expected(node, "a positive rate such as \"312 TFLOP/s\"", diag);
    }
}

static enum orr_status read_value(const struct orr_conf *node, const struct orr_key *key, void *out,
                                  struct orr_diag *diag)
{
    const bool any = key->low == 0 && key->high == 0;
    switch (key->type) {
    case ORR_KEY_TEXT:
        return orr_conf_text(node, out, diag);
    case ORR_KEY_BOOL:
        return read_bool(node, out, diag);
    case ORR_KEY_INTEGER:
        return orr_conf_integer(node, (int64_t)key->low, any ? INT64_MAX : (int64_t)key->high, out,
                                diag);
    case ORR_KEY_NUMBER:
        return orr_conf_number(node, key->low, any ? INFINITY : key->high, out, diag);
    case ORR_KEY_CHOICE:
        return read_choice(node, key, out, diag);
    case ORR_KEY_NODE:
        *(const struct orr_conf **)out = node;
        return ORR_OK;
    case ORR_KEY_IGNORED: {
        const struct orr_place place = orr_conf_place(node);
        orr_diag_warn(diag, &place, "%s is ignored: %s", node->path, key->doc);
        return ORR_OK;
    }
    default:
        return read_quantity(node, key, out, diag);
    }
}

/* ---- tables ---- */

static const struct orr_key *find_key(const struct orr_key *keys, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(keys[i].name, name) == 0) {
            return &keys[i];
        }
    }
    return NULL;
}

/* "did you mean ...?", or the valid names when they are few. */
static enum orr_status unknown_key(const struct orr_conf *map, size_t index, const char *owner,
                                   const struct orr_key *keys, size_t count, struct orr_diag *diag)
{
    enum { MOST = 128 };
    const char *names[MOST] = {NULL};
    size_t known = 0;
    for (; known < count && known < MOST; known++) {
        names[known] = keys[known].name;
    }
    const char *nearest = orr_nearest_name(map->key[index], names, known);
    char valid[TEXT_BYTES] = "";
    if (nearest == NULL && known <= SHOWN_NAMES) {
        join(names, known, valid, sizeof valid);
    }
    const struct orr_place place = orr_conf_place(map->item[index]);
    return orr_diag_fail(diag, ORR_ERR_INPUT, &place, "%s: unknown key in %s%s%s%s",
                         map->item[index]->path, owner,
                         nearest != NULL    ? "; did you mean \""
                         : valid[0] != '\0' ? "; expected "
                                            : "",
                         nearest != NULL ? nearest : valid, nearest != NULL ? "\"?" : "");
}

static enum orr_status missing_key(const struct orr_conf *map, const char *owner,
                                   const struct orr_key *key, struct orr_diag *diag)
{
    const struct orr_place place = orr_conf_place(map);
    return orr_diag_fail(diag, ORR_ERR_INPUT, &place, "%s needs the key \"%s\" (%s)%s%s%s", owner,
                         key->name, key->doc, key->example != NULL ? ", such as " : "",
                         key->example != NULL ? key->example : "", "");
}

/* A key that is not given takes its default, read as if it were written. */
static enum orr_status read_missing(const struct orr_conf *map, const char *owner,
                                    const struct orr_key *key, void *target, struct orr_diag *diag)
{
    if (key->required) {
        return missing_key(map, owner, key, diag);
    }
    if (key->fallback == NULL || key->type == ORR_KEY_NODE || key->type == ORR_KEY_IGNORED) {
        return ORR_OK;
    }
    const struct orr_conf node = {.kind = ORR_CONF_SCALAR,
                                  .file = "default",
                                  .line = 1,
                                  .column = 1,
                                  .path = key->name,
                                  .text = key->fallback};
    return read_value(&node, key, (char *)target + key->offset, diag);
}

enum orr_status orr_conf_read(const struct orr_conf *map, const char *owner,
                              const struct orr_key *keys, size_t count, void *target,
                              struct orr_diag *diag)
{
    if (map->kind != ORR_CONF_MAP) {
        return orr_conf_expected(map, "a mapping of keys to values", diag);
    }
    for (size_t i = 0; i < map->count; i++) {
        const struct orr_key *key = find_key(keys, count, map->key[i]);
        const enum orr_status status =
            key == NULL ? unknown_key(map, i, owner, keys, count, diag)
                        : read_value(map->item[i], key, (char *)target + key->offset, diag);
        if (status != ORR_OK) {
            return status;
        }
    }
    for (size_t i = 0; i < count; i++) {
        if (orr_conf_get(map, keys[i].name) != NULL) {
            continue;
        }
        const enum orr_status status = read_missing(map, owner, &keys[i], target, diag);
        if (status != ORR_OK) {
            return status;
        }
    }
    return ORR_OK;
}
