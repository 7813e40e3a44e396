/* Reports of cutting and scaling traces, and the list of steps that can be cut out; see
 * trace_report.h. */
#include <inttypes.h>

#include "core/diag.h"
#include "core/strings.h"
#include "report/table_text.h"
#include "report/trace/trace_format.h"
#include "report/trace/trace_report.h"
#include "workload/trace/et/et.h"
#include "workload/trace/trace_cut_files.h"
#include "workload/trace/trace_scale.h"
#include "workload/trace/trace_steps.h"

/* ---- steps ---- */

static void print_steps(FILE *out, const struct orr_steps *steps)
{
    orr_print(out, "trace: %s\n%" PRIu32 " step%s\n", steps->trace->path, steps->steps,
              orr_plural(steps->steps));
    if (steps->steps == 0) {
        (void)fputs(
            "no node's name marks a step; --marker sets names other than \"ProfilerStep#N\", "
            "\"iteration N\" and \"step N\"\n",
            out);
        return;
    }
    orr_print(out, "\n%10s %10s %10s  %s\n", "step", "nodes", "from id", "marker");
    for (uint32_t i = 0; i < steps->steps; i++) {
        const struct orr_step *step = &steps->step[i];
        const struct orr_node *marker = &steps->trace->node[step->marker];
        orr_print(out, "%10s %10" PRIu32 " %10" PRIu64 "  ", step->label, step->nodes, marker->id);
        orr_print_short(out, marker->name, ORR_MAX_NAME_BYTES);
        (void)fputc('\n', out);
    }
}

enum orr_status orr_trace_print_steps(FILE *out, struct orr_arena *arena, const char *in,
                                      const char *marker, struct orr_diag *diag)
{
    struct orr_cut_files files = {.in = in};
    const struct orr_trace *trace;
    struct orr_steps steps;
    orr_cut_files_find(&files);
    const char *path = orr_cut_input(arena, &files, 0);
    enum orr_status status = path != NULL ? orr_et_read_file(arena, path, &trace, diag)
                                          : orr_diag_no_memory(diag, "a trace");
    if (status == ORR_OK) {
        status = orr_steps_find(arena, trace, marker, &steps, diag);
    }
    if (status == ORR_OK) {
        status = orr_steps_assign(arena, &steps, diag);
    }
    if (status == ORR_OK) {
        print_steps(out, &steps);
    }
    return status;
}

/* ---- cutting ---- */

void orr_trace_print_cut(FILE *out, const struct orr_cut_files *files,
                         const struct orr_cut_sum *sum)
{
    const char *end = files->cut.gzip ? ".gz" : "";
    if (files->ranks == 0) {
        orr_print(out, "wrote %s", files->out);
    } else {
        orr_print(out, "wrote %" PRIu32 " trace%s: %s.0.et%s", files->ranks,
                  orr_plural(files->ranks), files->out, end);
        if (files->ranks > 1) {
            orr_print(out, " to %s.%" PRIu32 ".et%s", files->out, files->ranks - 1, end);
        }
        orr_print(out, "%s", sum->groups ? ", and the groups" : "");
    }
    orr_print(out,
              "\nnodes: %" PRIu64 " of %" PRIu64 "\ndependencies: %" PRIu64
              "; dropped, on nodes outside: %" PRIu64 ", of nodes: %" PRIu64 "\n",
              sum->nodes, sum->of, sum->edges, sum->dropped, sum->dropping);
    if (sum->group_nodes != 0) {
        orr_print(out, "nodes from outside kept, as they define process groups: %" PRIu64 "\n",
                  sum->group_nodes);
    }
}

/* ---- scaling ---- */

void orr_trace_print_scale(FILE *out, const struct orr_trace_scale *scale,
                           const struct orr_trace_scale_result *result)
{
    const char *end = scale->gzip ? ".gz" : "";
    orr_print(
        out, "wrote %" PRIu32 " traces of %" PRIu32 " node%s: %s.0.et%s to %s.%" PRIu32 ".et%s%s\n",
        scale->to, result->nodes, orr_plural(result->nodes), scale->out, end, scale->out,
        scale->to - 1, end, result->group_file ? ", and the groups" : "");
    orr_print(out,
              "%" PRIu32 " rank%s to %" PRIu32
              ", each with the work of one: the job's batch grows with them\n",
              scale->from, orr_plural(scale->from), scale->to);
    if (result->gathers != 0) {
        orr_print(out,
                  "all-gathers of a rank: %" PRIu32
                  ", of the same whole in shards of another size; rounded up: %" PRIu32 "\n",
                  result->gathers, result->rounded);
    }
    if (result->gathers + result->scatters != 0) {
        orr_print(out, "computation on shards (a sharded optimizer) is not scaled: traces do not "
                       "identify it\n");
    }
    if (result->untimed != 0) {
        orr_print(out,
                  "recorded durations of collectives left out, as they are of %" PRIu32
                  " ranks: %" PRIu32 " of a rank\n",
                  scale->from, result->untimed);
    }
    if (result->groups_dropped != 0) {
        orr_print(out, "groups of some ranks left out, as no node uses them: %" PRIu32 "\n",
                  result->groups_dropped);
    }
}
