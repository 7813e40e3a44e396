/* Typed getters: from nodes to values; see conf.h. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/conf/conf.h"
#include "core/conf/conf_private.h"
#include "core/conf/keys.h"
#include "core/file.h"
#include "core/strings.h"
#include "core/units.h"

enum { WHAT_BYTES = 160 };

/* ---- errors ---- */

const char *orr_conf_resolve_path(struct orr_arena *arena, const struct orr_conf *node)
{
    return orr_path_resolve(arena, node->file, node->text);
}

/* Location of a value; of --set the option, because its key path identifies it. */
static struct orr_location location_in(const struct orr_conf *node, unsigned line, unsigned column)
{
    if (strcmp(node->file, orr_conf_command_line) == 0) {
        return orr_location_file(node->path[0] != '\0' ? "--set" : orr_conf_command_line);
    }
    return orr_location_text(node->file, line, column);
}

const char *orr_conf_value_path(const struct orr_key *key, const struct orr_conf *node)
{
    if (!key->path || node->kind != ORR_CONF_SCALAR || node->arena == NULL ||
        node->text[0] == '\0') {
        return NULL;
    }
    const char *path = orr_conf_resolve_path(node->arena, node);
    const bool name = key->type == ORR_KEY_NODE; /* it may name an installed file */
    return path == NULL || path == node->text || (name && access(path, R_OK) != 0) ? NULL : path;
}

struct orr_location orr_conf_location(const struct orr_conf *node)
{
    return location_in(node, node->line, node->column);
}

struct orr_location orr_conf_key_location(const struct orr_conf *node)
{
    return node->key_line == 0 ? orr_conf_location(node)
                               : location_in(node, node->key_line, node->key_column);
}

static bool is_absent(const struct orr_conf *node)
{
    return node->kind == ORR_CONF_SCALAR && !node->quoted && node->text[0] == '\0';
}

enum orr_status orr_conf_expected(const struct orr_conf *node, const char *what,
                                  struct orr_diag *diag)
{
    const struct orr_location place = orr_conf_location(node);
    const char *colon = node->path[0] != '\0' ? ": " : "";
    if (node->kind == ORR_CONF_SCALAR && !is_absent(node)) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, &place, "%s%sexpected %s, got \"%.200s\"%s",
                             node->path, colon, what, node->text,
                             strlen(node->text) > 200 ? "..." : "");
    }
    const char *found = node->kind == ORR_CONF_MAP      ? "a mapping"
                        : node->kind == ORR_CONF_SCALAR ? "nothing"
                        : node->count == 0              ? "an empty list"
                                                        : "a list";
    return orr_diag_fail(diag, ORR_ERR_INPUT, &place, "%s%sexpected %s, got %s", node->path, colon,
                         what, found);
}

/* As orr_conf_expected, followed by the reason; `why` may be empty. */
static enum orr_status expected_because(const struct orr_conf *node, const char *what,
                                        const char *why, struct orr_diag *diag)
{
    const bool first = diag != NULL && diag->status == ORR_OK;
    const enum orr_status status = orr_conf_expected(node, what, diag);
    if (first && why[0] != '\0') {
        orr_diag_append(diag, "; %s", why);
    }
    return status;
}

char *orr_conf_join_names(const char *const *names, size_t count, char *text, size_t bytes)
{
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < count && used < bytes; i++) {
        const char *between = i == 0 ? "" : i + 1 == count ? " or " : ", ";
        used += (size_t)snprintf(text + used, bytes - used, "%s%s", between, names[i]);
    }
    return text;
}

/* ---- plain values ---- */

enum orr_status orr_conf_text(const struct orr_conf *node, const char **out, struct orr_diag *diag)
{
    if (node->kind != ORR_CONF_SCALAR || is_absent(node)) {
        return orr_conf_expected(node, "a text", diag);
    }
    *out = node->text;
    return ORR_OK;
}

enum orr_status orr_conf_integer(const struct orr_conf *node, int64_t low, int64_t high,
                                 int64_t *out, struct orr_diag *diag)
{
    int64_t value = 0;
    if (node->kind == ORR_CONF_SCALAR && orr_parse_integer(node->text, &value) && value >= low &&
        value <= high) {
        *out = value;
        return ORR_OK;
    }
    char what[WHAT_BYTES];
    if (high == INT64_MAX) {
        (void)snprintf(what, sizeof what, "a whole number >= %lld", (long long)low);
    } else {
        (void)snprintf(what, sizeof what, "a whole number from %lld to %lld", (long long)low,
                       (long long)high);
    }
    return orr_conf_expected(node, what, diag);
}

enum orr_status orr_conf_number(const struct orr_conf *node, double low, double high, double *out,
                                struct orr_diag *diag)
{
    double value = 0;
    if (node->kind == ORR_CONF_SCALAR && orr_parse_number(node->text, &value) && value >= low &&
        value <= high) {
        *out = value;
        return ORR_OK;
    }
    char what[WHAT_BYTES], min[ORR_FORMAT_BYTES], max[ORR_FORMAT_BYTES];
    (void)orr_format_number(low, min, sizeof min);
    if (high == INFINITY) {
        (void)snprintf(what, sizeof what, "a number >= %s", min);
    } else {
        (void)snprintf(what, sizeof what, "a number from %s to %s", min,
                       orr_format_number(high, max, sizeof max));
    }
    return orr_conf_expected(node, what, diag);
}

enum orr_status orr_conf_bool(const struct orr_conf *node, bool *out, struct orr_diag *diag)
{
    static const char *const yes[] = {"true", "True", "TRUE", "1"};
    static const char *const no[] = {"false", "False", "FALSE", "0"};
    for (size_t i = 0; node->kind == ORR_CONF_SCALAR && i < sizeof yes / sizeof *yes; i++) {
        const bool is_yes = strcmp(node->text, yes[i]) == 0;
        if (is_yes || strcmp(node->text, no[i]) == 0) {
            *out = is_yes;
            return ORR_OK;
        }
    }
    return orr_conf_expected(node, "true or false", diag);
}

/* Few choices are listed; of many the nearest is suggested. */
static enum orr_status expected_choice(const struct orr_conf *node, const char *const *choices,
                                       size_t count, struct orr_diag *diag)
{
    enum { HANDFUL = 4 };
    char what[ORR_CONF_TEXT_BYTES], why[ORR_CONF_LONGEST_KEY] = "";
    const char *nearest =
        node->kind == ORR_CONF_SCALAR ? orr_nearest_name(node->text, choices, count) : NULL;
    if (count > ORR_CONF_SHOWN_NAMES) {
        (void)snprintf(what, sizeof what, "one of %zu names such as %s", count,
                       nearest != NULL ? nearest : choices[0]);
        return orr_conf_expected(node, what, diag);
    }
    if (count > HANDFUL && nearest != NULL) {
        (void)snprintf(why, sizeof why, "did you mean \"%.64s\"?", nearest);
    }
    return expected_because(node, orr_conf_join_names(choices, count, what, sizeof what), why,
                            diag);
}

/* The index of the name among the choices, or their number. */
static size_t choice_index(const char *const *choices, const char *name)
{
    size_t index = 0;
    while (choices[index] != NULL && !orr_same_name(name, choices[index])) {
        index++;
    }
    return index;
}

enum orr_status orr_conf_choice(const struct orr_conf *node, const char *const *choices,
                                unsigned *out, struct orr_diag *diag)
{
    size_t count = 0;
    while (choices[count] != NULL) {
        count++;
    }
    if (node->kind != ORR_CONF_SCALAR) {
        return expected_choice(node, choices, count, diag);
    }
    size_t index = choice_index(choices, node->text);
    if (index == count) {
        index = choice_index(choices, orr_conf_current_choice(node->text));
        if (index < count) {
            const struct orr_location location = orr_conf_location(node);
            orr_conf_warn_deprecated(&location, node->text, choices[index], diag);
        }
    }
    if (index < count) {
        *out = (unsigned)index;
        return ORR_OK;
    }
    return expected_choice(node, choices, count, diag);
}

/* ---- quantities ---- */

static enum orr_status quantity(const struct orr_conf *node, enum orr_quantity kind, bool read,
                                struct orr_diag *diag)
{
    char why[ORR_PROBLEM_BYTES] = "";
    if (read) {
        return ORR_OK;
    }
    if (node->kind == ORR_CONF_SCALAR) {
        (void)orr_quantity_problem(kind, node->text, why, sizeof why);
    }
    return expected_because(node, orr_quantity_expected(kind), why, diag);
}

/* Text of a scalar; "" for a list or mapping. */
static const char *scalar_text(const struct orr_conf *node)
{
    return node->kind == ORR_CONF_SCALAR ? node->text : "";
}

enum orr_status orr_conf_time(const struct orr_conf *node, int64_t *out_ps, struct orr_diag *diag)
{
    return quantity(node, ORR_QUANTITY_TIME, orr_parse_time(scalar_text(node), out_ps), diag);
}

enum orr_status orr_conf_bytes(const struct orr_conf *node, uint64_t *out, struct orr_diag *diag)
{
    return quantity(node, ORR_QUANTITY_BYTES, orr_parse_bytes(scalar_text(node), out), diag);
}

enum orr_status orr_conf_bandwidth(const struct orr_conf *node, double *out_bytes_per_s,
                                   struct orr_diag *diag)
{
    return quantity(node, ORR_QUANTITY_BANDWIDTH,
                    orr_parse_bandwidth(scalar_text(node), out_bytes_per_s), diag);
}

enum orr_status orr_conf_rate(const struct orr_conf *node, double *out_per_s, struct orr_diag *diag)
{
    return quantity(node, ORR_QUANTITY_RATE, orr_parse_compute_rate(scalar_text(node), out_per_s),
                    diag);
}

/* ---- values by key ---- */

static bool is_unbounded(const struct orr_key *key)
{
    return key->low == 0 && key->high == 0;
}

static int64_t to_int64(double bound)
{
    return bound >= 0x1p63 ? INT64_MAX : bound <= -0x1p63 ? INT64_MIN : (int64_t)bound;
}

/* Formats the bound of a quantity with its unit. */
static char *write_bound(const struct orr_key *key, double bound, char *text, size_t bytes)
{
    char number[ORR_FORMAT_BYTES];
    switch (key->type) {
    case ORR_KEY_TIME:
        return orr_format_time(to_int64(bound), text, bytes);
    case ORR_KEY_BYTES:
        return orr_format_bytes(bound >= 0x1p64 ? UINT64_MAX : (uint64_t)bound, text, bytes);
    case ORR_KEY_BANDWIDTH:
        return orr_format_bandwidth(bound, text, bytes);
    default:
        (void)snprintf(text, bytes, "%s FLOP/s", orr_format_number(bound, number, sizeof number));
        return text;
    }
}

static enum orr_status check_range(const struct orr_conf *node, const struct orr_key *key,
                                   double value, struct orr_diag *diag)
{
    if (is_unbounded(key) || (value >= key->low && value <= key->high)) {
        return ORR_OK;
    }
    char what[WHAT_BYTES], min[ORR_FORMAT_BYTES + 8], max[ORR_FORMAT_BYTES + 8];
    const char *name = key->type == ORR_KEY_TIME        ? "time"
                       : key->type == ORR_KEY_BYTES     ? "size"
                       : key->type == ORR_KEY_BANDWIDTH ? "bandwidth"
                                                        : "rate";
    (void)snprintf(what, sizeof what, "a %s from %s to %s", name,
                   write_bound(key, key->low, min, sizeof min),
                   write_bound(key, key->high, max, sizeof max));
    return orr_conf_expected(node, what, diag);
}

static enum orr_status read_quantity(const struct orr_conf *node, const struct orr_key *key,
                                     void *out, struct orr_diag *diag)
{
    int64_t ps = 0;
    uint64_t bytes = 0;
    double rate = 0;
    const enum orr_status status = key->type == ORR_KEY_TIME    ? orr_conf_time(node, &ps, diag)
                                   : key->type == ORR_KEY_BYTES ? orr_conf_bytes(node, &bytes, diag)
                                   : key->type == ORR_KEY_BANDWIDTH
                                       ? orr_conf_bandwidth(node, &rate, diag)
                                       : orr_conf_rate(node, &rate, diag);
    const double value = (double)ps + (double)bytes + rate;
    if (status != ORR_OK || check_range(node, key, value, diag) != ORR_OK) {
        return ORR_ERR_INPUT;
    }
    if (key->type == ORR_KEY_TIME) {
        *(int64_t *)out = ps;
    } else if (key->type == ORR_KEY_BYTES) {
        *(uint64_t *)out = bytes;
    } else {
        *(double *)out = rate;
    }
    return ORR_OK;
}

/* Reads a text; with names, one of these. */
static enum orr_status read_text(const struct orr_conf *node, const struct orr_key *key, void *out,
                                 struct orr_diag *diag)
{
    enum { MAX_NAMES = 128 };
    const char *names[MAX_NAMES + 1] = {NULL};
    unsigned index = 0;
    if (key->names == NULL) {
        return orr_conf_text(node, out, diag);
    }
    for (size_t i = 0; i < MAX_NAMES && key->names(i) != NULL; i++) {
        names[i] = key->names(i);
    }
    const enum orr_status status = orr_conf_choice(node, names, &index, diag);
    if (status == ORR_OK) {
        *(const char **)out = names[index];
    }
    return status;
}

static enum orr_status read_one(const struct orr_conf *node, const struct orr_key *key, void *out,
                                struct orr_diag *diag)
{
    switch (key->type) {
    case ORR_KEY_TEXT:
        return read_text(node, key, out, diag);
    case ORR_KEY_BOOL:
        return orr_conf_bool(node, out, diag);
    case ORR_KEY_INTEGER:
        return orr_conf_integer(node, to_int64(key->low),
                                is_unbounded(key) ? INT64_MAX : to_int64(key->high), out, diag);
    case ORR_KEY_NUMBER:
        return orr_conf_number(node, key->low, is_unbounded(key) ? INFINITY : key->high, out, diag);
    case ORR_KEY_CHOICE:
        return orr_conf_choice(node, key->choices, out, diag);
    case ORR_KEY_NODE:
        *(const struct orr_conf **)out = node;
        return ORR_OK;
    case ORR_KEY_IGNORED:
        return ORR_OK;
    default:
        return read_quantity(node, key, out, diag);
    }
}

/* ---- lists ---- */

static size_t value_bytes(enum orr_key_type type)
{
    static const size_t bytes[] = {[ORR_KEY_TEXT] = sizeof(const char *),
                                   [ORR_KEY_BOOL] = sizeof(bool),
                                   [ORR_KEY_INTEGER] = sizeof(int64_t),
                                   [ORR_KEY_NUMBER] = sizeof(double),
                                   [ORR_KEY_TIME] = sizeof(int64_t),
                                   [ORR_KEY_BYTES] = sizeof(uint64_t),
                                   [ORR_KEY_BANDWIDTH] = sizeof(double),
                                   [ORR_KEY_RATE] = sizeof(double),
                                   [ORR_KEY_CHOICE] = sizeof(unsigned),
                                   [ORR_KEY_NODE] = sizeof(const struct orr_conf *),
                                   [ORR_KEY_IGNORED] = 0};
    return bytes[type];
}

/* Whether a text is the first word of a list of them, or has the same beginning up to its colon. */
static bool is_like(const char *text, const char *words)
{
    const size_t length = strcspn(words, ",:");
    const bool numbered = words[length] == ':';
    return strncmp(text, words, length) == 0 && text[length] == (numbered ? ':' : '\0');
}

bool orr_conf_is_list_text(const struct orr_conf *node, const struct orr_key *key)
{
    const char *words = node->kind == ORR_CONF_SCALAR ? key->list_text : NULL;
    while (words != NULL && !is_like(node->text, words)) {
        words = strchr(words, ',');
        words = words != NULL ? words + strspn(words, ", ") : NULL;
    }
    return words != NULL;
}

static enum orr_status check_count(const struct orr_conf *node, const struct orr_key *key,
                                   struct orr_diag *diag)
{
    if (node->kind != ORR_CONF_LIST) {
        char what[96];
        (void)snprintf(what, sizeof what,
                       key->list_text != NULL ? "a list, or a text such as %s" : "a list",
                       key->list_text);
        return orr_conf_expected(node, what, diag);
    }
    if (node->count >= key->min && (key->max == 0 || node->count <= key->max)) {
        return ORR_OK;
    }
    const struct orr_location place = orr_conf_location(node);
    const char *colon = node->path[0] != '\0' ? ": " : "";
    if (key->max == 0) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, &place,
                             "%s%sexpected a list of %zu or more entries, got %zu", node->path,
                             colon, key->min, node->count);
    }
    return orr_diag_fail(diag, ORR_ERR_INPUT, &place,
                         "%s%sexpected a list of %zu to %zu entries, got %zu", node->path, colon,
                         key->min, key->max, node->count);
}

enum orr_status orr_conf_value(const struct orr_conf *node, const struct orr_key *key, void *out,
                               struct orr_diag *diag)
{
    if (!key->list || key->type == ORR_KEY_IGNORED) {
        return read_one(node, key, out, diag);
    }
    if (key->scalar_as_list && key->type >= ORR_KEY_TIME && key->type <= ORR_KEY_RATE &&
        orr_conf_expand_shorthand(node, &node, diag) != ORR_OK) {
        return ORR_ERR_MEMORY;
    }
    const bool one =
        (key->scalar_as_list && node->kind != ORR_CONF_LIST) || orr_conf_is_list_text(node, key);
    const size_t count = one ? 1 : node->count, bytes = value_bytes(key->type);
    enum orr_status status = one ? ORR_OK : check_count(node, key, diag);
    if (status != ORR_OK) {
        return status;
    }
    char *values = orr_arena_array(node->arena, count, bytes);
    if (values == NULL) {
        return orr_diag_no_memory(diag, "a configuration list");
    }
    for (size_t i = 0; i < count && status == ORR_OK; i++) {
        status = read_one(one ? node : node->item[i], key, values + i * bytes, diag);
    }
    if (status == ORR_OK) {
        *(struct orr_conf_list *)out = (struct orr_conf_list){count, values};
    }
    return status;
}
