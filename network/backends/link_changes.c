/* See link_changes.h. */
#include "network/backends/link_changes.h"

enum orr_status orr_link_changes_create(struct link_net *linked, struct orr_diag *diag)
{
    struct link_changes *changes = orr_arena_alloc(linked->arena, sizeof *changes);
    double *rate = orr_arena_array(linked->arena, (size_t)linked->links + 1, sizeof *rate);
    if (changes == NULL || rate == NULL) {
        return orr_diag_no_memory(diag, "the links of the network");
    }
    for (uint32_t i = 0; i < linked->links; i++) {
        rate[i] = net_link_capacity(&linked->base.config->graph->link[i]);
    }
    changes->bytes_per_s = rate;
    linked->changes = changes;
    return ORR_OK;
}
