/* A network without a file; see inline_network.h. The values are read as those of a file would
 * be: a section is made of them. */
#include "sim/load/inline_network.h"

#include <string.h>

enum { SECTION_KEYS = 4 };

struct section {
    struct orr_arena *arena;
    struct orr_conf map;
    const char *key[SECTION_KEYS];
    const struct orr_conf *item[SECTION_KEYS];
    bool complete; /* memory sufficed */
};

static struct orr_conf *new_node(struct section *section, const char *option)
{
    struct orr_conf *node = orr_arena_alloc(section->arena, sizeof *node);
    section->complete = section->complete && node != NULL;
    if (node != NULL) {
        *node = (struct orr_conf){.file = "command line",
                                  .line = 1,
                                  .column = 1,
                                  .path = option,
                                  .arena = section->arena};
    }
    return node;
}

static void add(struct section *section, const char *key, const struct orr_conf *node)
{
    section->key[section->map.count] = key;
    section->item[section->map.count++] = node;
}

static const struct orr_conf *scalar(struct section *section, const char *option, const char *text,
                                     size_t length)
{
    struct orr_conf *node = new_node(section, option);
    const size_t space = strspn(text, " ") < length ? strspn(text, " ") : length;
    const char *copy = orr_arena_strndup(section->arena, text + space, length - space);
    section->complete = section->complete && copy != NULL;
    if (node != NULL) {
        node->quoted = true; /* an empty text is one */
        node->text = copy;
    }
    return node;
}

/* "100 GB/s,50 GB/s": a list; without a comma one value. */
static const struct orr_conf *values(struct section *section, const char *option, const char *text)
{
    size_t count = 1;
    for (const char *c = text; *c != '\0'; c++) {
        count += *c == ',' ? 1 : 0;
    }
    if (count == 1) {
        return scalar(section, option, text, strlen(text));
    }
    struct orr_conf *list = new_node(section, option);
    const struct orr_conf **items = orr_arena_array(section->arena, count, sizeof *items);
    section->complete = section->complete && items != NULL;
    for (size_t i = 0; i < count && section->complete; i++) {
        items[i] = scalar(section, option, text, strcspn(text, ","));
        text += strcspn(text, ",") + 1;
    }
    if (section->complete) {
        list->kind = ORR_CONF_LIST;
        list->count = count;
        list->item = items;
    }
    return list;
}

static void fill(struct section *section, const struct orr_inline_network *network,
                 struct orr_arena *arena)
{
    const size_t dashes = network->options ? 0 : strlen("--");
    *section = (struct section){
        .arena = arena,
        .map = {.kind = ORR_CONF_MAP, .file = "command line", .line = 1, .column = 1, .path = ""},
        .complete = true};
    section->map.arena = arena;
    section->map.key = section->key;
    section->map.item = section->item;
    add(section, "topology",
        scalar(section, &"--topology"[dashes], network -> topology, strlen(network->topology)));
    add(section, "bandwidth",
        values(section, &"--bandwidth"[dashes],
               network -> bandwidth != NULL ? network -> bandwidth : "1 B/s"));
    if (network->latency != NULL) {
        add(section, "latency", values(section, &"--latency"[dashes], network -> latency));
    }
    if (network->bandwidth_is != NULL) {
        add(section, "bandwidth_is",
            scalar(section, network->options ? "--bandwidth-is" : "bandwidth_is",
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
        dim[d].bandwidth_bytes_per_s = dim[d].astra_bytes_per_ns = 0;
    }
    config->dim = dim;
}

enum orr_status orr_inline_network_read(struct orr_arena *arena,
                                        const struct orr_inline_network *network,
                                        struct net_config *config, struct orr_diag *diag)
{
    struct section section;
    fill(&section, network, arena);
    if (!section.complete) {
        return orr_diag_no_memory(diag, "the network's options");
    }
    if (orr_net_config_read(arena, &section.map, config, diag) == ORR_OK &&
        network->bandwidth == NULL) {
        forget_bandwidth(arena, config, diag);
    }
    diag->place = orr_location_none(); /* messages name the value instead */
    return diag->status;
}
