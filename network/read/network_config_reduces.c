/* In-network reduction: only switch dimensions may have `reduces`. */
#include "core/conf/conf.h"
#include "core/conf/conf_read.h"
#include "network/net_config.h"
#include "network/net_dims.h"

static enum orr_status fail_reduces(const struct orr_conf *node, const char *why,
                                    struct orr_diag *diag)
{
    const struct orr_location place = orr_conf_key_location(node);
    return orr_diag_fail(diag, ORR_ERR_INPUT, &place, "%s: %s", node->path, why);
}

static bool is_set_true(const struct orr_conf *node)
{
    struct orr_diag ignored;
    bool value = false;
    orr_diag_init(&ignored);
    return node != NULL && orr_conf_bool(node, &value, &ignored) == ORR_OK && value;
}

enum orr_status orr_net_config_check_reduces(const struct orr_conf *map,
                                             const struct net_config *config, struct orr_diag *diag)
{
    const struct orr_conf *all = orr_conf_get(map, "reduces"), *dims = orr_conf_get(map, "dims");
    bool any = false;
    for (unsigned d = 0; d < config->dims; d++) {
        const struct orr_conf *dim_key =
            dims != NULL ? orr_conf_get(dims->item[d], "reduces") : NULL;
        any |= config->dim[d].block == NET_SWITCH;
        if (config->dim[d].block != NET_SWITCH && is_set_true(dim_key)) {
            return fail_reduces(dim_key, "only a switch reduces", diag);
        }
    }
    return any || !is_set_true(all)
               ? ORR_OK
               : fail_reduces(all, "only switches reduce, and there are none", diag);
}
