/* Schedules of the user's own: a CSV table of stages x slots, a line for each device, a cell for
 * each slot, empty where the device does nothing. */
#ifndef ORR_WORKLOAD_SCHEDULE_SCHEDULE_TABLE_H
#define ORR_WORKLOAD_SCHEDULE_SCHEDULE_TABLE_H

#include <stdio.h>

#include "workload/schedule/pipeline_schedule.h"

/* Reads a table. A cell is F3, B3, W3 or X3 (micro-batch 3: forward, backward of inputs, of
 * weights, whole backward; B is the whole one in a table without W), F3.1 on the device's second
 * part, or as PyTorch writes it, 5F3, 5I3, 5W3, 5B3: part 5 of the model; I is of inputs, B the
 * whole one. Two passes at once: F3.0&X1.1 or (0F3;7B1)OVERLAP_F_B. A first line that begins with
 * "device" or "stage" is a heading, and then the first cell of each line is the device. The
 * schedule lies in the arena. Errors name line and cell: what a cell is not, a pass twice, a pass
 * that is missing, a part on two devices, slots that wait for each other (orr_schedule_run).
 * O(cells). */
enum orr_status orr_schedule_table_read(const char *path, struct orr_arena *arena,
                                        struct orr_schedule *schedule, struct orr_diag *diag);

/* The same of a text; `name` stands for the file in messages. */
enum orr_status orr_schedule_table_parse(const char *name, const char *text,
                                         struct orr_arena *arena, struct orr_schedule *schedule,
                                         struct orr_diag *diag);

/* Writes the table: F3 where devices have one part, else as PyTorch writes it. */
void orr_schedule_table_write(FILE *out, const struct orr_schedule *schedule);

#endif
