/* Symmetry reduction: the simulated groups of a generated model; see fold_job.h. */
#include "sim/fold_job.h"

static enum orr_status add_one(struct sys *sys, const struct gen_layout *layout,
                               enum gen_family family, struct orr_rank rank, uint32_t *ranks,
                               struct orr_diag *diag)
{
    uint32_t group;
    const char *name = orr_gen_family_name(family);
    if (orr_sys_group_find(sys, name, rank) != UINT32_MAX ||
        !orr_gen_family_has(layout, family, rank.rank)) {
        return ORR_OK;
    }
    if (orr_gen_family_size(layout, family) == layout->npus) {
        return orr_sys_group_add_all(sys, name, &group, diag); /* in any order */
    }
    orr_gen_family_ranks(layout, family, orr_gen_family_first(layout, family, rank.rank), ranks);
    return orr_sys_group_add(sys, name, ranks, orr_gen_family_size(layout, family), &group, diag);
}

enum orr_status orr_wl_add_model_groups(struct sys *sys, const struct gen_model *model,
                                        const struct orr_fold *fold, struct orr_diag *diag)
{
    const struct gen_layout *layout = &model->ops->plan(model->job)->layout;
    enum orr_status status = ORR_OK;
    for (unsigned f = GEN_WORLD + 1; f < GEN_FAMILIES && status == ORR_OK; f++) {
        const bool same = f == GEN_EDP && layout->size[GEN_EXPERT] == 1; /* the same as GEN_DP */
        const uint32_t size = orr_gen_family_size(layout, (enum gen_family)f);
        if (size == 1 || same) {
            continue;
        }
        uint32_t *ranks = orr_heap_calloc(size == layout->npus ? 1 : size, sizeof *ranks);
        if (ranks == NULL) {
            return orr_diag_no_memory(diag, "communicator groups");
        }
        for (uint32_t slot = 0; slot < fold->slots && status == ORR_OK; slot++) {
            status = add_one(sys, layout, (enum gen_family)f, orr_fold_rank(fold, orr_slot(slot)),
                             ranks, diag);
        }
        orr_heap_free(ranks);
    }
    return status;
}
