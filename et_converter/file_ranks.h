/* Ranks of input files, from their names. */
#ifndef ORR_ET_CONVERTER_FILE_RANKS_H
#define ORR_ET_CONVERTER_FILE_RANKS_H

#include "et_converter/converter.h"

/* Reads the rank from a name such as "FOLDER/NAME.7.et" or "NAME.7.json.gz": the last but one of
 * the dot-separated parts, ".gz" not counted. False if it is no rank. */
bool orr_convert_rank_of_name(const char *path, uint32_t *rank);

/* Reads the rank of a profile from "rank3", "rank_3" or "rank-3" in a file's name, or from
 * "NAME.3.json". Names of the profiler itself, "HOST_PID.TIME.pt.trace.json", have none. */
bool orr_profile_rank_of_name(const char *path, uint32_t *rank);

/* Fills rank[job->file_count] from the names of the files if all have a rank, else with 0, 1, ...
 * in their order. Two files of one rank are an error; missing ranks are reported as a note. O(files
 * + largest rank). */
enum orr_status orr_convert_ranks_of_files(const struct conv_job *job, uint32_t *rank,
                                           struct conv_report *report, struct orr_diag *diag);

#endif
