/* Cases of a search for layouts; see layout_cases.h. */
#include "study/layouts/layout_cases.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/arena.h"
#include "core/diag.h"
#include "core/strings.h"
#include "core/units.h"
#include "network/net_config.h"
#include "network/net_config_cost.h"
#include "orrery/job_model.h"
#include "orrery/orrery.h"
#include "sim/loaded_job.h"
#include "study/job_source.h"
#include "study/layouts/layout_text.h"
#include "workload/gen/models.h"

enum { MAX_AXES = 8, MAX_VALUES = 256, MAX_TRIES = 64 };

/* ---- axes ---- */

struct axis {
    const char *path; /* as given */
    const char *key;  /* the key that is set; NULL: a file */
    const char *value[MAX_VALUES];
    size_t count;
};

static const struct {
    const char *name, *key;
} known_axes[] = {{"npus", "network.npus"},
                  {"batch", "workload.training.batch"},
                  {"platform", NULL},
                  {"workload", NULL}};

static enum orr_status add_value(struct axis *axis, const char *value, struct orr_diag *diag)
{
    if (value == NULL) {
        return orr_diag_no_memory(diag, "an axis");
    }
    if (axis->count == MAX_VALUES || *value == '\0') {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL, "axis %s: expected 1 to %d values",
                             axis->path, MAX_VALUES);
    }
    axis->value[axis->count++] = value;
    return ORR_OK;
}

/* "64:512": 64, 128, 256, 512. */
static enum orr_status add_range(struct orr_arena *arena, struct axis *axis, const char *text,
                                 struct orr_diag *diag)
{
    const char *colon = strchr(text, ':');
    const char *first = orr_arena_strndup(arena, text, (size_t)(colon - text));
    int64_t from = 0, to = 0;
    if (first == NULL || !orr_parse_integer(first, &from) || !orr_parse_integer(colon + 1, &to) ||
        from < 1 || to < from || to > INT64_MAX / 2) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                             "axis %s: expected a range FROM:TO of whole numbers, which is "
                             "doubled from one to the other, got \"%s\"",
                             axis->path, text);
    }
    enum orr_status status = ORR_OK;
    for (int64_t value = from; value <= to && status == ORR_OK; value *= 2) {
        status = add_value(axis, orr_arena_printf(arena, "%" PRId64, value), diag);
    }
    return status;
}

/* Values between commas that are in no bracket. */
static enum orr_status read_values(struct orr_arena *arena, struct axis *axis, const char *text,
                                   struct orr_diag *diag)
{
    enum orr_status status = ORR_OK;
    while (status == ORR_OK) {
        const size_t length = orr_comma_part(text);
        const char *value = orr_arena_strndup(arena, text, length);
        const bool range = value != NULL && axis->key != NULL && strchr(value, ':') != NULL &&
                           strspn(value, "0123456789:") == length;
        status = range ? add_range(arena, axis, value, diag) : add_value(axis, value, diag);
        if (text[length] == '\0') {
            break;
        }
        text += length + 1;
    }
    return status;
}

static enum orr_status read_axis(struct orr_arena *arena, const char *text, struct axis *axis,
                                 struct orr_diag *diag)
{
    const char *equals = strchr(text, '=');
    if (equals == NULL || equals == text) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                             "axis: expected PATH=VALUE,VALUE,... such as npus=64,128 or "
                             "batch=256:2048, got \"%s\"",
                             text);
    }
    axis->count = 0;
    axis->key = axis->path = orr_arena_strndup(arena, text, (size_t)(equals - text));
    if (axis->path == NULL) {
        return orr_diag_no_memory(diag, "an axis");
    }
    for (size_t i = 0; i < sizeof known_axes / sizeof *known_axes; i++) {
        axis->key = strcmp(axis->path, known_axes[i].name) == 0 ? known_axes[i].key : axis->key;
    }
    return read_values(arena, axis, equals + 1, diag);
}

/* ---- cases ---- */

/* The number-th combination; the last axis varies fastest. */
static bool build_case(struct orr_arena *arena, const struct orrery_inputs *files,
                       const struct axis *axis, size_t axes, uint32_t number,
                       struct orr_layout_case *out)
{
    const char **set = orr_arena_array(arena, files->set_count + axes + 1, sizeof *set);
    *out = (struct orr_layout_case){.name = "", .files = *files, .dollars = -1, .watts = -1};
    for (size_t i = 0; set != NULL && i < files->set_count; i++) {
        set[i] = files->set[i];
    }
    for (size_t a = axes; set != NULL && a-- > 0; number /= (uint32_t)axis[a].count) {
        const char *value = axis[a].value[number % axis[a].count];
        out->name = orr_arena_printf(arena, "%s %s%s%s", axis[a].path, value,
                                     *out->name != '\0' ? ", " : "", out->name);
        if (axis[a].key == NULL) {
            *(strcmp(axis[a].path, "platform") == 0 ? &out->files.platform : &out->files.workload) =
                value;
        } else {
            set[out->files.set_count++] = orr_arena_printf(arena, "%s=%s", axis[a].key, value);
        }
        if (out->name == NULL || (axis[a].key != NULL && set[out->files.set_count - 1] == NULL)) {
            return false;
        }
    }
    out->files.set = set;
    return set != NULL;
}

enum orr_status orr_layout_cases_read(struct orr_arena *arena,
                                      const struct orrery_layout_search *search,
                                      struct orr_layout_case **cases, uint32_t *count,
                                      struct orr_diag *diag)
{
    struct axis *axis = orr_arena_array(arena, MAX_AXES, sizeof *axis);
    enum orr_status status = axis != NULL ? ORR_OK : orr_diag_no_memory(diag, "axes");
    uint64_t all = 1;
    if (search->axes > MAX_AXES) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL, "expected at most %d axes", MAX_AXES);
    }
    for (size_t a = 0; a < search->axes && status == ORR_OK; a++) {
        status = read_axis(arena, search->axis[a], &axis[a], diag);
        all *= status == ORR_OK ? axis[a].count : 1;
        if (all > ORRERY_MAX_LAYOUT_CASES) {
            status = orr_diag_fail(diag, ORR_ERR_INPUT, NULL, "axes: expected at most %d cases",
                                   ORRERY_MAX_LAYOUT_CASES);
        }
    }
    *count = (uint32_t)all;
    *cases = status == ORR_OK ? orr_arena_array(arena, *count, sizeof **cases) : NULL;
    if (status == ORR_OK && *cases == NULL) {
        return orr_diag_no_memory(diag, "cases");
    }
    for (uint32_t c = 0; status == ORR_OK && c < *count; c++) {
        status = build_case(arena, search->files, axis, search->axes, c, &(*cases)[c])
                     ? ORR_OK
                     : orr_diag_no_memory(diag, "cases");
    }
    return status;
}

/* ---- loading ---- */

enum orrery_status orr_layout_case_load_with(const struct orr_layout_case *of,
                                             const char *const *set, size_t sets,
                                             struct orrery *job)
{
    const struct orr_job_source source = {.own = &of->files};
    orrery_check_capacity(job, false);
    return orr_job_source_load(&source, set, sets, job);
}

static void fail_case(const struct orr_layout_case *of, const char *error, enum orr_status status,
                      struct orr_diag *diag)
{
    const bool named = *of->name != '\0';
    (void)orr_diag_fail(diag, status, NULL, "%s%s%s", named ? of->name : "", named ? ": " : "",
                        error);
}

/* Tries tensor and pipeline parallelism by powers of two. */
struct orrery *orr_layout_case_load(const struct orr_layout_case *of, struct orr_diag *diag)
{
    for (unsigned attempt = 0; attempt < MAX_TRIES; attempt++) {
        char text[3][ORR_LAYOUT_KEY_BYTES];
        const char *set[] = {text[0], text[1], text[2]};
        struct orrery *job = orrery_new();
        (void)snprintf(text[0], sizeof text[0], "workload.parallel.tensor=%u", 1u << attempt % 4);
        (void)snprintf(text[1], sizeof text[1], "workload.parallel.pipeline=%u", 1u << attempt / 4);
        (void)snprintf(text[2], sizeof text[2], "workload.parallel.sequence=true");
        const enum orrery_status status =
            job != NULL ? orr_layout_case_load_with(of, set, attempt > 0 ? 3 : 0, job)
                        : ORRERY_ERROR_MEMORY;
        if (status == ORRERY_OK) {
            orr_diag_init(diag);
            return job;
        }
        if (attempt == 0 || status == ORRERY_ERROR_MEMORY) {
            fail_case(of, orr_job_error(job), (enum orr_status)status, diag);
        }
        orrery_free(job);
        if (status != ORRERY_ERROR_INPUT) {
            return NULL;
        }
    }
    return NULL;
}

static void find_price(const struct net_config *network, struct orr_layout_case *of)
{
    struct net_cost cost;
    struct orr_diag diag;
    orr_diag_init(&diag);
    if (orr_net_config_cost(network, &cost, &diag) == ORR_OK) {
        of->dollars = cost.unpriced == NULL ? cost.total_dollars : -1;
        of->watts = network->cost != NULL && network->cost->has_watts ? cost.total_watts : -1;
    }
}

static void set_overlap(const struct gen_model *model, struct orr_layout_case *of)
{
    const struct gen_plan *plan = model != NULL ? model->ops->plan(model->job) : NULL;
    of->overlap = plan != NULL && plan->overlap;
    of->overlap_gather = plan != NULL && plan->overlap_gather;
}

void orr_layout_case_describe(const struct orrery *job, uint64_t memory_bytes,
                              struct orr_layout_case *of)
{
    struct orrery_model model = {0};
    (void)orrery_model(job, &model);
    of->npus = orrery_npus(job);
    of->capacity_bytes = memory_bytes != 0 ? memory_bytes : orr_loaded_capacity(job);
    of->samples = model.step_samples;
    of->tokens = model.step_tokens;
    of->peak_s = orr_loaded_seconds_at_peak(job) * model.step_flops / of->npus;
    find_price(orr_loaded_network(job), of);
    set_overlap(orr_loaded_model(job), of);
}
