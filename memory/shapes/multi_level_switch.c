/* A tree of switches: at level l = 1, next to the NPUs, to L there are n_l switches with u_l links
 * upwards each; those of level L lead to the memory. Every byte passes all levels:
 *
 *   class             links    busiest link, plain   gathered
 *   level l upwards   n_l u_l  P W / (n_l u_l)       P w / u_l: every switch gets all
 *   level 1 to NPU    P        W                     P w */
#include "core/conf/conf_read.h"
#include "core/conf/keys.h"
#include "memory/fabric.h"

enum { MAX_LEVELS = MEM_MAX_CLASSES - 1 };

struct multi_level_section {
    struct orr_conf_list levels; /* const struct orr_conf * */
    double fabric;
};

struct level {
    int64_t switches, uplinks;
    double bandwidth;
};

static const struct orr_key level_keys[] = {
    {.name = "switches",
     .type = ORR_KEY_INTEGER,
     .offset = offsetof(struct level, switches),
     .low = 1,
     .high = 1e6,
     .required = true,
     .example = "switches: 1",
     .doc = "switches of the level"},
    {.name = "uplinks",
     .type = ORR_KEY_INTEGER,
     .offset = offsetof(struct level, uplinks),
     .low = 1,
     .high = 1e6,
     .default_text = "1",
     .doc = "links of a switch to the level above; of the last level to the memory"},
    {.name = "bandwidth",
     .type = ORR_KEY_BANDWIDTH,
     .offset = offsetof(struct level, bandwidth),
     .required = true,
     .doc = "of such a link"},
};

static const struct orr_key_table level_table = {"a level of switches", level_keys,
                                                 sizeof level_keys / sizeof *level_keys, NULL};

static const struct orr_key keys[] = {
    {.name = "levels",
     .type = ORR_KEY_NODE,
     .offset = offsetof(struct multi_level_section, levels),
     .list = true,
     .min = 1,
     .max = MAX_LEVELS,
     .required = true,
     .table = &level_table,
     .example = "levels: [{switches: 4, uplinks: 2, bandwidth: 100 GB/s}]",
     .doc = "levels of switches, the first next to the NPUs"},
    {.name = "fabric_bandwidth",
     .type = ORR_KEY_BANDWIDTH,
     .offset = offsetof(struct multi_level_section, fabric),
     .required = true,
     .doc = "between an NPU and its switch"},
};

const struct orr_key_table orr_mem_multi_level_table = {"a pool of switch levels", keys,
                                                        sizeof keys / sizeof *keys, NULL};

static const char *const names[MAX_LEVELS] = {
    "level 1 upwards", "level 2 upwards",  "level 3 upwards", "level 4 upwards",
    "level 5 upwards", "level 6 upwards",  "level 7 upwards", "level 8 upwards",
    "level 9 upwards", "level 10 upwards", "level 11 upwards"};

/* Level l is class L - l, because a load comes from the top. */
static void set_level(struct mem_fabric *fabric, size_t levels, size_t l, const struct level *level)
{
    const double switches = (double)level->switches, uplinks = (double)level->uplinks;
    fabric->link[levels - 1 - l] =
        (struct mem_link_class){.name = names[l],
                                .links = (uint64_t)(level->switches * level->uplinks),
                                .bandwidth_bytes_per_s = level->bandwidth,
                                .parallelism = switches * uplinks,
                                .gathered_parallelism = uplinks,
                                .passes = 1,
                                .gathered_passes = switches,
                                .hops = 1,
                                .parts = (uint32_t)level->switches};
    fabric->stage_bytes = (uint64_t)(level->switches * level->uplinks); /* of the last one */
    fabric->gathered_stage_bytes = (uint64_t)level->uplinks;
}

static enum orr_status read_levels(const struct orr_conf_list *list, struct mem_fabric *fabric,
                                   struct orr_diag *diag)
{
    const struct orr_conf *const *maps = list->values;
    uint64_t below = fabric->npus;
    enum orr_status status = ORR_OK;
    for (size_t l = 0; l < list->count && status == ORR_OK; l++) {
        struct level level = {0};
        status =
            orr_conf_read(maps[l], level_table.owner, level_keys, level_table.count, &level, diag);
        if (status == ORR_OK) {
            status = orr_mem_check_divides(maps[l], "switches", (uint64_t)level.switches, below,
                                           l == 0 ? "NPUs" : "switches of the level below", diag);
        }
        if (status == ORR_OK) {
            below = (uint64_t)level.switches;
            set_level(fabric, list->count, l, &level);
        }
    }
    return status;
}

static enum orr_status fill(const struct orr_conf *map, struct mem_fabric *fabric,
                            struct orr_diag *diag)
{
    struct multi_level_section s = {0};
    enum orr_status status = orr_conf_read(map, orr_mem_multi_level_table.owner, keys,
                                           orr_mem_multi_level_table.count, &s, diag);
    if (status == ORR_OK) {
        status = read_levels(&s.levels, fabric, diag);
    }
    if (status != ORR_OK) {
        return status;
    }
    fabric->classes = (unsigned)s.levels.count + 1;
    fabric->link[s.levels.count] = (struct mem_link_class){.name = "level 1 to NPU",
                                                           .links = fabric->npus,
                                                           .bandwidth_bytes_per_s = s.fabric,
                                                           .parallelism = fabric->npus,
                                                           .gathered_parallelism = 1,
                                                           .passes = 1,
                                                           .gathered_passes = fabric->npus,
                                                           .hops = 1,
                                                           .parts = fabric->npus};
    return ORR_OK;
}

const struct mem_shape orr_mem_shape_multi_level = {
    .name = "multi_level_switch",
    .summary = "levels of switches below the memory",
    .fill = fill,
};
