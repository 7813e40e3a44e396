/* The process groups of a rank: their ranks, guessed where they are not known, and their names in
 * the group file; see pytorch_private.h. */
#include <inttypes.h>
#include <string.h>

#include "core/arena.h"
#include "et_converter/conversion_report.h"
#include "et_converter/pytorch/pytorch_private.h"

uint32_t orr_pytorch_world_of(const struct conversion *conversion, const struct pt_trace *trace,
                              const struct kt_trace *kineto)
{
    uint32_t world = conversion->ranks;
    for (uint32_t g = 0; g < trace->groups; g++) {
        world = trace->group[g].size > world ? trace->group[g].size : world;
        for (uint32_t i = 0; i < trace->group[g].ranks; i++) {
            const uint32_t rank = trace->group[g].rank[i];
            world = rank >= world ? rank + 1 : world;
        }
    }
    if (kineto != NULL && kineto->world > (int64_t)world && kineto->world <= INT32_MAX) {
        world = (uint32_t)kineto->world;
    }
    return world;
}

uint32_t orr_pytorch_size_of_all(const struct pt_trace *trace)
{
    for (uint32_t g = 0; g < trace->groups; g++) {
        if (strcmp(trace->group[g].key, "0") == 0) {
            return trace->group[g].size;
        }
    }
    return 0;
}

/* Whether the group is ranks 0, 1, ... of all, which needs no name. */
static bool is_all(const struct pt_group *group, uint32_t world)
{
    bool all = group->ranks == world;
    for (uint32_t i = 0; all && i < world; i++) {
        all = group->rank[i] == i;
    }
    return all;
}

/* Guesses the ranks of a group of known size: consecutive ones, the convention for tensor-parallel
 * groups. */
static enum orr_status guess_group(struct conversion *conversion, const struct pt_group *group,
                                   uint32_t rank, struct pt_group_use *use, struct orr_arena *arena)
{
    uint32_t *ranks = orr_arena_array(arena, group->size, sizeof *ranks);
    for (uint32_t i = 0; ranks != NULL && i < group->size; i++) {
        ranks[i] = rank / group->size * group->size + i;
    }
    if (ranks == NULL) {
        return orr_diag_no_memory(conversion->diag, "process groups");
    }
    orr_convert_report_note(
        conversion->report, "process groups with unknown ranks, assumed to be consecutive",
        "rank %" PRIu32 ", group %s of %" PRIu32 " ranks", rank, group->key, group->size);
    use->rank = ranks;
    return orr_convert_output_group(conversion->output, ranks, group->size, &use->name,
                                    conversion->diag);
}

/* Marks the positions whose rank is missing and replayed. */
static enum orr_status find_lacking(const struct conversion *conversion, struct pt_group_use *use,
                                    struct orr_arena *arena)
{
    if (use->idle || !orr_pytorch_lacks(conversion, use->rank, use->size)) {
        return ORR_OK;
    }
    bool *lacks = orr_arena_array(arena, use->size, sizeof *lacks);
    for (uint32_t i = 0; lacks != NULL && i < use->size; i++) {
        const uint32_t rank = use->rank != NULL ? use->rank[i] : i;
        lacks[i] = orr_pytorch_lacks(conversion, &rank, 1);
    }
    use->replayed = true;
    use->lacks = lacks;
    return lacks != NULL ? ORR_OK : orr_diag_no_memory(conversion->diag, "process groups");
}

struct member {
    uint32_t rank, world;
    const char *path;
};

static enum orr_status use_group(struct conversion *conversion, const struct pt_group *group,
                                 const struct member *member, struct pt_group_use *use,
                                 struct orr_arena *arena)
{
    const uint32_t rank = member->rank, world = member->world;
    const char *path = member->path;
    *use = (struct pt_group_use){.size = group->size != 0 ? group->size : world};
    use->idle = use->size == 1 && world > 1;
    if (use->idle || (group->ranks == 0 && use->size == world) || is_all(group, world)) {
        return find_lacking(conversion, use, arena);
    }
    if (group->ranks == 0 && group->is_cut) {
        const struct orr_location place = orr_location_file(path);
        return orr_diag_fail(conversion->diag, ORR_ERR_INPUT, &place,
                             "process group \"%s\" of %" PRIu32 " ranks: the list of its ranks is "
                             "cut short (\"...\"), and neither pg_config nor \"Global rank start\" "
                             "and \"stride\" say the others: record with a newer PyTorch, or give "
                             "the execution traces (--et)",
                             group->key, group->size);
    }
    if (group->ranks == 0) {
        const enum orr_status status = guess_group(conversion, group, rank, use, arena);
        return status == ORR_OK ? find_lacking(conversion, use, arena) : status;
    }
    use->rank = group->rank;
    const enum orr_status status = find_lacking(conversion, use, arena);
    if (status != ORR_OK || use->replayed) {
        return status;
    }
    return orr_convert_output_group(conversion->output, group->rank, group->ranks, &use->name,
                                    conversion->diag);
}

enum orr_status orr_pytorch_use_groups(struct conversion *conversion, const struct pt_trace *trace,
                                       uint32_t rank, uint32_t world, struct pt_group_use **out)
{
    const struct member member = {rank, world, trace->path};
    struct pt_group_use *use =
        orr_arena_array(trace->arena, (size_t)trace->groups + 1, sizeof *use);
    enum orr_status status =
        use != NULL ? ORR_OK : orr_diag_no_memory(conversion->diag, "process groups");
    for (uint32_t g = 0; g < trace->groups && status == ORR_OK; g++) {
        status = use_group(conversion, &trace->group[g], &member, &use[g], trace->arena);
    }
    if (status == ORR_OK) {
        use[trace->groups] = (struct pt_group_use){.size = world};
        status = find_lacking(conversion, &use[trace->groups], trace->arena);
    }
    *out = use;
    return status;
}
