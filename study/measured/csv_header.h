/* The header of a measured table as CSV: the position of each column. */
#ifndef ORR_STUDY_MEASURED_CSV_HEADER_H
#define ORR_STUDY_MEASURED_CSV_HEADER_H

#include "study/measured/csv_records.h"
#include "study/measured/measured_build.h"

enum csv_known { CSV_COLLECTIVE, CSV_NPUS, CSV_NPUS_PER_NODE, CSV_BYTES, CSV_TIME_US, CSV_KNOWN };

/* Columns in place of bytes and time_us, and that which tells a bench of Orrery, which has a row
 * for each algorithm. */
enum csv_other { CSV_BYTES_PER_RANK, CSV_BYTES_TOTAL, CSV_TIME_PS, CSV_SCHEDULER, CSV_OTHER };

struct csv_header {
    size_t fields;
    size_t known_field[CSV_KNOWN];            /* field; SIZE_MAX: none, the inputs set it */
    size_t other_field[CSV_OTHER];            /* field; SIZE_MAX: none */
    size_t further[ORR_MEASURED_MAX_COLUMNS]; /* field */
    size_t column[ORR_MEASURED_MAX_COLUMNS];  /* its index among the columns of all files */
    size_t furthers;
};

/* Reads the first record as the header. Further columns are added to those of the build. Errors: no
 * header, a column that is missing or occurs twice, too many columns. */
enum orr_status orr_csv_header(struct orr_measured_build *build, const struct csv_reader *csv,
                               struct csv_header *out);

extern const char *const orr_csv_known[CSV_KNOWN];
extern const char *const orr_csv_other[CSV_OTHER];

#endif
