/* Reads a sweep file by its table of keys; see sweep.h. */
#include <stdlib.h>
#include <string.h>

#include "study/sweep/sweep_money.h"
#include "study/sweep/sweep_reading.h"

#include "core/conf/conf.h"
#include "core/conf/conf_read.h"
#include "sim/expr/derived_values.h"
#include "sim/load/find_input.h"

struct file {
    const struct orr_conf *sweep;
};

struct sweep_section {
    const char *platform, *workload, *output, *group_by;
    bool estimate;
    int64_t simulate;
    const struct orr_conf *set, *axes, *zip;
    struct orr_sweep_texts texts;
};

enum { DEFAULT_SIMULATE = 20 }; /* points that run, if they are estimated */

#define AT(member) offsetof(struct sweep_section, member)
#define COUNT(array) (sizeof(array) / sizeof *(array))

static const struct orr_key any_value = {
    .name = "PATH", .type = ORR_KEY_NODE, .doc = "a key of the configuration and its value"};
static const struct orr_key any_axis = {
    .name = "PATH",
    .type = ORR_KEY_NODE,
    .doc = "a key of the configuration, platform or workload; a list of values, or a range "
           "{from, to, step} or {from, to, times}"};

static const struct orr_key section_keys[] = {
    {.name = "platform",
     .type = ORR_KEY_TEXT,
     .offset = AT(platform),
     .absent = "set or axes give all of it",
     .example = "platform: conv_4d",
     .doc = "the base: a file, relative to this one, or the name of one that ships"},
    {.name = "workload",
     .type = ORR_KEY_TEXT,
     .offset = AT(workload),
     .absent = "the platform's own section",
     .example = "workload: all_reduce_1gb",
     .doc = "what to run, found likewise"},
    {.name = "set",
     .type = ORR_KEY_NODE,
     .offset = AT(set),
     .each = &any_value,
     .absent = "nothing",
     .doc = "values that all points share, by their paths; expressions of other keys are evaluated "
            "at each point"},
    {.name = "axes",
     .type = ORR_KEY_NODE,
     .offset = AT(axes),
     .required = true,
     .each = &any_axis,
     .example = "axes: {system.chunks: [16, 64]}",
     .doc = "what varies: paths with lists of values or ranges; the last axis runs fastest"},
    {.name = "zip",
     .type = ORR_KEY_NODE,
     .offset = AT(zip),
     .absent = "all axes multiply",
     .example = "zip: [[system.chunks, workload.bytes]]",
     .doc = "lists of axes that go together, value by value"},
    {.name = "where",
     .type = ORR_KEY_TEXT,
     .offset = AT(texts.where),
     .list = true,
     .scalar_as_list = true,
     .absent = "all points",
     .example = "where: npus <= 4096",
     .doc = "expressions that a point must fulfil; those of results hide points that have run"},
    {.name = "cost",
     .type = ORR_KEY_TEXT,
     .offset = AT(texts.cost),
     .default_text = "npus * time_s",
     .doc = "an expression for the cost of a point"},
    {.name = "prices",
     .type = ORR_KEY_NODE,
     .offset = AT(texts.prices),
     .table = &orr_sweep_money_table,
     .absent = "none",
     .example = "prices: {gpu_hour: 2.95 $/h}",
     .doc = "prices of NPUs and energy, for gpu_dollars, kwh, energy_dollars in expressions"},
    {.name = "front",
     .type = ORR_KEY_TEXT,
     .offset = AT(texts.front),
     .list = true,
     .min = 2,
     .max = ORR_SWEEP_MAX_FRONT,
     .absent = "time and cost",
     .example = "front: [gpu_dollars, memory_bytes]",
     .doc = "two or three expressions of results: the axes of the Pareto front, less is better; of "
            "tokens_per_s and model_flops_utilization alone more"},
    {.name = "rank_by",
     .type = ORR_KEY_TEXT,
     .offset = AT(texts.rank_by),
     .absent = "no ranking without --best",
     .example = "rank_by: gpu_dollars",
     .doc = "an expression of results by which the best points are listed, likewise"},
    {.name = "group_by",
     .type = ORR_KEY_TEXT,
     .offset = AT(group_by),
     .absent = "all points are one group",
     .example = "group_by: platform",
     .doc = "an axis, each of whose values has a Pareto front of its own"},
    {.name = "estimate",
     .type = ORR_KEY_BOOL,
     .offset = AT(estimate),
     .default_text = "false",
     .doc = "estimate all points of generated models, and run those with the least time, and those "
            "that cannot be estimated"},
    {.name = "simulate",
     .type = ORR_KEY_INTEGER,
     .offset = AT(simulate),
     .low = 1,
     .high = ORR_SWEEP_MAX_POINTS,
     .default_text = "20",
     .doc = "with estimate: so many points run"},
    {.name = "output",
     .type = ORR_KEY_TEXT,
     .offset = AT(output),
     .absent = "the name of this file without its ending",
     .doc = "prefix of the results OUTPUT.csv and OUTPUT.jsonl, relative to the working directory"},
};

static const struct orr_key_table section_table = {"the sweep section", section_keys,
                                                   COUNT(section_keys), NULL};

static const struct orr_key file_keys[] = {{.name = "sweep",
                                            .type = ORR_KEY_NODE,
                                            .offset = offsetof(struct file, sweep),
                                            .required = true,
                                            .table = &section_table,
                                            .example = "sweep: {axes: {system.chunks: [16, 64]}}",
                                            .doc = "a base run and what varies"}};

const struct orr_key_table orr_sweep_table = {"a sweep", file_keys, COUNT(file_keys), NULL};

/* ---- values ---- */

static enum orr_status expect_map(const struct orr_conf *node, const char *what,
                                  struct orr_diag *diag)
{
    return node->kind == ORR_CONF_MAP ? ORR_OK : orr_conf_expected(node, what, diag);
}

static bool is_name(void *context, const char *name)
{
    return orr_sweep_find_axis(context, name) != -1 || orr_sweep_is_key(name);
}

/* An expression of other keys, marked as one in the tree of a point (orr_conf_derive). */
static enum orr_status mark_derived(struct orr_sweep *sweep, const struct orr_conf *node,
                                    struct orr_conf *out, struct orr_diag *diag)
{
    *out = *node;
    out->text =
        node->text[0] == '=' ? node->text : orr_arena_printf(sweep->arena, "=%s", node->text);
    return out->text != NULL ? ORR_OK : orr_diag_no_memory(diag, "a sweep");
}

static enum orr_status read_set(struct orr_sweep *sweep, const struct orr_conf *map,
                                struct orr_diag *diag)
{
    enum orr_status status = ORR_OK;
    for (size_t i = 0; i < map->count; i++) {
        sweep->axis[sweep->axes + i].path = map->key[i]; /* a name in the expressions of others */
    }
    for (size_t i = 0; i < map->count && status == ORR_OK; i++) {
        struct orr_sweep_axis *axis = &sweep->axis[sweep->axes + i];
        struct orr_sweep_value *value = orr_arena_alloc(sweep->arena, sizeof *value);
        *axis = (struct orr_sweep_axis){.path = map->key[i],
                                        .value = value,
                                        .count = 1,
                                        .place = orr_conf_key_location(map->item[i])};
        for (size_t a = 0; a < sweep->axes; a++) {
            if (strcmp(sweep->axis[a].path, axis->path) == 0) {
                return orr_diag_fail(diag, ORR_ERR_INPUT, &axis->place,
                                     "sweep.set: %s is an axis too; remove one", axis->path);
            }
        }
        status = value == NULL ? orr_diag_no_memory(diag, "a sweep")
                               : orr_sweep_check_path(axis->path, &axis->place, "sweep.set", diag);
        const struct orr_conf *node = map->item[i];
        struct orr_conf marked;
        axis->derived = node->kind == ORR_CONF_SCALAR && orr_is_derived(node->text, is_name, sweep);
        if (status == ORR_OK && axis->derived) {
            status = mark_derived(sweep, node, &marked, diag);
            node = &marked;
        }
        if (status == ORR_OK) {
            status = orr_sweep_read_value(sweep, axis->path, node, value, diag);
        }
    }
    return status;
}

static enum orr_status read_axes(struct orr_sweep *sweep, const struct sweep_section *sweep_section,
                                 struct orr_diag *diag)
{
    static const struct orr_conf none = {.kind = ORR_CONF_MAP};
    const struct orr_conf *set = sweep_section->set != NULL ? sweep_section->set : &none;
    enum orr_status status = expect_map(sweep_section->axes, "a mapping of paths to values", diag);
    if (status == ORR_OK) {
        status = expect_map(set, "a mapping of paths to values", diag);
    }
    if (status == ORR_OK && sweep_section->axes->count == 0) {
        const struct orr_location place = orr_conf_location(sweep_section->axes);
        status = orr_diag_fail(diag, ORR_ERR_INPUT, &place,
                               "sweep.axes: expected at least one axis, such as "
                               "system.chunks: [16, 64]");
    }
    if (status != ORR_OK) {
        return status;
    }
    sweep->axes = sweep_section->axes->count;
    sweep->sets = set->count;
    sweep->axis = orr_arena_array(sweep->arena, sweep->axes + sweep->sets, sizeof *sweep->axis);
    if (sweep->axis == NULL) {
        return orr_diag_no_memory(diag, "a sweep");
    }
    for (size_t i = 0; i < sweep->axes && status == ORR_OK; i++) {
        status = orr_sweep_read_axis(sweep, sweep_section->axes->key[i],
                                     sweep_section->axes->item[i], &sweep->axis[i], diag);
    }
    return status == ORR_OK ? read_set(sweep, set, diag) : status;
}

/* Sorts paths by length: a section is set before its parts. */
static enum orr_status order_values(struct orr_sweep *sweep, struct orr_diag *diag)
{
    const size_t count = sweep->axes + sweep->sets;
    size_t *order = orr_arena_array(sweep->arena, count, sizeof *order);
    if (order == NULL) {
        return orr_diag_no_memory(diag, "a sweep");
    }
    for (size_t i = 0; i < count; i++) {
        size_t place = i;
        while (place > 0 &&
               strlen(sweep->axis[order[place - 1]].path) > strlen(sweep->axis[i].path)) {
            order[place] = order[place - 1];
            place--;
        }
        order[place] = i;
    }
    sweep->order = order;
    return ORR_OK;
}

/* ---- zip ---- */

static enum orr_status zip_axis(struct orr_sweep *sweep, const struct orr_conf *node,
                                const struct orr_sweep_axis **first, struct orr_diag *diag)
{
    const char *name = NULL;
    const struct orr_location place = orr_conf_location(node);
    const enum orr_status status = orr_conf_text(node, &name, diag);
    struct orr_sweep_axis *axis = NULL;
    for (size_t a = 0; status == ORR_OK && a < sweep->axes && axis == NULL; a++) {
        axis = strcmp(sweep->axis[a].path, name) == 0 ? &sweep->axis[a] : NULL;
    }
    if (status != ORR_OK) {
        return status;
    }
    if (axis == NULL) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, &place, "%s: \"%s\" is not one of the axes",
                             node->path, name);
    }
    if (axis->factor != UINT32_MAX) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, &place, "%s: \"%s\" is zipped already",
                             node->path, name);
    }
    *first = *first != NULL ? *first : axis;
    axis->factor = (unsigned)(*first - sweep->axis);
    if (axis->count != (*first)->count) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, &place,
                             "%s: axes that are zipped need equally many values: %s has %zu, %s "
                             "has %zu",
                             node->path, (*first)->path, (*first)->count, name, axis->count);
    }
    return ORR_OK;
}

static enum orr_status read_zip(struct orr_sweep *sweep, const struct orr_conf *zip,
                                struct orr_diag *diag)
{
    static const char expected[] = "a list of lists of axes, such as [[system.chunks, "
                                   "workload.bytes]]";
    enum orr_status status = ORR_OK;
    if (zip->kind != ORR_CONF_LIST) {
        return orr_conf_expected(zip, expected, diag);
    }
    for (size_t i = 0; i < zip->count; i++) {
        const struct orr_conf *group = zip->item[i];
        const struct orr_sweep_axis *first = NULL;
        if (group->kind != ORR_CONF_LIST) {
            return orr_conf_expected(group, expected, diag);
        }
        for (size_t j = 0; j < group->count && status == ORR_OK; j++) {
            status = zip_axis(sweep, group->item[j], &first, diag);
        }
    }
    return status;
}

/* Numbers the factors of the product in the order of their first axes. */
static enum orr_status make_factors(struct orr_sweep *sweep, const struct orr_conf *zip,
                                    struct orr_diag *diag)
{
    sweep->factor_count = orr_arena_array(sweep->arena, sweep->axes, sizeof *sweep->factor_count);
    unsigned *number = orr_arena_array(sweep->arena, sweep->axes, sizeof *number);
    if (sweep->factor_count == NULL || number == NULL) {
        return orr_diag_no_memory(diag, "a sweep");
    }
    for (size_t a = 0; a < sweep->axes; a++) {
        sweep->axis[a].factor = UINT32_MAX;
    }
    const enum orr_status status = zip != NULL ? read_zip(sweep, zip, diag) : ORR_OK;
    if (status != ORR_OK) {
        return status;
    }
    /* The first axis of a group may be named after another one that comes before it in the file. */
    for (size_t a = 0; a < sweep->axes; a++) {
        const unsigned group =
            sweep->axis[a].factor != UINT32_MAX ? sweep->axis[a].factor : (unsigned)a;
        if (number[group] == 0) {
            sweep->factor_count[sweep->factors++] = sweep->axis[a].count;
            number[group] = sweep->factors;
        }
        sweep->axis[a].factor = number[group] - 1;
    }
    return ORR_OK;
}

/* ---- files ---- */

static enum orr_status read_base(struct orr_sweep *sweep, const struct orr_conf *map,
                                 struct orr_diag *diag)
{
    const struct orr_conf *platform = orr_conf_get(map, "platform");
    const struct orr_conf *workload = orr_conf_get(map, "workload");
    enum orr_status status = ORR_OK;
    if (platform != NULL) {
        status = orr_sweep_find_file(sweep, "platforms", platform, &sweep->platform, diag);
    }
    if (workload != NULL && status == ORR_OK) {
        status = orr_sweep_find_file(sweep, "workloads", workload, &sweep->workload, diag);
    }
    return status;
}

static enum orr_status name_output(struct orr_sweep *sweep, const char *given,
                                   struct orr_diag *diag)
{
    const char *slash = strrchr(sweep->file, '/');
    const char *name = slash != NULL ? slash + 1 : sweep->file;
    const char *dot = strrchr(name, '.');
    const size_t length = dot != NULL && dot != name ? (size_t)(dot - name) : strlen(name);
    sweep->output = given != NULL ? given : orr_arena_strndup(sweep->arena, name, length);
    return sweep->output != NULL ? ORR_OK : orr_diag_no_memory(diag, "a sweep");
}

static enum orr_status read_group(struct orr_sweep *sweep, const struct orr_conf *map,
                                  const char *name, struct orr_diag *diag)
{
    const struct orr_conf *node = orr_conf_get(map, "group_by");
    if (name == NULL || node == NULL) {
        return ORR_OK;
    }
    const struct orr_location place = orr_conf_location(node);
    return orr_sweep_group_by(sweep, name, "sweep.group_by", &place, diag);
}

static enum orr_status read_estimate(struct orr_sweep *sweep, const struct orr_conf *map,
                                     const struct sweep_section *section, struct orr_diag *diag)
{
    const struct orr_conf *simulate = orr_conf_get(map, "simulate");
    if (section->estimate) {
        sweep->simulate = simulate != NULL ? (uint32_t)section->simulate : DEFAULT_SIMULATE;
        return ORR_OK;
    }
    return simulate == NULL ? ORR_OK
                            : orr_conf_expected(simulate, "sweep.estimate: true with it", diag);
}

/* Reads the tree of a sweep file. */
static enum orr_status read_root(struct orr_sweep *sweep, const struct orr_conf *root,
                                 struct orr_diag *diag)
{
    struct file file = {0};
    struct sweep_section sweep_section = {0};
    enum orr_status status =
        orr_conf_read(root, "a sweep", file_keys, COUNT(file_keys), &file, diag);
    if (status == ORR_OK) {
        status = orr_conf_read(file.sweep, "the sweep section", section_keys, COUNT(section_keys),
                               &sweep_section, diag);
    }
    if (status == ORR_OK) {
        status = read_base(sweep, file.sweep, diag);
    }
    if (status == ORR_OK) {
        status = name_output(sweep, sweep_section.output, diag);
    }
    if (status == ORR_OK) {
        status = read_axes(sweep, &sweep_section, diag);
    }
    if (status == ORR_OK) {
        status = order_values(sweep, diag);
    }
    if (status == ORR_OK) {
        orr_sweep_set_suffixes(sweep);
        status = read_group(sweep, file.sweep, sweep_section.group_by, diag);
    }
    if (status == ORR_OK) {
        status = make_factors(sweep, sweep_section.zip, diag);
    }
    if (status == ORR_OK) {
        status = orr_sweep_read_expressions(sweep, file.sweep, &sweep_section.texts, diag);
    }
    if (status == ORR_OK) {
        status = read_estimate(sweep, file.sweep, &sweep_section, diag);
    }
    if (status == ORR_OK) {
        status = orr_sweep_make_points(sweep, diag);
    }
    return status == ORR_OK ? orr_sweep_hash(sweep, diag) : status;
}

static void begin(struct orr_sweep *sweep, struct orr_arena *arena, const char *file)
{
    char library[ORR_INPUT_PATH_BYTES];
    orr_inputs_library(library);
    *sweep = (struct orr_sweep){
        .arena = arena, .file = file, .library = orr_arena_strdup(arena, library)};
}

enum orr_status orr_sweep_read(struct orr_arena *arena, const char *path, struct orr_sweep *sweep,
                               struct orr_diag *diag)
{
    const struct orr_conf *root = NULL;
    begin(sweep, arena, path);
    const enum orr_status status = orr_conf_load(arena, path, &root, diag);
    return status == ORR_OK ? read_root(sweep, root, diag) : status;
}

enum orr_status orr_sweep_read_text(struct orr_arena *arena, const char *text,
                                    struct orr_sweep *sweep, struct orr_diag *diag)
{
    const struct orr_conf *root = NULL;
    begin(sweep, arena, "text");
    const enum orr_status status = orr_conf_parse(arena, text, strlen(text), "text", &root, diag);
    return status == ORR_OK ? read_root(sweep, root, diag) : status;
}
