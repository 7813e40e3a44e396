/* orrery plan: search for strategies and topologies, and prediction of iteration times. */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/job_options.h"
#include "cli/options.h"
#include "cli/plan/plan_command.h"
#include "planner/plan_file/plan_kind.h"

enum { MAX_NAMES = 16 };

static const char evaluate[] = "evaluate"; /* beside the kinds of plans */

static const char help[] =
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
    for (size_t i = 0; orr_plan_kinds[i] != NULL; i++) {
        (void)printf("%s orrery plan %s JOB.yml [options]\n", i == 0 ? "usage:" : "      ",
                     orr_plan_kinds[i]->name);
    }
    (void)printf("%s orrery plan evaluate PLATFORM.yml WORKLOAD.yml [options]\n\n",
                 orr_plan_kinds[0] == NULL ? "usage:" : "      ");
    for (size_t i = 0; orr_plan_kinds[i] != NULL; i++) {
        (void)fputs(orr_plan_kinds[i]->summary, stdout);
    }
    (void)fputs(help, stdout);
    (void)fputs(more_help, stdout);
}

static int run_command(int argc, char **argv)
{
    const char *names[MAX_NAMES];
    size_t count = 0;
    for (; orr_plan_kinds[count] != NULL && count + 1 < MAX_NAMES; count++) {
        names[count] = orr_plan_kinds[count]->name;
        if (argc > 1 && strcmp(argv[1], names[count]) == 0) {
            return orr_plan_by(orr_plan_kinds[count], argc - 1, argv + 1);
        }
    }
    names[count++] = evaluate;
    if (argc > 1 && strcmp(argv[1], evaluate) == 0) {
        return orr_plan_evaluate(argc - 1, argv + 1);
    }
    if (argc > 1 && argv[1][0] != '-') {
        return orr_reject_action("plan", argv[1], names, count);
    }
    if (orr_has_option("help", argc, argv)) {
        orr_plan_print_help();
        return 0;
    }
    return orr_missing_action("plan", names, count);
}

const struct orr_command orr_command_plan = {
    "plan", "plan strategies and topologies, or predict how long a strategy takes", run_command};
