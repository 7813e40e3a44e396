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

#include "orrery/load.h"
#include "orrery/study.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Layouts that can be simulated at the most. */
enum { ORRERY_MAX_BEST_LAYOUTS = 1000 };

struct orrery_layout_search {
    size_t size;                       /* ORRERY_SIZED(orrery_layout_search) */
    const struct orrery_inputs *files; /* platform and generated model, with its batch */
    uint64_t memory_bytes;             /* of an NPU; 0: memory.local.capacity */
    uint32_t best;                     /* layouts that are simulated; 0: 20 */
    uint32_t threads;                  /* for simulations; 0: one for each processor */
    double tokens;                     /* of the whole training; 0: not told */
    double dollars_per_gpu_hour;       /* 0: not known */
};

/* Searches all layouts: tensor, context, expert and pipeline parallelism, chunks of the schedule,
 * micro-batches, ZeRO and recomputation; the order of ranks, overlap and all else are the
 * workload's. Results: a row of "search" (`estimates`, ...), rows of "best" (`layout`,
 * `estimated_ps`, `simulated_ps`, ...), fastest first. Forms: all; CSV has the rows of "best".
 * Errors: no generated transformer, no batch, what cannot be estimated, no layout that fits (the
 * one that needs least is told). O(layouts), and the simulations. */
ORRERY_API enum orrery_status orrery_search_layouts(struct orrery_study *study,
                                                    const struct orrery_layout_search *search);

#ifdef __cplusplus
}
#endif

#endif
