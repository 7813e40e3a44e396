/* Quantities of a point; see sweep_quantity.h. */
#include "study/ranking/sweep_quantity.h"

#include "core/strings.h"
#include "study/sweep/sweep.h"
#include "study/sweep/sweep_columns.h"

#include <math.h>
#include <string.h>

enum { MAX_NAMES = 2 * ORR_SWEEP_MAX_COLUMNS + 128 };

static const struct {
    const char *column, *label;
} labels[] = {{"wall_ps", "time"},
              {"model_flops_utilization", "MFU"},
              {"memory_bytes", "memory"},
              {"tokens_per_s", "tokens/s"},
              {"compute_ps", "compute"},
              {"cpu_ps", "CPU"},
              {"exposed_local_memory_ps", "local mem"},
              {"exposed_remote_memory_ps", "remote mem"},
              {"exposed_communication_ps", "communication"},
              {"waiting_ps", "waiting"},
              {"idle_ps", "idle"}};
enum { LABELS = sizeof labels / sizeof *labels };

const char *orr_sweep_column_label(const char *column)
{
    for (size_t i = 0; i < LABELS; i++) {
        if (strcmp(labels[i].column, column) == 0) {
            return labels[i].label;
        }
    }
    return column;
}

static enum orr_result_unit unit_of_name(const char *name)
{
    enum orr_result_unit unit = ORR_UNIT_NONE;
    for (unsigned i = ORR_UNIT_NONE; name != NULL && i <= ORR_UNIT_PER_S; i++) {
        unit = strcmp(orr_unit_name((enum orr_result_unit)i), name) == 0 ? (enum orr_result_unit)i
                                                                         : unit;
    }
    return unit;
}

struct orr_sweep_quantity orr_sweep_axis_quantity(const struct orr_sweep *sweep, size_t axis)
{
    const char *unit = orr_sweep_axis_unit(&sweep->axis[axis]);
    return (struct orr_sweep_quantity){.kind = ORR_SWEEP_VALUE,
                                       .index = axis,
                                       .name = sweep->axis[axis].path,
                                       .label = orr_sweep_axis_label(sweep, axis),
                                       .unit = unit_of_name(unit),
                                       .unit_name = unit};
}

static bool find_result(const char *name, struct orr_sweep_quantity *out)
{
    struct orr_sweep_columns columns;
    orr_sweep_list_columns(&columns);
    for (size_t c = 0; c < columns.count; c++) {
        const struct orr_result *result = columns.column[c].result;
        const char *label = orr_sweep_column_label(result->name);
        if (strcmp(result->name, name) == 0 || strcmp(label, name) == 0) {
            *out = (struct orr_sweep_quantity){.kind = ORR_SWEEP_RESULT,
                                               .index = c,
                                               .name = result->name,
                                               .label = label,
                                               .unit = result->unit,
                                               .unit_name = orr_unit_name(result->unit),
                                               .more = orr_sweep_more_is_better(result->name)};
            return true;
        }
    }
    return false;
}

static bool find_builtin(const char *name, struct orr_sweep_quantity *out)
{
    static const struct orr_sweep_quantity builtin[] = {
        {.kind = ORR_SWEEP_POINT, .name = "point", .label = "point", .unit_name = ""},
        {.kind = ORR_SWEEP_BOTH, .name = "time*cost", .label = "time*cost", .unit_name = ""},
        {.kind = ORR_SWEEP_FRONT, .name = "pareto", .label = "pareto", .unit_name = ""}};
    for (size_t i = 0; i < sizeof builtin / sizeof *builtin; i++) {
        if (strcmp(builtin[i].name, name) == 0) {
            *out = builtin[i];
            return true;
        }
    }
    return false;
}

static enum orr_status fail_unknown(const struct orr_sweep *sweep, const char *name,
                                    struct orr_diag *diag)
{
    const char *known[MAX_NAMES] = {"point", "time*cost", "pareto"};
    struct orr_sweep_columns columns;
    size_t count = 3;
    orr_sweep_list_columns(&columns);
    for (size_t c = 0; c < columns.count; c++) {
        known[count++] = orr_sweep_column_label(columns.column[c].result->name);
        known[count++] = columns.column[c].result->name;
    }
    for (size_t a = 0; a < sweep->axes && count + 1 < MAX_NAMES; a++) {
        known[count++] = sweep->axis[a].path;
        known[count++] = orr_sweep_axis_label(sweep, a);
    }
    const char *nearest = orr_nearest_name(name, known, count);
    return orr_diag_fail(
        diag, ORR_ERR_INPUT, NULL, "\"%s\" is no axis and no result of a point%s%s%s", name,
        nearest != NULL ? "; did you mean \""
                        : "; expected an axis, time, cost, time*cost, MFU, memory, communication, "
                          "waiting, or another result that docs/results.md lists for sweeps",
        nearest != NULL ? nearest : "", nearest != NULL ? "\"?" : "");
}

enum orr_status orr_sweep_find_quantity(const struct orr_sweep *sweep, const char *name,
                                        struct orr_sweep_quantity *out, struct orr_diag *diag)
{
    char why[512];
    const int axis = orr_sweep_find_axis(sweep, name);
    if (axis >= 0 && (size_t)axis < sweep->axes) {
        *out = orr_sweep_axis_quantity(sweep, (size_t)axis);
        return ORR_OK;
    }
    if (find_builtin(name, out) || find_result(name, out)) {
        return ORR_OK;
    }
    if (axis == -2) {
        orr_sweep_describe_ambiguous(sweep, name, why, sizeof why);
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL, "%s", why);
    }
    return axis >= 0 ? orr_diag_fail(diag, ORR_ERR_INPUT, NULL, "%s is the same for all points",
                                     sweep->axis[axis].path)
                     : fail_unknown(sweep, name, diag);
}

struct orr_sweep_quantity orr_sweep_measure_quantity(const struct orr_sweep *sweep, size_t index)
{
    const struct orr_sweep_expr *expr =
        index < sweep->fronts ? &sweep->front[index] : &sweep->rank_by;
    return (struct orr_sweep_quantity){.kind = ORR_SWEEP_MEASURE,
                                       .index = index,
                                       .name = expr->text,
                                       .label = expr->text,
                                       .unit_name = "",
                                       .more = expr->more};
}

struct orr_value orr_sweep_quantity_value(const struct orr_sweep *sweep,
                                          const struct orr_sweep_quantity *quantity,
                                          const struct orr_sweep_result *result)
{
    const struct orr_value none = {.kind = ORR_VALUE_NONE};
    if (quantity->kind == ORR_SWEEP_POINT) {
        return orr_integer_value(result->point);
    }
    if (quantity->kind == ORR_SWEEP_VALUE) {
        const struct orr_expr_value *value =
            &orr_sweep_value_at(sweep, quantity->index, sweep->point[result->point])->value;
        return value->text != NULL ? orr_text_value(value->text) : orr_real_value(value->number);
    }
    if (!result->ok) {
        return none;
    }
    if (quantity->kind == ORR_SWEEP_MEASURE) {
        const double value = result->measure[quantity->index];
        return isfinite(value) ? orr_real_value(quantity->more ? -value : value) : none;
    }
    if (quantity->kind == ORR_SWEEP_FRONT) {
        return (struct orr_value){.kind = ORR_VALUE_BOOL, .integer = result->pareto};
    }
    if (quantity->kind == ORR_SWEEP_BOTH) {
        return isfinite(result->cost)
                   ? orr_real_value((double)result->wall_ps * 1e-12 * result->cost)
                   : none;
    }
    return result->value[quantity->index];
}
