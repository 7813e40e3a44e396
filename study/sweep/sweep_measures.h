/* Expressions of results: constraints on them, the axes of the front, the ranking. They are
 * evaluated as results come or are read again: changing them runs no point again. */
#ifndef ORR_STUDY_SWEEP_SWEEP_MEASURES_H
#define ORR_STUDY_SWEEP_SWEEP_MEASURES_H

#include <stdbool.h>
#include <stddef.h>

struct orr_sweep;
struct orr_sweep_reader;
struct orr_sweep_result;

struct orr_sweep_measures {
    double *value;                   /* [points x orr_sweep_measure_count], less is better; NAN:
                                        none; NULL: there are no expressions */
    struct orr_sweep_reader *reader; /* of configurations that they need, or NULL */
};

/* The axes of the front, then the ranking. */
size_t orr_sweep_measure_count(const struct orr_sweep *sweep);

/* False: no memory. */
bool orr_sweep_measures_init(struct orr_sweep_measures *measures, const struct orr_sweep *sweep);
/* NULL is fine. */
void orr_sweep_measures_fini(struct orr_sweep_measures *measures);

/* Evaluates the expressions of a point that ran. Sets result->excluded if it fulfils a constraint
 * not, or it cannot be told. */
void orr_sweep_measure(struct orr_sweep_measures *measures, const struct orr_sweep *sweep,
                       struct orr_sweep_result *result);

#endif
