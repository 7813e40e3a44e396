/* Values of an axis: labels for results, assignments for runs; see sweep.h. */
#include <jansson.h>
#include <string.h>

#include "core/conf/conf.h"
#include "core/conf/conf_read.h"
#include "core/file.h"
#include "sim/load/find_input.h"
#include "study/sweep/sweep_reading.h"

/* ---- a value as one line of YAML that reads as the same value ---- */

/* A C1 control character: two bytes of UTF-8, whose second is its number. */
static bool is_wide_control(const char *at)
{
    return at[0] == '\xC2' && (unsigned char)at[1] < 0xA0;
}

/* Whether a text needs no quotes inside brackets. */
static bool is_plain(const char *text)
{
    static const char special[] = ",[]{}\"'#:&*!|>%@`\\?\n\r\t\x7F";
    for (const char *c = strchr(text, '\xC2'); c != NULL; c = strchr(c + 1, '\xC2')) {
        if (is_wide_control(c)) {
            return false;
        }
    }
    return text[0] != '\0' && strpbrk(text, special) == NULL && strncmp(text, "- ", 2) != 0 &&
           text[0] != ' ' && text[strlen(text) - 1] != ' ';
}

static const char *quoted(struct orr_arena *arena, const char *text)
{
    static const char hex[] = "0123456789abcdef";
    char *out = orr_arena_alloc_raw(arena, strlen(text) * 4 + 3, 1), *at = out;
    if (out == NULL) {
        return NULL;
    }
    *at++ = '"';
    for (; *text != '\0'; text++) {
        const bool wide = is_wide_control(text);
        text += wide ? 1 : 0;
        const unsigned char byte = (unsigned char)*text;
        if (wide || byte < 0x20 || byte == 0x7F) {
            *at++ = '\\';
            *at++ = 'x';
            *at++ = hex[byte >> 4];
            *at++ = hex[byte & 15];
            continue;
        }
        if (byte == '"' || byte == '\\') {
            *at++ = '\\';
        }
        *at++ = *text;
    }
    *at++ = '"';
    *at = '\0';
    return out;
}

static const char *flow_text(struct orr_arena *arena, const struct orr_conf *node)
{
    if (node->kind == ORR_CONF_SCALAR) {
        return !node->quoted && is_plain(node->text) ? node->text : quoted(arena, node->text);
    }
    const bool map = node->kind == ORR_CONF_MAP;
    const char *text = map ? "{" : "[";
    for (size_t i = 0; i < node->count && text != NULL; i++) {
        const char *value = flow_text(arena, node->item[i]);
        const char *key = map && !is_plain(node->key[i]) ? quoted(arena, node->key[i])
                          : map                          ? node->key[i]
                                                         : "";
        text = value == NULL || key == NULL
                   ? NULL
                   : orr_arena_printf(arena, "%s%s%s%s%s", text, i > 0 ? ", " : "", key,
                                      map ? ": " : "", value);
    }
    return text != NULL ? orr_arena_printf(arena, "%s%s", text, map ? "}" : "]") : NULL;
}

/* ---- files ---- */

static bool is_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (file != NULL) {
        (void)fclose(file);
    }
    return file != NULL;
}

enum orr_status orr_sweep_find_file(struct orr_sweep *sweep, const char *kind,
                                    const struct orr_conf *node, const char **out,
                                    struct orr_diag *diag)
{
    const char *name = NULL;
    char shipped[ORR_INPUT_PATH_BYTES];
    const enum orr_status status = orr_conf_text(node, &name, diag);
    if (status != ORR_OK) {
        return status;
    }
    const char *resolved = orr_path_resolve(sweep->arena, sweep->file, name);
    if (resolved == NULL) {
        return orr_diag_no_memory(diag, "a sweep");
    }
    if (is_file(resolved)) {
        *out = resolved;
        return ORR_OK;
    }
    if (orr_ships_input(kind, name, shipped)) {
        *out = orr_arena_strdup(sweep->arena, shipped);
        return *out != NULL ? ORR_OK : orr_diag_no_memory(diag, "a sweep");
    }
    const struct orr_location place = orr_conf_location(node);
    const char *suggestion = orr_nearest_input(sweep->arena, kind, name);
    return orr_diag_fail(diag, ORR_ERR_INPUT, &place,
                         "%s: \"%s\": there is no file %s, and none of the %s that ship has this "
                         "name (see orrery run --list-inputs)%s%s%s",
                         node->path, name, resolved, kind,
                         suggestion != NULL ? "; did you mean \"" : "",
                         suggestion != NULL ? suggestion : "", suggestion != NULL ? "\"?" : "");
}

/* ---- values ---- */

/* Whether the scalar is a JSON number or boolean. */
static bool is_json(const struct orr_conf *node)
{
    if (node->kind != ORR_CONF_SCALAR || node->quoted) {
        return false;
    }
    json_t *json = json_loads(node->text, JSON_DECODE_ANY, NULL);
    const bool is = json_is_number(json) || json_is_boolean(json);
    json_decref(json);
    return is;
}

enum orr_status orr_sweep_read_value(struct orr_sweep *sweep, const char *path,
                                     const struct orr_conf *node, struct orr_sweep_value *out,
                                     struct orr_diag *diag)
{
    const bool scalar = node->kind == ORR_CONF_SCALAR;
    struct orr_conf moved = *node;
    if (scalar && node->text[0] == '\0' && !node->quoted) {
        return orr_conf_expected(node, "a value", diag);
    }
    if (scalar && strcmp(path, "workload.traces") == 0) {
        moved.text = orr_path_resolve(sweep->arena, sweep->file, node->text);
    }
    const char *text = moved.text != NULL || !scalar ? flow_text(sweep->arena, &moved) : NULL;
    *out = (struct orr_sweep_value){.label = scalar ? node->text : text, .number = is_json(node)};
    if (text != NULL) {
        out->assignment = orr_arena_printf(sweep->arena, "%s=%s", path, text);
    }
    if (out->assignment == NULL) {
        return orr_diag_no_memory(diag, "a sweep");
    }
    orr_expr_read_value(out->label, &out->value);
    return ORR_OK;
}

static enum orr_status read_file_value(struct orr_sweep *sweep, const char *kind,
                                       const struct orr_conf *node, struct orr_sweep_value *out,
                                       struct orr_diag *diag)
{
    *out = (struct orr_sweep_value){.label = node->text, .value = {.text = node->text}};
    return orr_sweep_find_file(sweep, kind, node, &out->file, diag);
}

static enum orr_status read_values(struct orr_sweep *sweep, const struct orr_conf *list,
                                   struct orr_sweep_axis *axis, struct orr_diag *diag)
{
    const bool platform = strcmp(axis->path, "platform") == 0;
    const bool workload = strcmp(axis->path, "workload") == 0;
    struct orr_sweep_value *value = orr_arena_array(sweep->arena, list->count, sizeof *value);
    enum orr_status status = value != NULL ? ORR_OK : orr_diag_no_memory(diag, "a sweep");
    for (size_t i = 0; i < list->count && status == ORR_OK; i++) {
        const struct orr_conf *node = list->item[i];
        const bool file = platform || (workload && node->kind == ORR_CONF_SCALAR);
        status = file ? read_file_value(sweep, platform ? "platforms" : "workloads", node,
                                        &value[i], diag)
                      : orr_sweep_read_value(sweep, axis->path, node, &value[i], diag);
    }
    axis->value = value;
    axis->count = list->count;
    return status;
}

enum orr_status orr_sweep_read_axis(struct orr_sweep *sweep, const char *key,
                                    const struct orr_conf *node, struct orr_sweep_axis *axis,
                                    struct orr_diag *diag)
{
    *axis = (struct orr_sweep_axis){.path = key, .place = orr_conf_key_location(node)};
    if (strcmp(key, "platform") != 0) {
        const enum orr_status status = orr_sweep_check_path(key, &axis->place, "sweep.axes", diag);
        if (status != ORR_OK) {
            return status;
        }
    }
    if (node->kind == ORR_CONF_SCALAR) {
        return orr_conf_expected(
            node, "a list of values or a range such as {from: 1 MiB, to: 1 GiB, times: 4}", diag);
    }
    if (node->kind == ORR_CONF_LIST && node->count == 0) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, &axis->place,
                             "%s: an axis without values leaves no points", node->path);
    }
    if (node->kind == ORR_CONF_MAP) {
        const enum orr_status status = orr_sweep_read_range(sweep, node, &node, diag);
        if (status != ORR_OK) {
            return status;
        }
    }
    return read_values(sweep, node, axis, diag);
}
