/* orrery plan sip-ml. */
#include "cli/plan/plan_command.h"
#include "sipml/plan/sipml_kind.h"

static const struct orr_option rows[] = {
    ORR_TABLE(orr_plan_file_rows),
    {"resume", "FILE", ORR_INPUT | ORR_HIDDEN, NULL, ORR_CALL(orr_plan_refuse_resume)},
    {"output", "DIR", ORR_FOLDER,
     "write the plan: strategy, platform, workload (orrery run DIR/platform.yml DIR/workload.yml "
     "runs it), task graph, traffic and all points",
     ORR_CALL(orr_plan_set_output)},
    ORR_TABLE(orr_plan_job_rows),
    ORR_ROWS_END};

static int run(const struct orr_call *call, int argc, char **argv)
{
    return orr_plan_by(&orr_plan_kind_sip_ml, call, argc, argv);
}

const struct orr_command orr_plan_sip_ml = {
    .name = "sip-ml",
    .parent = "plan",
    .summary = "degrees of model and data parallelism, and batch, on a network (SiP-ML)",
    .about =
        "Divides the devices of an existing network into l groups of k, each of which splits the "
        "model, at a batch, for the shortest training time (SiP-ML, SIGCOMM 2021). For every k "
        "and batch (plan.sip_ml) it places the parts and estimates the time; the best few and "
        "data parallelism are simulated.",
    .rows = rows,
    .missing = "a file JOB.yml is missing",
    .notes = ORR_PLAN_NOTES,
    .simulates = true,
    .run = run};
