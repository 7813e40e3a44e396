/* All tables of results. */
#ifndef ORR_STUDY_RESULT_TABLES_H
#define ORR_STUDY_RESULT_TABLES_H

#include <stddef.h>

struct orr_result_table;

/* The index-th table, in the order of the reference; NULL after the last one. */
const struct orr_result_table *orr_result_table_at(size_t index);

#endif
