/* Parameters that are any key of a number: value, unit and bounds. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/conf/conf.h"
#include "core/conf/keys.h"
#include "core/units.h"
#include "planner/fit_compute/compfit_private.h"
#include "sim/load/config_keys.h"
#include "study/sweep/sweep.h"

static const double key_std_dev = 0.3, bound_std_devs = 3;

/* ---- a value in a tree ---- */

const struct orr_conf *orr_compfit_find_key(const struct orr_conf *root, const char *path)
{
    const struct orr_conf *node = root;
    while (node != NULL && *path != '\0') {
        if (*path == '[') {
            const size_t index = strtoul(path + 1, NULL, 10);
            node = node->kind == ORR_CONF_LIST && index < node->count ? node->item[index] : NULL;
            path += strcspn(path, "]");
            path += *path == ']' ? 1 : 0;
            path += *path == '.' ? 1 : 0;
            continue;
        }
        const size_t length = strcspn(path, ".[");
        const struct orr_conf *next = NULL;
        for (size_t i = 0; node->kind == ORR_CONF_MAP && i < node->count; i++) {
            if (strlen(node->key[i]) == length && strncmp(node->key[i], path, length) == 0) {
                next = node->item[i];
            }
        }
        node = next;
        path += length;
        path += *path == '.' ? 1 : 0;
    }
    return node;
}

/* ---- numbers with units ---- */

static bool is_one_of(char c, const char *set)
{
    return c != '\0' && strchr(set, c) != NULL;
}

/* Splits "25 GB/s" into 25 and "GB/s". False: no number at the start. */
static bool split_unit(const char *text, double *value, const char **unit)
{
    static const char digits[] = "0123456789";
    char number[64];
    size_t length = strspn(text, "0123456789.");
    if (is_one_of(text[length], "eE")) {
        const size_t sign = is_one_of(text[length + 1], "+-") ? 2 : 1;
        const size_t power = strspn(text + length + sign, digits);
        length += power > 0 ? sign + power : 0;
    }
    if (length == 0 || length >= sizeof number) {
        return false;
    }
    memcpy(number, text, length);
    number[length] = '\0';
    *unit = text + length + strspn(text + length, " ");
    return orr_parse_number(number, value);
}

struct key_search {
    const char *path; /* the path without indices */
    const struct orr_key *found;
};

static void match_key(void *context, const char *path, const struct orr_key_table *table,
                      const struct orr_key *key)
{
    struct key_search *key_search = context;
    (void)table;
    key_search->found = strcmp(path, key_search->path) == 0 ? key : key_search->found;
}

/* The key of a path; NULL: it is below a key whose values have a reader of their own. */
static const struct orr_key *find_key(struct orr_arena *arena, const char *path)
{
    char *plain = orr_arena_strdup(arena, path);
    struct key_search key_search = {.path = plain};
    size_t used = 0;
    for (const char *at = path; plain != NULL && *at != '\0'; at++) {
        plain[used++] = *at;
        if (*at == '[') {
            at += strcspn(at, "]");
            plain[used++] = ']';
        }
    }
    if (plain != NULL) {
        plain[used] = '\0';
        orr_keys_visit(&orr_wl_key_table, match_key, &key_search);
    }
    return key_search.found;
}

static bool is_number(const struct orr_key *key)
{
    return key->type == ORR_KEY_NUMBER || key->type == ORR_KEY_TIME ||
           key->type == ORR_KEY_BANDWIDTH || key->type == ORR_KEY_RATE;
}

/* ---- the parameter ---- */

static bool ends_with(const char *text, const char *end)
{
    const size_t length = strlen(text), with = strlen(end);
    return length > with && strcmp(text + length - with, end) == 0;
}

static bool begins_with(const char *text, const char *begin)
{
    return strncmp(text, begin, strlen(begin)) == 0;
}

static void fill_bounds(struct compfit_param *param, const struct orr_key *key)
{
    const double reach = exp(bound_std_devs * key_std_dev);
    const bool sheet = begins_with(param->name, "network.") && ends_with(param->name, "bandwidth");
    param->low = param->prior / reach;
    param->high = sheet ? param->prior : param->prior * reach;
    if (key != NULL && key->type == ORR_KEY_NUMBER && key->high > 0) {
        param->low = fmax(param->low, fmin(key->low, param->prior));
        param->high = fmin(param->high, fmax(key->high, param->prior));
    }
}

static enum orr_status fail(const struct orr_conf *node, const char *path, const char *what,
                            struct orr_diag *diag)
{
    const struct orr_location location =
        node != NULL ? orr_conf_location(node) : orr_location_none();
    return orr_diag_fail(diag, ORR_ERR_INPUT, &location, "--fit %s: %s", path, what);
}

enum orr_status orr_compfit_read_key_param(struct orr_arena *arena, const struct compfit *fit,
                                           const char *path, struct compfit_param *out,
                                           struct orr_diag *diag)
{
    const struct orr_location none = orr_location_none();
    const bool of_workload = begins_with(path, "workload.");
    const struct orr_conf *root = of_workload ? fit->input.workload : fit->input.platform;
    enum orr_status status = orr_sweep_check_path(path, &none, "--fit", diag);
    if (status != ORR_OK) {
        return status;
    }
    const struct orr_key *key = find_key(arena, path);
    const struct orr_conf *node = orr_compfit_find_key(root, path);
    if (key != NULL && !is_number(key)) {
        return fail(node, path, "expected the key of a number, a time or a rate", diag);
    }
    const char *text = node != NULL && node->kind == ORR_CONF_SCALAR ? node->text
                       : node == NULL && key != NULL                 ? key->default_text
                                                                     : NULL;
    if (text == NULL) {
        return fail(node, path,
                    "expected a number in the files, which is the prior; give it with --set", diag);
    }
    *out = (struct compfit_param){.kind = COMPFIT_KEY,
                                  .name = path,
                                  .std_dev = key_std_dev,
                                  .from_platform = node != NULL,
                                  .of_workload = of_workload};
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ/";
    if (!split_unit(text, &out->prior, &out->unit) || !(out->prior > 0) ||
        out->unit[strspn(out->unit, letters)] != '\0') {
        return fail(node, path, "expected a number above 0 in the files, which is the prior", diag);
    }
    fill_bounds(out, key);
    return ORR_OK;
}
