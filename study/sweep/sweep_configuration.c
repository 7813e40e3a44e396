/* Configurations of points; see sweep_configuration.h. */
#include "study/sweep/sweep_configuration.h"

#include "core/arena.h"
#include "core/conf/conf.h"
#include "core/conf/conf_read.h"
#include "network/coordinates.h"
#include "network/net_config.h"
#include "network/net_config_read.h"
#include "sim/expr/derived_values.h"
#include "sim/load/config_keys.h"
#include "sim/load/platform_network.h"
#include "study/sweep/sweep.h"

/* Cache of the last pair of files; axes of files usually vary slowest. */
struct orr_sweep_reader {
    struct orr_arena *files, *point; /* point: of one point at a time */
    struct orr_kept_task_graph graph;
    const char *platform, *workload;
    const struct orr_conf *root; /* NULL: cannot be read */
    bool prices;                 /* a constraint needs them */
    struct orr_sweep_price price;
    const char **set;
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
static const struct orr_conf *set_point(const struct orr_sweep_reader *reader,
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
static const struct orr_conf *read_point(struct orr_sweep_reader *reader,
                                         const struct orr_sweep *sweep, uint32_t candidate)
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
    struct orr_sweep_reader reader = {.files = arena, .point = arena, .set = set};
    struct orrery_inputs inputs;
    if (set == NULL) {
        return NULL;
    }
    orr_sweep_inputs(sweep, candidate, set, &inputs);
    reader.root = read_files(arena, &inputs);
    return reader.root != NULL ? set_point(&reader, &inputs) : NULL;
}

bool orr_sweep_reader_fill(struct orr_sweep_reader *reader, struct orr_sweep_scope *scope)
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

struct orr_sweep_reader *orr_sweep_reader_create(const struct orr_sweep *sweep, bool prices)
{
    struct orr_sweep_reader *reader = orr_heap_calloc(1, sizeof *reader);
    if (reader == NULL) {
        return NULL;
    }
    reader->prices = prices;
    reader->files = orr_arena_create();
    reader->point = orr_arena_create();
    reader->graph.arena = orr_arena_create();
    reader->set = orr_heap_calloc(sweep->axes + sweep->sets + 1, sizeof *reader->set);
    if (reader->files == NULL || reader->point == NULL || reader->graph.arena == NULL ||
        reader->set == NULL) {
        orr_sweep_reader_destroy(reader);
        return NULL;
    }
    return reader;
}

void orr_sweep_reader_destroy(struct orr_sweep_reader *reader)
{
    if (reader != NULL) {
        orr_arena_destroy(reader->files);
        orr_arena_destroy(reader->point);
        orr_arena_destroy(reader->graph.arena);
        orr_heap_free((void *)reader->set);
        orr_heap_free(reader);
    }
}
