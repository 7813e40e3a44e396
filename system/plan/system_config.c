/* The `system` section of a platform file: chunks, order and algorithms of collectives. */
#include <stdio.h>
#include <string.h>

#include "core/conf/conf.h"
#include "core/conf/conf_read.h"
#include "core/conf/keys.h"
#include "network/net_dims.h"
#include "system/ccl/ccl.h"
#include "system/collectives/program.h"
#include "system/embedding/embedding.h"
#include "system/plan/schedulers.h"
#include "system/sys_config.h"
#include "system/sys_policy.h"

static const char *const priorities[] = {"lifo", "fifo", "explicit", NULL};
static const char *const port_sharings[] = {"messages", "streams", NULL};
static const char *const port_orders[] = {"age", "smallest_first", "smallest_input_first", NULL};
static const char *const services[] = {"message", "phase", NULL};
static const char *const shapes[] = {"per_dimension", "hierarchical", NULL};
static const char *const tree_channels[] = {"shared", "own", "none", NULL};
static const char *const tree_detours[] = {"npus", "switches", NULL};

enum { SYS_MAX_PATHS = 256 };

struct system_section {
    int64_t chunks;
    unsigned priority, all_reduce, port_order, port_sharing, service;
    const char *scheduler, *whole;
    sim_time endpoint_delay;
    const struct orr_conf *algorithms, *chunks_of;
    struct orr_conf_list trees, tree_ways;
    unsigned tree_channels, tree_detours;
    int64_t receive_buffers;
    bool phased;
    sim_time host_synchronization;
    const struct orr_conf *library;
};

#define AT(member) offsetof(struct system_section, member)

static const struct orr_key_table algorithm_table;

static const struct orr_key_table chunks_table;

/* "auto", then the schedulers. */
static const char *scheduler_name(size_t index)
{
    return index == 0 ? "auto" : orr_sys_scheduler_name(index - 1);
}

static const struct orr_key keys[] = {
    {.name = "chunks",
     .type = ORR_KEY_INTEGER,
     .offset = AT(chunks),
     .low = 1,
     .high = 4096,
     .default_text = "64",
     .doc = "chunks that a collective is split into"},
    {.name = "chunks_of",
     .type = ORR_KEY_NODE,
     .offset = AT(chunks_of),
     .table = &chunks_table,
     .doc = "the same by collective"},
    {.name = "trees",
     .type = ORR_KEY_TEXT,
     .offset = AT(trees),
     .list = true,
     .scalar_as_list = true,
     .min = 1,
     .max = SYS_MAX_TREES,
     .absent = "none are given",
     .example = "trees: [3 3 3 -, 1 - 1 1]",
     .doc = "trees of the algorithm trees, between which chunks alternate: for each tree the "
            "parents of ranks 0, 1, ..., and - for the root; or search, or search and their number "
            "(2), for trees found on the links of the graph"},
    {.name = "tree_channels",
     .only_with = "trees",
     .type = ORR_KEY_CHOICE,
     .offset = AT(tree_channels),
     .choices = tree_channels,
     .default_text = "shared",
     .doc = "channels of the edges of trees in a graph: one lane of parallel links in each "
            "direction, which edges may share if there are too few (shared) or never (own); or "
            "none, and messages use routes"},
    {.name = "tree_detours",
     .only_with = "trees",
     .type = ORR_KEY_CHOICE,
     .offset = AT(tree_detours),
     .choices = tree_detours,
     .default_text = "npus",
     .doc = "paths of tree edges between NPUs without a link: over other NPUs, or through switches "
            "if there is none (npus); or through switches only"},
    {.name = "tree_ways",
     .type = ORR_KEY_TEXT,
     .offset = AT(tree_ways),
     .list = true,
     .scalar_as_list = true,
     .min = 1,
     .max = SYS_MAX_PATHS,
     .absent = "those with the fewest links in common",
     .example = "tree_ways: [2 0 4, 3 1 5]",
     .doc = "paths of tree edges: the NPUs from one end to the other; also used in reverse"},
    {.name = "phased",
     .type = ORR_KEY_BOOL,
     .offset = AT(phased),
     .default_text = "false",
     .doc = "the root of a tree sends nothing of an all-reduce down before it has all chunks; "
            "otherwise each chunk goes down when it has arrived"},
    {.name = "receive_buffers",
     .type = ORR_KEY_INTEGER,
     .offset = AT(receive_buffers),
     .low = 1,
     .high = 8192,
     .absent = "any number",
     .example = "receive_buffers: 2",
     .doc = "chunks that a rank may have sent up an edge of a tree before the parent has reduced "
            "the first of them"},
    {.name = "host_synchronization",
     .type = ORR_KEY_TIME,
     .offset = AT(host_synchronization),
     .default_text = "0 ns",
     .doc = "host overhead of every message; added to network.message_overhead"},
    {.name = "priority",
     .type = ORR_KEY_CHOICE,
     .offset = AT(priority),
     .choices = priorities,
     .default_text = "fifo",
     .doc = "which collective's chunks a port takes first"},
    {.name = "all_reduce",
     .type = ORR_KEY_CHOICE,
     .offset = AT(all_reduce),
     .choices = shapes,
     .default_text = "hierarchical",
     .doc = "reduce-scatter up and all-gather down the dimensions, or one after the other"},
    {.name = "monolithic_all_reduce",
     .type = ORR_KEY_TEXT,
     .offset = AT(whole),
     .absent = "in phases, chunk by chunk",
     .example = "monolithic_all_reduce: ring",
     .doc = "monolithic all-reduce algorithm of groups instead, in the syntax of --all-reduce of "
            "orrery run: ring, around all rings of a graph at once; ring_stream; "
            "bidirectional_ring_stream; hierarchical:4; "
            "hierarchical:4,inside=sharded_parameter_server; ...; or phases: not monolithic"},
    {.name = "scheduler",
     .type = ORR_KEY_TEXT,
     .offset = AT(scheduler),
     .names = scheduler_name,
     .default_text = "auto",
     .doc = "in which order chunks visit the dimensions: the same for all, balanced (Themis), or "
            "the better of the two; auto: picked with the algorithms, and baseline where these are "
            "named"},
    {.name = "port_order",
     .type = ORR_KEY_CHOICE,
     .offset = AT(port_order),
     .choices = port_orders,
     .default_text = "age",
     .doc = "what a port takes first among the chunks that wait: by priority and age; the one with "
            "the smallest input or output; or the one with the smallest input, the newest first"},
    {.name = "port_sharing",
     .type = ORR_KEY_CHOICE,
     .offset = AT(port_sharing),
     .choices = port_sharings,
     .default_text = "streams",
     .doc = "who shares a port's bandwidth: streams (a communicator's collectives; point-to-point "
            "messages), each by port_order; or nobody: all messages wait in one line"},
    {.name = "dimension_service",
     .type = ORR_KEY_CHOICE,
     .offset = AT(service),
     .choices = services,
     .default_text = "message",
     .doc =
         "a port takes messages of all chunks that are ready; or a dimension serves one phase of "
         "one chunk at a time, with latencies at the end (Themis)"},
    {.name = "endpoint_delay",
     .type = ORR_KEY_TIME,
     .offset = AT(endpoint_delay),
     .default_text = "0 ns",
     .doc = "for every message that a collective receives"},
    {.name = "library",
     .type = ORR_KEY_NODE,
     .offset = AT(library),
     .table = &orr_sys_ccl_table,
     .output_if_given = true,
     .absent = "none: collectives run chunk by chunk",
     .doc = "a collective communication library (CCL) whose cost model gives the times of "
            "collectives without a named algorithm"},
    {.name = "algorithms",
     .type = ORR_KEY_NODE,
     .offset = AT(algorithms),
     .table = &algorithm_table,
     .doc = "by collective: an algorithm, or a list with one for each dimension; default is for "
            "all that are not named"},
};

const struct orr_key_table orr_sys_key_table = {"the system section", keys,
                                                sizeof keys / sizeof *keys, NULL};

/* ---- algorithms ---- */

/* In the order of enum sys_choice. */
static const char *const choices[] = {"by_block", "auto", NULL};

enum { CHOICES = 2 };

const char *orr_sys_choice_name(size_t index)
{
    return index < CHOICES ? choices[index] : NULL;
}

/* The choices, then the algorithms. */
static const char *algorithm_name(size_t index)
{
    if (index < CHOICES) {
        return choices[index];
    }
    const struct coll_algorithm *algorithm = orr_coll_algorithm_at(index - CHOICES);
    return algorithm != NULL ? algorithm->name : NULL;
}

struct algorithm_section {
    struct orr_conf_list given[SYS_NAMED_KINDS];
    unsigned default_choice;
};

#define ALGORITHM(kind, key, of)                                                                   \
    {                                                                                              \
        .name = (key), .type = ORR_KEY_TEXT,                                                       \
        .offset =                                                                                  \
            offsetof(struct algorithm_section, given) + (kind) * sizeof(struct orr_conf_list),     \
        .list = true, .scalar_as_list = true, .min = 1, .max = NET_MAX_DIMS,                       \
        .names = algorithm_name, .absent = "as default",                                           \
        .doc = "algorithm of " of ", or one for each dimension"                                    \
    }

static const struct orr_key algorithm_keys[] = {
    ALGORITHM(COLL_ALL_REDUCE, "all_reduce", "all-reduces"),
    ALGORITHM(COLL_ALL_GATHER, "all_gather", "all-gathers"),
    ALGORITHM(COLL_REDUCE_SCATTER, "reduce_scatter", "reduce-scatters"),
    ALGORITHM(COLL_ALL_TO_ALL, "all_to_all", "all-to-alls"),
    ALGORITHM(COLL_BROADCAST, "broadcast", "broadcasts"),
    ALGORITHM(COLL_REDUCE, "reduce", "reduces"),
    {.name = "default",
     .type = ORR_KEY_CHOICE,
     .offset = offsetof(struct algorithm_section, default_choice),
     .choices = choices,
     .default_text = "auto",
     .doc = "of what is not named, and of other collectives: that of the dimension's block (ring, "
            "direct, halving_doubling), or the one that is predicted to take the least time"}};

static const struct orr_key_table algorithm_table = {
    "system.algorithms", algorithm_keys, sizeof algorithm_keys / sizeof *algorithm_keys, NULL};

/* ---- chunks by collective ---- */

#define CHUNKS(key)                                                                                \
    {                                                                                              \
        .name = (key), .type = ORR_KEY_TEXT, .absent = "as system.chunks", .example = key ": 16",  \
        .doc = "chunks, 1 to 4096; or optimal, for trees (C-Cube, Eq. 4)"                          \
    }

static const struct orr_key chunks_keys[] = {CHUNKS("all_reduce"),     CHUNKS("all_gather"),
                                             CHUNKS("reduce_scatter"), CHUNKS("all_to_all"),
                                             CHUNKS("broadcast"),      CHUNKS("reduce")};

static const struct orr_key_table chunks_table = {"system.chunks_of", chunks_keys,
                                                  sizeof chunks_keys / sizeof *chunks_keys, NULL};

static enum orr_status read_chunks_of(const struct orr_conf *map, struct sys_config *config,
                                      struct orr_diag *diag)
{
    const char *texts[SYS_NAMED_KINDS] = {NULL};
    struct orr_key given[SYS_NAMED_KINDS];
    for (size_t kind = 0; kind < SYS_NAMED_KINDS; kind++) {
        given[kind] = chunks_keys[kind];
        given[kind].offset = kind * sizeof *texts;
    }
    const enum orr_status status =
        map != NULL ? orr_conf_read(map, chunks_table.owner, given, SYS_NAMED_KINDS, texts, diag)
                    : ORR_OK;
    return status == ORR_OK ? orr_sys_read_chunks(map, config, diag) : status;
}

static struct sys_algorithm algorithm_named(const char *name)
{
    for (unsigned choice = 0; choice < CHOICES; choice++) {
        if (strcmp(choices[choice], name) == 0) {
            return (struct sys_algorithm){.choice = (enum sys_choice)choice};
        }
    }
    const struct coll_algorithm *algorithm = orr_coll_algorithm_find(name);
    return (struct sys_algorithm){.algorithm = algorithm,
                                  .flat = algorithm != NULL && algorithm->on_forest};
}

static enum orr_status read_list(struct orr_arena *arena, const struct orr_conf *node,
                                 const struct orr_conf_list *names, struct sys_algorithm_list *list,
                                 struct orr_diag *diag)
{
    struct sys_algorithm *items = orr_arena_array(arena, list->count, sizeof *items);
    if (items == NULL) {
        return orr_diag_no_memory(diag, "the algorithms");
    }
    if (node->kind == ORR_CONF_LIST && names->count != list->count) {
        char expected[96];
        (void)snprintf(expected, sizeof expected, "one algorithm, or a list of %u", list->count);
        return orr_conf_expected(node, expected, diag);
    }
    const char *const *name = names->values;
    for (unsigned d = 0; d < list->count; d++) {
        items[d] = algorithm_named(name[node->kind == ORR_CONF_LIST ? d : 0]);
    }
    list->items = items;
    return ORR_OK;
}

static enum orr_status read_algorithms(struct orr_arena *arena, const struct orr_conf *map,
                                       unsigned dims, struct sys_config *config,
                                       struct orr_diag *diag)
{
    static const struct orr_conf nothing = {.kind = ORR_CONF_MAP, .file = "default", .path = ""};
    struct algorithm_section system_section = {0};
    enum orr_status status =
        orr_conf_read(map != NULL ? map : &nothing, algorithm_table.owner, algorithm_keys,
                      algorithm_table.count, &system_section, diag);
    config->choice = (enum sys_choice)system_section.default_choice;
    for (unsigned kind = 0; kind < SYS_NAMED_KINDS && status == ORR_OK; kind++) {
        if (system_section.given[kind].count != 0) {
            config->algorithms[kind].count = dims;
            status = read_list(arena, orr_conf_get(map, algorithm_keys[kind].name),
                               &system_section.given[kind], &config->algorithms[kind], diag);
        }
    }
    return status;
}

enum orr_status orr_sys_config_read(struct orr_arena *arena, const struct orr_conf *map,
                                    unsigned dims, struct sys_config *config, struct orr_diag *diag)
{
    static const struct orr_conf nothing = {.kind = ORR_CONF_MAP, .file = "default", .path = ""};
    struct system_section system_section = {0};
    *config = (struct sys_config){
        .policy = &orr_sys_policy_default, .active_chunks = 1, .queues_per_dim = 1};
    enum orr_status status = orr_conf_read(map != NULL ? map : &nothing, "the system section", keys,
                                           sizeof keys / sizeof *keys, &system_section, diag);
    if (status != ORR_OK) {
        return status;
    }
    config->mono_text = system_section.whole;
    config->chunks = (uint32_t)system_section.chunks;
    config->priority = (enum sys_priority)system_section.priority;
    config->scheduler = orr_sys_scheduler_find(system_section.scheduler); /* NULL: auto */
    config->service = (enum sys_service)system_section.service;
    config->port_order = (enum sys_port_order)system_section.port_order;
    config->port_sharing = (enum sys_port_sharing)system_section.port_sharing;
    config->bandwidth_aware = system_section.all_reduce == 1;
    config->endpoint_delay_ps = system_section.endpoint_delay;
    config->phased = system_section.phased;
    config->receive_buffers = (uint32_t)system_section.receive_buffers;
    config->host_synchronization_ps = system_section.host_synchronization;
    config->tree_keys.channels = (enum sys_tree_channels)system_section.tree_channels;
    config->tree_keys.detours = (enum sys_detours)system_section.tree_detours;
    status = orr_sys_read_trees(arena, map, &system_section.trees, config, diag);
    if (status == ORR_OK) {
        status = orr_sys_read_tree_paths(arena, map, &system_section.tree_ways, config, diag);
    }
    if (status == ORR_OK) {
        status = read_chunks_of(system_section.chunks_of, config, diag);
    }
    if (status != ORR_OK) {
        return status;
    }
    return read_algorithms(arena, system_section.algorithms, dims, config, diag);
}

/* dimension_service: phase needs dimensions with their own ports. */
static enum orr_status check_graph(const struct orr_conf *map, const struct sys_config *config,
                                   struct orr_diag *diag)
{
    if (config->service != SYS_BY_PHASE) {
        return ORR_OK;
    }
    const struct orr_conf *node = orr_conf_get(map, "dimension_service");
    const struct orr_location location = orr_conf_location(node);
    return orr_diag_fail(diag, ORR_ERR_INPUT, &location,
                         "%s: phase needs a network of dimensions, got a graph; expected message",
                         node->path);
}

static enum orr_status fail(const struct orr_conf *given, unsigned kind, const char *why,
                            struct orr_diag *diag)
{
    const struct orr_conf *node = orr_conf_get(given, algorithm_keys[kind].name);
    const struct orr_location location = orr_conf_location(node);
    return orr_diag_fail(diag, ORR_ERR_INPUT, &location, "%s: %s", node->path, why);
}

/* A named algorithm, and its dimension. */
struct listed {
    const struct orr_conf *given;
    const struct coll_algorithm *algorithm;
    const struct net_dim *dim;
    enum coll_kind kind;
    unsigned number; /* 1-based number of the dimension */
};

/* Lists the alternatives: auto, by_block, and algorithms that support the kind between NPUs; those
 * on rings of links only on a graph. */
static void list_supported(const struct listed *listed, bool graph, char *text, size_t bytes)
{
    size_t used = (size_t)snprintf(text, bytes, "auto, by_block");
    const struct coll_algorithm *algorithm;
    for (size_t i = 0; (algorithm = orr_coll_algorithm_at(i)) != NULL && used < bytes; i++) {
        if (algorithm->supports(listed->kind, listed->dim->npus) && !algorithm->in_switch &&
            (!(algorithm->on_rings || algorithm->on_forest) || graph)) {
            used += (size_t)snprintf(text + used, bytes - used, ", %s", algorithm->name);
        }
    }
}

static enum orr_status check_switch(const struct listed *listed, bool graph, struct orr_diag *diag)
{
    char why[256];
    const char *name = listed->algorithm->name;
    if (!listed->algorithm->in_switch || (listed->dim->reduces && !graph)) {
        return ORR_OK;
    }
    if (listed->dim->block != NET_SWITCH || graph) {
        (void)snprintf(why, sizeof why, "%s reduces inside a switch, but dimension %u is no switch",
                       name, listed->number);
    } else {
        (void)snprintf(why, sizeof why,
                       "%s needs a switch that reduces, but dimension %u is not declared as one; "
                       "if it is, set network.reduces: true, or reduces: true in its network.dims",
                       name, listed->number);
    }
    return fail(listed->given, listed->kind, why, diag);
}

/* Checks that the algorithm supports the kind in the dimension. */
static enum orr_status check_listed(const struct listed *listed, bool graph, struct orr_diag *diag)
{
    char why[512], supported[320];
    const uint32_t n = listed->dim->npus;
    const bool supports = listed->algorithm->supports(listed->kind, n);
    const bool needs_links = listed->algorithm->on_rings || listed->algorithm->on_forest;
    if (supports && (!needs_links || graph)) {
        return check_switch(listed, graph, diag);
    }
    list_supported(listed, graph, supported, sizeof supported);
    if (supports) {
        (void)snprintf(
            why, sizeof why,
            "%s goes %s on the links of a graph, which the network has not; expected one "
            "of %s",
            listed->algorithm->name,
            listed->algorithm->on_rings ? "around the rings" : "along trees", supported);
        return fail(listed->given, listed->kind, why, diag);
    }
    (void)snprintf(
        why, sizeof why, "%s cannot do %s among the %u NPUs of dimension %u; expected one of %s",
        listed->algorithm->name, orr_coll_kind_name(listed->kind), n, listed->number, supported);
    return fail(listed->given, listed->kind, why, diag);
}

/* All-reduces over several dimensions run reduce-scatter and all-gather phases; with a scheduler or
 * dimension_service: phase also in the last dimension. Warns if the named algorithm does not
 * support such a phase, which `direct` then runs. */
static void warn_phases(const struct listed *listed, const struct sys_config *config,
                        const struct net_config *net, struct orr_diag *diag)
{
    static const enum coll_kind phases[] = {COLL_REDUCE_SCATTER, COLL_ALL_GATHER};
    const bool all = config->service == SYS_BY_PHASE ||
                     (config->scheduler != NULL && config->scheduler->order != NULL);
    const struct coll_algorithm *algorithm = listed->algorithm;
    unsigned active = 0, behind = 0;
    for (unsigned d = 0; d < net->dims; d++) {
        active += net->dim[d].npus > 1 ? 1 : 0;
        behind += net->dim[d].npus > 1 && d + 1 > listed->number ? 1 : 0;
    }
    if (algorithm->given || listed->kind != COLL_ALL_REDUCE || listed->dim->npus < 2 ||
        active < 2 || (!all && (!config->bandwidth_aware || behind == 0))) {
        return;
    }
    for (size_t p = 0; p < sizeof phases / sizeof *phases; p++) {
        if (!algorithm->supports(phases[p], listed->dim->npus)) {
            const struct orr_conf *node =
                orr_conf_get(listed->given, algorithm_keys[listed->kind].name);
            const struct orr_location location = orr_conf_location(node);
            orr_diag_warn(diag, &location,
                          "%s: %s cannot do %s, a phase of all-reduces over several dimensions, "
                          "among the %u NPUs of dimension %u; %s runs instead",
                          node->path, algorithm->name, orr_coll_kind_name(phases[p]),
                          listed->dim->npus, listed->number, orr_coll_for(COLL_FOR_ANYTHING)->name);
            return;
        }
    }
}

enum orr_status orr_sys_config_check(const struct orr_conf *map, const struct sys_config *config,
                                     const struct net_config *net, struct orr_diag *diag)
{
    if (net->graph != NULL && map != NULL && check_graph(map, config, diag) != ORR_OK) {
        return ORR_ERR_INPUT;
    }
    if (map != NULL && orr_sys_check_tree_keys(map, config, net, diag) != ORR_OK) {
        return ORR_ERR_INPUT;
    }
    struct listed listed = {.given = map != NULL ? orr_conf_get(map, "algorithms") : NULL};
    for (unsigned kind = 0; kind < SYS_NAMED_KINDS && listed.given != NULL; kind++) {
        const struct sys_algorithm_list *list = &config->algorithms[kind];
        listed.kind = (enum coll_kind)kind;
        for (unsigned d = 0; d < list->count; d++) {
            listed.algorithm = list->items[d].algorithm;
            listed.dim = &net->dim[d];
            listed.number = d + 1;
            if (listed.algorithm == NULL) {
                continue;
            }
            if (check_listed(&listed, net->graph != NULL, diag) != ORR_OK) {
                return ORR_ERR_INPUT;
            }
            warn_phases(&listed, config, net, diag);
        }
    }
    return ORR_OK;
}
