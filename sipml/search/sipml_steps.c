/* Steps to accuracy: see sipml_steps.h. */
#include "sipml/search/sipml_steps.h"

#include <math.h>

bool orr_sipml_steps_reach(const struct sipml_steps *steps, uint64_t batch)
{
    return steps->rows == 0 ||
           (batch >= steps->row[0].batch && batch <= steps->row[steps->rows - 1].batch);
}

static double interpolate(const struct sipml_steps_row *low, const struct sipml_steps_row *high,
                          uint64_t batch)
{
    if (batch == high->batch) {
        return high->steps;
    }
    const double share =
        log((double)batch / (double)low->batch) / log((double)high->batch / (double)low->batch);
    return low->steps * pow(high->steps / low->steps, share);
}

double orr_sipml_steps(const struct sipml_steps *steps, uint64_t batch)
{
    if (!sipml_steps_known(steps)) {
        return 1 / (double)batch;
    }
    if (steps->rows == 0) {
        return steps->count / (1 + steps->critical / steps->at) *
               (1 + steps->critical / (double)batch);
    }
    for (uint32_t i = 0; i < steps->rows && orr_sipml_steps_reach(steps, batch); i++) {
        if (batch <= steps->row[i].batch) {
            return interpolate(&steps->row[i > 0 ? i - 1 : 0], &steps->row[i], batch);
        }
    }
    return 0;
}
