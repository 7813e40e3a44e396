/* Points of a sweep as a table, whose columns are as wide as what they hold. */
#ifndef ORR_STUDY_RANKING_SWEEP_TABLE_H
#define ORR_STUDY_RANKING_SWEEP_TABLE_H

#include "study/ranking/sweep_quantity.h"

enum { ORR_SWEEP_TABLE_COLUMNS = 128, ORR_SWEEP_TABLE_WIDTH = 100 };

struct orr_sweep_table {
    struct orr_sweep_quantity column[ORR_SWEEP_TABLE_COLUMNS];
    size_t count;
    bool chosen; /* by whoever asked; else columns that say nothing, or do not fit, are left out */
};

/* The usual columns: the point, time, cost, with `both` their product, MFU, memory, waiting,
 * communication, and the axes that have several values. */
void orr_sweep_default_columns(const struct orr_sweep *sweep, bool both,
                               struct orr_sweep_table *table);

/* Those of a list of names with commas between them. Errors: as of orr_sweep_find_quantity; more
 * than there is room for. */
enum orr_status orr_sweep_choose_columns(const struct orr_sweep *sweep, const char *names,
                                         struct orr_sweep_table *table, struct orr_diag *diag);

/* Prints rows under their heads. Of the usual columns results that none of the rows has, or that
 * are 0 in all, are left out, and as many others, the last ones first, as keep lines within
 * ORR_SWEEP_TABLE_WIDTH; axes stay. Reads each point's line twice. Errors: lines that cannot be
 * read. */
enum orr_status orr_sweep_print_table(FILE *out, struct orr_sweep_store *store,
                                      const struct orr_sweep_table *table,
                                      const struct orr_sweep_entry *entry, uint32_t count,
                                      struct orr_diag *diag);

#endif
