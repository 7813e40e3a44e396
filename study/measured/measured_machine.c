/* Checks that a machine has the groups of rows, and the GPUs of logs. */
#include <ctype.h>
#include <inttypes.h>
#include <string.h>
#include <strings.h>

#include "core/strings.h"
#include "study/measured/measured.h"

enum orr_status orr_measured_check_row(const struct orr_measured *measured,
                                       const struct orr_measured_row *row,
                                       const struct orr_measured_machine *machine,
                                       struct orr_diag *diag)
{
    const uint32_t node = machine->node_npus, nodes = machine->npus / node,
                   each = row->npus_per_node;
    const char *what = each == 0 || row->npus % each != 0 ? "nodes have to have as many each"
                       : row->npus < 2                    ? "there is nothing to time below 2 NPUs"
                       : each > node                      ? "more of a node than the platform has"
                       : row->npus / each > nodes         ? "more nodes than the platform has"
                                                          : NULL;
    const struct orr_location location =
        orr_location_text(measured->file[row->file].path, row->line, 1);
    return what == NULL
               ? ORR_OK
               : orr_diag_fail(diag, ORR_ERR_INPUT, &location,
                               "%" PRIu32 " NPUs, %" PRIu32 " of each node: %s; %s has %" PRIu32
                               " node%s of %" PRIu32 " NPU%s",
                               row->npus, each, what, machine->name, nodes, orr_plural(nodes), node,
                               orr_plural(node));
}

/* Whether a word of the device's name is the GPU's, or begins with it: of "NVIDIA
 * H100-80GB-HBM3", "H100" is. */
static bool is_named(const char *device, const char *gpu)
{
    const size_t length = strlen(gpu);
    for (const char *at = device; *at != '\0'; at++) {
        const bool begins = at == device || !isalnum((unsigned char)at[-1]);
        if (begins && strncasecmp(at, gpu, length) == 0) {
            return true;
        }
    }
    return false;
}

void orr_measured_check_gpu(const struct orr_measured *measured,
                            const struct orr_measured_machine *machine, const char *gpu,
                            struct orr_diag *diag)
{
    for (size_t i = 0; i < measured->files && gpu != NULL; i++) {
        const struct orr_measured_file *file = &measured->file[i];
        if (file->device != NULL && !is_named(file->device, gpu)) {
            const struct orr_location place = orr_location_text(file->path, file->device_line, 1);
            orr_diag_warn(diag, &place,
                          "the devices of the log are %s, and those of %s are %s: times of one are "
                          "held against the other",
                          file->device, machine->name, gpu);
            return;
        }
    }
}
