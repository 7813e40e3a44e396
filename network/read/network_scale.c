/* Another number of NPUs: the outermost dimension of a network scaled to it. */
#include <inttypes.h>
#include <stdio.h>

#include "core/conf/conf.h"
#include "network/net_dims.h"

static enum orr_status fail_scale(const struct orr_conf *node, int64_t npus, int64_t inner,
                                  struct orr_diag *diag)
{
    const struct orr_location place = orr_conf_location(node);
    const int64_t below = npus / inner * inner;
    char near[64];
    if (below > 0) {
        (void)snprintf(near, sizeof near, "%" PRId64 " or %" PRId64, below, below + inner);
    } else {
        (void)snprintf(near, sizeof near, "%" PRId64, inner);
    }
    return orr_diag_fail(diag, ORR_ERR_INPUT, &place,
                         "%s: the outermost dimension is scaled, and the inner ones have %" PRId64
                         " NPUs, which do not divide %" PRId64 "; expected %s",
                         node->path, inner, npus, near);
}

enum orr_status orr_net_scale_outermost(const struct orr_conf *map, int64_t npus,
                                        struct net_dim *dim, unsigned dims, struct orr_diag *diag)
{
    int64_t inner = 1;
    for (unsigned d = 0; d + 1 < dims && inner <= INT32_MAX; d++) {
        inner *= dim[d].npus;
    }
    if (npus % inner != 0) {
        return fail_scale(orr_conf_get(map, "npus"), npus, inner, diag);
    }
    dim[dims - 1].npus = (uint32_t)(npus / inner);
    return ORR_OK;
}
