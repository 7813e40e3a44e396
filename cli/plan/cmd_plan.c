/* orrery plan: strategies and topologies that are searched for, and how long a strategy takes. */
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
    "topoopt plans a strategy for a model, a topology of servers with a few interfaces each, and\n"
    "its routes, together (TopoOpt, NSDI 2023): JOB.yml says what for (orrery schema plan;\n"
    "docs/user-guide.md). What it finds is simulated, and compared with other fabrics.\n"
    "\n"
    "sip-ml divides the devices of a network that is there into l groups of k, which split the\n"
    "model, at a batch, so that training is over soonest (SiP-ML, SIGCOMM 2021): of every k and\n"
    "batch (plan.sip_ml) the parts are placed and the time is estimated; the best few and data\n"
    "parallelism are simulated.\n"
    "\n"
    "  -o, --output DIR                   write the plan: strategy, platform, workload (orrery\n"
    "                                     run DIR/platform.yml DIR/workload.yml runs it),\n"
    "                                     topology, routes, rings, ports, and what was tried; of\n"
    "                                     sip-ml the task graph, the traffic and all points\n"
    "  --set PATH=VALUE                   set a value, e.g. plan.interfaces.degree=8\n"
    "  --jobs N                           threads (default: one for each processor); the plan is\n"
    "                                     the same with any number\n"
    "  --resume FILE                      go on from DIR/resume.yml of an earlier plan of the\n"
    "                                     same: from its strategy, with a new budget; topoopt\n"
    "  --check                            read and check JOB.yml, and stop\n"
    "  --no-run                           predict only\n"
    "  --json                             as JSON\n"
    "  --report FILE                      a page of the plan (HTML, one file): topology or "
    "traffic,\n"
    "                                     strategy, other fabrics, what was tried\n"
    "  --progress auto|always|never       a line on stderr that tells how far it is; auto: on a\n"
    "                                     terminal (default)\n"
    "\n"
    "SIGINT and SIGTERM end the search: the best so far is told and written, without a run, and\n"
    "the command then ends by the signal.\n"
    "\n"
    "evaluate predicts the iteration time of a model under a strategy (workload.model,\n"
    "workload.strategy) on a graph, without events of messages, names what limits it, and\n"
    "confirms it by a run (--no-run, --json, --report as above). Flows have equal shares\n"
    "(network.shares: maxmin); where routes are ecmp because that suits the fabric, they are\n"
    "ecmp-pairs: docs/models.md, section 12.\n"
    "\n"
    "  --link-stats FILE|-                what each link carries, as CSV: bytes of transfers and "
    "of\n"
    "                                     all-reduces; for - instead of the answer\n"
    "\n";

static const char more_help[] =
    ORR_OWN_HELP "Exit status: 0 done, 1 internal error, 2 bad usage or input, 3 the job cannot "
                 "finish.\n";

void orr_plan_print_help(void)
{
    (void)fputs(help, stdout);
    (void)fputs(more_help, stdout);
}

int orr_cmd_plan(int argc, char **argv)
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
