/* Measured times; see profile.h. */
#include "workload/model/profile.h"

#include "core/conf/conf.h"
#include "core/conf/conf_read.h"

#include <stdlib.h>
#include <string.h>

#define COUNT(keys) (sizeof(keys) / sizeof *(keys))

/* ---- keys ---- */

struct measurement {
    const char *name, *split;
    double forward_ms, backward_ms;
    int64_t memory_bytes;
};

#define MS(key, member, text)                                                                      \
    {                                                                                              \
        .name = key, .type = ORR_KEY_NUMBER, .offset = offsetof(struct measurement, member),       \
        .required = true, .high = 1e9, .example = key ": 1.56", .doc = text                        \
    }

static const struct orr_key measurement_keys[] = {
    {.name = "name",
     .type = ORR_KEY_TEXT,
     .offset = offsetof(struct measurement, name),
     .required = true,
     .example = "name: Conv2D_3_3_64",
     .doc = "as operators name it (profile: NAME)"},
    {.name = "pc_str",
     .type = ORR_KEY_TEXT,
     .offset = offsetof(struct measurement, split),
     .required = true,
     .example = "pc_str: 4-1-1-1-16",
     .doc = "how many axes, then the parts of each, the innermost first and the samples last"},
    MS("fw_time", forward_ms, "milliseconds of a part forwards"),
    MS("bw_time", backward_ms, "milliseconds of a part backwards"),
    {.name = "mem_req",
     .type = ORR_KEY_INTEGER,
     .offset = offsetof(struct measurement, memory_bytes),
     .high = 9e18,
     .default_text = "0",
     .doc = "bytes that a part takes"},
};

static const struct orr_key_table measurement_table = {"a measurement", measurement_keys,
                                                       COUNT(measurement_keys), NULL};

struct section {
    int64_t batch, devices;
    struct orr_conf_list measurements;
};

static const struct orr_key keys[] = {
    {.name = "batch_size",
     .type = ORR_KEY_INTEGER,
     .offset = offsetof(struct section, batch),
     .required = true,
     .low = 1,
     .high = 1e12,
     .example = "batch_size: 4096",
     .doc = "samples of all parts together"},
    {.name = "ngpus",
     .type = ORR_KEY_INTEGER,
     .offset = offsetof(struct section, devices),
     .high = 1e9,
     .default_text = "0",
     .doc = "devices that the batch was meant for"},
    {.name = "measurements",
     .type = ORR_KEY_NODE,
     .offset = offsetof(struct section, measurements),
     .required = true,
     .list = true,
     .min = 1,
     .max = 1000000,
     .table = &measurement_table,
     .example = "measurements: [{name: Softmax, pc_str: 2-1-16, fw_time: 0.007, bw_time: 0.004}]",
     .doc = "times of operators, each for one split"},
};

const struct orr_key_table orr_model_profile_table = {"a profile", keys, COUNT(keys), NULL};

/* ---- reading ---- */

/* Reads the next number of "2-1-16", behind a dash unless it is the first. */
static bool next_number(const char **text, uint32_t *out)
{
    char *end = NULL;
    const unsigned long value = **text >= '0' && **text <= '9' ? strtoul(*text, &end, 10) : 0;
    if (value == 0 || value > 1000000000) {
        return false;
    }
    *out = (uint32_t)value;
    *text = *end == '-' ? end + 1 : end;
    return *end == '\0' || (*end == '-' && end[1] != '\0');
}

static bool parse_split(const char *text, struct model_measure *out)
{
    uint32_t axes = 0;
    if (!next_number(&text, &axes) || axes > MODEL_MAX_SPLITS) {
        return false;
    }
    for (uint32_t i = 0; i < MODEL_MAX_SPLITS; i++) {
        out->split[i] = 1;
    }
    for (uint32_t i = 0; i + 1 < axes; i++) {
        if (!next_number(&text, &out->split[i])) {
            return false;
        }
    }
    return next_number(&text, &out->samples) && *text == '\0';
}

/* The nearest whole picosecond. */
static sim_time ps_of_ms(double ms)
{
    const double ps = ms * 1e9 + 0.5;
    return ps < 9.2e18 ? (sim_time)ps : ORR_TIME_MAX;
}

static enum orr_status read_measurement(const struct orr_conf *map, struct model_measure *out,
                                        struct orr_diag *diag)
{
    struct measurement parsed = {.name = NULL};
    const enum orr_status status = orr_conf_read(map, measurement_table.owner, measurement_keys,
                                                 COUNT(measurement_keys), &parsed, diag);
    if (status != ORR_OK) {
        return status;
    }
    *out = (struct model_measure){.name = parsed.name,
                                  .forward_ps = ps_of_ms(parsed.forward_ms),
                                  .backward_ps = ps_of_ms(parsed.backward_ms),
                                  .memory_bytes = (uint64_t)parsed.memory_bytes};
    return parse_split(parsed.split, out)
               ? ORR_OK
               : orr_conf_expected(orr_conf_get(map, "pc_str"),
                                   "how many axes and the parts of each, such as 4-1-1-1-16", diag);
}

static int compare_keys(const struct model_measure *a, const struct model_measure *b)
{
    const int names = strcmp(a->name, b->name);
    if (names != 0) {
        return names;
    }
    if (a->samples != b->samples) {
        return a->samples < b->samples ? -1 : 1;
    }
    for (uint32_t i = 0; i < MODEL_MAX_SPLITS; i++) {
        if (a->split[i] != b->split[i]) {
            return a->split[i] < b->split[i] ? -1 : 1;
        }
    }
    return 0;
}

/* A measurement and its location, to report duplicates. */
struct located {
    struct model_measure measure;
    const struct orr_conf *map;
};

static int compare_located(const void *a, const void *b)
{
    const struct located *one = a, *other = b;
    const int order = compare_keys(&one->measure, &other->measure);
    if (order != 0) {
        return order;
    }
    return one->map->line < other->map->line ||
                   (one->map->line == other->map->line && one->map->column < other->map->column)
               ? -1
               : 1;
}

static enum orr_status copy_sorted(struct orr_arena *arena, const struct located *located,
                                   size_t count, struct model_profile *out, struct orr_diag *diag)
{
    struct model_measure *measure = orr_arena_array(arena, count, sizeof *measure);
    if (measure == NULL) {
        return orr_diag_no_memory(diag, "a profile");
    }
    for (size_t i = 0; i < count; i++) {
        measure[i] = located[i].measure;
        if (i > 0 && compare_keys(&measure[i - 1], &measure[i]) == 0) {
            const struct orr_location location = orr_conf_location(located[i].map);
            return orr_diag_fail(diag, ORR_ERR_INPUT, &location,
                                 "%s: \"%s\" was measured for this split already at line %u",
                                 located[i].map->path, measure[i].name, located[i - 1].map->line);
        }
    }
    out->measure = measure;
    out->count = (uint32_t)count;
    return ORR_OK;
}

enum orr_status orr_model_profile_read(struct orr_arena *arena, const struct orr_conf *root,
                                       struct model_profile *out, struct orr_diag *diag)
{
    struct section section = {.batch = 0};
    enum orr_status status =
        orr_conf_read(root, orr_model_profile_table.owner, keys, COUNT(keys), &section, diag);
    if (status != ORR_OK) {
        return status;
    }
    const size_t count = section.measurements.count;
    const struct orr_conf *const *map = section.measurements.values;
    struct located *located = orr_arena_array(arena, count, sizeof *located);
    if (located == NULL) {
        return orr_diag_no_memory(diag, "a profile");
    }
    *out = (struct model_profile){
        .file = root->file, .batch = (uint64_t)section.batch, .devices = (uint64_t)section.devices};
    for (size_t i = 0; i < count && status == ORR_OK; i++) {
        located[i].map = map[i];
        status = read_measurement(map[i], &located[i].measure, diag);
    }
    if (status == ORR_OK) {
        qsort(located, count, sizeof *located, compare_located);
        status = copy_sorted(arena, located, count, out, diag);
    }
    return status;
}

/* ---- asking ---- */

static int compare_found(const void *key, const void *measure)
{
    return compare_keys(key, measure);
}

const struct model_measure *orr_model_profile_find(const struct model_profile *profile,
                                                   const char *name, uint64_t samples,
                                                   const uint32_t split[MODEL_MAX_SPLITS])
{
    struct model_measure key = {.name = name, .samples = (uint32_t)samples};
    if (samples > UINT32_MAX) {
        return NULL;
    }
    memcpy(key.split, split, sizeof key.split);
    return bsearch(&key, profile->measure, profile->count, sizeof key, compare_found);
}

const struct model_measure *orr_model_profile_of(const struct model_profile *profile,
                                                 const char *name, uint32_t *count)
{
    uint32_t first = 0, end = profile->count;
    while (first < end) {
        const uint32_t middle = first + (end - first) / 2;
        if (strcmp(profile->measure[middle].name, name) < 0) {
            first = middle + 1;
        } else {
            end = middle;
        }
    }
    while (end < profile->count && strcmp(profile->measure[end].name, name) == 0) {
        end++;
    }
    *count = end - first;
    return profile->measure + first;
}

bool orr_model_profile_has(const struct model_profile *profile, const char *name)
{
    uint32_t count = 0;
    for (; profile != NULL && count == 0; profile = profile->next) {
        (void)orr_model_profile_of(profile, name, &count);
    }
    return count != 0;
}
