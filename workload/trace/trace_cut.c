/* Cutting a step out of a trace; see trace_cut.h. */
#include "workload/trace/trace_cut.h"

#include <inttypes.h>
#include <string.h>

#include "core/arena.h"
#include "core/diag.h"
#include "workload/trace/et/et.h"
#include "workload/trace/process_groups.h"
#include "workload/trace/trace_builder.h"
#include "workload/trace/trace_query.h"

enum { MAX_LISTED = 20 };

static enum orr_status fail_step(const struct orr_steps *steps, const struct orr_cut *cut,
                                 struct orr_diag *diag)
{
    const struct orr_location location = orr_location_file(steps->trace->path);
    if (steps->steps == 0) {
        return orr_diag_fail(
            diag, ORR_ERR_INPUT, &location, "no node's name marks a step: expected %s%s%s",
            cut->marker != NULL ? "one that holds \""
                                : "\"ProfilerStep#N\", "
                                  "\"iteration N\" or \"step N\"; --marker sets another pattern",
            cut->marker != NULL ? cut->marker : "", cut->marker != NULL ? "\"" : "");
    }
    (void)orr_diag_fail(diag, ORR_ERR_INPUT, &location, "there is no step %s; the steps are",
                        cut->step);
    for (uint32_t i = 0; i < steps->steps && i < MAX_LISTED; i++) {
        orr_diag_append(diag, "%s %s", i > 0 ? "," : "", steps->step[i].label);
    }
    if (steps->steps > MAX_LISTED) {
        orr_diag_append(diag, " and %" PRIu32 " more", steps->steps - MAX_LISTED);
    }
    return ORR_ERR_INPUT;
}

/* Finds the steps; *step_number: the value in orr_steps.of of the nodes to cut out. */
static enum orr_status find_step(struct orr_arena *arena, const struct orr_trace *trace,
                                 const struct orr_cut *cut, struct orr_steps *steps,
                                 uint32_t *step_number, struct orr_diag *diag)
{
    enum orr_status status;
    *step_number = 1;
    if (cut->step == NULL) {
        status = orr_steps_between(arena, trace, cut->from, cut->to, steps, diag);
    } else {
        status = orr_steps_find(arena, trace, cut->marker, steps, diag);
        while (status == ORR_OK && *step_number <= steps->steps &&
               strcmp(steps->step[*step_number - 1].label, cut->step) != 0) {
            ++*step_number;
        }
        if (status == ORR_OK && *step_number > steps->steps) {
            status = fail_step(steps, cut, diag);
        }
    }
    return status == ORR_OK ? orr_steps_assign(arena, steps, diag) : status;
}

struct cutter {
    const struct orr_steps *steps;
    uint32_t step_number;
    struct orr_parents parents;
    struct orr_dep_buffers buffers;
    struct orr_et_writer *writer;
    struct orr_cut_result *result;
};

static bool is_kept(const struct cutter *cutter, uint32_t node)
{
    const struct orr_trace *trace = cutter->steps->trace;
    return cutter->steps->of[node] == cutter->step_number ||
           orr_wl_has_groups(trace, &trace->node[node]);
}

static enum orr_status write_node(struct cutter *cutter, uint32_t node, struct orr_diag *diag)
{
    const struct orr_trace *trace = cutter->steps->trace;
    struct orr_node_spec spec = orr_trace_spec(trace, node);
    orr_trace_add_deps(trace, &cutter->parents, node, &cutter->buffers, &spec);
    const uint32_t kept = (uint32_t)spec.data_deps.count;
    const uint32_t dropped = trace->parents[node] - kept;
    struct orr_cut_result *result = cutter->result;
    result->nodes++;
    result->group_nodes += cutter->steps->of[node] != cutter->step_number ? 1 : 0;
    result->edges += kept;
    result->dropped += dropped;
    result->dropping += dropped != 0 ? 1 : 0;
    return orr_et_writer_add(cutter->writer, &spec, diag);
}

static enum orr_status write_nodes(struct cutter *cutter, const char *path, bool gzip,
                                   struct orr_diag *diag)
{
    const struct orr_trace *trace = cutter->steps->trace;
    const struct orr_et_writer_options options = {
        .gzip = gzip, .version = trace->version, .rules = trace->rules};
    enum orr_status status = orr_et_writer_create(&cutter->writer, path, &options, diag);
    for (uint32_t i = 0; i < trace->nodes && status == ORR_OK; i++) {
        if (cutter->buffers.keep[i]) {
            status = write_node(cutter, i, diag);
        }
    }
    if (status == ORR_OK) {
        status = orr_et_writer_finish(cutter->writer, diag);
    }
    orr_et_writer_destroy(cutter->writer);
    return status;
}

static enum orr_status prepare(struct orr_arena *arena, struct cutter *cutter,
                               struct orr_diag *diag)
{
    const struct orr_trace *trace = cutter->steps->trace;
    bool *keep = orr_arena_array(arena, trace->nodes, sizeof *keep);
    enum orr_status status = orr_parents_build(arena, trace, &cutter->parents, diag);
    if (status == ORR_OK) {
        status = orr_dep_buffers_create(arena, trace, &cutter->buffers, diag);
    }
    if (status == ORR_OK && keep == NULL) {
        status = orr_diag_no_memory(diag, "the steps of a trace");
    }
    for (uint32_t i = 0; i < trace->nodes && status == ORR_OK; i++) {
        keep[i] = is_kept(cutter, i);
    }
    cutter->buffers.keep = keep;
    return status;
}

enum orr_status orr_trace_cut(const struct orr_trace *trace, const struct orr_cut *cut,
                              const char *path, struct orr_cut_result *out, struct orr_diag *diag)
{
    struct orr_arena *arena = orr_arena_create();
    struct orr_steps steps;
    struct cutter cutter = {.steps = &steps, .result = out};
    *out = (struct orr_cut_result){.nodes = 0};
    if (arena == NULL) {
        return orr_diag_no_memory(diag, "the steps of a trace");
    }
    enum orr_status status = find_step(arena, trace, cut, &steps, &cutter.step_number, diag);
    if (status == ORR_OK) {
        status = prepare(arena, &cutter, diag);
    }
    if (status == ORR_OK) {
        status = write_nodes(&cutter, path, cut->gzip, diag);
    }
    orr_arena_destroy(arena);
    return status;
}
