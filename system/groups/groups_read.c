/* Communicator groups from files: names (ASTRA-sim: numbers) with lists of ranks. */
#include "core/conf/conf.h"
#include "core/conf/conf_read.h"
#include "core/units.h"
#include "system/groups/group.h"
#include "system/sys_groups.h"

static enum orr_status add_group(struct sys *sys, struct orr_arena *arena, const char *name,
                                 const struct orr_conf *list, struct orr_diag *diag)
{
    if (list->kind != ORR_CONF_LIST || list->count == 0) {
        return orr_conf_expected(list, "a list of ranks", diag);
    }
    uint32_t *ranks = orr_arena_array(arena, list->count, sizeof *ranks);
    if (ranks == NULL) {
        return orr_diag_no_memory(diag, "communicator groups");
    }
    for (size_t i = 0; i < list->count; i++) {
        int64_t rank = 0;
        const enum orr_status status = orr_conf_integer(list->item[i], 0, UINT32_MAX, &rank, diag);
        if (status != ORR_OK) {
            return status;
        }
        ranks[i] = (uint32_t)rank;
    }
    uint32_t group;
    struct orr_diag reason;
    orr_diag_init(&reason);
    const enum orr_status status =
        orr_sys_group_add(sys, name, ranks, (uint32_t)list->count, &group, &reason);
    const struct orr_location location = orr_conf_location(list);
    return status == ORR_OK ? status : orr_diag_fail(diag, status, &location, "%s", reason.message);
}

enum orr_status orr_sys_groups_read(struct sys *sys, struct orr_arena *arena,
                                    const struct orr_conf *map, struct orr_diag *diag)
{
    if (map->kind != ORR_CONF_MAP) {
        return orr_conf_expected(map, "a mapping of group names to lists of ranks", diag);
    }
    enum orr_status status = ORR_OK;
    for (size_t i = 0; status == ORR_OK && i < map->count; i++) {
        status = add_group(sys, arena, map->key[i], map->item[i], diag);
    }
    return status;
}

/* ASTRA-sim reads names as whole numbers, and asserts that they are not 0. */
static void warn_of_name(const struct orr_conf *list, const char *name, struct orr_diag *diag)
{
    int64_t number = 0;
    if (!orr_parse_integer(name, &number) || number < 1) {
        const struct orr_location location = orr_conf_location(list);
        orr_diag_warn(diag, &location,
                      "ASTRA-sim stops at the group \"%s\": it takes whole numbers from 1 on; here "
                      "any name is a group",
                      name);
    }
}

enum orr_status orr_sys_groups_read_astra(struct sys *sys, struct orr_arena *arena,
                                          const char *path, struct orr_diag *diag)
{
    const struct orr_conf *root = NULL;
    enum orr_status status = orr_conf_load(arena, path, &root, diag);
    if (status == ORR_OK && root->kind != ORR_CONF_MAP) {
        status = orr_conf_expected(root, "a mapping of group names to lists of ranks", diag);
    }
    for (size_t i = 0; status == ORR_OK && i < root->count; i++) {
        status = add_group(sys, arena, root->key[i], root->item[i], diag);
        if (status != ORR_OK && root->item[i]->kind != ORR_CONF_LIST) {
            orr_conf_name_wrong(path, "a communicator group file", diag);
        }
        if (status == ORR_OK && sys->policy->flat_groups) { /* its rules */
            warn_of_name(root->item[i], root->key[i], diag);
        }
    }
    return status;
}
