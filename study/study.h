/* The public header of study/: many runs, and what they say together. */
#ifndef ORR_STUDY_STUDY_H
#define ORR_STUDY_STUDY_H

#include "study/bench_report.h"
#include "study/bench_results.h"
#include "study/cluster/queue_run.h"
#include "study/collective_bench.h"
#include "study/diff.h"
#include "study/diff_report.h"
#include "study/diff_results.h"
#include "study/failures/failures.h"
#include "study/failures/failures_report.h"
#include "study/failures/failures_results.h"
#include "study/job_slowdown.h"
#include "study/job_ways.h"
#include "study/measured/measured.h"
#include "study/measured_bench.h"
#include "study/measured_report.h"
#include "study/parallel.h"
#include "study/result_places.h"
#include "study/schema/schema_json.h"
#include "study/sweep/sweep.h"
#include "study/sweep/sweep_columns.h"
#include "study/sweep/sweep_complete.h"
#include "study/sweep/sweep_pool.h"
#include "study/sweep/sweep_rank.h"
#include "study/sweep/sweep_ranks.h"
#include "study/sweep/sweep_report.h"
#include "study/whatif.h"
#include "study/whatif_report.h"
#include "study/whatif_results.h"

#endif
