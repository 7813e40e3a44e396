/* The network of --platform; see convert_platform.h. */
#include "cli/convert/convert_platform.h"

#include <string.h>
#include <unistd.h>

#include "cli/named_input.h"
#include "cli/options.h"
#include "cli/platform_options.h"

static enum orr_status read_file(struct orr_arena *arena, const char *path,
                                 struct net_config *config, struct orr_diag *diag)
{
    const struct orr_conf *root = NULL;
    char library[ORR_INPUT_PATH_BYTES];
    orr_inputs_library(library);
    const enum orr_status status = orr_conf_load_composed(arena, path, library, &root, diag);
    if (status != ORR_OK) {
        return status;
    }
    const struct orr_conf *section = orr_conf_get(root, "network");
    if (section == NULL) {
        const struct orr_place place = orr_conf_place(root);
        return orr_diag_fail(diag, ORR_ERR_INPUT, &place,
                             "a platform needs the key \"network\", such as network: {topology: "
                             "Switch(8), bandwidth: 300 GB/s}");
    }
    return orr_net_config_read(arena, section, config, diag);
}

int orr_convert_platform(struct orr_arena *arena, const char *platform, struct net_config *config)
{
    char found[ORR_INPUT_PATH_BYTES];
    int status = 0;
    struct orr_diag diag;
    orr_diag_init(&diag);
    diag.warn = orr_print_warning;
    if (access(platform, F_OK) != 0 && strchr(platform, '(') != NULL) {
        const struct orr_platform_options options = {.topology = platform};
        if (orr_platform_config(&options, arena, config, &diag) != ORR_OK) {
            orr_say("orrery convert: --platform: ");
        }
        return orr_print_diag(&diag);
    }
    const char *path = orr_input_file("platforms", platform, found, &status);
    if (status == 0) {
        (void)read_file(arena, path, config, &diag);
        status = orr_print_diag(&diag);
    }
    return status;
}
