/* usage: recorded ET KINETO OUT: a recorded training step of two GPUs, from PyTorch's files
 * ("{rank}" in their names) to a simulation on another network, and what that is. */
#include <orrery/convert.h>
#include <orrery/report.h>
#include <orrery/topology.h>
#include <orrery/trace.h>

static int status;
static void check(enum orrery_status is, const char *error)
{
    status |= (int)is;
    if (is != ORRERY_OK)
        (void)fprintf(stderr, "%s\n", error);
}

int main(int arguments, char **argument)
{
    if (arguments != 4)
        return 2;
    char all[256], step[256], check_path[300], set[700];
    (void)snprintf(all, sizeof all, "%s/recorded", argument[3]);
    (void)snprintf(step, sizeof step, "%s/step", argument[3]);
    (void)snprintf(check_path, sizeof check_path, "%s.0.et", step);
    (void)snprintf(set, sizeof set, "workload={traces: %s, groups_file: %s.groups.json}", step,
                   step);
    struct orrery_convert what = {ORRERY_SIZED(orrery_convert), .format = "pytorch", .ranks = 2};
    what.et = argument[1], what.kineto = argument[2], what.out = all;
    struct orrery_conversion *conversion = orrery_conversion_new();
    check(orrery_convert(conversion, &what), orrery_conversion_error(conversion));
    check(orrery_conversion_write(conversion, stdout, false), orrery_conversion_error(conversion));

    struct orrery_trace *trace = orrery_trace_new(); /* the step alone, as traces of its own */
    struct orrery_trace_cut cut = {ORRERY_SIZED(orrery_trace_cut), .step = "3", .said = stdout};
    cut.in = all, cut.out = step;
    check(orrery_trace_cut(trace, &cut), orrery_trace_error(trace));
    check(orrery_trace_read(trace, check_path), orrery_trace_error(trace));
    check(orrery_trace_write(trace, stdout, ORRERY_TRACE_CHECK, 0), orrery_trace_error(trace));
    struct orrery_platform *platform = orrery_platform_new();
    check(orrery_platform_parse(platform, "network: {topology: Switch(2), bandwidth: 100 GB/s}"),
          orrery_platform_error(platform));
    struct orrery_topology *topology = orrery_topology_new();
    struct orrery_topology_input input = {ORRERY_SIZED(orrery_topology_input),
                                          .platform = platform};
    check(orrery_topology_read(topology, &input), orrery_topology_error(topology));
    check(orrery_topology_write(topology, stdout, ORRERY_TOPOLOGY_SHOW, ORRERY_NO_RANK),
          orrery_topology_error(topology));
    struct orrery *job = orrery_new();
    const char *sets[] = {set};
    check(orrery_load_parts(
              job, &(struct orrery_parts){ORRERY_SIZED(orrery_parts), platform, NULL, sets, 1}),
          orrery_error(job));
    check(orrery_run(job), orrery_error(job));
    check(orrery_write_table(job, stdout, false), orrery_error(job));
    orrery_free(job), orrery_platform_free(platform), orrery_topology_free(topology);
    orrery_trace_free(trace), orrery_conversion_free(conversion);
    return status != 0;
}
