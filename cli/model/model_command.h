/* Arguments and actions of orrery model. Each action prints and returns an exit status. */
#ifndef ORR_CLI_MODEL_MODEL_COMMAND_H
#define ORR_CLI_MODEL_MODEL_COMMAND_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/cli.h"
#include "core/status.h"

struct model_graph;
struct orr_arena;
struct orr_diag;
struct strategy;

struct orr_model_arguments {
    const char *file;               /* of the model */
    const char *strategy;           /* of the strategy; NULL: data parallelism */
    uint32_t devices;               /* 0: those of the strategy */
    const char *csv, *svg;          /* NULL: not given */
    const char *rings, *trees;      /* their jumps; NULL: not given */
    const char *output, *save;      /* -o, --save-strategy */
    uint32_t top;                   /* rows of a table; 0: all */
    const char *profile, *platform; /* sources of times; NULL: not given */
    struct orr_texts set;           /* values of the platform */
    int64_t compute_ps;             /* of an iteration; 0: not given */
    uint64_t batch;                 /* 0: that of the model */
    bool expand;                    /* groups separately, not counted */
    const char *json;               /* file, "-"; NULL: not given */
};

/* Loads model and strategy into the arena. */
enum orr_status orr_model_load_inputs(struct orr_arena *arena,
                                      const struct orr_model_arguments *arguments,
                                      struct model_graph *model, struct strategy *strategy,
                                      struct orr_diag *diag);

int orr_model_show_command(const struct orr_model_arguments *arguments);
int orr_model_dot_command(const struct orr_model_arguments *arguments);
int orr_model_check_command(const struct orr_model_arguments *arguments);
int orr_model_demand_command(const struct orr_model_arguments *arguments);
int orr_model_tasks_command(const struct orr_model_arguments *arguments);

#endif
