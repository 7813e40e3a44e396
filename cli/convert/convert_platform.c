/* Network of --platform; see convert_platform.h. */
#include "cli/convert/convert_platform.h"

#include <string.h>
#include <unistd.h>

#include "cli/named_input.h"
#include "cli/options.h"
#include "cli/platform_options.h"
#include "cli/terminal.h"
#include "core/diag.h"
#include "sim/load/find_input.h"
#include "sim/load/platform_network.h"

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
            orr_print_message("orrery convert: --platform: ");
        }
        return orr_print_diag(&diag);
    }
    const char *path = orr_input_file("platforms", platform, found, &status);
    if (status == 0) {
        const struct orr_platform_source source = {.path = path};
        (void)orr_platform_network_read(arena, &source, config, &diag);
        status = orr_print_diag(&diag);
    }
    return status;
}
