/* The header of a measured table as CSV: which column is where. */
#ifndef ORR_STUDY_MEASURED_CSV_HEADER_H
#define ORR_STUDY_MEASURED_CSV_HEADER_H

#include "study/measured/csv_records.h"
#include "study/measured/measured_build.h"

enum csv_known { CSV_COLLECTIVE, CSV_NPUS, CSV_NPUS_PER_NODE, CSV_BYTES, CSV_TIME_US, CSV_KNOWN };

struct csv_header {
    size_t fields;
    size_t known_field[CSV_KNOWN]; /* which field; SIZE_MAX: none, and the inputs say it */
    size_t further[ORR_MEASURED_MAX_COLUMNS]; /* which field */
    size_t column[ORR_MEASURED_MAX_COLUMNS];  /* and which column of all files that is */
    size_t furthers;
};

/* Takes the first record for the header. Further columns are added to those of the build. Errors:
 * no header, a column that is missing or there twice, too many. */
enum orr_status orr_csv_header(struct orr_measured_build *build, const struct csv_reader *csv,
                               struct csv_header *out);

extern const char *const orr_csv_known[CSV_KNOWN];

#endif
