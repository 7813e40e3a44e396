/* Steps to accuracy: how many steps training takes at a batch (SiP-ML, SIGCOMM'21, section 4.1,
 * "time to accuracy"). docs/models.md, section 15. */
#ifndef ORR_SIPML_SEARCH_SIPML_STEPS_H
#define ORR_SIPML_SEARCH_SIPML_STEPS_H

#include <stdbool.h>
#include <stdint.h>

struct sipml_steps_row {
    uint64_t batch;
    double steps; /* > 0 */
};

/* A table, or the curve S (1 + critical / b) through `count` steps at the batch `at`. With neither
 * (all 0) epochs count: a step of b samples is worth 1 / b. */
struct sipml_steps {
    double count, at, critical;
    const struct sipml_steps_row *row; /* [rows] by rising batch */
    uint32_t rows;
};

static inline bool sipml_steps_known(const struct sipml_steps *steps)
{
    return steps->rows != 0 || steps->count > 0;
}

/* Whether the steps at a batch are known: false outside of the table. */
bool orr_sipml_steps_reach(const struct sipml_steps *steps, uint64_t batch);

/* Steps at a batch (> 0). Between two rows of a table the logarithms of both are interpolated, so
 * that steps proportional to 1 / b are exact. 0: outside of the table. O(rows). */
double orr_sipml_steps(const struct sipml_steps *steps, uint64_t batch);

#endif
