/* A sweep that has run as one JSON document; see sweep_json.h. */
#include "study/ranking/sweep_json.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <string.h>

#include "core/arena.h"
#include "orrery/orrery.h"
#include "report/json_text.h"
#include "study/ranking/sweep_quantity.h"
#include "study/sweep/sweep.h"
#include "study/sweep/sweep_columns.h"
#include "study/sweep/sweep_failures.h"
#include "study/sweep/sweep_result.h"
#include "study/sweep/sweep_store.h"

static void set(json_t *object, const char *key, json_t *value)
{
    (void)json_object_set_new(object, key, value);
}

static json_t *text_or_null(const char *text)
{
    return text != NULL ? orr_json_text(text) : json_null();
}

/* ---- what was varied ---- */

/* With its number, in the unit of the axis. */
static json_t *value_json(const struct orr_sweep_value *value, bool number)
{
    json_t *object = json_object();
    set(object, "label", orr_json_text(value->label));
    if (number) {
        set(object, "value", json_real(value->value.number));
    }
    return object;
}

static json_t *axis_json(const struct orr_sweep *sweep, size_t axis)
{
    const struct orr_sweep_axis *of = &sweep->axis[axis];
    const char *unit = orr_sweep_axis_unit(of);
    json_t *object = json_object(), *values = json_array();
    set(object, "name", orr_json_text(of->path));
    set(object, "label", orr_json_text(orr_sweep_axis_label(sweep, axis)));
    set(object, "kind", json_string(unit != NULL ? "number" : "text"));
    set(object, "unit", json_string(unit != NULL ? unit : ""));
    for (size_t i = 0; i < of->count; i++) {
        (void)json_array_append_new(values, value_json(&of->value[i], unit != NULL));
    }
    set(object, "values", values);
    return object;
}

static json_t *axes_json(const struct orr_sweep *sweep)
{
    json_t *list = json_array();
    for (size_t a = 0; a < sweep->axes; a++) {
        (void)json_array_append_new(list, axis_json(sweep, a));
    }
    return list;
}

static json_t *fixed_json(const struct orr_sweep *sweep)
{
    json_t *object = json_object();
    for (size_t i = sweep->axes; i < sweep->axes + sweep->sets; i++) {
        set(object, sweep->axis[i].path, orr_json_text(sweep->axis[i].value[0].label));
    }
    return object;
}

static json_t *where_json(const struct orr_sweep *sweep)
{
    json_t *list = json_array();
    for (size_t i = 0; i < sweep->wheres + sweep->filters; i++) {
        const struct orr_sweep_expr *expr =
            i < sweep->wheres ? &sweep->where[i] : &sweep->filter[i - sweep->wheres];
        (void)json_array_append_new(list, orr_json_text(expr->text));
    }
    return list;
}

/* ---- columns ---- */

static json_t *columns_json(void)
{
    struct orr_sweep_columns columns;
    json_t *list = json_array();
    orr_sweep_list_columns(&columns);
    for (size_t c = 0; c < columns.count; c++) {
        const struct orr_result *result = columns.column[c].result;
        json_t *object = json_object();
        set(object, "name", json_string(result->name));
        set(object, "label", json_string(orr_sweep_column_label(result->name)));
        set(object, "unit", json_string(orr_unit_name(result->unit)));
        set(object, "better",
            json_string(orr_sweep_more_is_better(result->name) ? "more" : "less"));
        set(object, "meaning", json_string(result->meaning));
        (void)json_array_append_new(list, object);
    }
    return list;
}

/* The axes of the front. */
static json_t *objectives_json(const struct orr_sweep *sweep)
{
    json_t *list = json_array();
    for (size_t i = 0; i < sweep->fronts; i++) {
        (void)json_array_append_new(list, orr_json_text(sweep->front[i].text));
    }
    if (sweep->fronts == 0) {
        (void)json_array_append_new(list, json_string("wall_ps"));
        (void)json_array_append_new(list, json_string("cost"));
    }
    return list;
}

static json_t *reasons_json(const struct orr_sweep_failures *failures)
{
    json_t *list = json_array();
    for (size_t i = 0; i < failures->reasons; i++) {
        const struct orr_sweep_reason *reason = &failures->reason[i];
        json_t *object = json_object();
        set(object, "error", orr_json_text(reason->text));
        set(object, "status", json_string(reason->unfit ? ORR_SWEEP_UNFIT : "failed"));
        set(object, "points", json_integer(reason->points));
        set(object, "first", json_integer(reason->first));
        (void)json_array_append_new(list, object);
    }
    return list;
}

static json_t *head_json(const struct orr_sweep_store *store)
{
    const struct orr_sweep *sweep = store->sweep;
    json_t *object = json_object();
    set(object, "orrery", json_string(orrery_version()));
    set(object, "file", orr_json_text(sweep->file));
    set(object, "platform", text_or_null(sweep->platform));
    set(object, "workload", text_or_null(sweep->workload));
    set(object, "points", json_integer(sweep->points));
    set(object, "estimated", json_integer(sweep->estimated));
    set(object, "failed", json_integer(store->failed));
    set(object, "failed_to_fit", json_integer(store->unfit));
    set(object, "excluded", json_integer(store->excluded));
    set(object, "reasons", reasons_json(store->failures));
    set(object, "axes", axes_json(sweep));
    set(object, "set", fixed_json(sweep));
    set(object, "where", where_json(sweep));
    set(object, "cost", orr_json_text(sweep->cost.text));
    set(object, "rank_by", text_or_null(sweep->rank_by.text));
    set(object, "objectives", objectives_json(sweep));
    set(object, "group_by",
        text_or_null(sweep->group_axis != NULL ? sweep->group_axis->path : NULL));
    set(object, "columns", columns_json());
    return object;
}

/* ---- fronts ---- */

static json_t *points_json(const struct orr_sweep_entry *entry, uint32_t count)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < count; i++) {
        (void)json_array_append_new(list, json_integer(entry[i].point));
    }
    return list;
}

static json_t *overall_json(const struct orr_sweep_store *store, struct orr_sweep_entry *entry)
{
    const uint32_t count = orr_sweep_rank(store, ORR_SWEEP_BY_FRONT, entry);
    return points_json(entry, orr_sweep_keep_frontier(store, entry, count));
}

/* The points in the order of rank_by. */
static json_t *ranked_json(const struct orr_sweep_store *store, struct orr_sweep_entry *entry)
{
    return points_json(entry, orr_sweep_rank(store, ORR_SWEEP_BY_RANK, entry));
}

/* Number of points of a group, and of failed ones. */
struct tally {
    uint32_t points, failed;
};

static json_t *list_groups(const struct orr_sweep_store *store, const struct tally *tally,
                           const struct orr_sweep_entry *entry, uint32_t kept)
{
    json_t *list = json_array();
    for (uint32_t group = 0, i = 0; group < store->sweep->groups; group++) {
        uint32_t end = i;
        while (end < kept && entry[end].group == group) {
            end++;
        }
        json_t *object = json_object();
        set(object, "group", orr_json_text(orr_sweep_group_label(store->sweep, group)));
        set(object, "points", json_integer(tally[group].points));
        set(object, "failed", json_integer(tally[group].failed));
        set(object, "pareto", points_json(&entry[i], end - i));
        (void)json_array_append_new(list, object);
        i = end;
    }
    return list;
}

/* NULL when memory is out. */
static json_t *groups_json(const struct orr_sweep_store *store, struct orr_sweep_entry *entry)
{
    const struct orr_sweep *sweep = store->sweep;
    struct tally *tally = orr_heap_calloc((size_t)sweep->groups + 1, sizeof *tally);
    if (tally == NULL) {
        return NULL;
    }
    for (uint32_t point = 0; point < sweep->points; point++) {
        struct tally *of = &tally[orr_sweep_group(sweep, point)];
        of->points++;
        of->failed += store->row[point].state == ORR_SWEEP_FAILED ? 1 : 0;
    }
    const uint32_t kept =
        orr_sweep_keep_frontier(store, entry, orr_sweep_rank_groups(store, entry));
    json_t *list = list_groups(store, tally, entry, kept);
    orr_heap_free(tally);
    return list;
}

/* ---- the document ---- */

static int write_member(FILE *out, const char *key, json_t *value, size_t flags)
{
    (void)fprintf(out, "\"%s\": ", key);
    const int result = value != NULL ? orr_json_write(value, out, flags) : 1;
    (void)fputs(",\n", out);
    json_decref(value);
    return result;
}

static int write_points(FILE *out, struct orr_sweep_store *store)
{
    struct orr_diag diag;
    orr_diag_init(&diag);
    (void)fputs("\"points\": [\n", out);
    for (uint32_t point = 0; point < store->sweep->points; point++) {
        struct orr_sweep_result result;
        if (orr_sweep_store_read(store, point, &result, &diag) != ORR_OK) {
            errno = EIO;
            return 1;
        }
        orr_sweep_print_bare(out, store->line, &result);
        (void)fputs(point + 1 < store->sweep->points ? ",\n" : "\n", out);
    }
    (void)fputs("]\n", out);
    return 0;
}

static int write_all(FILE *out, struct orr_sweep_store *store, struct orr_sweep_entry *entry)
{
    const size_t flags = JSON_REAL_PRECISION(15);
    (void)fputs("{\n", out);
    int result = write_member(out, "sweep", head_json(store), flags | JSON_INDENT(2));
    result |= write_member(out, "pareto", overall_json(store, entry), flags);
    if (store->sweep->rank_by.expr != NULL) {
        result |= write_member(out, "ranked", ranked_json(store, entry), flags);
    }
    if (store->sweep->group_axis != NULL) {
        result |= write_member(out, "groups", groups_json(store, entry), flags);
    }
    result |= write_points(out, store);
    (void)fputs("}\n", out);
    return result != 0 || ferror(out) != 0 ? 1 : 0;
}

int orr_sweep_write_document(FILE *out, const void *of)
{
    /* The store caches lines, so it is not const. */
    struct orr_sweep_store *store = (struct orr_sweep_store *)(uintptr_t)of;
    struct orr_sweep_entry *entry = orr_heap_calloc(store->sweep->points, sizeof *entry);
    if (entry == NULL) {
        errno = ENOMEM;
        return 1;
    }
    const int result = write_all(out, store, entry);
    orr_heap_free(entry);
    return result;
}
