/* Loads platform and workload objects; see include/orrery/parts.h. */
#include "core/conf/conf.h"
#include "sim/load/shared_parts.h"
#include "sim/orrery_private.h"

static enum orr_status check_parts(struct orrery *job, const struct orrery_parts *parts)
{
    const enum orr_status status =
        orr_check_struct("orrery_parts", parts->size, sizeof *parts, &job->diag);
    return status != ORR_OK || parts->platform != NULL
               ? status
               : orr_diag_fail(&job->diag, ORR_ERR_INPUT, NULL, "a platform is needed");
}

/* Acquires the part for the job, and copies its values, because reading can add to them. */
static enum orr_status use_part(struct orrery *job, struct orr_shared *part, unsigned which,
                                const struct orr_conf **root)
{
    *root = NULL;
    if (part == NULL) {
        return ORR_OK;
    }
    job->files.held[which] = part;
    const enum orr_status status = orr_shared_acquire(part, &job->diag);
    if (status != ORR_OK) {
        return status;
    }
    *root = part->root != NULL ? orr_conf_copy(job->arena, part->root) : NULL;
    return part->root == NULL || *root != NULL
               ? ORR_OK
               : orr_diag_no_memory(&job->diag, "the values of a platform and its workload");
}

static enum orr_status load_parts(struct orrery *job, const struct orrery_parts *parts)
{
    const struct orr_conf *root = NULL, *workload = NULL;
    enum orr_status status = use_part(job, &parts->platform->part, 0, &root);
    if (status == ORR_OK) {
        status =
            use_part(job, parts->workload != NULL ? &parts->workload->part : NULL, 1, &workload);
    }
    if (status == ORR_OK && root == NULL) {
        status = orr_conf_parse(job->arena, "{}", 2, "text", &root, &job->diag);
    }
    if (status == ORR_OK) {
        status = orr_merge_tree(job, workload, parts->set, parts->set_count, &root);
    }
    return status == ORR_OK ? orr_load_tree(job, root) : status;
}

enum orrery_status orrery_load_parts(struct orrery *job, const struct orrery_parts *parts)
{
    enum orr_status status = orr_check_empty(job);
    if (status == ORR_OK) {
        status = check_parts(job, parts);
    }
    return orr_finish_call(job, status == ORR_OK ? load_parts(job, parts) : status);
}
