/* The handle of a trace for programs. Private to this folder. */
#ifndef ORR_REPORT_TRACE_TRACE_PRIVATE_H
#define ORR_REPORT_TRACE_TRACE_PRIVATE_H

#include "orrery/trace.h"
#include "sim/api_object.h"

struct orr_diag;
struct orr_trace;

struct orrery_trace {
    struct orr_object object;
    const struct orr_trace *trace; /* NULL: none was read */
};

/* Fails if there is no handle, or no trace was read. */
enum orr_status orr_trace_check_read(const struct orrery_trace *trace, struct orr_diag *diag);

/* Fails if `path` is NULL. */
enum orr_status orr_trace_check_path(const char *path, const char *what, struct orr_diag *diag);

/* Number of rows to show; 0 stands for all. */
static inline uint32_t orr_rows_of(uint32_t rows)
{
    return rows == 0 ? UINT32_MAX : rows;
}

#endif
