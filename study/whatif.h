/* What-if: a job run again with one change at a time, and the changes ranked by the time that they
 * save. */
#ifndef ORR_STUDY_WHATIF_H
#define ORR_STUDY_WHATIF_H

#include "core/status.h"
#include "orrery/orrery.h"
#include "orrery/parts.h"

struct orr_diag;
struct orrery;

enum {
    ORR_WHATIF_MAX_CHANGES = 256,
    ORR_WHATIF_MAX_GIVEN = ORR_WHATIF_MAX_CHANGES / 2,
    ORR_WHATIF_MAX_SCALES = 4
};

struct orr_whatif_change {
    char name[128];
    const char *set; /* of the user's changes; else NULL */
    struct orrery_scale scale[ORR_WHATIF_MAX_SCALES];
    unsigned scales;
    bool bound; /* an upper bound, which cannot be built: ranked after the others */
    int64_t wall_ps;
    int64_t communication_ps, waiting_ps; /* means over the NPUs */
    enum orrery_status status;
    char *error; /* if it failed; on the heap */
};

struct orr_whatif {
    /* input */
    const struct orrery_inputs *own;          /* Orrery's own files; or */
    const struct orrery_astra_sim *astra_sim; /* files of ASTRA-sim, which exclude `given`; or */
    const struct orrery_parts *parts;         /* a platform and a workload in memory */
    const char *const *given; /* [givens] the user's changes, "PATH=VALUE"; at most MAX_GIVEN */
    unsigned givens;
    double factor;    /* of bandwidth and rates; above 0 */
    unsigned threads; /* concurrent runs; 0: one for each processor */
    void (*warn)(void *user,
                 const char *text); /* receives the warnings of the first run; or NULL */
    void *warn_user;
    /* results */
    struct orr_whatif_change change[ORR_WHATIF_MAX_CHANGES + 1]; /* first the baseline */
    unsigned changes;
    uint32_t npus;
    unsigned dims;
    bool links, switches;   /* the network is a graph; some links are between switches */
    bool has_waiting_split; /* waiting is known apart from communication */
    struct orrery *failed;  /* the baseline, if it failed; else NULL */
};

/* Runs the baseline, and the job with each change: each dimension's bandwidth (or that of the links
 * of NPUs and between switches), compute and CPU times the factor, no latency, infinitely fast
 * memory, no endpoint delay, the user's changes, and as upper bounds free communication and free
 * compute. Ranks the changes by their time. The error is that of the first run that fails; its
 * location is the change. Call orr_whatif_fini also after an error. */
enum orr_status orr_whatif_run(struct orr_whatif *whatif, struct orr_diag *diag);
void orr_whatif_fini(struct orr_whatif *whatif);

#endif
