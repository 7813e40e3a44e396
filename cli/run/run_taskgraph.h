/* orrery run --taskgraph: a task graph over flows. */
#ifndef ORR_CLI_RUN_RUN_TASKGRAPH_H
#define ORR_CLI_RUN_RUN_TASKGRAPH_H

struct orr_command;

int orr_run_taskgraph(const struct orr_command *root, int argc, char **argv);

extern const struct orr_command orr_run_taskgraph_mode;

#endif
