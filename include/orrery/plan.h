/* Plans: a strategy for a model, a topology of servers and its routes, together (TopoOpt, NSDI'23),
 * as `orrery plan topoopt` does; or how devices are divided into groups of model parallelism, at
 * which batch, on a network that is there (SiP-ML, SIGCOMM'21), as `orrery plan sip-ml` does
 * (docs/user-guide.md).
 *
 *     struct orrery_plan *plan = orrery_plan_new();
 *     struct orrery_plan_input input = {ORRERY_SIZED(orrery_plan_input), .path = "job.yml"};
 *     struct orrery_plan_figures figures = {ORRERY_SIZED(orrery_plan_figures)};
 *     if (orrery_plan_topoopt(plan, &input) != ORRERY_OK ||
 *         orrery_plan_figures(plan, &figures) != ORRERY_OK ||
 *         orrery_plan_write_files(plan, "out") != ORRERY_OK) {
 *         fprintf(stderr, "%s\n", orrery_plan_error(plan));
 *     }
 *     orrery_plan_free(plan);
 *
 * A handle is used by one thread at a time; a plan runs threads of its own. Every call that fails
 * keeps what is wrong for orrery_plan_error, as "PLACE: MESSAGE". Errors: ORRERY_ERROR_INPUT (a
 * plan that cannot be; no strategy that fits the memory; a file to resume from that is of another
 * plan; a NULL, a struct of another interface, nothing planned yet), _IO, _MEMORY. */
#ifndef ORRERY_PLAN_H
#define ORRERY_PLAN_H

#include <signal.h>
#include <stdio.h>

#include "orrery/orrery.h"

#ifdef __cplusplus
extern "C" {
#endif

struct orrery_plan;

/* As of other objects: NULL when memory is out; NULL can be freed; texts are the handle's. */
ORRERY_API struct orrery_plan *orrery_plan_new(void);
ORRERY_API void orrery_plan_free(struct orrery_plan *plan);
ORRERY_API const char *orrery_plan_error(const struct orrery_plan *plan);

/* `warn` is called with the text of each warning from now on; NULL: nothing is (the default). */
ORRERY_API void orrery_plan_on_warning(struct orrery_plan *plan,
                                       void (*warn)(void *user, const char *text), void *user);

/* How far a plan is. */
struct orrery_plan_progress {
    const char *doing;            /* "planning", "comparing", "searching" or "simulating" */
    unsigned round;               /* of the alternation; planning */
    uint64_t evaluations, budget; /* of strategies; planning */
    int64_t best_ps;              /* predicted, of the best so far; INT64_MAX: none fits yet */
};

struct orrery_plan_input {
    size_t size;      /* ORRERY_SIZED(orrery_plan_input) */
    const char *path; /* a file with a section `plan` (docs/file-formats.md); or */
    const char *text; /* the same as a text; names of files are relative to the working directory */
    const char *const *set; /* [set_count] on top: "plan.interfaces.degree=8" */
    size_t set_count;
    const char *resume; /* a file of an earlier plan of the same, to go on from; or NULL. Not of
                           SiP-ML */
    unsigned threads;   /* 0: one for each processor; the answer is the same with any number */
    bool check;         /* reads and checks only */
    bool no_run;        /* predicts, and does not simulate */
    /* Not 0: the plan ends with the best so far, and is told as stopped. May be set by a signal
     * handler; NULL: it does not stop. */
    const volatile sig_atomic_t *stop;
    void (*progress)(void *user, const struct orrery_plan_progress *progress); /* or NULL */
    void *user;
};

/* Plans in place of what the handle held. Where a run of data parallelism is faster than one of the
 * plan, that is the plan, whatever was predicted. Costs what the plan's search does (its budget),
 * and both runs. */
ORRERY_API enum orrery_status orrery_plan_topoopt(struct orrery_plan *plan,
                                                  const struct orrery_plan_input *input);

/* Plans by SiP-ML's search in place of what the handle held: every (k, l, batch) is placed and
 * estimated, the best few and data parallelism are simulated, and the one of least time to accuracy
 * is the plan. */
ORRERY_API enum orrery_status orrery_plan_sip_ml(struct orrery_plan *plan,
                                                 const struct orrery_plan_input *input);

struct orrery_plan_figures {
    size_t size; /* ORRERY_SIZED(orrery_plan_figures) */
    uint32_t servers, degree;
    int64_t predicted_ps, simulated_ps;    /* of an iteration; simulated 0: it was not run */
    int64_t naive_ps, data_parallel_ps;    /* predicted; INT64_MAX: more than memory holds */
    uint64_t reduce_bytes, transfer_bytes; /* of an iteration, on the wire */
    uint64_t memory_bytes;                 /* of the fullest device */
    uint64_t evaluations;
    uint32_t rounds;
    bool converged, stopped;
};

/* Fills in the figures, whose `size` is set, of a plan of TopoOpt. O(traffic). */
ORRERY_API enum orrery_status orrery_plan_figures(struct orrery_plan *plan,
                                                  struct orrery_plan_figures *figures);

/* Groups of so many devices, so many groups, at a batch. */
struct orrery_plan_point {
    uint32_t model_parallel, data_parallel;
    uint64_t batch;
    int64_t estimated_ps, simulated_ps; /* of an iteration; estimated INT64_MAX: it does not fit or
                                           cannot be counted; simulated 0: it was not run */
    uint64_t memory_bytes;              /* of the fullest device */
    uint64_t missing_bytes;
    double steps, accuracy_s; /* to accuracy; 0: plan.sip_ml.steps does not tell */
};

struct orrery_plan_sip_ml_figures {
    size_t size; /* ORRERY_SIZED(orrery_plan_sip_ml_figures) */
    uint32_t devices, points;
    struct orrery_plan_point best, data_parallel; /* the best of data parallelism; all 0: none */
    bool stopped;
};

/* The same of a plan of SiP-ML. O(1). */
ORRERY_API enum orrery_status
orrery_plan_sip_ml_figures(struct orrery_plan *plan, struct orrery_plan_sip_ml_figures *figures);

enum orrery_plan_view {
    ORRERY_PLAN_TEXT,     /* for people */
    ORRERY_PLAN_JSON,     /* the same for programs */
    ORRERY_PLAN_STRATEGY, /* YAML, as of `orrery model demand --strategy` */
    ORRERY_PLAN_MODEL,    /* YAML */
    ORRERY_PLAN_PLATFORM, /* YAML: what `orrery run` takes, with */
    ORRERY_PLAN_WORKLOAD, /* this one, which holds model and strategy */
    /* Of plans of TopoOpt: */
    ORRERY_PLAN_DOT,     /* the topology for Graphviz */
    ORRERY_PLAN_SVG,     /* drawn */
    ORRERY_PLAN_ROUTES,  /* CSV: paths of transfers */
    ORRERY_PLAN_RINGS,   /* CSV: orders of all-reduces; of a network that stays: none */
    ORRERY_PLAN_PORTS,   /* CSV: ports of patch panels that are joined */
    ORRERY_PLAN_TRIED,   /* CSV: what was tried, and what became of it */
    ORRERY_PLAN_FABRICS, /* CSV: the times on other fabrics */
    ORRERY_PLAN_NCCL,    /* XML: the rings as NCCL reads graphs; of a network that stays nothing */
    ORRERY_PLAN_RESUME,  /* YAML: what a later plan can go on from */
    /* Of plans of SiP-ML: */
    ORRERY_PLAN_TASKS,       /* a task graph (.otg, binary): one group, with copies */
    ORRERY_PLAN_POINTS,      /* CSV: every (k, l, batch) */
    ORRERY_PLAN_TRAFFIC,     /* CSV: bytes between the first devices */
    ORRERY_PLAN_TRAFFIC_SVG, /* drawn */
    ORRERY_PLAN_CIRCUITS     /* CSV: of a network that sets circuits for demands, where they are */
};

ORRERY_API enum orrery_status orrery_plan_write(struct orrery_plan *plan, FILE *out,
                                                enum orrery_plan_view view);

/* The same as a text, which is the handle's until the next one; NULL on an error. */
ORRERY_API const char *orrery_plan_text(struct orrery_plan *plan, enum orrery_plan_view view);

/* Writes all that the plan has into a folder, which is made if it is not there: plan.txt,
 * plan.json, strategy.yml, model.yml, platform.yml, workload.yml; of TopoOpt topology.dot,
 * topology.svg, routes.csv, rings.csv, ports.csv, tried.csv, fabrics.csv, nccl.xml, resume.yml; of
 * SiP-ML taskgraph.otg, points.csv, traffic.csv, traffic.svg and, where circuits are set for
 * demands, circuits.csv. A profile is copied as profile.json; of a list of profiles, profile.json
 * is the list of the copies profile_1.json, ... */
ORRERY_API enum orrery_status orrery_plan_write_files(struct orrery_plan *plan, const char *folder);

/* The names of all; NULL behind the last. */
ORRERY_API const char *const *orrery_plan_files(void);

#ifdef __cplusplus
}
#endif

#endif
