/* The cases of a search for layouts: machines, numbers of NPUs and batches, one for each
 * combination of the values of the axes. */
#ifndef ORR_STUDY_LAYOUTS_LAYOUT_CASES_H
#define ORR_STUDY_LAYOUTS_LAYOUT_CASES_H

#include "core/status.h"
#include "orrery/layouts.h"

struct orr_arena;
struct orr_diag;

struct orr_layout_case {
    const char *name;             /* "npus 64, batch 512"; "": there are no axes */
    struct orrery_inputs files;   /* with the values of the axes set */
    uint32_t npus;                /* all below: once it is loaded */
    uint64_t capacity_bytes;      /* 0: no limit */
    double samples, tokens;       /* of a step */
    double peak_s;                /* of a step's useful operations at the NPUs' peaks; 0: no peak */
    double dollars, watts;        /* of the network; < 0: not known */
    bool overlap, overlap_gather; /* of its training */
    uint64_t estimates, refused;  /* layouts that fit; that cannot be run */
    uint64_t too_large;           /* layouts that need more memory */
};

/* The cases of a search, in the arena; without axes the files' own. Errors: an axis without values,
 * a range that is none, more cases than ORRERY_MAX_LAYOUT_CASES, memory. */
enum orr_status orr_layout_cases_read(struct orr_arena *arena,
                                      const struct orrery_layout_search *search,
                                      struct orr_layout_case **cases, uint32_t *count,
                                      struct orr_diag *diag);

/* Loads a case with values set in addition, or, with none, in any layout that can be run: the
 * files' own may not go with their batch on these NPUs. NULL: *diag has the error. */
struct orrery *orr_layout_case_load(const struct orr_layout_case *of, struct orr_diag *diag);
enum orrery_status orr_layout_case_load_with(const struct orr_layout_case *of,
                                             const char *const *set, size_t sets,
                                             struct orrery *job);

/* Describes a case by its loaded job. memory_bytes 0: memory.local.capacity. */
void orr_layout_case_describe(const struct orrery *job, uint64_t memory_bytes,
                              struct orr_layout_case *of);

#endif
