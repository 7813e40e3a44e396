/* Communicator groups of a set of traces to be scaled: finds those of all ranks and resizes them.
 */
#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/conf/conf.h"
#include "core/conf/conf_read.h"
#include "workload/trace/process_groups.h"
#include "workload/trace/trace_scale_private.h"

/* ---- listed groups ---- */

/* Adds a group. A name that is listed twice stands for several groups, none of all ranks. */
static enum orr_status add_group(struct orr_scaler *scaler, struct orr_listed_groups *listed,
                                 const char *name, uint32_t ranks, bool all, struct orr_diag *diag)
{
    const uint32_t index = orr_strings_add(&listed->names, name, strlen(name));
    if (index == UINT32_MAX) {
        return orr_diag_no_memory(diag, "communicator groups");
    }
    uint32_t *counts = orr_arena_grow(scaler->arena, listed->ranks, &listed->capacity,
                                      listed->names.count, sizeof *counts);
    listed->ranks = counts != NULL ? counts : listed->ranks;
    bool *alls = orr_arena_grow(scaler->arena, listed->all, &listed->all_capacity,
                                listed->names.count, sizeof *alls);
    listed->all = alls != NULL ? alls : listed->all;
    if (counts == NULL || alls == NULL) {
        return orr_diag_no_memory(diag, "communicator groups");
    }
    const bool is_repeated = counts[index] != 0;
    alls[index] = all && (!is_repeated || alls[index]);
    counts[index] = ranks;
    return ORR_OK;
}

uint32_t orr_listed_groups_find(const struct orr_listed_groups *listed, const char *name)
{
    for (uint32_t i = 0; i < listed->names.count; i++) {
        if (strcmp(listed->names.text[i], name) == 0) {
            return i;
        }
    }
    return UINT32_MAX;
}

/* ---- the file ---- */

static enum orr_status read_list(struct orr_scaler *scaler, const char *name,
                                 const struct orr_conf *list, struct orr_diag *diag)
{
    if (list->kind != ORR_CONF_LIST || list->count == 0) {
        return orr_conf_expected(list, "a list of ranks", diag);
    }
    const uint32_t npus = scaler->scale->from;
    bool ascending = list->count == npus;
    for (size_t i = 0; i < list->count; i++) {
        int64_t rank = 0;
        const enum orr_status status =
            orr_conf_integer(list->item[i], 0, (int64_t)npus - 1, &rank, diag);
        if (status != ORR_OK) {
            return status;
        }
        ascending = ascending && (size_t)rank == i;
    }
    return add_group(scaler, &scaler->file, name, (uint32_t)list->count, ascending, diag);
}

/* The length of PREFIX, for a set PREFIX or one trace PREFIX.et for all ranks. */
static size_t prefix_length(const char *prefix)
{
    static const char *const endings[] = {".et", ".et.gz"};
    const size_t length = strlen(prefix);
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        const size_t end = strlen(endings[i]);
        if (length > end && strcmp(prefix + length - end, endings[i]) == 0) {
            return length - end;
        }
    }
    return length;
}

enum orr_status orr_scale_read_groups(struct orr_scaler *scaler, struct orr_diag *diag)
{
    const char *prefix = scaler->scale->prefix;
    const char *path =
        orr_arena_printf(scaler->arena, "%.*s.groups.json", (int)prefix_length(prefix), prefix);
    if (path == NULL) {
        return orr_diag_no_memory(diag, "communicator groups");
    }
    orr_strings_init(&scaler->file.names, scaler->arena);
    if (access(path, F_OK) != 0) {
        return ORR_OK;
    }
    scaler->group_path = path;
    const struct orr_conf *root = NULL;
    enum orr_status status = orr_conf_load(scaler->arena, path, &root, diag);
    if (status == ORR_OK && root->kind != ORR_CONF_MAP) {
        status = orr_conf_expected(root, "a mapping of group names to lists of ranks", diag);
    }
    for (size_t i = 0; status == ORR_OK && i < root->count; i++) {
        status = read_list(scaler, root->key[i], root->item[i], diag);
    }
    return status;
}

static void write_group(const struct orr_scaler *scaler, FILE *file, const char *name)
{
    json_t *text = json_string(name); /* keys of the input file are UTF-8 */
    (void)json_dumpf(text, file, JSON_ENCODE_ANY);
    json_decref(text);
    (void)fputs(": [0", file);
    for (uint32_t rank = 1; rank < scaler->scale->to; rank++) {
        (void)fprintf(file, ", %" PRIu32, rank);
    }
    (void)fputs("]", file);
}

static void write_groups(const struct orr_scaler *scaler, FILE *file)
{
    const struct orr_listed_groups *listed = &scaler->file;
    bool first = true;
    (void)fputs("{", file);
    for (uint32_t i = 0; i < listed->names.count; i++) {
        if (listed->all[i]) {
            (void)fputs(first ? "\n  " : ",\n  ", file);
            write_group(scaler, file, listed->names.text[i]);
            first = false;
        }
    }
    (void)fputs(first ? "}\n" : "\n}\n", file);
}

enum orr_status orr_scale_write_groups(const struct orr_scaler *scaler, struct orr_diag *diag)
{
    if (scaler->group_path == NULL) {
        return ORR_OK;
    }
    const char *path = orr_arena_printf(scaler->arena, "%s.groups.json", scaler->scale->out);
    if (path == NULL) {
        return orr_diag_no_memory(diag, "communicator groups");
    }
    errno = 0;
    FILE *file = fopen(path, "w");
    bool written = file != NULL;
    if (file != NULL) {
        write_groups(scaler, file);
        written = ferror(file) == 0;
        written = fclose(file) == 0 && written;
    }
    if (!written) {
        const struct orr_location location = orr_location_file(path);
        return orr_diag_fail(diag, ORR_ERR_IO, &location, "cannot write: %s", strerror(errno));
    }
    scaler->result->group_file = true;
    return ORR_OK;
}

/* ---- metadata ---- */

/* Whether the list is 0, 1, ... up to all ranks; an empty one means all. */
static bool is_all(const json_t *ranks, uint32_t npus)
{
    const size_t count = json_array_size(ranks);
    size_t i = 0;
    while (i < count && json_integer_value(json_array_get(ranks, i)) == (json_int_t)i) {
        i++;
    }
    return i == count && (count == 0 || count == npus);
}

static enum orr_status add_listed(struct orr_scaler *scaler, const json_t *list,
                                  struct orr_listed_groups *listed, struct orr_diag *diag)
{
    const uint32_t npus = scaler->scale->from;
    enum orr_status status = ORR_OK;
    for (size_t i = 0; i < json_array_size(list) && status == ORR_OK; i++) {
        const json_t *group = json_array_get(list, i);
        const json_t *ranks = json_object_get(group, "ranks");
        const char *name = json_string_value(json_object_get(group, "pg_name"));
        if (name != NULL && json_is_array(ranks)) {
            const size_t count = json_array_size(ranks);
            status = add_group(scaler, listed, name, count != 0 ? (uint32_t)count : npus,
                               is_all(ranks, npus), diag);
        }
    }
    return status;
}

enum orr_status orr_scale_read_trace_groups(struct orr_scaler *scaler,
                                            const struct orr_trace *trace,
                                            struct orr_listed_groups *listed, struct orr_diag *diag)
{
    enum orr_status status = ORR_OK;
    *listed = (struct orr_listed_groups){.ranks = NULL};
    orr_strings_init(&listed->names, scaler->arena);
    for (uint32_t i = 0; i < trace->nodes && status == ORR_OK; i++) {
        const struct orr_node *node = &trace->node[i];
        if (!orr_wl_has_groups(trace, node)) {
            continue;
        }
        json_t *list = orr_wl_parse_groups(orr_trace_extra(trace, node)->inputs_values);
        if (list == NULL) {
            const struct orr_location location = orr_location_file(trace->path);
            return orr_diag_fail(diag, ORR_ERR_INPUT, &location,
                                 "node %" PRIu64 " (%s): its process groups are not a list of "
                                 "groups in JSON",
                                 node->id, node->name);
        }
        status = add_listed(scaler, list, listed, diag);
        json_decref(list);
    }
    return status;
}

/* Resizes a group to M ranks; an empty list means all. */
static void resize(json_t *group, uint32_t to)
{
    (void)json_object_set_new(group, "ranks", json_array());
    if (json_object_get(group, "group_size") != NULL) {
        (void)json_object_set_new(group, "group_size", json_integer(to));
    }
}

/* A JSON list as the values of a metadata node; NULL when memory is out. */
static const char *values_of(struct orr_arena *arena, const json_t *list)
{
    const size_t length = list != NULL ? json_dumpb(list, NULL, 0, 0) : 0;
    char *text = length != 0 ? orr_arena_alloc(arena, length + 1) : NULL;
    if (text == NULL) {
        return NULL;
    }
    (void)json_dumpb(list, text, length, 0);
    return orr_arena_printf(arena, "['%s']", text);
}

enum orr_status orr_scale_group_values(const struct orr_scaler *scaler, const char *values,
                                       const char **out, struct orr_diag *diag)
{
    json_t *list = orr_wl_parse_groups(values);
    for (size_t i = json_array_size(list); i-- > 0;) {
        json_t *group = json_array_get(list, i);
        if (is_all(json_object_get(group, "ranks"), scaler->scale->from)) {
            resize(group, scaler->scale->to);
        } else {
            (void)json_array_remove(list, i);
        }
    }
    *out = values_of(scaler->arena, list);
    json_decref(list);
    return *out != NULL ? ORR_OK : orr_diag_no_memory(diag, "communicator groups");
}
