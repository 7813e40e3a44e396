/* Assignments of --set with ASTRA-sim's files; see compat_set.h. */
#include "cli/compat_set.h"

#include <string.h>

#include "core/conf/conf.h"
#include "core/conf/conf_read.h"
#include "core/conf/keys.h"

static const struct orr_key compat_keys[] = {
    {.name = "dimension_scheduling",
     .type = ORR_KEY_BOOL,
     .default_text = "false",
     .doc = "obey inter- and intra-dimension-scheduling of the system file"},
};

static const struct orr_key_table compat_table = {"compat", compat_keys, 1, NULL};

static const struct orr_key root_keys[] = {
    {.name = "compat", .type = ORR_KEY_NODE, .table = &compat_table, .doc = "the rules"},
};

/* Their rules are fixed: other values than those of compat would have no effect. */
static enum orr_status set_one(struct orr_arena *arena, const char *set,
                               const struct orr_conf **root, struct orr_diag *diag)
{
    static const char section[] = "compat";
    if (strncmp(set, section, sizeof section - 1) != 0) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                             "--set %s: expected compat.dimension_scheduling, all that can be set "
                             "with ASTRA-sim's files: the rest is in them, under their rules",
                             set);
    }
    return orr_conf_set(arena, *root, set, root, diag);
}

enum orr_status orr_compat_set(struct orrery_astra_sim *inputs, const char *const *set,
                               size_t count, struct orr_diag *diag)
{
    struct orr_arena *arena = orr_arena_create();
    const struct orr_conf *root = NULL, *compat = NULL;
    if (arena == NULL) {
        return orr_diag_no_memory(diag, "a configuration");
    }
    enum orr_status status = orr_conf_parse(arena, "{}", 2, "command line", &root, diag);
    for (size_t i = 0; i < count && status == ORR_OK; i++) {
        status = set_one(arena, set[i], &root, diag);
    }
    if (status == ORR_OK) {
        status = orr_conf_read(root, "--set with ASTRA-sim's files", root_keys, 1, &compat, diag);
    }
    if (status == ORR_OK && compat != NULL) {
        status =
            orr_conf_read(compat, "compat", compat_keys, 1, &inputs->dimension_scheduling, diag);
    }
    orr_arena_destroy(arena);
    return status;
}
