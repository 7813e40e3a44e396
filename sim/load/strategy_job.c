/* See strategy_job.h. */
#include "sim/load/strategy_job.h"

/* A section that is the only one of a file, or stands where it is named: *out is its mapping. */
static enum orr_status open_section(struct orr_arena *arena, const struct orr_conf *node,
                                    const struct orr_key_table *file, const struct orr_conf **out,
                                    struct orr_diag *diag)
{
    const struct orr_conf *root = NULL;
    *out = node;
    if (node == NULL || node->kind != ORR_CONF_SCALAR) {
        return ORR_OK;
    }
    const char *path = orr_conf_beside(arena, node);
    const enum orr_status status = path != NULL ? orr_conf_load(arena, path, &root, diag)
                                                : orr_diag_no_memory(diag, "a model");
    return status == ORR_OK ? orr_conf_read(root, file->owner, file->keys, file->count, out, diag)
                            : status;
}

enum orr_status orr_strategy_job_open(struct orr_arena *arena, const struct orr_conf *workload,
                                      struct orr_strategy_job *out, struct orr_diag *diag)
{
    const struct orr_conf *model = NULL;
    out->node = orr_conf_get(workload, "model");
    enum orr_status status = open_section(arena, out->node, &orr_model_file_table, &model, diag);
    if (status == ORR_OK) {
        status = orr_model_read(arena, model, &out->model, diag);
    }
    return status == ORR_OK ? open_section(arena, orr_conf_get(workload, "strategy"),
                                           &orr_strategy_file_table, &out->section, diag)
                            : status;
}

uint32_t orr_strategy_job_devices(const struct orr_strategy_job *from)
{
    return from->section != NULL ? orr_strategy_said_devices(from->section) : 0;
}

enum orr_status orr_strategy_job_read(struct orr_arena *arena, struct orr_strategy_job *from,
                                      uint32_t npus, struct orr_diag *diag)
{
    const struct orr_conf *section = from->section;
    const enum orr_status status =
        section != NULL ? ORR_OK : orr_conf_parse(arena, "{}", 2, "the strategy", &section, diag);
    return status == ORR_OK
               ? orr_strategy_read(arena, section, &from->model, npus, &from->strategy, diag)
               : status;
}

/* ---- times ---- */

static enum orr_status part_time(const struct orr_strategy_job *from, uint32_t op,
                                 const struct orr_strategy_machine *machine, uint64_t *forward_ps,
                                 uint64_t *backward_ps, struct orr_diag *diag)
{
    const struct model_op *at = &from->model.op[op];
    (void)machine;
    (void)diag;
    *forward_ps = (uint64_t)at->forward_ps / from->strategy.op[op].parts;
    *backward_ps = (uint64_t)at->backward_ps / from->strategy.op[op].parts;
    return ORR_OK;
}

enum orr_status orr_strategy_job_lower(struct orr_arena *arena, const struct orr_strategy_job *from,
                                       const struct orr_strategy_machine *machine,
                                       struct tg_graph *out, struct orr_diag *diag)
{
    const uint32_t ops = from->model.ops;
    uint64_t *forward_ps = orr_heap_calloc((size_t)ops + 1, sizeof *forward_ps);
    uint64_t *backward_ps = orr_heap_calloc((size_t)ops + 1, sizeof *backward_ps);
    const struct strategy_times times = {forward_ps, backward_ps};
    enum orr_status status = forward_ps != NULL && backward_ps != NULL
                                 ? ORR_OK
                                 : orr_diag_no_memory(diag, "the times of operators");
    for (uint32_t op = 0; op < ops && status == ORR_OK; op++) {
        status = part_time(from, op, machine, &forward_ps[op], &backward_ps[op], diag);
    }
    if (status == ORR_OK) {
        status = orr_strategy_lower(arena, &from->model, &from->strategy, &times, out, diag);
    }
    orr_heap_free(forward_ps);
    orr_heap_free(backward_ps);
    return status;
}
