/* Finding results by name; see result_rows.h. */
#include "report/results/result_rows.h"

#include "core/strings.h"
#include "core/sum.h"

#include <string.h>

enum { MAX_NAMES = 128, LIST_BYTES = 512, NAME_BYTES = 128 };

/* ---- names ---- */

/* True for results that are available by name: the first entry of each name, and no lists, which
 * are tables of their own. */
static bool has_name(const struct orr_result *result)
{
    return result->meaning != NULL && result->type != ORR_RESULT_LIST;
}

static const struct orr_result *find_result(const struct orr_result_table *table, const char *name)
{
    const struct orr_result *result;
    for (size_t i = 0; (result = orr_result_at(table, i)) != NULL; i++) {
        if (has_name(result) && strcmp(result->name, name) == 0) {
            return result;
        }
    }
    return NULL;
}

/* Length of the table's prefix in the name, without the dot; 0: another prefix, or none. */
static size_t place_length(const struct orr_result_rows *rows, const char *name)
{
    const size_t length = strlen(rows->table->place);
    return strncmp(name, rows->table->place, length) == 0 && name[length] == '.' ? length : 0;
}

static void list_places(const struct orr_result_sources *result_sources, char list[LIST_BYTES])
{
    size_t used = 0;
    list[0] = '\0';
    for (const struct orr_result_rows *rows = result_sources->rows; rows->table != NULL; rows++) {
        const int wrote = snprintf(list + used, LIST_BYTES - used, "%s%s", used != 0 ? ", " : "",
                                   rows->table->place);
        used += wrote > 0 && (size_t)wrote < LIST_BYTES - used ? (size_t)wrote : 0;
    }
}

static enum orr_status fail_place(const struct orr_result_sources *result_sources,
                                  const char *place, struct orr_diag *diag)
{
    char list[LIST_BYTES];
    list_places(result_sources, list);
    return orr_diag_fail(diag, ORR_ERR_INPUT, NULL, "\"%s\" is no place of results of %s: %s",
                         place, result_sources->of, list);
}

static const struct orr_result_rows *find_rows(const struct orr_result_sources *result_sources,
                                               const char *place, struct orr_diag *diag)
{
    for (const struct orr_result_rows *rows = result_sources->rows; rows->table != NULL; rows++) {
        if (strcmp(rows->table->place, place) == 0) {
            return rows;
        }
    }
    (void)fail_place(result_sources, place, diag);
    return NULL;
}

/* Fails for a name whose prefix is unknown. */
static enum orr_status fail_prefix(const struct orr_result_sources *result_sources,
                                   const char *name, struct orr_diag *diag)
{
    char place[NAME_BYTES];
    (void)snprintf(place, sizeof place, "%.*s", (int)(strrchr(name, '.') - name), name);
    return fail_place(result_sources, place, diag);
}

static enum orr_status fail_name(const struct orr_result_table *table, const char *name,
                                 struct orr_diag *diag)
{
    const char *known[MAX_NAMES];
    const struct orr_result *result;
    size_t count = 0;
    for (size_t i = 0; (result = orr_result_at(table, i)) != NULL && count < MAX_NAMES; i++) {
        if (has_name(result)) {
            known[count++] = result->name;
        }
    }
    const char *nearest = orr_nearest_name(name, known, count);
    return orr_diag_fail(diag, ORR_ERR_INPUT, NULL, "%s has no result \"%s\"%s%s%s", table->place,
                         name, nearest != NULL ? "; did you mean \"" : "",
                         nearest != NULL ? nearest : "", nearest != NULL ? "\"?" : "");
}

static enum orr_status find(const struct orr_result_sources *result_sources, const char *name,
                            const struct orr_result_rows **at, const struct orr_result **result,
                            struct orr_diag *diag)
{
    const struct orr_result_rows *rows = result_sources->rows;
    size_t length = 0;
    while (rows->table != NULL && (length = place_length(rows, name)) == 0) {
        rows++;
    }
    if (rows->table == NULL && strchr(name, '.') != NULL) {
        return fail_prefix(result_sources, name, diag);
    }
    const char *result_name = length != 0 ? name + length + 1 : name;
    *at = rows->table != NULL ? rows : result_sources->rows;
    *result = find_result((*at)->table, result_name);
    return *result != NULL ? ORR_OK : fail_name((*at)->table, result_name, diag);
}

/* ---- values ---- */

enum orr_status orr_result_fail_row(const char *place, size_t index, size_t rows,
                                    struct orr_diag *diag)
{
    return rows == 0 ? orr_diag_fail(diag, ORR_ERR_INPUT, NULL, "%s: there are no rows", place)
                     : orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                                     "%s: expected a row below %zu, got %zu", place, rows, index);
}

static enum orr_status count_rows(const struct orr_result_query *query,
                                  const struct orr_result_rows *at, size_t *rows,
                                  struct orr_diag *diag)
{
    const enum orr_status status = at->prepare != NULL ? at->prepare(query->source, diag) : ORR_OK;
    *rows = status == ORR_OK ? at->count(query->source) : 0;
    return status;
}

enum orr_status orr_result_count_rows(const struct orr_result_query *query, const char *place,
                                      size_t *rows, struct orr_diag *diag)
{
    const struct orr_result_rows *at = find_rows(query->result_sources, place, diag);
    return at != NULL ? count_rows(query, at, rows, diag) : ORR_ERR_INPUT;
}

enum orr_status orr_result_get(const struct orr_result_query *query, const char *name, size_t index,
                               struct orr_value *value, struct orr_diag *diag)
{
    const struct orr_result_rows *at = NULL;
    const struct orr_result *result = NULL;
    size_t rows = 0;
    enum orr_status status = find(query->result_sources, name, &at, &result, diag);
    status = status == ORR_OK ? count_rows(query, at, &rows, diag) : status;
    if (status != ORR_OK) {
        return status;
    }
    if (index >= rows) {
        return orr_result_fail_row(at->table->place, index, rows, diag);
    }
    at->get(query->source, index, query->row);
    *value = orr_result_value(result, query->row);
    return ORR_OK;
}

struct orrery_value orr_result_public_value(const struct orr_value *value)
{
    static const enum orrery_value_kind kinds[] = {[ORR_VALUE_NONE] = ORRERY_VALUE_NONE,
                                                   [ORR_VALUE_INTEGER] = ORRERY_VALUE_INTEGER,
                                                   [ORR_VALUE_BOOL] = ORRERY_VALUE_BOOL,
                                                   [ORR_VALUE_REAL] = ORRERY_VALUE_REAL,
                                                   [ORR_VALUE_TEXT] = ORRERY_VALUE_TEXT};
    const bool whole = value->kind == ORR_VALUE_INTEGER || value->kind == ORR_VALUE_BOOL;
    const orr_sum integer = whole ? value->integer : 0;
    return (struct orrery_value){.kind = kinds[value->kind],
                                 .integer = integer,
                                 .real =
                                     value->kind == ORR_VALUE_REAL ? value->real : (double)integer,
                                 .text = value->kind == ORR_VALUE_TEXT ? value->text : NULL};
}
