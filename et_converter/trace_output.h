/* Output files of a converter: the traces PREFIX.<rank>.et (.et.gz), and the communicator groups
 * that they name in PREFIX.groups.json, {"1": [0, 1], ...}, the format of ASTRA-sim. */
#ifndef ORR_ET_CONVERTER_TRACE_OUTPUT_H
#define ORR_ET_CONVERTER_TRACE_OUTPUT_H

#include <stdbool.h>
#include <stdint.h>

#include "core/status.h"

struct orr_arena;
struct orr_diag;
struct orr_et_writer;
struct orr_trace;

struct conv_output;

/* Creates an output; writes nothing yet. The prefix is copied. A prefix NAME.et names the file of
 * the only rank, and its groups go to NAME.groups.json. */
enum orr_status orr_convert_output_create(struct conv_output **out, const char *prefix, bool gzip,
                                          struct orr_diag *diag);

/* Writes the trace to the files of ranks first .. first + count - 1, the same bytes to each.
 * O(nodes + edges + count x bytes). */
enum orr_status orr_convert_output_trace(struct conv_output *output, uint32_t first, uint32_t count,
                                         const struct orr_trace *trace, struct orr_diag *diag);

/* Opens a writer to the file of a rank, for a converter that writes node by node; the caller
 * finishes and destroys it. Ranks may be written in any order, and several at a time. */
enum orr_status orr_convert_output_open(struct conv_output *output, uint32_t rank,
                                        struct orr_et_writer **writer, struct orr_diag *diag);

/* The name of the group of these ranks, for a node's `group`: a number from 1 as text, the same for
 * the same ranks in the same order, owned by the output. Expected O(count). */
enum orr_status orr_convert_output_group(struct conv_output *output, const uint32_t *ranks,
                                         uint32_t count, const char **name, struct orr_diag *diag);

/* Number of groups, and the ranks of one by index (its name is index + 1). */
uint32_t orr_convert_output_groups(const struct conv_output *output);
const uint32_t *orr_convert_output_group_ranks(const struct conv_output *output, uint32_t index,
                                               uint32_t *count);

/* Path of a rank's file and of the groups' file for a prefix, by the rules of conv_output; in the
 * arena, NULL if out of memory. */
const char *orr_convert_path_of_rank(struct orr_arena *arena, const char *prefix, bool gzip,
                                     uint32_t rank);
const char *orr_convert_path_of_groups(struct orr_arena *arena, const char *prefix);

/* Writes PREFIX.groups.json; call it last. */
enum orr_status orr_convert_output_finish(struct conv_output *output, struct orr_diag *diag);

/* Destroys an output; NULL is fine. */
void orr_convert_output_destroy(struct conv_output *output);

#endif
