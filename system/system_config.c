/* The `system` section of a platform file: how collectives are split, ordered and run. */
#include <stdio.h>
#include <string.h>

#include "system/system.h"

static const char *const priorities[] = {"lifo", "fifo", "explicit", NULL};
static const char *const schedulers[] = {"baseline", "themis", NULL};
static const char *const port_orders[] = {"age", "smallest_first", NULL};
static const char *const shapes[] = {"per_dimension", "hierarchical", NULL};
static const char *const kinds[SYS_LISTED_KINDS] = {"all_reduce", "all_gather", "reduce_scatter",
                                                    "all_to_all"};

struct section {
    int64_t chunks;
    unsigned priority, all_reduce, scheduler, port_order;
    sim_time endpoint_delay;
    const struct orr_conf *algorithms;
};

#define AT(member) offsetof(struct section, member)

static const struct orr_key keys[] = {
    {.name = "chunks",
     .type = ORR_KEY_INTEGER,
     .offset = AT(chunks),
     .low = 1,
     .high = 4096,
     .fallback = "64",
     .doc = "chunks that a collective is split into"},
    {.name = "priority",
     .type = ORR_KEY_CHOICE,
     .offset = AT(priority),
     .choices = priorities,
     .fallback = "fifo",
     .doc = "which collective's chunks a port takes first"},
    {.name = "all_reduce",
     .type = ORR_KEY_CHOICE,
     .offset = AT(all_reduce),
     .choices = shapes,
     .fallback = "hierarchical",
     .doc = "reduce-scatter up and all-gather down the dimensions, or one after the other"},
    {.name = "scheduler",
     .type = ORR_KEY_CHOICE,
     .offset = AT(scheduler),
     .choices = schedulers,
     .fallback = "baseline",
     .doc = "in which order chunks visit the dimensions: the same for all, or balanced (Themis)"},
    {.name = "port_order",
     .type = ORR_KEY_CHOICE,
     .offset = AT(port_order),
     .choices = port_orders,
     .fallback = "age",
     .doc = "what a port takes first among the chunks that wait: by priority and age, or the "
            "smallest"},
    {.name = "endpoint_delay",
     .type = ORR_KEY_TIME,
     .offset = AT(endpoint_delay),
     .fallback = "0 ns",
     .doc = "for every message that a collective receives"},
    {.name = "algorithms",
     .type = ORR_KEY_NODE,
     .offset = AT(algorithms),
     .doc = "by collective: an algorithm, or a list with one for each dimension; the default is "
            "that of the dimension's block"},
};

static enum orr_status read_algorithm(const struct orr_conf *node, struct sys_algorithm *out,
                                      struct orr_diag *diag)
{
    const char *name = NULL;
    enum orr_status status = orr_conf_text(node, &name, diag);
    if (status == ORR_OK) {
        *out = (struct sys_algorithm){.algorithm = coll_algorithm_find(name)};
    }
    if (status != ORR_OK || out->algorithm != NULL) {
        return status;
    }
    char expected[512];
    size_t used = (size_t)snprintf(expected, sizeof expected, "one of the algorithms");
    for (size_t i = 0; coll_algorithms[i] != NULL && used < sizeof expected; i++) {
        used += (size_t)snprintf(expected + used, sizeof expected - used, "%s %s",
                                 i != 0 ? "," : "", coll_algorithms[i]->name);
    }
    return orr_conf_expected(node, expected, diag);
}

static enum orr_status read_list(struct orr_arena *arena, const struct orr_conf *node,
                                 unsigned dims, struct sys_algorithm_list *list,
                                 struct orr_diag *diag)
{
    struct sys_algorithm *items = orr_arena_array(arena, dims, sizeof *items);
    if (items == NULL) {
        return orr_diag_no_memory(diag, "the algorithms");
    }
    if (node->kind == ORR_CONF_LIST && node->count != dims) {
        char expected[96];
        (void)snprintf(expected, sizeof expected, "one algorithm, or a list of %u", dims);
        return orr_conf_expected(node, expected, diag);
    }
    enum orr_status status = ORR_OK;
    for (unsigned d = 0; d < dims && status == ORR_OK; d++) {
        status =
            read_algorithm(node->kind == ORR_CONF_LIST ? node->item[d] : node, &items[d], diag);
    }
    *list = (struct sys_algorithm_list){.items = items, .count = dims};
    return status;
}

static enum orr_status read_algorithms(struct orr_arena *arena, const struct orr_conf *map,
                                       unsigned dims, struct sys_config *config,
                                       struct orr_diag *diag)
{
    const struct orr_conf *given[SYS_LISTED_KINDS] = {0};
    struct orr_key table[SYS_LISTED_KINDS];
    for (unsigned kind = 0; kind < SYS_LISTED_KINDS; kind++) {
        table[kind] = (struct orr_key){.name = kinds[kind],
                                       .type = ORR_KEY_NODE,
                                       .offset = kind * sizeof *given,
                                       .doc = "algorithm"};
    }
    enum orr_status status =
        orr_conf_read(map, "system.algorithms", table, SYS_LISTED_KINDS, (void *)given, diag);
    for (unsigned kind = 0; kind < SYS_LISTED_KINDS && status == ORR_OK; kind++) {
        if (given[kind] != NULL) {
            status = read_list(arena, given[kind], dims, &config->algorithms[kind], diag);
        }
    }
    return status;
}

enum orr_status sys_config_read(struct orr_arena *arena, const struct orr_conf *map, unsigned dims,
                                struct sys_config *config, struct orr_diag *diag)
{
    static const struct orr_conf nothing = {.kind = ORR_CONF_MAP, .file = "default", .path = ""};
    struct section section = {0};
    *config =
        (struct sys_config){.policy = &sys_policy_default, .active_chunks = 1, .queues_per_dim = 1};
    enum orr_status status = orr_conf_read(map != NULL ? map : &nothing, "the system section", keys,
                                           sizeof keys / sizeof *keys, &section, diag);
    if (status != ORR_OK) {
        return status;
    }
    config->chunks = (uint32_t)section.chunks;
    config->priority = (enum sys_priority)section.priority;
    config->scheduler = (enum sys_scheduler)section.scheduler;
    config->port_order = (enum sys_port_order)section.port_order;
    config->bandwidth_aware = section.all_reduce == 1;
    config->endpoint_delay_ps = section.endpoint_delay;
    return section.algorithms != NULL
               ? read_algorithms(arena, section.algorithms, dims, config, diag)
               : ORR_OK;
}

void sys_config_explain(const struct orr_conf *map, orr_conf_explain_fn emit, void *context)
{
    (void)orr_conf_explain(map, "system", keys, sizeof keys / sizeof *keys, emit, context);
}
