/* Writer of task graphs as FlatBuffers for FlexNet's packet simulator. */
#ifndef ORR_ET_CONVERTER_FLEXFLOW_FLEXFLOW_WRITE_H
#define ORR_ET_CONVERTER_FLEXFLOW_FLEXFLOW_WRITE_H

#include <stdint.h>

#include "core/status.h"

struct orr_diag;
struct tg_graph;

/* Writes `graph`, expanded, with a network of one switch and its routes. `link_bytes_per_s`:
 * bandwidth of each link to a server (0: not given). *inexact: number of times that were rounded,
 * because files have milliseconds as floats. Names, order and passes of transfers are lost. Errors:
 * what the format cannot express (ends of transfers as separate tasks, tasks that wait for an
 * all-reduce); more than its 2 GiB; the file cannot be written. O(tasks log tasks + dependencies +
 * members + servers^2). */
enum orr_status orr_flexflow_write(const struct tg_graph *graph, double link_bytes_per_s,
                                   const char *path, uint64_t *inexact, struct orr_diag *diag);

#endif
