/* Plans: co-optimized strategy, topology and routes (TopoOpt, NSDI'23), as `orrery plan topoopt`;
 * or degree of model parallelism and batch on an existing network (SiP-ML, SIGCOMM'21), as
 * `orrery plan sip-ml` (docs/how-to/plan-topoopt.md).
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
 * One thread at a time may use a handle; a plan starts its own threads. A failed call stores its
 * message, "LOCATION: MESSAGE", for orrery_plan_error. Errors: ORRERY_ERROR_INPUT (an impossible
 * plan; no strategy fits the memory; a file to resume from that belongs to another plan; NULL, a
 * struct of another version, nothing planned yet), _IO, _MEMORY. */
#ifndef ORRERY_PLAN_H
#define ORRERY_PLAN_H

#include <signal.h>
#include <stdio.h>

#include "orrery/orrery.h"

#ifdef __cplusplus
extern "C" {
#endif

struct orrery_plan;

/* Create and free a handle: NULL if out of memory; freeing NULL is fine. orrery_plan_error: the
 * error of the last failed call, owned by the handle. */
ORRERY_API struct orrery_plan *orrery_plan_new(void);
ORRERY_API void orrery_plan_free(struct orrery_plan *plan);
ORRERY_API const char *orrery_plan_error(const struct orrery_plan *plan);

/* `warn` is called with the text of each warning from now on; NULL (default): warnings are
 * ignored. */
ORRERY_API void orrery_plan_on_warning(struct orrery_plan *plan,
                                       void (*warn)(void *user, const char *text), void *user);

/* Progress of a plan. */
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
    /* file of an earlier plan of the same input, to resume from; or NULL. Not for SiP-ML */
    const char *resume;
    unsigned threads; /* 0: one for each processor; the result does not depend on it */
    bool check;       /* only read and check */
    bool no_run;      /* only predict, without simulation */
    /* not 0: the plan ends with the best so far, marked as stopped. A signal handler may set it;
     * NULL: never */
    const volatile sig_atomic_t *stop;
    void (*progress)(void *user, const struct orrery_plan_progress *progress); /* or NULL */
    void *user;
};

/* Plans by TopoOpt; replaces the previous plan. If a simulation of data parallelism is faster than
 * one of the plan, data parallelism becomes the plan, whatever the prediction. Costs the search
 * (its budget) and both simulations. */
ORRERY_API enum orrery_status orrery_plan_topoopt(struct orrery_plan *plan,
                                                  const struct orrery_plan_input *input);

/* Plans by SiP-ML's search; replaces the previous plan. Every (k, l, batch) is placed and
 * estimated, the best few and data parallelism are simulated, and the plan is the point with the
 * shortest time to accuracy. */
ORRERY_API enum orrery_status orrery_plan_sip_ml(struct orrery_plan *plan,
                                                 const struct orrery_plan_input *input);

struct orrery_plan_figures {
    size_t size; /* ORRERY_SIZED(orrery_plan_figures) */
    uint32_t servers, degree;
    int64_t predicted_ps, simulated_ps;    /* of an iteration; simulated_ps 0: not simulated */
    int64_t naive_ps, data_parallel_ps;    /* predicted; INT64_MAX: exceeds the memory */
    uint64_t reduce_bytes, transfer_bytes; /* of an iteration, on the wire */
    uint64_t memory_bytes;                 /* of the fullest device */
    uint64_t evaluations;
    uint32_t rounds;
    bool converged, stopped;
};

/* Fills in the metrics of a plan of TopoOpt; set their `size` before. O(traffic). */
ORRERY_API enum orrery_status orrery_plan_figures(struct orrery_plan *plan,
                                                  struct orrery_plan_figures *figures);

/* A point of SiP-ML's search: devices of a group, number of groups, batch. */
struct orrery_plan_point {
    uint32_t model_parallel, data_parallel;
    uint64_t batch;
    /* of an iteration; estimated_ps INT64_MAX: it does not fit or cannot be estimated; simulated_ps
     * 0: not simulated */
    int64_t estimated_ps, simulated_ps;
    uint64_t memory_bytes; /* of the fullest device */
    uint64_t missing_bytes;
    double steps, accuracy_s; /* to accuracy; 0: unknown (plan.sip_ml.steps) */
};

struct orrery_plan_sip_ml_figures {
    size_t size; /* ORRERY_SIZED(orrery_plan_sip_ml_figures) */
    uint32_t devices, points;
    struct orrery_plan_point best, data_parallel; /* data_parallel 0: none */
    bool stopped;
};

/* The same for a plan of SiP-ML. O(1). */
ORRERY_API enum orrery_status
orrery_plan_sip_ml_figures(struct orrery_plan *plan, struct orrery_plan_sip_ml_figures *figures);

enum orrery_plan_view {
    ORRERY_PLAN_TEXT,     /* for people */
    ORRERY_PLAN_JSON,     /* the same for programs */
    ORRERY_PLAN_STRATEGY, /* YAML, as of `orrery model demand --strategy` */
    ORRERY_PLAN_MODEL,    /* YAML */
    ORRERY_PLAN_PLATFORM, /* YAML: input of `orrery run`, with */
    ORRERY_PLAN_WORKLOAD, /* this one, which has model and strategy */
    /* Plans of TopoOpt: */
    ORRERY_PLAN_DOT,     /* the topology for Graphviz */
    ORRERY_PLAN_SVG,     /* drawn */
    ORRERY_PLAN_ROUTES,  /* CSV: paths of transfers */
    ORRERY_PLAN_RINGS,   /* CSV: rings of all-reduces; of a fixed network: none */
    ORRERY_PLAN_PORTS,   /* CSV: connected ports of patch panels */
    ORRERY_PLAN_TRIED,   /* CSV: candidates and their outcomes */
    ORRERY_PLAN_FABRICS, /* CSV: times on other fabrics */
    ORRERY_PLAN_NCCL,    /* XML: the rings as a graph file of NCCL; of a fixed network: none */
    ORRERY_PLAN_RESUME,  /* YAML: state to resume from */
    /* Plans of SiP-ML: */
    ORRERY_PLAN_TASKS,       /* a task graph (.otg, binary): one group, with copies */
    ORRERY_PLAN_POINTS,      /* CSV: every (k, l, batch) */
    ORRERY_PLAN_TRAFFIC,     /* CSV: bytes between the first devices */
    ORRERY_PLAN_TRAFFIC_SVG, /* drawn */
    ORRERY_PLAN_CIRCUITS,    /* CSV: circuits, of a network with demand-aware circuits */
    /* Of TopoOpt, YAML: the best layout with its platform, input of `orrery run`; none without */
    ORRERY_PLAN_LAYOUT
};

ORRERY_API enum orrery_status orrery_plan_write(struct orrery_plan *plan, FILE *out,
                                                enum orrery_plan_view view);

/* The same as a text, owned by the handle until the next call; NULL on an error. */
ORRERY_API const char *orrery_plan_text(struct orrery_plan *plan, enum orrery_plan_view view);

/* Writes all files of the plan into a folder, which is created if missing: plan.txt, plan.json,
 * strategy.yml, model.yml, platform.yml, workload.yml; of TopoOpt topology.dot, topology.svg,
 * routes.csv, rings.csv, ports.csv, tried.csv, fabrics.csv, nccl.xml, resume.yml, layout.yml; of
 * SiP-ML taskgraph.otg, points.csv, traffic.csv, traffic.svg and, with demand-aware circuits,
 * circuits.csv. A profile is copied as profile.json; for a list of profiles, profile.json is the
 * list of the copies profile_1.json, ... */
ORRERY_API enum orrery_status orrery_plan_write_files(struct orrery_plan *plan, const char *folder);

/* The names of all these files; NULL behind the last. */
ORRERY_API const char *const *orrery_plan_files(void);

#ifdef __cplusplus
}
#endif

#endif
