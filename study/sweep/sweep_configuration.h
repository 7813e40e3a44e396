/* What expressions need of the configurations of points. */
#ifndef ORR_STUDY_SWEEP_SWEEP_CONFIGURATION_H
#define ORR_STUDY_SWEEP_SWEEP_CONFIGURATION_H

#include <stdbool.h>

struct orr_sweep;
struct orr_sweep_scope;

/* Reads configurations point by point; the files of the last one are kept. */
struct orr_sweep_reader;

/* `prices`: those of networks are needed. NULL: no memory. */
struct orr_sweep_reader *orr_sweep_reader_create(const struct orr_sweep *sweep, bool prices);
void orr_sweep_reader_destroy(struct orr_sweep_reader *reader);

/* Fills in NPUs, prices and keys of scope->candidate, which live until the next call. False: its
 * configuration cannot be read, and the point fails with the reason when it runs. */
bool orr_sweep_reader_fill(struct orr_sweep_reader *reader, struct orr_sweep_scope *scope);

#endif
