/* Keys of monolithic collectives: system.monolithic_all_reduce and system.library. */
#include "core/conf/conf.h"
#include "system/ccl/ccl.h"
#include "system/monolithic/mono_private.h"
#include "system/sys_mono.h"

#include <string.h>

enum orr_status orr_sys_config_ccl(struct orr_arena *arena, const struct orr_conf *map,
                                   const struct net_config *net, struct sys_config *config,
                                   struct orr_diag *diag)
{
    const struct orr_conf *node = map != NULL ? orr_conf_get(map, "library") : NULL;
    if (node == NULL) {
        return ORR_OK;
    }
    const enum orr_status status = orr_sys_ccl_read(arena, node, net, &config->library, diag);
    if (status != ORR_OK || config->library == NULL || config->whole == NULL) {
        return status;
    }
    const struct orr_location location = orr_conf_location(node);
    return orr_diag_fail(
        diag, ORR_ERR_INPUT, &location,
        "%s: expected either system.monolithic_all_reduce or %s to run all-reduces, got both; "
        "expected name: none, or monolithic_all_reduce: phases",
        node->path, config->library->ops->name);
}

enum orr_status orr_sys_config_mono(struct orr_arena *arena, const struct orr_conf *map,
                                    struct sys_config *config, struct orr_diag *diag)
{
    struct orr_diag reason;
    /* "phases" lets a file revert the key of a file that it includes. */
    if (config->mono_text == NULL || strcmp(config->mono_text, "phases") == 0) {
        config->mono_text = NULL;
        return ORR_OK;
    }
    struct sys_mono *whole = orr_arena_alloc(arena, sizeof *whole);
    if (whole == NULL) {
        return orr_diag_no_memory(diag, "the system section");
    }
    orr_diag_init(&reason);
    config->whole = whole;
    if (orr_sys_mono_parse(config->mono_text, whole, &reason) == ORR_OK) {
        return ORR_OK;
    }
    const struct orr_conf *node = orr_conf_get(map, "monolithic_all_reduce");
    const struct orr_location location = orr_conf_location(node);
    return orr_diag_fail(diag, ORR_ERR_INPUT, &location, "%s: %s", node->path, reason.message);
}
