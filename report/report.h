/* The public header of report/: results as tables, JSON, CSV, timelines and heatmaps. */
#ifndef ORR_REPORT_REPORT_H
#define ORR_REPORT_REPORT_H

#include "report/basis_note.h"
#include "report/convert_report.h"
#include "report/demand_report.h"
#include "report/details/details.h"
#include "report/inputs_report.h"
#include "report/jobs_compare.h"
#include "report/jobs_report.h"
#include "report/json_text.h"
#include "report/model_description.h"
#include "report/network_use.h"
#include "report/page/page.h"
#include "report/queue_report.h"
#include "report/report_model.h"
#include "report/results/cluster_results.h"
#include "report/results/fit_results.h"
#include "report/results/queue_results.h"
#include "report/results/result_rows.h"
#include "report/results/results.h"
#include "report/run_report.h"
#include "report/table_text.h"
#include "report/taskgraph/taskgraph_report.h"
#include "report/taskgraph/taskgraph_text.h"
#include "report/timeline/timeline.h"
#include "report/topology/topology_report.h"
#include "report/trace/trace_report.h"

#endif
