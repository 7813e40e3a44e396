/* Which rank each of several files is of. */
#ifndef ORR_ET_CONVERTER_FILE_RANKS_H
#define ORR_ET_CONVERTER_FILE_RANKS_H

#include "et_converter/converter.h"

/* The number in "FOLDER/NAME.7.et", "NAME.7.json.gz" and the like: the last but one of the parts
 * between dots, without a ".gz"; false when there is none. */
bool orr_convert_rank_of_name(const char *path, uint32_t *rank);

/* Fills rank[job->file_count]: from the files' names when all have a rank, else 0, 1, ... in their
 * order. A rank that two files have is an error; ranks missing in between are noted. */
enum orr_status orr_convert_ranks_of_files(const struct conv_job *job, uint32_t *rank,
                                           struct conv_report *report, struct orr_diag *diag);

#endif
