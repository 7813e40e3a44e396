/* Custom collectives: converts traces PREFIX.POSITION.et of sends, receives and computations to
 * programs of the system layer. Durations are the recorded ones, at least 1 ns. */
#include "workload/trace/custom_collective.h"

#include "core/arena.h"
#include "core/diag.h"
#include "system/custom_program.h"
#include "system/sys_position.h"
#include "workload/trace/et/et.h"
#include "workload/trace/trace.h"

static enum sys_custom_type type_of(const struct orr_node *node)
{
    switch (node->kind) {
    case ORR_NODE_SEND:
        return SYS_CUSTOM_SEND;
    case ORR_NODE_RECV:
        return SYS_CUSTOM_RECV;
    case ORR_NODE_COMP:
        return SYS_CUSTOM_COMPUTE;
    default:
        return SYS_CUSTOM_NONE;
    }
}

static enum orr_status convert_node(const struct orr_trace *trace, uint32_t index, uint32_t ranks,
                                    struct sys_custom_op *op, struct orr_diag *diag)
{
    const struct orr_node *node = &trace->node[index];
    const struct orr_location location = orr_location_file(trace->path);
    *op = (struct sys_custom_op){.type = type_of(node),
                                 .bytes = node->amount,
                                 .parents = trace->parents[index],
                                 .first_child = node->first_child,
                                 .child_end = orr_trace_child_end(trace, index)};
    if (op->type == SYS_CUSTOM_SEND || op->type == SYS_CUSTOM_RECV) {
        op->peer = sys_position(node->of.p2p.peer);
        op->tag = node->of.p2p.tag;
        if (op->peer.position >= ranks) {
            return orr_diag_fail(diag, ORR_ERR_INPUT, &location,
                                 "node %llu (%s) of a custom collective names the peer %u; it has "
                                 "the positions 0 to %u",
                                 (unsigned long long)node->id, node->name, op->peer.position,
                                 ranks - 1);
        }
    } else if (op->type == SYS_CUSTOM_COMPUTE) {
        op->duration_ps = node->duration_ps != 0 ? (sim_time)node->duration_ps : ORR_PS_PER_NS;
    } else if (node->kind == ORR_NODE_COLL) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, &location,
                             "node %llu (%s): a custom collective is made of sends, receives and "
                             "computations, not of collectives",
                             (unsigned long long)node->id, node->name);
    }
    return ORR_OK;
}

static enum orr_status convert(const struct orr_trace *trace, uint32_t ranks,
                               struct sys_custom_program *program, struct orr_arena *arena,
                               struct orr_diag *diag)
{
    struct sys_custom_op *ops = orr_arena_array(arena, trace->nodes, sizeof *ops);
    if (ops == NULL) {
        return orr_diag_no_memory(diag, "a custom collective");
    }
    for (uint32_t i = 0; i < trace->nodes; i++) {
        const enum orr_status status = convert_node(trace, i, ranks, &ops[i], diag);
        if (status != ORR_OK) {
            return status;
        }
    }
    *program =
        (struct sys_custom_program){.ops = trace->nodes, .op = ops, .children = trace->children};
    return ORR_OK;
}

/* The largest position that a program names, at least `min`. */
static uint32_t max_position(const struct sys_custom_program *program, uint32_t min)
{
    uint32_t reach = min;
    for (uint32_t i = 0; i < program->ops; i++) {
        const struct sys_custom_op *op = &program->op[i];
        const bool names = op->type == SYS_CUSTOM_SEND || op->type == SYS_CUSTOM_RECV;
        reach = names && op->peer.position > reach ? op->peer.position : reach;
    }
    return reach;
}

enum orr_status orr_wl_load_custom(struct orr_arena *arena, const char *prefix, uint32_t ranks,
                                   const struct sys_custom **out, struct orr_diag *diag)
{
    const struct orr_trace **traces = orr_arena_array(arena, ranks, sizeof *traces);
    struct sys_custom_program *programs = orr_arena_array(arena, ranks, sizeof *programs);
    struct sys_custom *custom = orr_arena_alloc(arena, sizeof *custom);
    uint32_t *reach = orr_arena_array(arena, ranks, sizeof *reach);
    if (traces == NULL || programs == NULL || custom == NULL || reach == NULL) {
        return orr_diag_no_memory(diag, "a custom collective");
    }
    enum orr_status status = orr_et_load_set(arena, prefix, ranks, traces, diag);
    for (uint32_t i = 0; i < ranks && status == ORR_OK; i++) {
        status = convert(traces[i], ranks, &programs[i], arena, diag);
        reach[i] = max_position(&programs[i], i > 0 ? reach[i - 1] : 0);
    }
    *custom =
        (struct sys_custom){.name = prefix, .ranks = ranks, .program = programs, .reach = reach};
    *out = custom;
    return status;
}
