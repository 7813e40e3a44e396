/* Output of a trace writer: a file or memory, compressed or not. */
#ifndef ORR_WORKLOAD_TRACE_ET_ET_SINK_H
#define ORR_WORKLOAD_TRACE_ET_ET_SINK_H

#include <stdbool.h>
#include <stdio.h>
#include <zlib.h>

#include "core/status.h"
#include "core/whole_file.h"

struct orr_diag;

struct et_sink {
    const char *path;            /* borrowed; for reports */
    struct orr_whole_file whole; /* .file is NULL: memory, or finished */
    unsigned char *memory;
    size_t count, capacity;
    bool gzip;
    z_stream z;
    unsigned char *chunk; /* buffer of compressed bytes, gzip only */
};

/* Opens PATH, or memory when it is NULL. Close it after errors too. */
enum orr_status orr_et_sink_open(struct et_sink *sink, const char *path, bool gzip,
                                 struct orr_diag *diag);
enum orr_status orr_et_sink_write(struct et_sink *sink, const void *data, size_t count,
                                  struct orr_diag *diag);

/* Flushes the file and gives it its name; without it, it is not there. */
enum orr_status orr_et_sink_finish(struct et_sink *sink, struct orr_diag *diag);

/* Frees everything, including the memory buffer. */
void orr_et_sink_close(struct et_sink *sink);

#endif
