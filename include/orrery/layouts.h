/* The best layouts of a language model on a platform: how its training is spread over the NPUs.
 * Every layout that fits into memory is estimated; the fastest are simulated.
 *
 *     struct orrery_study *study = orrery_study_new();
 *     const struct orrery_inputs files = {.platform = "hgx_h100.yml", .workload =
 * "llama3_70b.yml"}; const struct orrery_layout_search search =
 * {ORRERY_SIZED(orrery_layout_search), .files = &files}; struct orrery_value seconds; if
 * (orrery_search_layouts(study, &search) == ORRERY_OK && orrery_study_result(study,
 * "best.simulated_ps", 0, &seconds) == ORRERY_OK) { ... } orrery_study_free(study); */
#ifndef ORRERY_LAYOUTS_H
#define ORRERY_LAYOUTS_H

#include <stdio.h>

#include "orrery/load.h"
#include "orrery/study.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Layouts that can be simulated at the most. */
enum { ORRERY_MAX_BEST_LAYOUTS = 1000, ORRERY_MAX_LAYOUT_CASES = 1000 };

struct orrery_layout_search {
    size_t size; /* ORRERY_SIZED(orrery_layout_search) */
    /* platform and generated model, with its batch; must stay for orrery_write_layout */
    const struct orrery_inputs *files;
    uint64_t memory_bytes;       /* of an NPU; 0: memory.local.capacity */
    uint32_t best;               /* layouts that are simulated; 0: 20 */
    uint32_t threads;            /* for simulations; 0: one for each processor */
    double tokens;               /* of the whole training; 0: not told */
    double dollars_per_gpu_hour; /* 0: not known */
    /* [axes] "npus=64,128,256", "batch=256:2048" (doubled), "platform=a,b", or a key of the files:
     * all layouts are searched at each combination of their values, a case */
    const char *const *axis;
    size_t axes;
    /* [wheres] limits, expressions of results of "best": "cost <= 5e6", "npus < 512" */
    const char *const *where;
    size_t wheres;
    const char *rank_by; /* an expression of them, less is better; NULL: the time of a token */
    /* [fronts] two or three such expressions: those that no other equals or beats in all are
     * simulated too */
    const char *const *front;
    size_t fronts;
    double dollars_per_kwh, watts_per_gpu; /* 0: not known */
};

/* Searches all layouts: tensor, context, expert and pipeline parallelism, chunks of the schedule,
 * micro-batches, ZeRO and recomputation; the order of ranks, overlap and all else are the
 * workload's. Results: a row of "search" (`estimates`, ...), rows of "best" (`layout`,
 * `estimated_ps`, `simulated_ps`, ...), the best first, of "cases" and of "limits". Forms: all; CSV
 * has the rows of "best". Errors: no generated transformer, no batch, what cannot be estimated, no
 * layout that fits (the one that needs least is told) or is within the limits (the nearest), axes
 * and expressions that cannot be read. O(cases x layouts), and the simulations. */
ORRERY_API enum orrery_status orrery_search_layouts(struct orrery_study *study,
                                                    const struct orrery_layout_search *search);

/* Writes a layout of "best", from 0: form "job" is a file of the whole job, as `orrery run
 * --explain`; "page" what a page shows of its run (orrery/page.h); "megatron", "deepspeed" and
 * "torchtitan" are the arguments that make the framework run so. The files of the search are read
 * again. Errors: no search before, an unknown form, a layout that the framework's file cannot say.
 */
ORRERY_API enum orrery_status orrery_write_layout(struct orrery_study *study, size_t index,
                                                  const char *form, FILE *out);

#ifdef __cplusplus
}
#endif

#endif
