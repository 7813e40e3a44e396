/* Points of a sweep: the product of its factors, the last one fastest, without those that a
 * constraint excludes; see sweep.h. */
#include <stdio.h>
#include <string.h>

#include "core/conf/conf.h"
#include "core/conf/conf_read.h"
#include "network/coordinates.h"
#include "network/net_config.h"
#include "network/net_config_read.h"
#include "sim/expr/derived_values.h"
#include "sim/load/config_keys.h"
#include "sim/load/platform_network.h"
#include "study/sweep/sweep_reading.h"

const struct orr_sweep_value *orr_sweep_value_at(const struct orr_sweep *sweep, size_t axis,
                                                 uint32_t candidate)
{
    const struct orr_sweep_axis *of = &sweep->axis[axis];
    if (axis >= sweep->axes) {
        return &of->value[0];
    }
    size_t rest = candidate;
    for (unsigned f = sweep->factors - 1; f > of->factor; f--) {
        rest /= sweep->factor_count[f];
    }
    return &of->value[rest % sweep->factor_count[of->factor]];
}

void orr_sweep_inputs(const struct orr_sweep *sweep, uint32_t candidate, const char **set,
                      struct orrery_inputs *inputs)
{
    *inputs = (struct orrery_inputs){.platform = sweep->platform,
                                     .workload = sweep->workload,
                                     .library = sweep->library,
                                     .set = set};
    for (size_t i = 0; i < sweep->axes + sweep->sets; i++) {
        const size_t axis = sweep->order[i];
        const struct orr_sweep_value *value = orr_sweep_value_at(sweep, axis, candidate);
        if (value->assignment != NULL) {
            set[inputs->set_count++] = value->assignment;
        } else if (strcmp(sweep->axis[axis].path, "platform") == 0) {
            inputs->platform = value->file;
        } else {
            inputs->workload = value->file;
        }
    }
}

/* ---- configurations, for constraints that need them ---- */

/* Cache of the last pair of files; axes of files usually vary slowest. */
struct reader {
    struct orr_arena *files, *point; /* point: of one point at a time */
    struct orr_kept_task_graph graph;
    const char *platform, *workload;
    const struct orr_conf *root; /* NULL: cannot be read */
    bool prices;                 /* a constraint needs them */
    struct orr_sweep_price price;
    const char **set;
    uint32_t unpriced;                /* candidates excluded without a price */
    char why[ORR_DIAG_MESSAGE_BYTES]; /* the first of them */
};

static const struct orr_conf *read_files(struct orr_arena *arena,
                                         const struct orrery_inputs *inputs)
{
    const struct orr_conf *root = NULL, *workload = NULL;
    enum orr_status status =
        inputs->platform != NULL
            ? orr_conf_load_composed(arena, inputs->platform, inputs->library, &root, NULL)
            : orr_conf_parse(arena, "{}", 2, "command line", &root, NULL);
    if (status == ORR_OK) {
        status = orr_net_tree_merge(arena, &root, NULL);
    }
    if (status == ORR_OK && inputs->workload != NULL) {
        status = orr_conf_load_composed(arena, inputs->workload, inputs->library, &workload, NULL);
        if (status == ORR_OK && (root->kind != ORR_CONF_MAP || workload->kind != ORR_CONF_MAP)) {
            return NULL;
        }
        status = status == ORR_OK ? orr_conf_merge(arena, root, workload, &root, NULL) : status;
    }
    status = status == ORR_OK ? orr_conf_apply_set(arena, &root, NULL) : status;
    return status == ORR_OK && root->kind == ORR_CONF_MAP ? root : NULL;
}

/* Sets the values of a point on top of its files, in reader->point; NULL: it cannot be read. */
static const struct orr_conf *set_point(const struct reader *reader,
                                        const struct orrery_inputs *inputs)
{
    const struct orr_conf *root = reader->root;
    for (size_t i = 0; i < inputs->set_count && root != NULL; i++) {
        if (orr_conf_set(reader->point, root, inputs->set[i], &root, NULL) != ORR_OK) {
            return NULL;
        }
    }
    return root == NULL || orr_conf_derive(reader->point, &root, NULL) == ORR_OK ? root : NULL;
}

/* The configuration of a point, in reader->point; NULL when there is none. */
static const struct orr_conf *read_point(struct reader *reader, const struct orr_sweep *sweep,
                                         uint32_t candidate)
{
    struct orrery_inputs inputs;
    orr_sweep_inputs(sweep, candidate, reader->set, &inputs);
    if (reader->platform != inputs.platform || reader->workload != inputs.workload ||
        reader->root == NULL) {
        orr_arena_reset(reader->files);
        reader->root = read_files(reader->files, &inputs);
        reader->platform = inputs.platform;
        reader->workload = inputs.workload;
    }
    orr_arena_reset(reader->point);
    return set_point(reader, &inputs);
}

const struct orr_conf *orr_sweep_tree(struct orr_arena *arena, const struct orr_sweep *sweep,
                                      uint32_t candidate)
{
    const char **set = orr_arena_array(arena, sweep->axes + sweep->sets + 1, sizeof *set);
    struct reader reader = {.files = arena, .point = arena, .set = set};
    struct orrery_inputs inputs;
    if (set == NULL) {
        return NULL;
    }
    orr_sweep_inputs(sweep, candidate, set, &inputs);
    reader.root = read_files(arena, &inputs);
    return reader.root != NULL ? set_point(&reader, &inputs) : NULL;
}

/* Reads what a constraint needs of the configuration; false: it cannot be read, and the point then
 * fails with the reason when it runs. */
static bool fill_scope(struct reader *reader, struct orr_sweep_scope *scope)
{
    const struct orr_sweep *sweep = scope->sweep;
    const struct orr_conf *root = read_point(reader, sweep, scope->candidate);
    struct net_config network;
    const char **config = orr_arena_array(reader->point, sweep->configs + 1, sizeof *config);
    if (root == NULL || config == NULL ||
        orr_tree_network_read(reader->point, &root, &reader->graph, &network, NULL) != ORR_OK) {
        return false;
    }
    struct orr_sweep_found found = {.sweep = sweep, .arena = reader->point, .config = config};
    orr_conf_explain(root, &orr_wl_key_table, orr_sweep_keep_value, &found);
    scope->npus = orr_net_npus(&network);
    if (reader->prices) {
        orr_sweep_find_price(&network, &reader->price);
        scope->price = &reader->price;
    }
    scope->config = config;
    return true;
}

/* ---- the product ---- */

static void count_unpriced(struct reader *reader, const struct orr_sweep_price *price)
{
    if (reader->unpriced++ == 0) {
        (void)snprintf(reader->why, sizeof reader->why, "%s", price->no_dollars);
    }
}

/* Whether no constraint excludes the candidate. A constraint that needs a missing price excludes
 * it. `reader` is NULL if no constraint needs the configuration. */
static enum orr_status check(const struct orr_sweep *sweep, struct reader *reader,
                             uint32_t candidate, bool *keep, struct orr_diag *diag)
{
    bool lacks_price = false;
    struct orr_sweep_scope scope = {
        .sweep = sweep, .candidate = candidate, .npus = -1, .lacks_price = &lacks_price};
    *keep = true;
    if (reader != NULL && !fill_scope(reader, &scope)) {
        return ORR_OK;
    }
    for (size_t i = 0; i < sweep->wheres && *keep; i++) {
        double value = 0;
        const bool known = orr_sweep_eval(&sweep->where[i], &scope, &value, NULL) == ORR_OK;
        if (lacks_price && reader != NULL) {
            count_unpriced(reader, scope.price);
            *keep = false;
            return ORR_OK;
        }
        const enum orr_status status =
            known ? ORR_OK : orr_sweep_eval(&sweep->where[i], &scope, &value, diag);
        if (status != ORR_OK) {
            return status;
        }
        *keep = value != 0;
    }
    return ORR_OK;
}

static enum orr_status filter(struct orr_sweep *sweep, struct reader *reader, uint32_t all,
                              struct orr_diag *diag)
{
    uint32_t *point = orr_arena_array(sweep->arena, all, sizeof *point);
    if (point == NULL) {
        return orr_diag_no_memory(diag, "the points of a sweep");
    }
    for (uint32_t candidate = 0; candidate < all; candidate++) {
        bool keep;
        const enum orr_status status = check(sweep, reader, candidate, &keep, diag);
        if (status != ORR_OK) {
            return status;
        }
        if (keep) {
            point[sweep->points++] = candidate;
        }
    }
    sweep->point = point;
    const struct orr_location location = orr_location_file(sweep->file);
    if (reader != NULL && reader->unpriced != 0) {
        orr_diag_warn(diag, &location, "sweep.where: %u of %u points are left out: %s",
                      (unsigned)reader->unpriced, (unsigned)all, reader->why);
    }
    return sweep->points != 0 ? ORR_OK
                              : orr_diag_fail(diag, ORR_ERR_INPUT, &location,
                                              "sweep.where: the constraints leave none of the %u "
                                              "points of the product",
                                              (unsigned)all);
}

static enum orr_status count_product(const struct orr_sweep *sweep, uint32_t *all,
                                     struct orr_diag *diag)
{
    double product = 1;
    for (unsigned f = 0; f < sweep->factors; f++) {
        product *= (double)sweep->factor_count[f];
    }
    *all = product <= ORR_SWEEP_MAX_POINTS ? (uint32_t)product : 0;
    const struct orr_location location = orr_location_file(sweep->file);
    return *all != 0 ? ORR_OK
                     : orr_diag_fail(diag, ORR_ERR_INPUT, &location,
                                     "sweep.axes: the product of the axes has %.0f points, more "
                                     "than %d; zip axes, or leave values out",
                                     product, ORR_SWEEP_MAX_POINTS);
}

enum orr_status orr_sweep_make_points(struct orr_sweep *sweep, struct orr_diag *diag)
{
    uint32_t all = 0;
    bool needed = false;
    enum orr_status status = count_product(sweep, &all, diag);
    if (status != ORR_OK) {
        return status;
    }
    for (size_t i = 0; i < sweep->wheres; i++) {
        needed = needed || orr_sweep_needs_config(&sweep->where[i], sweep);
    }
    struct reader reader = {
        .files = orr_arena_create(),
        .point = orr_arena_create(),
        .graph.arena = orr_arena_create(),
        .set = orr_arena_array(sweep->arena, sweep->axes + sweep->sets + 1, sizeof *reader.set)};
    for (size_t i = 0; i < sweep->wheres; i++) {
        reader.prices = reader.prices || orr_sweep_needs_price(&sweep->where[i]);
    }
    const bool memory = reader.files != NULL && reader.point != NULL &&
                        reader.graph.arena != NULL && reader.set != NULL;
    status = memory ? filter(sweep, needed ? &reader : NULL, all, diag)
                    : orr_diag_no_memory(diag, "a sweep");
    orr_arena_destroy(reader.files);
    orr_arena_destroy(reader.point);
    orr_arena_destroy(reader.graph.arena);
    return status;
}
