/* A network from a few values; see inline_network.h. The values are made a section, and read like
 * one of a file. */
#include "sim/load/inline_network.h"

#include "core/conf/conf.h"
#include "network/net_config.h"
#include "network/net_config_read.h"
#include "network/net_dims.h"

#include <string.h>

enum { SECTION_KEYS = 4 };

struct inline_section {
    struct orr_arena *arena;
    struct orr_conf map;
    const char *key[SECTION_KEYS];
    const struct orr_conf *item[SECTION_KEYS];
    bool complete; /* no allocation failed */
};

static struct orr_conf *new_node(struct inline_section *inline_section, const char *option)
{
    struct orr_conf *node = orr_arena_alloc(inline_section->arena, sizeof *node);
    inline_section->complete = inline_section->complete && node != NULL;
    if (node != NULL) {
        *node = (struct orr_conf){.file = "command line",
                                  .line = 1,
                                  .column = 1,
                                  .path = option,
                                  .arena = inline_section->arena};
    }
    return node;
}

static void add(struct inline_section *inline_section, const char *key, const struct orr_conf *node)
{
    inline_section->key[inline_section->map.count] = key;
    inline_section->item[inline_section->map.count++] = node;
}

static const struct orr_conf *add_scalar(struct inline_section *inline_section, const char *option,
                                         const char *text, size_t length)
{
    struct orr_conf *node = new_node(inline_section, option);
    const size_t space = strspn(text, " ") < length ? strspn(text, " ") : length;
    const char *copy = orr_arena_strndup(inline_section->arena, text + space, length - space);
    inline_section->complete = inline_section->complete && copy != NULL;
    if (node != NULL) {
        node->quoted = true; /* an empty text is a value */
        node->text = copy;
    }
    return node;
}

/* Adds a list, "100 GB/s,50 GB/s", or one value without a comma. */
static const struct orr_conf *add_values(struct inline_section *inline_section, const char *option,
                                         const char *text)
{
    size_t count = 1;
    for (const char *c = text; *c != '\0'; c++) {
        count += *c == ',' ? 1 : 0;
    }
    if (count == 1) {
        return add_scalar(inline_section, option, text, strlen(text));
    }
    struct orr_conf *list = new_node(inline_section, option);
    const struct orr_conf **items = orr_arena_array(inline_section->arena, count, sizeof *items);
    inline_section->complete = inline_section->complete && items != NULL;
    for (size_t i = 0; i < count && inline_section->complete; i++) {
        items[i] = add_scalar(inline_section, option, text, strcspn(text, ","));
        text += strcspn(text, ",") + 1;
    }
    if (inline_section->complete) {
        list->kind = ORR_CONF_LIST;
        list->count = count;
        list->item = items;
    }
    return list;
}

static void fill(struct inline_section *inline_section, const struct orr_inline_network *network,
                 struct orr_arena *arena)
{
    const size_t dashes = network->options ? 0 : strlen("--");
    *inline_section = (struct inline_section){
        .arena = arena,
        .map = {.kind = ORR_CONF_MAP, .file = "command line", .line = 1, .column = 1, .path = ""},
        .complete = true};
    inline_section->map.arena = arena;
    inline_section->map.key = inline_section->key;
    inline_section->map.item = inline_section->item;
    add(inline_section, "topology",
        add_scalar(inline_section, &"--topology"[dashes], network -> topology,
                   strlen(network->topology)));
    add(inline_section, "bandwidth",
        add_values(inline_section, &"--bandwidth"[dashes],
                   network -> bandwidth != NULL ? network -> bandwidth : "1 B/s"));
    if (network->latency != NULL) {
        add(inline_section, "latency",
            add_values(inline_section, &"--latency"[dashes], network -> latency));
    }
    if (network->bandwidth_is != NULL) {
        add(inline_section, "bandwidth_is",
            add_scalar(inline_section, network->options ? "--bandwidth-is" : "bandwidth_is",
                       network->bandwidth_is, strlen(network->bandwidth_is)));
    }
}

static void forget_bandwidth(struct orr_arena *arena, struct net_config *config,
                             struct orr_diag *diag)
{
    struct net_dim *dim = orr_arena_array(arena, config->dims, sizeof *dim);
    if (dim == NULL) {
        (void)orr_diag_no_memory(diag, "the network's dimensions");
        return;
    }
    for (unsigned d = 0; d < config->dims; d++) {
        dim[d] = config->dim[d];
        dim[d].bandwidth_bytes_per_s = dim[d].given_bytes_per_ns = 0;
    }
    config->dim = dim;
}

enum orr_status orr_inline_network_read(struct orr_arena *arena,
                                        const struct orr_inline_network *network,
                                        struct net_config *config, struct orr_diag *diag)
{
    struct inline_section inline_section;
    fill(&inline_section, network, arena);
    if (!inline_section.complete) {
        return orr_diag_no_memory(diag, "the network's options");
    }
    if (orr_net_config_read(arena, &inline_section.map, config, diag) == ORR_OK &&
        network->bandwidth == NULL) {
        forget_bandwidth(arena, config, diag);
    }
    diag->place = orr_location_none(); /* messages name the value, not a location */
    return diag->status;
}
