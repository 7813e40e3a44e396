/* All tables of results, and what can be asked for by name. */
#ifndef ORR_STUDY_RESULT_TABLES_H
#define ORR_STUDY_RESULT_TABLES_H

#include "report/report.h"

/* The index-th table, in the order of the reference; NULL behind the last. */
const struct orr_result_table *orr_result_table_at(size_t index);

#endif
