/* Keys of a JSON object; see json_keys.h. */
#include "et_converter/launch/json_keys.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/arena.h"

void orr_config_open(struct config_keys *keys, const char *name, const json_t *object,
                     const json_t *outer, struct orr_arena *arena, struct orr_diag *diag)
{
    *keys = (struct config_keys){
        .name = name, .object = object, .outer = outer, .arena = arena, .diag = diag};
}

json_t *orr_config_parse(const char *name, const char *text, size_t bytes, struct orr_diag *diag)
{
    json_error_t error;
    json_t *root = json_loadb(text, bytes, JSON_REJECT_DUPLICATES, &error);
    if (json_is_object(root)) {
        return root;
    }
    const struct orr_location place =
        orr_location_text(name, root == NULL && error.line > 0 ? (unsigned)error.line : 1,
                          root == NULL && error.column > 0 ? (unsigned)error.column : 1);
    (void)orr_diag_fail(diag, ORR_ERR_INPUT, &place, "expected a JSON object%s%s",
                        root == NULL ? ": " : "", root == NULL ? error.text : "");
    json_decref(root);
    return NULL;
}

void orr_config_fail(struct config_keys *keys, const char *key, const char *format, ...)
{
    char message[512];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    const struct orr_location place = orr_location_file(keys->name);
    (void)orr_diag_fail(keys->diag, ORR_ERR_INPUT, &place, "%s: %s", key, message);
}

/* Notes that a key was read. */
static void note(struct config_keys *keys, const char *name)
{
    for (size_t i = 0; i < keys->reads; i++) {
        if (strcmp(keys->read[i], name) == 0) {
            return;
        }
    }
    const char **grown =
        orr_arena_grow(keys->arena, keys->read, &keys->capacity, keys->reads + 1, sizeof *grown);
    char *copy = orr_arena_strdup(keys->arena, name);
    if (grown == NULL || copy == NULL) {
        (void)orr_diag_no_memory(keys->diag, "a model");
        return;
    }
    keys->read = grown;
    keys->read[keys->reads++] = copy;
}

/* The value of a key; NULL if it is absent or null. */
static const json_t *get(struct config_keys *keys, const char *name)
{
    const json_t *value = json_object_get(keys->object, name);
    if (value == NULL && keys->outer != NULL) {
        value = json_object_get(keys->outer, name);
    }
    if (value == NULL) {
        return NULL;
    }
    note(keys, name);
    return json_is_null(value) ? NULL : value;
}

static bool in_range(const json_t *value, uint64_t min, uint64_t max)
{
    return json_is_integer(value) && json_integer_value(value) >= 0 &&
           (uint64_t)json_integer_value(value) >= min && (uint64_t)json_integer_value(value) <= max;
}

static uint64_t number_of(struct config_keys *keys, const char *name, const json_t *value,
                          uint64_t min, uint64_t max)
{
    if (in_range(value, min, max)) {
        return (uint64_t)json_integer_value(value);
    }
    char *found = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);
    orr_config_fail(keys, name,
                    "expected a whole number from %" PRIu64 " to %" PRIu64 ", got %.60s", min, max,
                    found != NULL ? found : "another value");
    free(found);
    return min;
}

uint64_t orr_config_number(struct config_keys *keys, const char *const *names, uint64_t absent,
                           uint64_t min, uint64_t max)
{
    keys->last = NULL;
    for (size_t i = 0; names[i] != NULL; i++) {
        const json_t *value = get(keys, names[i]);
        if (value != NULL) {
            keys->last = names[i];
            return number_of(keys, names[i], value, min, max);
        }
    }
    return absent;
}

uint64_t orr_config_need(struct config_keys *keys, const char *const *names, uint64_t min,
                         uint64_t max)
{
    keys->last = NULL;
    for (size_t i = 0; names[i] != NULL; i++) {
        const json_t *value = get(keys, names[i]);
        if (value != NULL) {
            keys->last = names[i];
            return number_of(keys, names[i], value, min, max);
        }
    }
    orr_config_fail(keys, names[0],
                    "expected a whole number from %" PRIu64 " to %" PRIu64 ", the key is missing",
                    min, max);
    return min;
}

void orr_config_source(struct config_keys *keys, const char *size)
{
    if (keys->last != NULL && keys->sources < CONFIG_MAX_SOURCES) {
        keys->source[keys->sources++] = (struct config_source){size, keys->last};
    }
}

bool orr_config_has(const struct config_keys *keys, const char *name)
{
    return json_object_get(keys->object, name) != NULL ||
           (keys->outer != NULL && json_object_get(keys->outer, name) != NULL);
}

bool orr_config_flag(struct config_keys *keys, const char *name, bool absent)
{
    const json_t *value = get(keys, name);
    if (value != NULL && !json_is_boolean(value)) {
        orr_config_fail(keys, name, "expected true or false");
    }
    return json_is_boolean(value) ? json_is_true(value) : absent;
}

const char *orr_config_text(struct config_keys *keys, const char *name)
{
    const json_t *value = get(keys, name);
    if (value != NULL && !json_is_string(value)) {
        orr_config_fail(keys, name, "expected a text");
    }
    return json_string_value(value);
}

static const json_t *get_list(struct config_keys *keys, const char *name)
{
    const json_t *list = get(keys, name);
    if (list != NULL && !json_is_array(list)) {
        orr_config_fail(keys, name, "expected a list");
        return NULL;
    }
    return list;
}

size_t orr_config_list_size(struct config_keys *keys, const char *name)
{
    return json_array_size(get_list(keys, name));
}

const char *orr_config_list_text(struct config_keys *keys, const char *name, size_t index)
{
    const json_t *list = get_list(keys, name);
    const json_t *entry = list != NULL ? json_array_get(list, index) : NULL;
    if (list != NULL && !json_is_string(entry)) {
        orr_config_fail(keys, name, "expected a text for each layer, entry %zu is none", index);
    }
    return json_string_value(entry);
}

bool orr_config_list_has(struct config_keys *keys, const char *name, uint64_t number)
{
    const json_t *list = get_list(keys, name);
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *entry = json_array_get(list, i);
        if (!in_range(entry, 0, UINT64_MAX)) {
            orr_config_fail(keys, name, "expected whole numbers, entry %zu is none", i);
            return false;
        }
        if ((uint64_t)json_integer_value(entry) == number) {
            return true;
        }
    }
    return false;
}

/* Keys that never say anything of a shape. */
static bool never_matters(const char *key)
{
    static const char *const parts[] = {"_token_id",
                                        "token_id",
                                        "_eps",
                                        "epsilon",
                                        "initializer",
                                        "init_",
                                        "transformers_version",
                                        "use_cache",
                                        "architectures",
                                        "auto_map",
                                        "_name_or_path",
                                        "dropout",
                                        "pdrop",
                                        "rope_",
                                        "hidden_act",
                                        "activation",
                                        "torch_dtype",
                                        "output_",
                                        "aux_loss",
                                        "router_jitter",
                                        "scoring_func",
                                        "z_loss",
                                        "task_specific",
                                        "_commit",
                                        "return_dict",
                                        "use_bfloat16",
                                        "problem_type",
                                        "id2label",
                                        "label2id",
                                        "finetuning",
                                        "max_position"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (strstr(key, parts[i]) != NULL) {
            return true;
        }
    }
    return false;
}

static bool was_read(const struct config_keys *keys, const char *key)
{
    for (size_t i = 0; i < keys->reads; i++) {
        if (strcmp(keys->read[i], key) == 0) {
            return true;
        }
    }
    return false;
}

/* Lists the keys of an object that were not read, if they could have mattered; the others are
 * noted. */
static void list_others(struct config_keys *keys, const json_t *object, const char **list,
                        size_t *count)
{
    const char *key;
    const json_t *value;
    json_object_foreach((json_t *)(uintptr_t)object, key, value)
    {
        if (was_read(keys, key)) {
            continue;
        }
        if (value == keys->object || never_matters(key)) {
            note(keys, key);
        } else {
            list[*count] = orr_arena_strdup(keys->arena, key);
            *count += list[*count] != NULL ? 1 : 0;
        }
    }
}

enum orr_status orr_config_close(struct config_keys *keys, const char ***read, size_t *reads,
                                 const char ***others, size_t *other_count)
{
    const size_t size = json_object_size(keys->object) + json_object_size(keys->outer);
    const char **list = orr_arena_array(keys->arena, size + 1, sizeof *list);
    if (list == NULL) {
        return orr_diag_no_memory(keys->diag, "a model");
    }
    *other_count = 0;
    list_others(keys, keys->object, list, other_count);
    if (keys->outer != NULL) {
        list_others(keys, keys->outer, list, other_count);
    }
    *others = list;
    *read = keys->read;
    *reads = keys->reads;
    return keys->diag->status;
}
