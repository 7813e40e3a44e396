/* Reads a mapping into a struct by a key table; see conf.h. */
#include <stdio.h>
#include <string.h>

#include "core/conf/conf.h"
#include "core/conf/conf_private.h"
#include "core/conf/conf_read.h"
#include "core/conf/keys.h"
#include "core/strings.h"
#include "core/units.h"

const struct orr_conf *orr_conf_get(const struct orr_conf *map, const char *key)
{
    for (size_t i = 0; map->kind == ORR_CONF_MAP && i < map->count; i++) {
        if (strcmp(map->key[i], key) == 0) {
            return map->item[i];
        }
    }
    return NULL;
}

/* ---- unknown keys ---- */

enum { MAX_NAMES = 128 };

/* Other words for operators and sections, none of which is near by its letters. */
static const char *const synonyms[][2] = {{"moe", "expert_dense"},
                                          {"experts", "expert_dense"},
                                          {"mixture_of_experts", "expert_dense"},
                                          {"linear", "dense"},
                                          {"fc", "dense"},
                                          {"fully_connected", "dense"},
                                          {"matmul", "dense"},
                                          {"conv", "conv2d"},
                                          {"convolution", "conv2d"},
                                          {"self_attention", "attention"},
                                          {"gpt", "transformer"},
                                          {"llama", "transformer"},
                                          {"llm", "transformer"}};

static const char *synonym_of(const char *name, const char *const *names, size_t known)
{
    for (size_t s = 0; s < sizeof synonyms / sizeof *synonyms; s++) {
        for (size_t i = 0; i < known && strcmp(name, synonyms[s][0]) == 0; i++) {
            if (strcmp(names[i], synonyms[s][1]) == 0) {
                return names[i];
            }
        }
    }
    return NULL;
}

/* Fails with "did you mean ...?", or with the valid names if they are few. */
static enum orr_status unknown_key(const struct orr_conf *map, size_t index,
                                   const struct orr_key_table *table, struct orr_diag *diag)
{
    const char *names[MAX_NAMES] = {NULL};
    const struct orr_key *key;
    size_t known = 0;
    for (; known < MAX_NAMES && (key = orr_key_at(table, known)) != NULL; known++) {
        names[known] = key->name;
    }
    if (orr_conf_identify_map(map, table->owner, diag) != ORR_OK) {
        return ORR_ERR_INPUT;
    }
    const struct orr_location place = orr_conf_key_location(map->item[index]);
    const char *same = synonym_of(map->key[index], names, known);
    const char *nearest = same != NULL ? same : orr_nearest_name(map->key[index], names, known);
    char text[ORR_CONF_TEXT_BYTES] = "";
    if (nearest == NULL && known <= ORR_CONF_SHOWN_NAMES) {
        (void)orr_conf_join_names(names, known, text, sizeof text);
    }
    return orr_diag_fail(diag, ORR_ERR_INPUT, &place, "%s: unknown key in %s%s%s%s",
                         map->item[index]->path, table->owner,
                         nearest != NULL   ? "; did you mean \""
                         : text[0] != '\0' ? "; expected "
                                           : "",
                         nearest != NULL ? nearest : text, nearest != NULL ? "\"?" : "");
}

/* ---- missing keys ---- */

static const char *example_value(const struct orr_key *key)
{
    switch (key->type) {
    case ORR_KEY_TIME:
        return orr_quantity_example(ORR_QUANTITY_TIME);
    case ORR_KEY_BYTES:
        return orr_quantity_example(ORR_QUANTITY_BYTES);
    case ORR_KEY_BANDWIDTH:
        return orr_quantity_example(ORR_QUANTITY_BANDWIDTH);
    case ORR_KEY_RATE:
        return orr_quantity_example(ORR_QUANTITY_RATE);
    case ORR_KEY_BOOL:
        return "true";
    case ORR_KEY_CHOICE:
        return key->choices[0];
    case ORR_KEY_TEXT:
        return key->names != NULL ? key->names(0) : "name";
    default:
        return "...";
    }
}

char *orr_key_example(const struct orr_key *key, char *text, size_t bytes)
{
    if (key->example != NULL) {
        (void)snprintf(text, bytes, "%s", key->example);
        return text;
    }
    char number[ORR_FORMAT_BYTES];
    const bool is_number = key->type == ORR_KEY_INTEGER || key->type == ORR_KEY_NUMBER;
    const char *value = key->default_text != NULL ? key->default_text
                        : is_number
                            ? orr_format_number(key->low == 0 && key->high == 0 ? 1 : key->low,
                                                number, sizeof number)
                            : example_value(key);
    const bool brackets = key->list && key->default_text == NULL;
    (void)snprintf(text, bytes, "%s: %s%s%s", key->name, brackets ? "[" : "", value,
                   brackets ? "]" : "");
    return text;
}

static enum orr_status missing_key(const struct orr_conf *map, const char *owner,
                                   const struct orr_key *key, struct orr_diag *diag)
{
    if (map->count > 0 && orr_conf_identify_map(map, owner, diag) != ORR_OK) {
        return ORR_ERR_INPUT;
    }
    const struct orr_location place = orr_conf_location(map);
    char example[ORR_CONF_TEXT_BYTES];
    return orr_diag_fail(
        diag, ORR_ERR_INPUT, &place, "%s%s%s needs the key \"%s\"%s%s%s, such as %s", map->path,
        map->path[0] != '\0' ? ": " : "", owner, key->name, key->doc != NULL ? " (" : "",
        key->doc != NULL ? key->doc : "", key->doc != NULL ? ")" : "",
        orr_key_example(key, example, sizeof example));
}

void orr_conf_warn_unused(const struct orr_conf *map, const char *key, const char *why,
                          struct orr_diag *diag)
{
    const struct orr_conf *node = map != NULL ? orr_conf_get(map, key) : NULL;
    if (node != NULL) {
        const struct orr_location place = orr_conf_key_location(node);
        orr_diag_warn(diag, &place, "%s has no effect: %s", node->path, why);
    }
}

/* ---- tables ---- */

static enum orr_status read_present(const struct orr_conf *node, const struct orr_key *key,
                                    void *target, struct orr_diag *diag)
{
    if (key->type != ORR_KEY_IGNORED) {
        return orr_conf_value(node, key, (char *)target + key->offset, diag);
    }
    const bool is_default = key->default_text != NULL && node->kind == ORR_CONF_SCALAR &&
                            strcmp(node->text, key->default_text) == 0;
    if (is_default) {
        return ORR_OK; /* what it asks for is what happens */
    }
    const struct orr_location place = orr_conf_location(node);
    orr_diag_warn(diag, &place, "%s is ignored: %s", node->path,
                  key->doc != NULL ? key->doc : "nothing reads it");
    return ORR_OK;
}

/* Arena of a node, or of the first parsed value in it; NULL if there is none. */
static struct orr_arena *arena_of(const struct orr_conf *node)
{
    while (node->arena == NULL && node->count > 0) {
        node = node->item[0];
    }
    return node->arena;
}

/* Reads the default as if it were written. A scalar becomes a local node; a list is parsed. */
static enum orr_status read_default(const struct orr_conf *map, const struct orr_key *key,
                                    void *target, struct orr_diag *diag)
{
    const struct orr_conf plain = {.file = "default", .path = key->name, .text = key->default_text};
    const struct orr_conf *node = &plain;
    struct orr_arena *arena = arena_of(map);
    enum orr_status status = ORR_OK;
    if (key->list) {
        status = arena == NULL ? ORR_ERR_INTERNAL
                               : orr_conf_parse(arena, key->default_text, strlen(key->default_text),
                                                "default", &node, NULL);
    }
    if (status == ORR_OK) {
        status = orr_conf_value(node, key, (char *)target + key->offset, NULL);
    }
    if (status == ORR_ERR_MEMORY) {
        return orr_diag_no_memory(diag, "a configuration value");
    }
    return status == ORR_OK ? ORR_OK
                            : orr_diag_fail(diag, ORR_ERR_INTERNAL, NULL,
                                            "the key \"%s\" does not take its own default \"%s\"",
                                            key->name, key->default_text);
}

static enum orr_status read_absent(const struct orr_conf *map, const char *owner,
                                   const struct orr_key *key, void *target, struct orr_diag *diag)
{
    if (key->required) {
        return missing_key(map, owner, key, diag);
    }
    const bool has = key->default_text != NULL && key->type != ORR_KEY_NODE;
    return has && key->type != ORR_KEY_IGNORED ? read_default(map, key, target, diag) : ORR_OK;
}

/* Target of the p-th table of an entry of parts. */
static void *part_target(void *target, const struct orr_key *key, size_t p)
{
    void *const *targets = *(void *const *const *)(const void *)((char *)target + key->offset);
    return targets[p];
}

/* Reads a value of the mapping by each key of its name; *known: there is at least one. */
static enum orr_status read_named(const struct orr_conf *map, size_t index,
                                  const struct orr_key_table *table, void *target, bool *known,
                                  struct orr_diag *diag)
{
    const struct orr_key *key = orr_key_find(table, map->key[index]);
    if (key != NULL) {
        *known = true;
        return read_present(map->item[index], key, target, diag);
    }
    enum orr_status status = ORR_OK;
    for (size_t i = 0; i < table->count && status == ORR_OK; i++) {
        const orr_key_parts_fn parts = table->keys[i].parts;
        for (size_t p = 0; parts != NULL && parts(p) != NULL && status == ORR_OK; p++) {
            status = read_named(map, index, parts(p), part_target(target, &table->keys[i], p),
                                known, diag);
        }
    }
    return status;
}

static enum orr_status read_all_absent(const struct orr_conf *map, const char *owner,
                                       const struct orr_key_table *table, void *target,
                                       struct orr_diag *diag)
{
    enum orr_status status = ORR_OK;
    for (size_t i = 0; i < table->count && status == ORR_OK; i++) {
        const struct orr_key *key = &table->keys[i];
        for (size_t p = 0; key->parts != NULL && key->parts(p) != NULL && status == ORR_OK; p++) {
            status = read_all_absent(map, owner, key->parts(p), part_target(target, key, p), diag);
        }
        if (key->parts == NULL && orr_conf_get(map, key->name) == NULL) {
            status = read_absent(map, owner, key, target, diag);
        }
    }
    return status;
}

enum orr_status orr_conf_read(const struct orr_conf *map, const char *owner,
                              const struct orr_key *keys, size_t count, void *target,
                              struct orr_diag *diag)
{
    static const struct orr_conf nothing = {
        .kind = ORR_CONF_MAP, .file = "", .path = "", .text = ""};
    const struct orr_key_table table = {.owner = owner, .keys = keys, .count = count};
    map = map != NULL ? map : &nothing;
    if (map->kind != ORR_CONF_MAP) {
        return orr_conf_expected(map, "a mapping of keys to values", diag);
    }
    enum orr_status status = ORR_OK;
    for (size_t i = 0; i < map->count && status == ORR_OK; i++) {
        bool known = false;
        status = read_named(map, i, &table, target, &known, diag);
        if (status == ORR_OK && !known) {
            status = unknown_key(map, i, &table, diag);
        }
    }
    return status == ORR_OK ? read_all_absent(map, owner, &table, target, diag) : status;
}
