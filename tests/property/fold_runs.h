/* Runs of a task graph, folded or not, and whether two of them gave the same. */
#ifndef ORR_TESTS_PROPERTY_FOLD_RUNS_H
#define ORR_TESTS_PROPERTY_FOLD_RUNS_H

#include "report/network_use.h"
#include "sim/cluster/taskgraph_job.h"

enum { FOLD_MAX_NPUS = 64 };

/* How a task graph runs. */
struct fold_way {
    const char *fabric, *all_reduce;
    const char *rings; /* as --rings takes them; NULL: as usual */
    enum orr_taskgraph_shares shares;
    sim_time latency_ps, setup_ps;
};

struct fold_outcome {
    bool folded;
    uint32_t classes;
    char reason[256]; /* of the last digit; empty: it is folded */
    struct orr_task_graph_metrics figures;
    orrery_wide messages;
    uint32_t npus;
    struct orrery_times times[FOLD_MAX_NPUS];
    double demand, sent;
    uint64_t links; /* digest */
    uint64_t path;  /* the same of the critical path: parts, and when its steps begin */
};

void fold_run(const struct tg_graph *graph, const struct fold_way *way, bool fold,
              struct fold_outcome *out);

/* All but what the simulation did for it. */
bool fold_same(const struct fold_outcome *one, const struct fold_outcome *other);

/* Prints what differs. */
void fold_tell(uint64_t seed, const struct fold_way *way, const char *what,
               const struct fold_outcome *want, const struct fold_outcome *found);

#endif
