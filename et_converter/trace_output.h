/* Where a converter's traces go: PREFIX.<rank>.et (.et.gz), and the communicator groups that they
 * name in PREFIX.groups.json, {"1": [0, 1], ...} as ASTRA-sim has them. */
#ifndef ORR_ET_CONVERTER_TRACE_OUTPUT_H
#define ORR_ET_CONVERTER_TRACE_OUTPUT_H

#include "workload/workload.h"

struct conv_output;

/* The prefix is copied; one that ends in .et names the file of the only rank, NAME.et, and goes
 * with NAME.groups.json. Nothing is written yet. */
enum orr_status orr_convert_output_create(struct conv_output **out, const char *prefix, bool gzip,
                                          struct orr_diag *diag);

/* Writes the trace to the files of ranks first .. first + count - 1, the same bytes to each. */
enum orr_status orr_convert_output_trace(struct conv_output *output, uint32_t first, uint32_t count,
                                         const struct orr_trace *trace, struct orr_diag *diag);

/* A writer to the file of a rank, for a converter that writes node by node; the caller finishes
 * and destroys it. Ranks may be written in any order, and several at a time. */
enum orr_status orr_convert_output_open(struct conv_output *output, uint32_t rank,
                                        struct orr_et_writer **writer, struct orr_diag *diag);

/* The name of the group of these ranks, for a node's `group`: a number from 1 as text, the same for
 * the same ranks in the same order, owned by the output. O(count) as a rule. */
enum orr_status orr_convert_output_group(struct conv_output *output, const uint32_t *ranks,
                                         uint32_t count, const char **name, struct orr_diag *diag);

/* Groups so far, and the ranks of one by index (its name is index + 1). */
uint32_t orr_convert_output_groups(const struct conv_output *output);
const uint32_t *orr_convert_output_group_ranks(const struct conv_output *output, uint32_t index,
                                               uint32_t *count);

/* The file of a rank for a prefix, and that of the groups, as conv_output has them; in the arena,
 * NULL when memory is out. */
const char *orr_convert_path_of_rank(struct orr_arena *arena, const char *prefix, bool gzip,
                                     uint32_t rank);
const char *orr_convert_path_of_groups(struct orr_arena *arena, const char *prefix);

/* Writes PREFIX.groups.json, at the end. */
enum orr_status orr_convert_output_finish(struct conv_output *output, struct orr_diag *diag);

/* NULL is fine. */
void orr_convert_output_destroy(struct conv_output *output);

#endif
