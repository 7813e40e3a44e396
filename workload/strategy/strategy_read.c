/* Reads strategies; see strategy_file.h. */
#include "workload/strategy/strategy_read.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/conf/conf.h"
#include "core/conf/conf_read.h"
#include "core/strings.h"
#include "workload/model/op_graph.h"
#include "workload/strategy/strategy_check.h"

struct reader {
    const struct model_graph *model;
    const struct orr_conf *map;  /* empty if there is none */
    const struct orr_conf *file; /* its source; NULL: none */
    struct strategy_section section;
    struct strategy_draft draft;
    const struct orr_conf **stated; /* [ops] */
    uint32_t *by_name;              /* [ops], sorted by name */
    const char **name;              /* [ops], the same order */
    uint32_t *degree;               /* [MODEL_MAX_DIMS] scratch */
    struct orr_diag *diag;
};

static enum orr_status read_map(const struct orr_conf *map, const struct orr_key_table *table,
                                void *out, struct orr_diag *diag)
{
    return orr_conf_read(map, table->owner, table->keys, table->count, out, diag);
}

/* ---- groups and servers ---- */

/* Fails: the groups do not make up all devices; both keys, or the one that is set does not divide
 * them. */
static enum orr_status fail_groups(const struct reader *reader,
                                   const struct strategy_groups *groups, int64_t devices,
                                   const char *of_cluster)
{
    const struct orr_conf *at = reader->section.groups;
    const int64_t k = groups->model, l = groups->data;
    char fits[64] = "";
    if (k == 0 || l == 0) {
        const struct orr_conf *one = orr_conf_get(at, k != 0 ? "model" : "data");
        const struct orr_location location = orr_conf_location(one);
        return orr_diag_fail(reader->diag, ORR_ERR_INPUT, &location,
                             "%s: expected a number that divides all %" PRId64 " devices%s, got "
                             "%" PRId64,
                             one->path, devices, of_cluster, k + l);
    }
    if (devices % k == 0) {
        (void)snprintf(fits, sizeof fits, "; data: %" PRId64 " would be all", devices / k);
    } else if (devices % l == 0) {
        (void)snprintf(fits, sizeof fits, "; model: %" PRId64 " would be all", devices / l);
    }
    const struct orr_location location = orr_conf_location(at);
    return orr_diag_fail(reader->diag, ORR_ERR_INPUT, &location,
                         "%s: expected groups of all %" PRId64 " devices%s, got model %" PRId64
                         " x data %" PRId64 " = %" PRId64 "%s",
                         at->path, devices, of_cluster, k, l, k * l, fits);
}

static enum orr_status fail_cluster(const struct reader *reader, uint32_t cluster)
{
    const struct orr_conf *at = orr_conf_get(reader->map, "devices");
    const struct orr_location location = orr_conf_location(at);
    return orr_diag_fail(reader->diag, ORR_ERR_INPUT, &location,
                         "%s: expected all %" PRIu32 " devices of the cluster, got %" PRId64,
                         at->path, cluster, reader->section.devices);
}

static enum orr_status fail_too_many(const struct reader *reader, int64_t devices)
{
    if (reader->section.groups != NULL) {
        return orr_conf_expected(reader->section.groups, "groups of at most 65536 devices in all",
                                 reader->diag);
    }
    const struct orr_location location = orr_conf_location(reader->map);
    return orr_diag_fail(reader->diag, ORR_ERR_INPUT, reader->file != NULL ? &location : NULL,
                         "expected a strategy for at most %d devices, got %" PRId64,
                         STRATEGY_MAX_DEVICES, devices);
}

static enum orr_status read_groups(struct reader *reader, uint32_t cluster, uint32_t *devices,
                                   uint32_t *copies)
{
    struct strategy_groups groups = {0};
    enum orr_status status = ORR_OK;
    if (reader->section.groups != NULL) {
        status = read_map(reader->section.groups, &orr_strategy_group_table, &groups, reader->diag);
    }
    const int64_t stated = reader->section.devices != 0 ? reader->section.devices : cluster;
    const int64_t all =
        stated != 0 ? stated
                    : (groups.model != 0 ? groups.model : 1) * (groups.data != 0 ? groups.data : 1);
    const int64_t l = groups.data != 0 ? groups.data : groups.model != 0 ? all / groups.model : 1;
    const int64_t k = groups.model != 0 ? groups.model : all / l;
    *devices = (uint32_t)all;
    *copies = (uint32_t)l;
    if (status == ORR_OK && all > STRATEGY_MAX_DEVICES) {
        return fail_too_many(reader, all);
    }
    if (status == ORR_OK && cluster != 0 && all != cluster) {
        return fail_cluster(reader, cluster);
    }
    return status != ORR_OK || k * l == all
               ? status
               : fail_groups(reader, &groups, all,
                             reader->section.devices == 0 ? " of the cluster" : "");
}

static enum orr_status read_server(struct reader *reader)
{
    struct strategy_inside inside = {.gpus = 1};
    enum orr_status status = ORR_OK;
    if (reader->section.server != NULL) {
        status =
            read_map(reader->section.server, &orr_strategy_server_table, &inside, reader->diag);
    }
    reader->draft.strategy.server =
        (struct strategy_server){.gpus = (uint32_t)inside.gpus,
                                 .inside_bytes_per_s = inside.bandwidth,
                                 .optimizer_bytes = (uint64_t)reader->section.optimizer_bytes,
                                 .reduce_at_end = reader->section.gradients == GRADIENTS_AT_END};
    return status;
}

/* ---- defaults ---- */

static enum orr_status set_op(struct reader *reader, uint32_t op, const uint32_t *device)
{
    return orr_strategy_set(&reader->draft, op, reader->degree, device)
               ? ORR_OK
               : orr_diag_no_memory(reader->diag, "a strategy");
}

static void unsplit(struct reader *reader)
{
    for (unsigned d = 0; d < MODEL_MAX_DIMS; d++) {
        reader->degree[d] = 1;
    }
}

static enum orr_status fail_tables(const struct reader *reader, const char *dim, uint32_t op)
{
    const struct orr_conf *at = orr_conf_get(reader->map, "tables");
    const struct orr_location location = orr_conf_location(at);
    return orr_diag_fail(reader->diag, ORR_ERR_INPUT, &location,
                         "%s: the operator \"%s\" cannot be split by %s", at->path,
                         reader->model->op[op].name, dim);
}

/* Sets a table. *next: the device of the next unsplit table. */
static enum orr_status set_table(struct reader *reader, uint32_t op, uint32_t *next)
{
    const uint32_t group = orr_strategy_group(&reader->draft.strategy);
    const char *dim = reader->section.tables == TABLES_ROWS      ? "rows"
                      : reader->section.tables == TABLES_COLUMNS ? "columns"
                                                                 : "sample";
    const uint32_t d = orr_model_dim_named(&reader->model->op[op], dim);
    const uint32_t device = *next;
    if (reader->section.tables == TABLES_ROUND_ROBIN) {
        *next = (*next + 1) % group;
        return set_op(reader, op, &device);
    }
    if (d == UINT32_MAX) {
        return fail_tables(reader, dim, op);
    }
    reader->degree[d] = group;
    return set_op(reader, op, NULL);
}

static enum orr_status set_defaults(struct reader *reader)
{
    const uint32_t group = orr_strategy_group(&reader->draft.strategy);
    enum orr_status status = ORR_OK;
    uint32_t next = 0;
    for (uint32_t op = 0; op < reader->model->ops && status == ORR_OK; op++) {
        unsplit(reader);
        if (reader->model->op[op].table) {
            status = set_table(reader, op, &next);
        } else {
            reader->degree[0] = reader->section.unsplit != 0 ? 1 : group;
            status = set_op(reader, op, NULL);
        }
    }
    return status;
}

/* ---- entries ---- */

static enum orr_status fail_dim(const struct reader *reader, const struct orr_conf *split,
                                size_t index, uint32_t op)
{
    const struct model_op *at = &reader->model->op[op];
    const struct orr_location location = orr_conf_key_location(split->item[index]);
    char names[512] = "";
    size_t used = 0;
    for (uint32_t d = 0; d < at->dims && used < sizeof names; d++) {
        used += (size_t)snprintf(names + used, sizeof names - used, "%s\"%s\"",
                                 d == 0              ? ""
                                 : d + 1 == at->dims ? " or "
                                                     : ", ",
                                 at->dim[d].name);
    }
    return orr_diag_fail(reader->diag, ORR_ERR_INPUT, &location,
                         "%s: expected a dimension of operator \"%s\": %s, got \"%s\"%s",
                         split->path, at->name, names, split->key[index],
                         strcmp(split->key[index], "parts") == 0
                             ? " (which all operators have with parts: true of the model)"
                             : "");
}

static enum orr_status read_split(struct reader *reader, const struct orr_conf *split, uint32_t op)
{
    enum orr_status status =
        split->kind == ORR_CONF_MAP
            ? ORR_OK
            : orr_conf_expected(split, "dimensions and numbers of parts, such as {sample: 4}",
                                reader->diag);
    for (size_t i = 0; status == ORR_OK && i < split->count; i++) {
        const uint32_t d = orr_model_dim_named(&reader->model->op[op], split->key[i]);
        int64_t degree = 1;
        status = d == UINT32_MAX ? fail_dim(reader, split, i, op)
                                 : orr_conf_integer(split->item[i], 1, STRATEGY_MAX_PARTS, &degree,
                                                    reader->diag);
        reader->degree[d == UINT32_MAX ? 0 : d] = (uint32_t)degree;
    }
    return status;
}

/* Checks that there are as many devices as parts, at most STRATEGY_MAX_PARTS. */
static enum orr_status check_parts(const struct reader *reader, const struct strategy_entry *entry,
                                   const struct orr_conf *map, uint32_t op, uint32_t devices)
{
    uint64_t parts = 1;
    for (uint32_t d = 0; d < reader->model->op[op].dims && parts <= STRATEGY_MAX_PARTS; d++) {
        parts *= reader->degree[d];
    }
    const struct orr_conf *at = entry->devices != NULL ? entry->devices : map;
    const struct orr_location location = orr_conf_location(at);
    if (parts > STRATEGY_MAX_PARTS) {
        return orr_diag_fail(reader->diag, ORR_ERR_INPUT, &location,
                             "%s: operator \"%s\": expected at most %d parts", at->path,
                             reader->model->op[op].name, STRATEGY_MAX_PARTS);
    }
    if (entry->devices == NULL || parts == devices) {
        return ORR_OK;
    }
    return orr_diag_fail(reader->diag, ORR_ERR_INPUT, &location,
                         "%s: operator \"%s\": expected a device for each of %" PRIu64
                         " parts, got %" PRIu32,
                         at->path, reader->model->op[op].name, parts, devices);
}

static enum orr_status apply(struct reader *reader, const struct strategy_entry *entry,
                             const struct orr_conf *map, uint32_t op)
{
    const uint32_t *device = NULL;
    uint32_t devices = 0;
    enum orr_status status = ORR_OK;
    unsplit(reader);
    if (entry->split != NULL) {
        status = read_split(reader, entry->split, op);
    }
    if (status == ORR_OK && entry->devices != NULL) {
        status = orr_strategy_read_devices(reader->draft.arena, entry->devices, &device, &devices,
                                           reader->diag);
    }
    if (status == ORR_OK) {
        status = check_parts(reader, entry, map, op, devices);
    }
    reader->stated[op] = map;
    return status == ORR_OK ? set_op(reader, op, device) : status;
}

/* ---- names ---- */

static int compare_names(const void *key, const void *entry)
{
    return strcmp(key, *(const char *const *)entry);
}

static int compare_entries(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Sorts the names of all operators, with the index of each. */
static bool index_names(struct reader *reader)
{
    const uint32_t ops = reader->model->ops;
    struct orr_arena *arena = reader->draft.arena;
    reader->name = orr_arena_array(arena, (size_t)ops + 1, sizeof *reader->name);
    reader->by_name = orr_arena_array(arena, (size_t)ops + 1, sizeof *reader->by_name);
    for (uint32_t op = 0; op < ops && reader->name != NULL; op++) {
        reader->name[op] = reader->model->op[op].name;
    }
    if (reader->name == NULL || reader->by_name == NULL) {
        return false;
    }
    qsort(reader->name, ops, sizeof *reader->name, compare_entries);
    for (uint32_t op = 0; op < ops; op++) {
        const char **at = bsearch(reader->model->op[op].name, reader->name, ops,
                                  sizeof *reader->name, compare_names);
        reader->by_name[at - reader->name] = op;
    }
    return true;
}

static enum orr_status fail_name(const struct reader *reader, const struct orr_conf *entry,
                                 const char *name)
{
    const char *near = orr_strategy_nearest(name, reader->name, reader->model->ops);
    const struct orr_location location = orr_conf_key_location(entry);
    return orr_diag_fail(reader->diag, ORR_ERR_INPUT, &location,
                         "%s: the model \"%s\" has no operator \"%s\"%s%s%s", entry->path,
                         reader->model->name, name, near != NULL ? "; did you mean \"" : "",
                         near != NULL ? near : "", near != NULL ? "\"?" : "");
}

static enum orr_status read_entry(struct reader *reader, const char *name,
                                  const struct orr_conf *map)
{
    struct strategy_entry entry = {0};
    const uint32_t ops = reader->model->ops;
    enum orr_status status = read_map(map, &orr_strategy_op_table, &entry, reader->diag);
    const char **found = bsearch(name, reader->name, ops, sizeof *reader->name, compare_names);
    bool any = found != NULL;
    if (status == ORR_OK && any) {
        return apply(reader, &entry, map, reader->by_name[found - reader->name]);
    }
    for (uint32_t op = 0; op < ops && status == ORR_OK; op++) {
        if (orr_strategy_matches(name, reader->model->op[op].name)) {
            status = apply(reader, &entry, map, op);
            any = true;
        }
    }
    return status == ORR_OK && !any ? fail_name(reader, map, name) : status;
}

static enum orr_status read_entries(struct reader *reader)
{
    const struct orr_conf *operators = reader->section.operators;
    if (operators == NULL) {
        return ORR_OK;
    }
    if (operators->kind != ORR_CONF_MAP) {
        return orr_conf_expected(operators, "names or patterns of operators with their splits",
                                 reader->diag);
    }
    enum orr_status status =
        index_names(reader) ? ORR_OK : orr_diag_no_memory(reader->diag, "names of operators");
    for (size_t i = 0; i < operators->count && status == ORR_OK; i++) {
        status = read_entry(reader, operators->key[i], operators->item[i]);
    }
    return status;
}

/* ---- all of it ---- */

static bool begin(struct reader *reader, struct orr_arena *arena, uint32_t devices, uint32_t copies)
{
    const uint32_t ops = reader->model->ops;
    reader->stated = orr_arena_array(arena, (size_t)ops + 1, sizeof *reader->stated);
    reader->degree = orr_arena_array(arena, MODEL_MAX_DIMS, sizeof *reader->degree);
    return reader->stated != NULL && reader->degree != NULL &&
           orr_strategy_draft_init(&reader->draft, arena, reader->model, devices, copies);
}

enum orr_status orr_strategy_read(struct orr_arena *arena, const struct orr_conf *map,
                                  const struct model_graph *model, uint32_t cluster,
                                  struct strategy *out, struct orr_diag *diag)
{
    struct reader reader = {.model = model, .map = map, .file = map, .diag = diag};
    uint32_t devices = 0, copies = 0;
    enum orr_status status =
        map != NULL ? ORR_OK : orr_conf_parse(arena, "{}", 2, "the strategy", &reader.map, diag);
    if (status == ORR_OK) {
        status = read_map(reader.map, &orr_strategy_key_table, &reader.section, diag);
    }
    if (status == ORR_OK) {
        status = read_groups(&reader, cluster, &devices, &copies);
    }
    if (status == ORR_OK && !begin(&reader, arena, devices, copies)) {
        status = orr_diag_no_memory(diag, "a strategy");
    }
    if (status == ORR_OK) {
        status = read_server(&reader);
    }
    if (status == ORR_OK) {
        status = set_defaults(&reader);
    }
    if (status == ORR_OK) {
        status = read_entries(&reader);
    }
    if (status == ORR_OK) {
        *out = orr_strategy_drafted(&reader.draft);
        out->file = map;
        out->section = reader.stated;
        status = orr_strategy_check(model, out, diag);
    }
    return status;
}

/* ---- files ---- */

enum orr_status orr_strategy_open(struct orr_arena *arena, const char *path,
                                  const struct orr_conf **section, struct orr_diag *diag)
{
    const struct orr_conf *root = NULL;
    enum orr_status status = orr_conf_load(arena, path, &root, diag);
    *section = NULL;
    return status == ORR_OK ? read_map(root, &orr_strategy_file_table, section, diag) : status;
}

enum orr_status orr_strategy_read_device_count(const struct orr_conf *section, uint32_t *devices,
                                               struct orr_diag *diag)
{
    struct strategy_section stated = {0};
    struct strategy_groups groups = {0};
    enum orr_status status = read_map(section, &orr_strategy_key_table, &stated, diag);
    if (status == ORR_OK && stated.groups != NULL) {
        status = read_map(stated.groups, &orr_strategy_group_table, &groups, diag);
    }
    const int64_t all = stated.devices != 0 ? stated.devices : groups.model * groups.data;
    *devices = status == ORR_OK && all <= STRATEGY_MAX_DEVICES ? (uint32_t)all : 0;
    return status;
}
