/* A network by options; see platform_options.h. The values are read as those of a file would be: a
 * section is made of them whose keys are called like the options. */
#include "cli/platform_options.h"

#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/options.h"

bool orr_platform_apply(struct orr_platform_options *options, int option, const char *value)
{
    switch (option) {
    case ORR_OPT_TOPOLOGY:
        options->topology = value;
        return true;
    case ORR_OPT_BANDWIDTH:
        options->bandwidth = value;
        return true;
    case ORR_OPT_LATENCY:
        options->latency = value;
        return true;
    case ORR_OPT_BANDWIDTH_IS:
        options->bandwidth_is = value;
        return true;
    default:
        return false;
    }
}

/* ---- the section ---- */

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

static void fill(struct section *section, const struct orr_platform_options *options,
                 struct orr_arena *arena)
{
    *section = (struct section){
        .arena = arena,
        .map = {.kind = ORR_CONF_MAP, .file = "command line", .line = 1, .column = 1, .path = ""},
        .complete = true};
    section->map.arena = arena;
    section->map.key = section->key;
    section->map.item = section->item;
    add(section, "topology",
        scalar(section, "--topology", options->topology, strlen(options->topology)));
    add(section, "bandwidth",
        values(section, "--bandwidth", options->bandwidth != NULL ? options->bandwidth : "1 B/s"));
    if (options->latency != NULL) {
        add(section, "latency", values(section, "--latency", options->latency));
    }
    if (options->bandwidth_is != NULL) {
        add(section, "bandwidth_is",
            scalar(section, "--bandwidth-is", options->bandwidth_is,
                   strlen(options->bandwidth_is)));
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

enum orr_status orr_platform_config(const struct orr_platform_options *options,
                                    struct orr_arena *arena, struct net_config *config,
                                    struct orr_diag *diag)
{
    struct section section;
    fill(&section, options, arena);
    if (!section.complete) {
        return orr_diag_no_memory(diag, "the network's options");
    }
    if (orr_net_config_read(arena, &section.map, config, diag) == ORR_OK &&
        options->bandwidth == NULL) {
        forget_bandwidth(arena, config, diag);
    }
    diag->place = orr_place_none(); /* messages name the option instead */
    return diag->status;
}

/* ---- the assignment ---- */

struct writer {
    char *text;
    size_t used, bytes;
};

static void write_text(struct writer *writer, const char *text, size_t length)
{
    for (size_t i = 0; i < length && writer->used + 1 < writer->bytes; i++) {
        writer->text[writer->used++] = text[i];
    }
    writer->text[writer->used] = '\0';
}

/* KEY: "VALUE" or, with commas in it, KEY: ["VALUE", "VALUE"]. Checked values need no escapes. */
static void write_key(struct writer *writer, const char *key, const char *value)
{
    if (value == NULL) {
        return;
    }
    const bool list = strchr(value, ',') != NULL;
    write_text(writer, ", ", strcmp(key, "topology") == 0 ? 0 : 2);
    write_text(writer, key, strlen(key));
    write_text(writer, list ? ": [\"" : ": \"", list ? 4 : 3);
    for (const char *c = value + strspn(value, " "); *c != '\0'; c++) {
        write_text(writer, *c == ',' ? "\", \"" : c, *c == ',' ? 4 : 1);
        c += *c == ',' ? strspn(c + 1, " ") : 0;
    }
    write_text(writer, list ? "\"]" : "\"", list ? 2 : 1);
}

static int make_set(struct orr_platform_options *options, const char *command)
{
    struct writer writer = {.text = options->set, .bytes = sizeof options->set};
    write_text(&writer, "network={", 9);
    write_key(&writer, "topology", options->topology);
    write_key(&writer, "bandwidth", options->bandwidth);
    write_key(&writer, "latency", options->latency);
    write_key(&writer, "bandwidth_is", options->bandwidth_is);
    write_text(&writer, "}", 1);
    return writer.used + 1 < writer.bytes
               ? 0
               : orr_usage_error(command, "the options of the network are too long", NULL);
}

static int check_values(const struct orr_platform_options *options, const char *command)
{
    struct net_config config;
    struct orr_diag diag;
    orr_diag_init(&diag);
    struct orr_arena *arena = orr_arena_create();
    if (arena == NULL) {
        (void)orr_diag_no_memory(&diag, "the network's options");
    } else {
        (void)orr_platform_config(options, arena, &config, &diag);
    }
    orr_arena_destroy(arena);
    if (diag.status != ORR_OK) {
        (void)fprintf(stderr, "orrery %s: ", command);
    }
    return orr_print_diag(&diag);
}

int orr_platform_check(struct orr_platform_options *options, const char *command)
{
    if (options->topology == NULL) {
        const char *alone = options->bandwidth != NULL      ? "--bandwidth"
                            : options->latency != NULL      ? "--latency"
                            : options->bandwidth_is != NULL ? "--bandwidth-is"
                                                            : NULL;
        return alone != NULL ? orr_usage_error(command, "expected --topology beside ", alone) : 0;
    }
    if (options->bandwidth == NULL) {
        return orr_usage_error(command,
                               "--topology needs --bandwidth, such as --bandwidth '50 GB/s'", NULL);
    }
    const int status = check_values(options, command);
    return status != 0 ? status : make_set(options, command);
}

const char *orr_platform_set(const struct orr_platform_options *options)
{
    return options->topology != NULL ? options->set : NULL;
}
