/* The columns of a table of nccl-tests: from its header, because versions differ, or from a row
 * where the header is missing. `root` is newer than 2021; the last column of a half is #wrong or
 * `error`; -C has `cputime` for `time`; -I adds columns to each half; -S adds a date and a time at
 * the end. A half is out of place or in place; a single half counts. (NVIDIA/nccl-tests
 * src/util.cu, 2.19.) */
#ifndef ORR_STUDY_MEASURED_NCCL_COLUMNS_H
#define ORR_STUDY_MEASURED_NCCL_COLUMNS_H

#include "study/measured/nccl_line.h"

struct nccl_columns {
    size_t texts; /* columns of one word between size, count and the results, type first */
    bool redop;   /* redop is among them; its values may be blank */
    size_t halves, per_half; /* of results */
    size_t algbw, busbw;     /* position in a half, where time is 0 */
    size_t wrong;            /* SIZE_MAX: missing */
    bool error;              /* it is an error, in the old form */
    bool cpu, stamps;
    bool known;
};

/* The columns of a header whose first word is at `first`; false: it is another. */
bool orr_nccl_columns_of(const struct nccl_line *line, size_t first, struct nccl_columns *out);

/* The columns of a row without a header: size, count, type, redop and root (or neither), and once
 * or twice time, algbw, busbw, wrong. False: the row has another number of words. */
bool orr_nccl_columns_by_row(const struct nccl_line *line, size_t first, struct nccl_columns *out);

/* Words of a row without its date and time. */
size_t orr_nccl_row_words(const struct nccl_line *line, const struct nccl_columns *columns);

#endif
