/* orrery plan: actions. Those of wings plan a file JOB.yml by a kind of plan (plan_action_list.h).
 */
#ifndef ORR_CLI_PLAN_PLAN_COMMAND_H
#define ORR_CLI_PLAN_PLAN_COMMAND_H

#include "cli/cli.h"
#include "cli/page_output.h"
#include "cli/progress.h"
#include "orrery/plan.h"
#include "sim/load/find_input.h"

struct plan_kind;

struct orr_plan_arguments {
    const struct plan_kind *kind;
    const char *file;
    char found[ORR_INPUT_PATH_BYTES]; /* storage of the path of a plan that ships */
    struct orrery_plan_input input;
    struct orr_texts set;
    const char *output, *report, *json;
    char line[ORR_COMMAND_LINE_BYTES];
    enum orr_progress progress;
};

/* The argument JOB.yml, and the options that every kind has. */
extern const struct orr_option orr_plan_file_rows[], orr_plan_job_rows[];

/* For ORR_CALL: the folder of --output; --resume of a kind that has none. */
int orr_plan_set_output(void *arguments, const char *value);
int orr_plan_refuse_resume(void *arguments, const char *value);

/* Checks the folder of --output before the search, which is long. Creates and removes it if it does
 * not exist. Prints the error; returns the exit status. */
int orr_plan_check_folder(const char *path);

/* Plans for a file JOB.yml. Returns the exit status. */
int orr_plan_by(const struct plan_kind *kind, const struct orr_call *call, int argc, char **argv);

/* What every such action says at the end of its help. */
#define ORR_PLAN_NOTES                                                                             \
    "SIGINT and SIGTERM end the search: the best plan so far is printed and written, without a "   \
    "simulation, and the command then ends by the signal."

extern const struct orr_command orr_plan_evaluate, orr_plan_goodput, orr_plan_llm;

#endif
