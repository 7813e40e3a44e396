/* The results of a change of a job. */
#ifndef ORR_STUDY_WHATIF_RESULTS_H
#define ORR_STUDY_WHATIF_RESULTS_H

#include "study/whatif.h"

struct orr_whatif_row {
    const char *name;
    bool bound;
    int64_t wall_ps, saved_ps, communication_ps, waiting_ps;
    double saved_percent, speedup; /* speedup 0: the time is 0 */
};

/* Fills the row of a change. */
struct orr_whatif_row orr_whatif_row(const struct orr_whatif *whatif,
                                     const struct orr_whatif_change *change);

extern const struct orr_result_table orr_whatif_results; /* struct orr_whatif_row */

#endif
