/* Files of traces as bytes in memory. */
#ifndef ORR_WORKLOAD_ET_ET_STREAM_H
#define ORR_WORKLOAD_ET_ET_STREAM_H

#include "core/core.h"

struct et_bytes {
    unsigned char *data; /* orr_heap_free */
    size_t count;
};

/* 128 bits over the bytes: files with equal size and hash are taken to be equal. */
struct et_hash {
    uint64_t low, high;
};

/* Reads a whole file as it is. */
enum orr_status et_read_raw(const char *path, struct et_bytes *out, struct orr_diag *diag);

/* Uncompresses gzip data; other data are left alone. `raw` is freed or becomes `out`. */
enum orr_status et_inflate(const char *path, struct et_bytes raw, struct et_bytes *out,
                           struct orr_diag *diag);

struct et_hash et_hash_bytes(const struct et_bytes *bytes);

#endif
