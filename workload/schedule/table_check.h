/* The cells of a table, and the schedule that they make. (schedule_table.c) */
#ifndef ORR_WORKLOAD_SCHEDULE_TABLE_CHECK_H
#define ORR_WORKLOAD_SCHEDULE_TABLE_CHECK_H

#include "workload/schedule/pipeline_schedule.h"

struct orr_table_pass {
    enum orr_pass_kind kind;
    uint32_t part; /* of the model if has_part, else the device's chunk */
    uint32_t micro;
    bool has_part;
};

struct orr_table_cell {
    struct orr_table_pass pass[2];
    uint8_t passes;
    unsigned line, column; /* the column counts cells */
};

struct orr_table {
    const char *name; /* of the file */
    const struct orr_table_cell *cell;
    const size_t *begin; /* [devices + 1] cells of a device */
    uint32_t devices;
};

/* Makes the schedule of a table in the arena. A micro-batch passes the parts from the first to the
 * last one that have a forward pass of it; micro-batches of other parts belong to another copy of
 * the model. Errors: see orr_schedule_table_parse. O(cells + parts x micro-batches). */
enum orr_status orr_table_to_schedule(const struct orr_table *table, struct orr_arena *arena,
                                      struct orr_schedule *schedule, struct orr_diag *diag);

#endif
