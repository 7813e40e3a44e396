/* The handle of a trace for programs. Private to the room. */
#ifndef ORR_REPORT_TRACE_TRACE_PRIVATE_H
#define ORR_REPORT_TRACE_TRACE_PRIVATE_H

#include "orrery/trace.h"
#include "sim/sim.h"
#include "workload/workload.h"

struct orrery_trace {
    struct orr_object object;
    const struct orr_trace *trace; /* NULL: none was read */
};

/* Fails when there is none, or nothing was read. */
enum orr_status orr_trace_check_read(const struct orrery_trace *trace, struct orr_diag *diag);

/* Fails where a text is NULL. */
enum orr_status orr_trace_check_path(const char *path, const char *what, struct orr_diag *diag);

/* 0 rows are all. */
static inline uint32_t orr_rows_of(uint32_t rows)
{
    return rows == 0 ? UINT32_MAX : rows;
}

#endif
