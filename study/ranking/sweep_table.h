/* Table of points with columns as wide as their content. */
#ifndef ORR_STUDY_RANKING_SWEEP_TABLE_H
#define ORR_STUDY_RANKING_SWEEP_TABLE_H

#include "study/ranking/sweep_quantity.h"

enum { ORR_SWEEP_TABLE_COLUMNS = 128, ORR_SWEEP_TABLE_WIDTH = 100 };

struct orr_sweep_table {
    struct orr_sweep_quantity column[ORR_SWEEP_TABLE_COLUMNS];
    size_t count;
    bool chosen; /* columns were chosen by the user; else columns without values, or that do not
                    fit, are omitted */
};

/* The default columns: point, time, cost, with `both` their product, axes of the front and the
 * ranking, MFU, memory, waiting,
 * communication, and the axes with several values. */
void orr_sweep_default_columns(const struct orr_sweep *sweep, bool both,
                               struct orr_sweep_table *table);

/* The columns of a comma-separated list of names. Errors: as of orr_sweep_find_quantity; too many
 * columns. */
enum orr_status orr_sweep_choose_columns(const struct orr_sweep *sweep, const char *names,
                                         struct orr_sweep_table *table, struct orr_diag *diag);

/* Prints rows under column heads. Of the default columns, results that are missing or 0 in all rows
 * are omitted, and as many others, from the last on, as keep lines within ORR_SWEEP_TABLE_WIDTH;
 * axes stay. Reads each point's line twice. Errors: lines that cannot be read. */
enum orr_status orr_sweep_print_table(FILE *out, struct orr_sweep_store *store,
                                      const struct orr_sweep_table *table,
                                      const struct orr_sweep_entry *entry, uint32_t count,
                                      struct orr_diag *diag);

#endif
