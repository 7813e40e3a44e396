/* Task graphs as FlexNet's FlatBuffers, which its packet simulator reads. */
#ifndef ORR_ET_CONVERTER_FLEXFLOW_FLEXFLOW_WRITE_H
#define ORR_ET_CONVERTER_FLEXFLOW_FLEXFLOW_WRITE_H

#include "workload/workload.h"

/* Writes the plain graph of `graph` with a network of one switch, each of whose links to a server
 * has this bandwidth (bytes/s, 0: not said), and its routes. *inexact becomes how many times had to
 * be rounded: files have milliseconds as floats. Names, the order and passes of transfers are lost.
 * Errors: what the format has no form for (ends of transfers as tasks of their own, tasks that wait
 * for an all-reduce); more than its 2 GiB; the file cannot be written. O(tasks log tasks +
 * dependencies + members + servers^2). */
enum orr_status orr_flexflow_write(const struct tg_graph *graph, double link_bytes_per_s,
                                   const char *path, uint64_t *inexact, struct orr_diag *diag);

#endif
