/* Goodput of a training job whose machines fail: how much of its time is useful, how often to take
 * checkpoints, tokens a second in the long run.
 *
 *     struct orrery_study *study = orrery_study_new();
 *     const struct orrery_goodput goodput = {ORRERY_SIZED(orrery_goodput), .gpus = 16384,
 *                                            .mtbf_gpu_s = 50677 * 3600.0, .checkpoint_s = 30,
 *                                            .restart_s = 600};
 *     struct orrery_value ettr;
 *     if (orrery_goodput(study, &goodput) == ORRERY_OK &&
 *         orrery_study_result(study, "goodput.ettr", 0, &ettr) == ORRERY_OK) {
 *         printf("%g\n", ettr.real);
 *     }
 *     orrery_study_free(study); */
#ifndef ORRERY_GOODPUT_H
#define ORRERY_GOODPUT_H

#include "orrery/study.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Times in seconds. */
struct orrery_goodput {
    size_t size;            /* ORRERY_SIZED(orrery_goodput) */
    uint32_t gpus;          /* of the job */
    uint32_t gpus_per_node; /* 0: 8 */
    uint32_t links;         /* that can fail; 0: one for each GPU */
    /* Mean times between failures: of one GPU, one node (all of it but its GPUs), one link, and of
     * the job by anything else, such as software. 0: never; one of them is needed. */
    double mtbf_gpu_s, mtbf_node_s, mtbf_link_s, mtbf_job_s;
    double checkpoint_s; /* to write one; > 0 */
    bool asynchronous;   /* the job goes on while it is written, but stands still for */
    double stall_s;      /* this long, at most checkpoint_s */
    double restart_s;    /* from a failure until the job works again */
    double interval_s;   /* of work between checkpoints, at least checkpoint_s; 0: the best by */
    bool daly;           /* Daly's formula instead of Young's */
    double repair_s;     /* of a node; 0: replaced at once */
    uint32_t spares;     /* nodes that replace those under repair */
    /* Slow spells of a node, which the whole job waits for: mean time between two of one node (0:
     * none), how long one lasts, and how much longer the job takes meanwhile (at least 1). */
    double straggler_mtbf_s, straggler_s, straggler_factor;
    /* Tokens, if they are to be told: of a step and its time, or of a second; of all training. */
    double step_s, step_tokens, tokens_per_s, tokens;
    double dollars_per_gpu_hour; /* 0: not known */
    double seconds;              /* that are simulated; 0: 30 days */
    uint32_t runs;               /* simulations; 0: 100, fewer if there are very many failures */
    uint64_t seed;               /* 0: 1 */
};

/* Computes the goodput, by closed form and by simulations. Results: a row of "goodput" (`ettr`,
 * `interval_s`, `effective_tokens_per_s`, ...), rows of "parts" (what time is spent on) and of
 * "intervals" (other intervals beside this one). Forms: all; CSV is the row. Errors: no GPUs, times
 * out of range, an interval below the checkpoint's time, nothing that fails, more failures than can
 * be simulated. O(runs x failures). */
ORRERY_API enum orrery_status orrery_goodput(struct orrery_study *study,
                                             const struct orrery_goodput *goodput);

#ifdef __cplusplus
}
#endif

#endif
