/* orrery plan: search for strategies and topologies, and prediction of iteration times. */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/job_options.h"
#include "cli/options.h"
#include "cli/plan/plan_command.h"

static const char help[] =
    "usage: orrery plan topoopt JOB.yml [options]\n"
    "       orrery plan sip-ml JOB.yml [options]\n"
    "       orrery plan evaluate PLATFORM.yml WORKLOAD.yml [options]\n"
    "\n"
    "topoopt co-optimizes the strategy of a model, the topology of servers with a few interfaces\n"
    "each, and the routes (TopoOpt, NSDI 2023). JOB.yml describes the problem (orrery schema\n"
    "plan; docs/how-to/plan-topoopt.md). The plan is simulated, and compared with other\n"
    "fabrics.\n"
    "\n"
    "sip-ml divides the devices of an existing network into l groups of k, each of which splits\n"
    "the model, at a batch, for the shortest training time (SiP-ML, SIGCOMM 2021). For every k\n"
    "and batch (plan.sip_ml) it places the parts and estimates the time; the best few and data\n"
    "parallelism are simulated.\n"
    "\n"
    "  -o, --output DIR                   write the plan: strategy, platform, workload (orrery\n"
    "                                     run DIR/platform.yml DIR/workload.yml runs it),\n"
    "                                     topology, routes, rings, ports and candidates; sip-ml:\n"
    "                                     task graph, traffic and all points\n"
    "  --set PATH=VALUE                   set a value, e.g. plan.interfaces.degree=8\n"
    "  --jobs N                           threads (default: one for each processor); the plan\n"
    "                                     does not depend on it\n"
    "  --resume FILE                      topoopt: resume from the strategy in DIR/resume.yml of\n"
    "                                     an earlier plan of the same input, with a new budget\n"
    "  --check                            read and check JOB.yml, and stop\n"
    "  --no-run                           predict only\n"
    "  --json                             as JSON\n"
    "  --report FILE                      a page of the plan (HTML, one file): topology or\n"
    "                                     traffic, strategy, other fabrics, candidates\n"
    "  --progress auto|always|never       progress line on stderr; auto (default): on a terminal\n"
    "\n"
    "SIGINT and SIGTERM end the search: the best plan so far is printed and written, without\n"
    "a simulation, and the command then ends by the signal.\n"
    "\n"
    "evaluate predicts the iteration time of a model under a strategy (workload.model,\n"
    "workload.strategy) on a graph, without simulating messages, names the bottleneck, and\n"
    "compares with a simulation (--no-run, --json, --report as above). Flows have max-min fair\n"
    "shares (network.shares: maxmin). If the default routing of the fabric is ecmp, it is\n"
    "ecmp-pairs: docs/models.md, section 12.\n"
    "\n"
    "  --link-stats FILE|-                traffic of each link as CSV: bytes of transfers and of\n"
    "                                     all-reduces; - is standard output, instead of the\n"
    "                                     table\n"
    "\n";

static const char more_help[] =
    ORR_OWN_HELP "Exit status: 0 done, 1 internal error, 2 bad usage or input, 3 the job cannot "
                 "finish.\n";

void orr_plan_print_help(void)
{
    (void)fputs(help, stdout);
    (void)fputs(more_help, stdout);
}

static int run_command(int argc, char **argv)
{
    static const struct {
        const char *name;
        int (*run)(int argc, char **argv);
    } commands[] = {{"topoopt", orr_plan_topoopt},
                    {"sip-ml", orr_plan_sip_ml},
                    {"evaluate", orr_plan_evaluate}};
    for (size_t i = 0; argc > 1 && i < sizeof commands / sizeof *commands; i++) {
        if (strcmp(argv[1], commands[i].name) == 0) {
            return commands[i].run(argc - 1, argv + 1);
        }
    }
    if (argc > 1 && argv[1][0] != '-') {
        static const char *const names[] = {"topoopt", "sip-ml", "evaluate"};
        return orr_reject_action("plan", argv[1], names, sizeof names / sizeof *names);
    }
    if (orr_has_option("help", argc, argv)) {
        orr_plan_print_help();
        return 0;
    }
    return orr_usage_error("plan", "topoopt, sip-ml or evaluate is missing", NULL);
}

const struct orr_command orr_command_plan = {
    "plan", "plan strategies and topologies, or predict how long a strategy takes", run_command};
