/* Ranges of an axis as lists: {from: 1 MiB, to: 1 GiB, times: 4}; see sweep.h. Values keep the unit
 * of `from`; the last one is the last that is not beyond `to`. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/conf/conf.h"
#include "core/conf/conf_read.h"
#include "core/units.h"
#include "study/sweep/sweep_reading.h"

struct range {
    const char *from, *to, *step;
    double times;
};

#define AT(member) offsetof(struct range, member)

static const struct orr_key keys[] = {
    {.name = "from",
     .type = ORR_KEY_TEXT,
     .offset = AT(from),
     .required = true,
     .example = "from: 1 MiB",
     .doc = "the first value, a number or a quantity"},
    {.name = "to",
     .type = ORR_KEY_TEXT,
     .offset = AT(to),
     .required = true,
     .example = "to: 1 GiB",
     .doc = "the last value, if a step hits it"},
    {.name = "step", .type = ORR_KEY_TEXT, .offset = AT(step), .doc = "from a value to the next"},
    {.name = "times",
     .type = ORR_KEY_NUMBER,
     .offset = AT(times),
     .low = 0,
     .high = 1e9,
     .doc = "a value divided by the one before"}};

/* A number and its unit. */
struct amount {
    double number, base; /* base: in base units, as in expressions */
    const char *unit;    /* with leading space */
};

static bool split(struct orr_arena *arena, const char *text, struct amount *out)
{
    struct orr_expr_value value;
    text += strspn(text, " \t");
    const size_t sign = *text == '-' || *text == '+' ? 1 : 0;
    orr_expr_read_value(text + sign,
                        &value); /* quantities have no sign, but a step may be negative */
    size_t length = sign + strspn(text + sign, "0123456789.");
    if (text[length] == 'e' || text[length] == 'E') {
        const size_t more = text[length + 1] == '-' || text[length + 1] == '+' ? 2 : 1;
        const size_t digits = strspn(text + length + more, "0123456789");
        length += digits != 0 ? more + digits : 0;
    }
    const char *number = orr_arena_strndup(arena, text, length);
    out->unit = text + length;
    out->base = *text == '-' ? -value.number : value.number;
    return value.text == NULL && number != NULL && orr_parse_number(number, &out->number);
}

/* The kind of quantity of a unit; -1: none. */
static int kind_of(const char *unit)
{
    unit += strspn(unit, " \t");
    const size_t length = strcspn(unit, " \t");
    for (int q = ORR_QUANTITY_TIME; length > 0 && q <= ORR_QUANTITY_RATE; q++) {
        const char *name;
        for (size_t i = 0; (name = orr_quantity_unit((enum orr_quantity)q, i)) != NULL; i++) {
            if (strlen(name) == length && strncmp(name, unit, length) == 0) {
                return q;
            }
        }
    }
    return -1;
}

/* Converts a quantity to units of `like`. */
static enum orr_status in_units_of(struct orr_sweep *sweep, const struct orr_conf *node,
                                   const struct amount *like, double *out, struct orr_diag *diag)
{
    struct amount amount;
    const struct orr_location location = orr_conf_location(node);
    if (node->kind != ORR_CONF_SCALAR || !split(sweep->arena, node->text, &amount)) {
        return orr_conf_expected(node, "a number or a quantity such as \"1 MiB\"", diag);
    }
    if (kind_of(amount.unit) != kind_of(like->unit)) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, &location,
                             "%s: \"%s\" does not go with \"%g%s\": expected the same kind of unit",
                             node->path, node->text, like->number, like->unit);
    }
    *out = strcmp(amount.unit, like->unit) == 0 ? amount.number : amount.base;
    if (strcmp(amount.unit, like->unit) != 0) {
        struct orr_expr_value unit;
        const char *one = orr_arena_printf(sweep->arena, "1%s", like->unit);
        orr_expr_read_value(one != NULL ? one : "1", &unit);
        *out = amount.base / unit.number;
    }
    return ORR_OK;
}

static enum orr_status fail_range(const struct orr_conf *map, const char *why,
                                  struct orr_diag *diag)
{
    const struct orr_location location = orr_conf_location(map);
    return orr_diag_fail(diag, ORR_ERR_INPUT, &location, "%s: %s", map->path, why);
}

/* Number of values, at most ORR_SWEEP_MAX_VALUES + 1. A billionth of a step beyond `to` is
 * rounding. */
static size_t count_values(double from, double to, double step, bool product)
{
    const double steps = product ? log(to / from) / log(step) : (to - from) / step;
    return steps + 1 < ORR_SWEEP_MAX_VALUES ? (size_t)(steps + 1e-9) + 1 : ORR_SWEEP_MAX_VALUES + 1;
}

static enum orr_status check(const struct orr_conf *map, const struct amount *from, double to,
                             double step, struct orr_diag *diag)
{
    const bool product = orr_conf_get(map, "times") != NULL;
    if (product && (!(from->number > 0) || !(to > 0))) {
        return fail_range(map, "with \"times\", \"from\" and \"to\" must be above 0", diag);
    }
    if (from->number != to && (product ? !(step > 0) || step == 1 : step == 0)) {
        return fail_range(map,
                          product
                              ? "\"times\" must be above 0 and not 1, or \"to\" is never reached"
                              : "\"step\" must not be 0, or \"to\" is never reached",
                          diag);
    }
    if (from->number != to && (from->number < to) != (product ? step > 1 : step > 0)) {
        return fail_range(map,
                          product ? "\"to\" is never reached: \"times\" leads away from it"
                                  : "\"to\" is never reached: \"step\" leads away from it",
                          diag);
    }
    return ORR_OK;
}

/* Creates the list of values as nodes like that of `from`. */
static enum orr_status make_list(struct orr_sweep *sweep, const struct orr_conf *map,
                                 const struct amount *from, double last, double step,
                                 const struct orr_conf **out, struct orr_diag *diag)
{
    const bool product = orr_conf_get(map, "times") != NULL;
    const size_t count = from->number == last ? 1 : count_values(from->number, last, step, product);
    if (count > ORR_SWEEP_MAX_VALUES) {
        return fail_range(map, "these are more than a million values", diag);
    }
    struct orr_conf *list = orr_arena_alloc(sweep->arena, sizeof *list);
    struct orr_conf *node = orr_arena_array(sweep->arena, count, sizeof *node);
    const struct orr_conf **item = orr_arena_array(sweep->arena, count, sizeof *item);
    if (list == NULL || node == NULL || item == NULL) {
        return orr_diag_no_memory(diag, "a sweep");
    }
    for (size_t i = 0; i < count; i++) {
        const double number =
            product ? from->number * pow(step, (double)i) : from->number + step * (double)i;
        node[i] = *orr_conf_get(map, "from");
        node[i].text = orr_arena_printf(sweep->arena, "%.12g%s", number, from->unit);
        item[i] = &node[i];
        if (node[i].text == NULL) {
            return orr_diag_no_memory(diag, "a sweep");
        }
    }
    *list = *map;
    list->kind = ORR_CONF_LIST;
    list->item = item;
    list->count = count;
    *out = list;
    return ORR_OK;
}

enum orr_status orr_sweep_read_range(struct orr_sweep *sweep, const struct orr_conf *map,
                                     const struct orr_conf **list, struct orr_diag *diag)
{
    struct range range = {0};
    struct amount from;
    double last = 0, step = 0;
    enum orr_status status =
        orr_conf_read(map, "a range", keys, sizeof keys / sizeof *keys, &range, diag);
    const struct orr_conf *by = orr_conf_get(map, "step");
    if (status == ORR_OK && (by == NULL) == (orr_conf_get(map, "times") == NULL)) {
        return fail_range(map, "a range needs either the key \"step\" or \"times\"", diag);
    }
    if (status == ORR_OK && !split(sweep->arena, range.from, &from)) {
        return orr_conf_expected(orr_conf_get(map, "from"),
                                 "a number or a quantity such as \"1 MiB\"", diag);
    }
    if (status == ORR_OK) {
        status = in_units_of(sweep, orr_conf_get(map, "to"), &from, &last, diag);
    }
    step = range.times;
    if (status == ORR_OK && by != NULL) {
        status = in_units_of(sweep, by, &from, &step, diag);
    }
    if (status == ORR_OK) {
        status = check(map, &from, last, step, diag);
    }
    return status == ORR_OK ? make_list(sweep, map, &from, last, step, list, diag) : status;
}
