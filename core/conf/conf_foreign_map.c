/* Mappings that are another tool's file, or not the one of ours that was asked for, by the keys at
 * their top; see conf_foreign.c. */
#include <string.h>

#include "core/conf/conf_foreign.h"
#include "core/conf/conf_private.h"

static bool has_keys(const struct orr_conf *map, const struct orr_foreign *foreign)
{
    for (size_t k = 0; k < ORR_FOREIGN_KEYS && foreign->key[k] != NULL; k++) {
        if (orr_conf_get(map, foreign->key[k]) == NULL) {
            return false;
        }
    }
    return true;
}

enum orr_status orr_foreign_map(const struct orr_conf *map, const char *owner,
                                struct orr_diag *diag)
{
    if (map == NULL || map->path[0] != '\0' || map->kind != ORR_CONF_MAP) {
        return ORR_OK;
    }
    const struct orr_foreign *foreign;
    for (size_t i = 0; (foreign = orr_foreign_by_keys(i)) != NULL; i++) {
        if (!has_keys(map, foreign)) {
            continue;
        }
        /* Of files that were joined, the one that has the key. */
        const char *file = orr_conf_get(map, foreign->key[0])->file;
        return strcmp(file, orr_conf_command_line) == 0 ||
                       (foreign->owner != NULL && strcmp(foreign->owner, owner) == 0)
                   ? ORR_OK
                   : orr_foreign_tell(file, foreign->what, foreign->where, owner, diag);
    }
    return ORR_OK;
}
