/* Grouping rows into tables. */
#ifndef ORR_STUDY_MEASURED_MEASURED_TABLES_H
#define ORR_STUDY_MEASURED_MEASURED_TABLES_H

#include "study/measured/measured_build.h"

/* Groups the rows into tables, sets `out`, and warns of repeated measurements that differ by more
 * than a factor of 2. Errors: memory. O(rows log rows). */
enum orr_status orr_measured_tables(struct orr_measured_build *build, struct orr_measured *out);

#endif
