/* Symmetry reduction: the simulated groups of a generated model; see fold_job.h. */
#include "core/arena.h"
#include "sim/fold/fold_job.h"
#include "system/sys_groups.h"
#include "workload/gen/models.h"

/* The groups of one family of a model. */
struct family_groups {
    struct sys *sys;
    const struct gen_layout *layout;
    enum gen_family family;
    uint32_t *ranks; /* room for those of a group */
    bool meets;      /* groups of the family share links */
};

static enum orr_status add_one(struct family_groups *groups, struct orr_rank rank,
                               struct orr_diag *diag)
{
    const struct gen_layout *layout = groups->layout;
    const enum gen_family family = groups->family;
    const uint32_t size = orr_gen_family_size(layout, family);
    uint32_t group;
    const char *name = orr_gen_family_name(family);
    if (orr_sys_group_find(groups->sys, name, rank) != UINT32_MAX ||
        !orr_gen_family_has(layout, family, rank.rank)) {
        return ORR_OK;
    }
    if (size == layout->npus) {
        return orr_sys_group_add_all(groups->sys, name, &group, diag); /* in any order */
    }
    orr_gen_family_ranks(layout, family, orr_gen_family_first(layout, family, rank.rank),
                         groups->ranks);
    const enum orr_status status =
        orr_sys_group_add(groups->sys, name, groups->ranks, size, &group, diag);
    groups->meets |= status == ORR_OK && orr_sys_group_set_of_model(groups->sys, group);
    return status;
}

/* The groups of the representatives; all where they share links, so that each is judged with the
 * same companions whatever is folded. */
static enum orr_status add_family(struct family_groups *groups, const struct orr_fold *fold,
                                  struct orr_diag *diag)
{
    enum orr_status status = ORR_OK;
    for (uint32_t slot = 0; slot < fold->slots && status == ORR_OK; slot++) {
        status = add_one(groups, orr_fold_rank(fold, orr_slot(slot)), diag);
    }
    for (uint32_t r = 0; r < groups->layout->npus && groups->meets && status == ORR_OK; r++) {
        status = add_one(groups, orr_rank(r), diag);
    }
    return status;
}

enum orr_status orr_wl_add_model_groups(struct sys *sys, const struct gen_model *model,
                                        const struct orr_fold *fold, struct orr_diag *diag)
{
    const struct gen_layout *layout = &model->ops->plan(model->job)->layout;
    enum orr_status status = ORR_OK;
    for (unsigned f = GEN_WORLD + 1; f < GEN_FAMILIES && status == ORR_OK; f++) {
        const bool same = f == GEN_EDP && gen_expert_data_family(layout) == GEN_DP;
        const uint32_t size = orr_gen_family_size(layout, (enum gen_family)f);
        if (size == 1 || same) {
            continue;
        }
        struct family_groups groups = {.sys = sys, .layout = layout, .family = (enum gen_family)f};
        groups.ranks = orr_heap_calloc(size == layout->npus ? 1 : size, sizeof *groups.ranks);
        status = groups.ranks != NULL ? add_family(&groups, fold, diag)
                                      : orr_diag_no_memory(diag, "communicator groups");
        orr_heap_free(groups.ranks);
    }
    return status;
}
