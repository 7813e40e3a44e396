/* Network given by options; see platform_options.h. */
#include "cli/platform_options.h"

#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/options.h"
#include "core/arena.h"
#include "core/diag.h"
#include "network/net_config.h"
#include "sim/load/inline_network.h"

const struct orr_option orr_platform_rows[] = {
    ORR_HEAD("A network without a file:"),
    {"topology", "NOTATION", ORR_VALUE,
     "blocks and sizes, e.g. 'Ring(4)_FC(2)_Switch(8)'; replaces the network section of all files",
     ORR_TEXT(struct orr_platform_options, topology)},
    {"bandwidth", "LIST", ORR_VALUE,
     "of each dimension, or one for all: '100 GB/s,50 GB/s', '100_50 GB/s' or '100 GB/s'",
     ORR_TEXT(struct orr_platform_options, bandwidth)},
    {"latency", "LIST", ORR_VALUE, "of a hop, likewise (default 0 ns)",
     ORR_TEXT(struct orr_platform_options, latency)},
    {"bandwidth-is", "link|npu", ORR_CHOICE,
     "of a link (default), or the total of an NPU in the dimension",
     ORR_TEXT(struct orr_platform_options, bandwidth_is)},
    ORR_ROWS_END};

enum orr_status orr_platform_config(const struct orr_platform_options *options,
                                    struct orr_arena *arena, struct net_config *config,
                                    struct orr_diag *diag)
{
    const struct orr_inline_network network = {.topology = options->topology,
                                               .bandwidth = options->bandwidth,
                                               .latency = options->latency,
                                               .bandwidth_is = options->bandwidth_is,
                                               .options = true};
    return orr_inline_network_read(arena, &network, config, diag);
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

/* Writes KEY: "VALUE", or KEY: ["VALUE", "VALUE"] if it has commas. Checked values need no
 * escapes. */
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

static int format_set(struct orr_platform_options *options, const char *command)
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
        return alone != NULL
                   ? orr_usage_error(command, "expected --topology in addition to ", alone)
                   : 0;
    }
    if (options->bandwidth == NULL) {
        return orr_usage_error(command,
                               "--topology needs --bandwidth, such as --bandwidth '50 GB/s'", NULL);
    }
    const int status = check_values(options, command);
    return status != 0 ? status : format_set(options, command);
}

const char *orr_platform_set(const struct orr_platform_options *options)
{
    return options->topology != NULL ? options->set : NULL;
}
