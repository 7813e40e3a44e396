/* Results and prices in expressions; see sweep_money.h. */
#include "study/sweep/sweep_money.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/conf/conf.h"
#include "core/conf/conf_read.h"
#include "core/diag.h"
#include "core/price.h"
#include "report/results/result.h"
#include "study/sweep/sweep.h"
#include "study/sweep/sweep_columns.h"

enum { HOUR_S = 3600 };

/* ---- the section ---- */

struct section {
    const char *gpu_hour, *energy, *gpu_power;
    double pue, tokens;
};

#define AT(member) offsetof(struct section, member)
#define COUNT(array) (sizeof(array) / sizeof *(array))

static const struct orr_key keys[] = {
    {.name = "gpu_hour",
     .type = ORR_KEY_TEXT,
     .offset = AT(gpu_hour),
     .absent = "no gpu_dollars",
     .example = "gpu_hour: 2.95 $/h",
     .doc = "the price of an NPU for an hour"},
    {.name = "energy",
     .type = ORR_KEY_TEXT,
     .offset = AT(energy),
     .absent = "no energy_dollars",
     .example = "energy: 0.08 $/kWh",
     .doc = "the price of energy"},
    {.name = "gpu_power",
     .type = ORR_KEY_TEXT,
     .offset = AT(gpu_power),
     .absent = "no kwh",
     .example = "gpu_power: 700 W",
     .doc = "the power of an NPU, with its share of the server"},
    {.name = "pue",
     .type = ORR_KEY_NUMBER,
     .offset = AT(pue),
     .low = 1,
     .high = 10,
     .default_text = "1",
     .doc = "energy of the building over that of its machines"},
    {.name = "tokens",
     .type = ORR_KEY_NUMBER,
     .offset = AT(tokens),
     .low = 0,
     .high = 1e30,
     .absent = "those of the job",
     .example = "tokens: 15e12",
     .doc = "of a whole training, which hours, dollars and energy are then of"},
};

const struct orr_key_table orr_sweep_money_table = {"prices of a sweep", keys, COUNT(keys), NULL};

static enum orr_status read_price(const struct orr_conf *map, const char *key, const char *unit,
                                  double *out, struct orr_diag *diag)
{
    const struct orr_conf *node = orr_conf_get(map, key);
    char expected[96];
    if (node == NULL || orr_parse_price(node->text, unit, out)) {
        return ORR_OK;
    }
    (void)snprintf(expected, sizeof expected, "dollars for a unit, such as 2.95 $/%s", unit);
    return orr_conf_expected(node, expected, diag);
}

static enum orr_status read_power(const struct orr_conf *map, double *out, struct orr_diag *diag)
{
    const struct orr_conf *node = orr_conf_get(map, "gpu_power");
    return node == NULL || orr_parse_power(node->text, out)
               ? ORR_OK
               : orr_conf_expected(node, "a power such as 700 W or 1.2 kW", diag);
}

enum orr_status orr_sweep_read_money(const struct orr_conf *map, struct orr_sweep_money *out,
                                     struct orr_diag *diag)
{
    struct section section = {.tokens = -1};
    *out = (struct orr_sweep_money){-1, -1, -1, 1, -1};
    if (map == NULL) {
        return ORR_OK;
    }
    section.pue = 1;
    if (orr_conf_read(map, "prices of a sweep", keys, COUNT(keys), &section, diag) != ORR_OK ||
        read_price(map, "gpu_hour", "h", &out->gpu_hour, diag) != ORR_OK ||
        read_price(map, "energy", "kWh", &out->energy, diag) != ORR_OK ||
        read_power(map, &out->gpu_watts, diag) != ORR_OK) {
        return diag->status;
    }
    out->pue = section.pue;
    out->tokens = section.tokens;
    return ORR_OK;
}

/* ---- names ---- */

enum money { HOURS, GPU_HOURS, GPU_DOLLARS, KWH, ENERGY_DOLLARS, TOKENS, MONEY };

static const char *const money_names[MONEY] = {"hours", "gpu_hours",      "gpu_dollars",
                                               "kwh",   "energy_dollars", "tokens"};

_Static_assert(ORR_SWEEP_MONEY + MONEY <= ORR_SWEEP_COLUMN, "names of money have codes");
_Static_assert(ORR_SWEEP_COLUMN + ORR_SWEEP_MAX_COLUMNS <= ORR_SWEEP_AXIS, "columns have codes");

/* The key of `sweep.prices` that a name lacks, as an example; NULL: none. */
static const char *lacking(const struct orr_sweep_money *money, enum money name)
{
    if (name == GPU_DOLLARS && money->gpu_hour < 0) {
        return "gpu_hour: 2.95 $/h";
    }
    if ((name == KWH || name == ENERGY_DOLLARS) && money->gpu_watts < 0) {
        return "gpu_power: 700 W";
    }
    return name == ENERGY_DOLLARS && money->energy < 0 ? "energy: 0.08 $/kWh" : NULL;
}

int orr_sweep_find_result(const struct orr_sweep *sweep, const char *name, char *why, size_t bytes)
{
    if (strcmp(name, "cost") == 0) {
        return ORR_SWEEP_COST;
    }
    for (int i = 0; i < MONEY; i++) {
        if (strcmp(money_names[i], name) == 0) {
            const char *key = lacking(sweep->money, (enum money)i);
            (void)snprintf(why, bytes, "%s needs sweep.prices, such as prices: {%s}", name,
                           key != NULL ? key : "");
            return key == NULL ? ORR_SWEEP_MONEY + i : -1;
        }
    }
    const int column =
        orr_sweep_column_of(strcmp(name, "MFU") == 0 ? "model_flops_utilization" : name);
    return column >= 0 ? ORR_SWEEP_COLUMN + column : ORR_SWEEP_NO_RESULT;
}

size_t orr_sweep_result_names(const char **names, size_t max)
{
    struct orr_sweep_columns columns;
    size_t count = 0;
    orr_sweep_list_columns(&columns);
    for (size_t i = 0; i < MONEY && count < max; i++) {
        names[count++] = money_names[i];
    }
    for (size_t c = 0; c < columns.count && count < max; c++) {
        names[count++] = columns.column[c].result->name;
    }
    return count;
}

bool orr_sweep_is_money(int code)
{
    return code >= ORR_SWEEP_MONEY && code < ORR_SWEEP_COLUMN;
}

/* ---- values ---- */

static bool get_column(const struct orr_sweep_scope *scope, size_t column, double *out)
{
    const struct orr_value value = scope->value[column];
    *out = value.kind == ORR_VALUE_REAL ? value.real : (double)value.integer;
    return value.kind == ORR_VALUE_REAL || value.kind == ORR_VALUE_INTEGER;
}

/* Hours of the job, or of all tokens that are given. */
static bool get_hours(const struct orr_sweep_scope *scope, double *hours)
{
    double per_s = 0;
    const double tokens = scope->sweep->money->tokens;
    if (tokens < 0) {
        *hours = scope->time_s / HOUR_S;
        return true;
    }
    const bool known =
        get_column(scope, (size_t)orr_sweep_column_of("tokens_per_s"), &per_s) && per_s > 0;
    *hours = known ? tokens / per_s / HOUR_S : 0;
    return known;
}

static bool get_tokens(const struct orr_sweep_scope *scope, double *tokens)
{
    double per_s = 0;
    const double given = scope->sweep->money->tokens;
    const bool known =
        given >= 0 || get_column(scope, (size_t)orr_sweep_column_of("tokens_per_s"), &per_s);
    *tokens = given >= 0 ? given : per_s * scope->time_s;
    return known;
}

static bool get_money(const struct orr_sweep_scope *scope, enum money name, double *out)
{
    const struct orr_sweep_money *money = scope->sweep->money;
    double hours = 0;
    if (name == TOKENS) {
        return get_tokens(scope, out);
    }
    const bool known = get_hours(scope, &hours);
    const double gpu_hours = hours * scope->npus,
                 kwh = gpu_hours * money->gpu_watts * money->pue / 1e3;
    const double value[MONEY] = {[HOURS] = hours,
                                 [GPU_HOURS] = gpu_hours,
                                 [GPU_DOLLARS] = gpu_hours * money->gpu_hour,
                                 [KWH] = kwh,
                                 [ENERGY_DOLLARS] = kwh * money->energy};
    *out = value[name];
    return known;
}

bool orr_sweep_get_result(const struct orr_sweep_scope *scope, int code, struct orr_expr_value *out,
                          char *why, size_t bytes)
{
    if (scope->value == NULL) {
        (void)snprintf(why, bytes, "the point has not run");
        return false;
    }
    if (code == ORR_SWEEP_COST) {
        out->number = scope->cost;
        (void)snprintf(why, bytes, "the point has no cost");
        return isfinite(scope->cost);
    }
    (void)snprintf(why, bytes, "the point has no such result%s",
                   orr_sweep_is_money(code) ? ": its workload does not tell tokens" : "");
    return orr_sweep_is_money(code)
               ? get_money(scope, (enum money)(code - ORR_SWEEP_MONEY), &out->number)
               : get_column(scope, (size_t)(code - ORR_SWEEP_COLUMN), &out->number);
}
