/* orrery plan topoopt. */
#include "cli/plan/plan_command.h"
#include "topoopt/plan/topoopt_kind.h"

static const struct orr_option rows[] = {
    ORR_TABLE(orr_plan_file_rows),
    {"output", "DIR", ORR_FOLDER,
     "write the plan: strategy, platform, workload (orrery run DIR/platform.yml DIR/workload.yml "
     "runs it), topology, routes, rings, ports and candidates",
     ORR_CALL(orr_plan_set_output)},
    {"resume", "FILE", ORR_INPUT,
     "resume from the strategy in DIR/resume.yml of an earlier plan of the same input, with a new "
     "budget",
     ORR_TEXT(struct orr_plan_arguments, input.resume)},
    ORR_TABLE(orr_plan_job_rows),
    ORR_ROWS_END};

static int run(const struct orr_call *call, int argc, char **argv)
{
    return orr_plan_by(&orr_plan_kind_topoopt, call, argc, argv);
}

const struct orr_command orr_plan_topoopt = {
    .name = "topoopt",
    .parent = "plan",
    .summary = "strategy of a model, topology of its servers and routes together (TopoOpt)",
    .about = "Co-optimizes the strategy of a model, the topology of servers with a few interfaces "
             "each, and the routes (TopoOpt, NSDI 2023). JOB.yml describes the problem "
             "(docs/how-to/plan-topoopt.md). The plan is simulated, and compared with other "
             "fabrics.",
    .rows = rows,
    .missing = "a file JOB.yml is missing",
    .notes = ORR_PLAN_NOTES,
    .simulates = true,
    .run = run};
