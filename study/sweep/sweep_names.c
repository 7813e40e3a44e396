/* Names in expressions of a sweep; see sweep.h: `npus`, `time_s`, `network.dollars`,
 * `network.watts`; an axis or fixed value by its path or a unique suffix; a result of a point that
 * ran (sweep_money.h); or the full path of a configuration key. */
#include <stdio.h>
#include <string.h>

#include "core/strings.h"
#include "network/cost/cost.h"
#include "network/net_config_cost.h"
#include "study/sweep/sweep_money.h"
#include "study/sweep/sweep_reading.h"

enum { MAX_NAMES = 256 };

struct resolver {
    struct orr_sweep *sweep;
    bool of_cost; /* the expression is that of the cost */
};

/* Whether the name is the path or its suffix after a dot. */
static bool is_end_of(const char *name, const char *path)
{
    const size_t length = strlen(path), end = strlen(name);
    return end <= length && strcmp(path + length - end, name) == 0 &&
           (end == length || path[length - end - 1] == '.');
}

int orr_sweep_find_axis(const struct orr_sweep *sweep, const char *name)
{
    int found = -1;
    for (size_t i = 0; i < sweep->axes + sweep->sets; i++) {
        if (strcmp(sweep->axis[i].path, name) == 0 && !sweep->axis[i].derived) {
            return (int)i;
        }
    }
    for (size_t i = 0; i < sweep->axes + sweep->sets; i++) {
        if (sweep->axis[i].derived || !is_end_of(name, sweep->axis[i].path)) {
            continue;
        }
        if (found >= 0) {
            return -2;
        }
        found = (int)i;
    }
    return found;
}

void orr_sweep_describe_ambiguous(const struct orr_sweep *sweep, const char *name, char *why,
                                  size_t bytes)
{
    size_t used = (size_t)snprintf(why, bytes, "\"%s\" is ambiguous: ", name);
    const char *between = "";
    for (size_t i = 0; i < sweep->axes + sweep->sets && used < bytes; i++) {
        if (is_end_of(name, sweep->axis[i].path)) {
            used +=
                (size_t)snprintf(why + used, bytes - used, "%s%s", between, sweep->axis[i].path);
            between = " or ";
        }
    }
}

/* Number of a configuration key, appended to the list. */
static int find_config(struct orr_sweep *sweep, const char *name)
{
    for (size_t i = 0; i < sweep->configs; i++) {
        if (strcmp(sweep->config[i], name) == 0) {
            return (int)(ORR_SWEEP_AXIS + sweep->axes + sweep->sets + i);
        }
    }
    if (sweep->configs == MAX_NAMES || !orr_sweep_is_key(name)) {
        return -1;
    }
    sweep->config[sweep->configs] = orr_arena_strdup(sweep->arena, name);
    return sweep->config[sweep->configs] != NULL
               ? (int)(ORR_SWEEP_AXIS + sweep->axes + sweep->sets + sweep->configs++)
               : -1;
}

static void describe_unknown(const struct orr_sweep *sweep, const char *name, char *why,
                             size_t bytes)
{
    const char *names[3 * MAX_NAMES + 5] = {"npus", "network.dollars", "network.watts", "time_s",
                                            "cost"};
    size_t count = 5 + orr_sweep_result_names(&names[5], MAX_NAMES);
    for (size_t i = 0; i < sweep->axes + sweep->sets && count + 2 <= 3 * MAX_NAMES; i++) {
        const char *dot = strrchr(sweep->axis[i].path, '.');
        names[count++] = sweep->axis[i].path;
        if (dot != NULL) {
            names[count++] = dot + 1;
        }
    }
    const char *nearest = orr_nearest_name(name, names, count);
    (void)snprintf(why, bytes, "unknown name \"%s\"%s%s%s", name,
                   nearest != NULL ? "; did you mean \""
                                   : "; expected an axis, a key such as network.dims[0].bandwidth, "
                                     "npus, time_s, cost or another result of a point",
                   nearest != NULL ? nearest : "", nearest != NULL ? "\"?" : "");
}

static int find(void *context, const char *name, char *why, size_t bytes)
{
    const struct resolver *resolver = context;
    if (strcmp(name, "npus") == 0) {
        return ORR_SWEEP_NPUS;
    }
    if (strcmp(name, "network.dollars") == 0 || strcmp(name, "network.watts") == 0) {
        return strcmp(name, "network.dollars") == 0 ? ORR_SWEEP_DOLLARS : ORR_SWEEP_WATTS;
    }
    if (strcmp(name, "time_s") == 0) {
        return ORR_SWEEP_TIME;
    }
    const int axis = orr_sweep_find_axis(resolver->sweep, name);
    if (axis >= 0) {
        return ORR_SWEEP_AXIS + axis;
    }
    if (axis == -2) {
        orr_sweep_describe_ambiguous(resolver->sweep, name, why, bytes);
        return -1;
    }
    if (resolver->of_cost && strcmp(name, "cost") == 0) {
        (void)snprintf(why, bytes, "the cost is what this expression says");
        return -1;
    }
    const int result = orr_sweep_find_result(resolver->sweep, name, why, bytes);
    if (result != ORR_SWEEP_NO_RESULT) {
        return result;
    }
    const int config = find_config(resolver->sweep, name);
    if (config < 0) {
        describe_unknown(resolver->sweep, name, why, bytes);
    }
    return config;
}

/* ---- errors that show the place ---- */

static enum orr_status fail_at(const struct orr_sweep_expr *expr,
                               const struct orr_expr_error *error, struct orr_diag *diag)
{
    enum { SHOWN = 100 };
    const bool short_line = strlen(expr->text) <= SHOWN && strpbrk(expr->text, "\n\t") == NULL;
    if (!short_line) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, &expr->place, "%s: column %u: %s", expr->where,
                             error->column, error->message);
    }
    return orr_diag_fail(diag, ORR_ERR_INPUT, &expr->place, "%s: %s\n  %s\n  %*s", expr->where,
                         error->message, expr->text, (int)error->column, "^");
}

enum orr_status orr_sweep_parse(struct orr_sweep *sweep, struct orr_sweep_expr *expr,
                                struct orr_diag *diag)
{
    struct resolver resolver = {.sweep = sweep, .of_cost = expr == &sweep->cost};
    const struct orr_expr_names names = {.find = find, .context = &resolver};
    struct orr_expr_error error;
    if (sweep->config == NULL) {
        sweep->config = orr_arena_array(sweep->arena, MAX_NAMES, sizeof *sweep->config);
    }
    if (sweep->config == NULL) {
        return orr_diag_no_memory(diag, "a sweep");
    }
    expr->expr = orr_expr_parse(sweep->arena, expr->text, &names, &error);
    return expr->expr != NULL ? ORR_OK : fail_at(expr, &error, diag);
}

/* ---- prices ---- */

void orr_sweep_find_price(const struct net_config *network, struct orr_sweep_price *out)
{
    struct net_cost cost;
    struct orr_diag diag;
    orr_diag_init(&diag);
    *out = (struct orr_sweep_price){.dollars = -1, .watts = -1};
    if (orr_net_config_cost(network, &cost, &diag) != ORR_OK) {
        (void)snprintf(out->no_dollars, sizeof out->no_dollars, "%s", diag.message);
        (void)snprintf(out->no_watts, sizeof out->no_watts, "%s", diag.message);
        out->unbuilt = true;
        return;
    }
    if (cost.unpriced == NULL) {
        out->dollars = cost.total_dollars;
    } else {
        out->unpriced = true;
        (void)snprintf(out->no_dollars, sizeof out->no_dollars,
                       "the network has no price: %s has none", cost.unpriced);
    }
    if (network->cost != NULL && network->cost->has_watts) {
        out->watts = cost.total_watts;
    } else {
        (void)snprintf(out->no_watts, sizeof out->no_watts,
                       "network.cost.watts does not give the power of parts");
    }
}

bool orr_sweep_get_price(const struct orr_sweep_price *price, int name, double *out, char *why,
                         size_t bytes)
{
    if (price == NULL) {
        (void)snprintf(why, bytes, "the network is not known");
        return false;
    }
    *out = name == ORR_SWEEP_DOLLARS ? price->dollars : price->watts;
    (void)snprintf(why, bytes, "%s",
                   name == ORR_SWEEP_DOLLARS ? price->no_dollars : price->no_watts);
    return *out >= 0;
}

static bool is_price(void *context, int name)
{
    (void)context;
    return name == ORR_SWEEP_DOLLARS || name == ORR_SWEEP_WATTS;
}

bool orr_sweep_needs_price(const struct orr_sweep_expr *expr)
{
    return orr_expr_uses(expr->expr, is_price, NULL);
}

/* ---- values ---- */

static bool get_config(const struct orr_sweep_scope *scope, size_t index,
                       struct orr_expr_value *out, char *why, size_t bytes)
{
    const char *text = scope->config != NULL ? scope->config[index] : NULL;
    if (text == NULL) {
        (void)snprintf(why, bytes, "this configuration has no %s", scope->sweep->config[index]);
        return false;
    }
    orr_expr_read_value(text, out);
    return true;
}

static bool get_price(const struct orr_sweep_scope *scope, int name, double *out, char *why,
                      size_t bytes)
{
    const struct orr_sweep_price *price = scope->price;
    const bool known = orr_sweep_get_price(price, name, out, why, bytes);
    if (!known && price != NULL) {
        *scope->lacks_price = price->unbuilt || name == ORR_SWEEP_DOLLARS;
    }
    return known;
}

static bool get(const void *context, int name, struct orr_expr_value *out, char *why, size_t bytes)
{
    const struct orr_sweep_scope *scope = context;
    const struct orr_sweep *sweep = scope->sweep;
    if (name == ORR_SWEEP_NPUS || name == ORR_SWEEP_TIME) {
        out->number = name == ORR_SWEEP_NPUS ? scope->npus : scope->time_s;
        (void)snprintf(why, bytes, "the number of NPUs is not known");
        return out->number >= 0;
    }
    if (name == ORR_SWEEP_DOLLARS || name == ORR_SWEEP_WATTS) {
        return get_price(scope, name, &out->number, why, bytes);
    }
    if (name < ORR_SWEEP_AXIS) {
        return orr_sweep_get_result(scope, name, out, why, bytes);
    }
    const size_t index = (size_t)name - ORR_SWEEP_AXIS;
    if (index >= sweep->axes + sweep->sets) {
        return get_config(scope, index - sweep->axes - sweep->sets, out, why, bytes);
    }
    *out = orr_sweep_value_at(sweep, index, scope->candidate)->value;
    return true;
}

enum orr_status orr_sweep_eval(const struct orr_sweep_expr *expr,
                               const struct orr_sweep_scope *scope, double *out,
                               struct orr_diag *diag)
{
    const struct orr_expr_values values = {.get = get, .context = scope};
    struct orr_expr_error error;
    struct orr_expr_value value;
    if (!orr_expr_eval(expr->expr, &values, &value, &error)) {
        return fail_at(expr, &error, diag);
    }
    if (value.text != NULL) {
        error = (struct orr_expr_error){.message = "expected a number, got a text", .column = 1};
        return fail_at(expr, &error, diag);
    }
    *out = value.number;
    return ORR_OK;
}

static bool is_of_config(void *context, int name)
{
    const struct orr_sweep *sweep = context;
    return name == ORR_SWEEP_NPUS || name == ORR_SWEEP_DOLLARS || name == ORR_SWEEP_WATTS ||
           (size_t)name >= ORR_SWEEP_AXIS + sweep->axes + sweep->sets;
}

static bool is_of_files(void *context, int name)
{
    return name != ORR_SWEEP_NPUS && is_of_config(context, name);
}

bool orr_sweep_needs_files(const struct orr_sweep_expr *expr, const struct orr_sweep *sweep)
{
    struct orr_sweep same = *sweep;
    return orr_expr_uses(expr->expr, is_of_files, &same);
}

static bool is_of_results(void *context, int name)
{
    (void)context;
    return name == ORR_SWEEP_TIME || (name >= ORR_SWEEP_COST && name < ORR_SWEEP_AXIS);
}

bool orr_sweep_needs_results(const struct orr_sweep_expr *expr)
{
    return orr_expr_uses(expr->expr, is_of_results, NULL);
}

bool orr_sweep_needs_config(const struct orr_sweep_expr *expr, const struct orr_sweep *sweep)
{
    struct orr_sweep same = *sweep;
    return orr_expr_uses(expr->expr, is_of_config, &same);
}

void orr_sweep_keep_value(void *context, const char *path, const char *value, const char *origin)
{
    const struct orr_sweep_found *found = context;
    (void)origin;
    for (size_t i = 0; i < found->sweep->configs && value != NULL; i++) {
        if (strcmp(found->sweep->config[i], path) == 0) {
            found->config[i] = orr_arena_strdup(found->arena, value);
        }
    }
}
