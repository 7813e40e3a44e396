/* Detects the command that made a result, and cuts long results for the page: lists that grow with
 * the job keep their largest entries, and "KEY_count" has the original length. */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/arena.h"
#include "report/page/page_private.h"

enum { MAX_STEPS = 400, MAX_ROWS = 400, MAX_CLASSES = 256, RANKS_BYTES = 60, MEMBER_BYTES = 32 };

double orr_page_number(const json_t *result, const char *key)
{
    return json_number_value(json_object_get(result, key));
}

int64_t orr_page_integer(double value)
{
    const double max = 9.2e18; /* results not written by Orrery may exceed it */
    return value > max ? INT64_MAX : value < -max ? -INT64_MAX : isnan(value) ? 0 : (int64_t)value;
}

double orr_page_class_npus(const json_t *npu_class)
{
    const char *at = json_string_value(json_object_get(npu_class, "ranks"));
    double npus = 0;
    while (at != NULL && *at >= '0' && *at <= '9') {
        char *end;
        const double first = strtod(at, &end);
        const double last = *end == '-' ? strtod(end + 1, &end) : first;
        npus += last - first + 1;
        at = *end == ',' ? end + 1 : NULL;
    }
    return npus;
}

/* ---- cutting ---- */

struct entry_rank {
    double size;
    size_t index;
};

static int by_size(const void *a, const void *b)
{
    const struct entry_rank *first = a, *second = b;
    if (first->size < second->size || first->size > second->size) {
        return first->size > second->size ? -1 : 1;
    }
    return (first->index > second->index) - (first->index < second->index);
}

static int by_index(const void *a, const void *b)
{
    const struct entry_rank *first = a, *second = b;
    return (first->index > second->index) - (first->index < second->index);
}

/* Keeps the `max` entries whose `key` is largest (NULL: the first ones), in their order. */
static void keep_largest(json_t *object, const char *list_name, const char *key, size_t max)
{
    json_t *list = json_object_get(object, list_name);
    const size_t count = json_array_size(list);
    struct entry_rank *rank = count > max ? orr_heap_calloc(count, sizeof *rank) : NULL;
    json_t *kept = rank != NULL ? json_array() : NULL;
    if (kept != NULL) {
        char counted[64];
        for (size_t i = 0; i < count; i++) {
            const json_t *entry = json_array_get(list, i);
            rank[i] = (struct entry_rank){key != NULL ? orr_page_number(entry, key) : 0, i};
        }
        qsort(rank, count, sizeof *rank, by_size);
        qsort(rank, max, sizeof *rank, by_index);
        for (size_t i = 0; i < max; i++) {
            (void)json_array_append(kept, json_array_get(list, rank[i].index));
        }
        (void)snprintf(counted, sizeof counted, "%s_count", list_name);
        (void)json_object_set_new(object, counted, json_integer((json_int_t)count));
        (void)json_object_set_new(object, list_name, kept);
    }
    orr_heap_free(rank);
}

/* Truncates the list of ranks, which may be as long as the number of NPUs; the count stays. */
static void cut_ranks(json_t *classes)
{
    for (size_t i = 0; i < json_array_size(classes); i++) {
        json_t *class = json_array_get(classes, i);
        const char *ranks = json_string_value(json_object_get(class, "ranks"));
        if (ranks != NULL) {
            char text[RANKS_BYTES + 4];
            (void)snprintf(text, sizeof text, "%.*s%s", RANKS_BYTES, ranks,
                           strlen(ranks) > RANKS_BYTES ? "..." : "");
            (void)json_object_set_new(class, "count", json_real(orr_page_class_npus(class)));
            (void)json_object_set_new(class, "ranks", json_string(text));
        }
    }
}

void orr_page_cut_run(json_t *run)
{
    cut_ranks(json_object_get(run, "classes"));
    keep_largest(json_object_get(run, "critical_path"), "steps", "duration_ps", MAX_STEPS);
    keep_largest(run, "operators", "exposed_ps", MAX_ROWS);
    keep_largest(run, "collectives", "exposed_ps", MAX_ROWS);
    keep_largest(run, "classes", NULL, MAX_CLASSES);
}

/* ---- kinds ---- */

#define ORR_PAGE_KIND(name) extern const struct page_kind name;
#include "report/page/page_kind_list.h"
#undef ORR_PAGE_KIND

static const struct page_kind *const kinds[] = {
#define ORR_PAGE_KIND(name) &name,
#include "report/page/page_kind_list.h"
#undef ORR_PAGE_KIND
};

const struct page_kind *orr_page_kind_at(size_t index)
{
    return index < sizeof kinds / sizeof *kinds ? kinds[index] : NULL;
}

/* True for a list of objects, or an empty list. */
static bool is_list(const json_t *value)
{
    for (size_t i = 0; i < json_array_size(value); i++) {
        if (!json_is_object(json_array_get(value, i))) {
            return false;
        }
    }
    return json_is_array(value);
}

/* True if the list is not empty and each entry has a list of objects by that name. */
static bool each_has(const json_t *list, const char *name)
{
    bool has = json_array_size(list) > 0;
    for (size_t i = 0; i < json_array_size(list); i++) {
        has = has && is_list(json_object_get(json_array_get(list, i), name));
    }
    return has;
}

/* Tests for a member: "name" (of any kind), "name[]" (a list of objects), "name[].member" (a list
 * of objects that have such a list) or "name{}" (an object). */
static bool has(const json_t *result, const char *need)
{
    char name[MEMBER_BYTES];
    const size_t length = strcspn(need, "[{");
    (void)snprintf(name, sizeof name, "%.*s", (int)length, need);
    const json_t *value = json_object_get(result, name);
    switch (need[length]) {
    case '[':
        return need[length + 2] == '.' ? each_has(value, &need[length + 3]) : is_list(value);
    case '{':
        return json_is_object(value);
    default:
        return value != NULL && !json_is_object(value) && !json_is_array(value);
    }
}

static bool has_all(const json_t *result, const struct page_kind *kind)
{
    for (unsigned i = 0; i < sizeof kind->need / sizeof *kind->need && kind->need[i] != NULL; i++) {
        if (!has(result, kind->need[i])) {
            return false;
        }
    }
    return true;
}

const struct page_kind *orr_page_kind_of(const json_t *result)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (json_is_object(result) && has_all(result, kinds[i])) {
            return kinds[i];
        }
    }
    return NULL;
}
