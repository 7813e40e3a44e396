/* A job run again with one thing changed at a time: what helps most. */
#ifndef ORR_STUDY_WHATIF_H
#define ORR_STUDY_WHATIF_H

#include "core/core.h"
#include "orrery/parts.h"

enum {
    ORR_WHATIF_MAX_CHANGES = 256,
    ORR_WHATIF_MAX_GIVEN = ORR_WHATIF_MAX_CHANGES / 2,
    ORR_WHATIF_MAX_SCALES = 4
};

struct orr_whatif_change {
    char name[128];
    const char *set; /* of those that are given, or NULL */
    struct orrery_scale scale[ORR_WHATIF_MAX_SCALES];
    unsigned scales;
    bool bound; /* cannot be built: ranked apart, behind the others */
    int64_t wall_ps;
    int64_t communication_ps, waiting_ps; /* means over the NPUs */
    enum orrery_status status;
    char *error; /* when it failed; of the heap */
};

struct orr_whatif {
    /* of the caller */
    const struct orrery_inputs *own; /* our own files; or */
    const struct orrery_astra_sim
        *astra_sim;                   /* those of ASTRA-sim, with which `given` is empty; or */
    const struct orrery_parts *parts; /* a platform and a workload in memory */
    const char *const *given; /* [givens] further changes, "PATH=VALUE"; at most MAX_GIVEN */
    unsigned givens;
    double factor;                              /* of bandwidth and rates; above 0 */
    unsigned threads;                           /* runs at a time; 0: one for each processor */
    void (*warn)(void *user, const char *text); /* hears the warnings of the first run; or NULL */
    void *warn_user;
    /* results */
    struct orr_whatif_change change[ORR_WHATIF_MAX_CHANGES + 1]; /* first the job as it is */
    unsigned changes;
    uint32_t npus;
    unsigned dims;
    bool links, switches;   /* the network is a graph; some links are between switches */
    bool has_waiting_split; /* waiting is told apart from communication */
    struct orrery *failed;  /* the job as it is, when it failed; else NULL */
};

/* Runs the job as it is, and again for each change: each dimension's bandwidth (or that of the
 * links of NPUs and between switches), compute and CPU times the factor, no latency, infinitely
 * fast memory, no endpoint delay, what is given, and as bounds free communication and free
 * compute. Ranks the changes by their time. The error is that of the first run that fails; its
 * place is the change. To be freed with orr_whatif_fini also after an error. */
enum orr_status orr_whatif_run(struct orr_whatif *whatif, struct orr_diag *diag);
void orr_whatif_fini(struct orr_whatif *whatif);

#endif
