/* The tables of results of a comparison. */
#ifndef ORR_STUDY_DIFF_RESULTS_H
#define ORR_STUDY_DIFF_RESULTS_H

#include "study/diff.h"

extern const struct orr_result_table orr_diff_run_results;     /* struct orr_diff */
extern const struct orr_result_table orr_diff_results;         /* struct orr_diff_row */
extern const struct orr_result_table orr_diff_setting_results; /* struct orr_diff_setting */

#endif
