/* The tables of results, and the rows that they are of. */
#ifndef ORR_REPORT_RESULTS_RESULTS_H
#define ORR_REPORT_RESULTS_RESULTS_H

#include "orrery/orrery.h"
#include "report/results/result.h"

/* ---- a job of traces ---- */

struct orr_job_row {
    const struct orrery *job;
    bool per_npu; /* a class for each NPU */
    int64_t wall_ps;
    uint32_t npus;
    uint64_t events;
    orrery_wide messages;
    struct orrery_rates rates;
};

/* Of a job that has run. */
struct orr_job_row orr_job_row(const struct orrery *job);

/* NPUs whose times are equal, or one of them. */
struct orr_npu_row {
    const struct orrery *job;
    uint32_t rank; /* the first */
    uint32_t members;
    const char *ranks; /* "0-511,1024" */
    struct orrery_times times;
};

struct orr_dim_row {
    unsigned dim; /* from 1 */
    struct orrery_dim_stats stats;
    double offered;     /* time of its ports or links, ps */
    double utilization; /* 0: not counted */
};

/* Of a dimension from 0 on; false when there is none. */
bool orr_dim_row(const struct orrery *job, unsigned dim, struct orr_dim_row *row);

enum { ORR_CHOICE_BYTES = 640 };

/* A row of the summary. */
struct orr_work_row {
    const struct orrery *job;
    struct orrery_summary_row of;
    const char *kind;
    int64_t mean_ps;                                        /* over the row's nodes */
    int64_t exposed_per_npu_ps, exposed_waiting_per_npu_ps; /* over the job's NPUs */
    uint64_t collectives;                                   /* COLLECTIVE: how many */
    double bus_bandwidth_bytes_per_s;
    char choice_text[ORR_CHOICE_BYTES]; /* COLLECTIVE: what they ran with; "": not known */
};

struct orr_path_step_row {
    struct orrery_path_step of;
    int64_t duration_ps;
};

/* How far the job's time may be off. */
struct orr_uncertainty_row {
    const struct orrery *job;
    struct orrery_uncertainty of;
};

enum { ORR_NODE_NAME_BYTES = 16 };

/* A link of a network that is a graph. */
struct orr_link_row {
    const char *from, *to;
    struct orrery_link of;
    double utilization;
    char name[2][ORR_NODE_NAME_BYTES]; /* room for names that are numbers */
};

/* The bytes of live tensors in a memory of an NPU, from a change on. */
struct orr_memory_row {
    uint32_t rank;
    const char *memory; /* "local", "remote" */
    struct orrery_memory_step step;
    bool peak, written; /* at the peak `node` writes a tensor */
    uint64_t node;
};

/* The index-th collective or other row of the summary; false behind the last. O(rows). */
bool orr_work_row(const struct orrery *job, bool collectives, size_t index,
                  struct orr_work_row *row);

/* False behind the last step. O(1). */
bool orr_path_step_row(const struct orrery *job, size_t index, struct orr_path_step_row *row);

extern const struct orr_result_table orr_job_results;        /* struct orr_job_row */
extern const struct orr_result_table orr_npu_results;        /* struct orr_npu_row */
extern const struct orr_result_table orr_dim_results;        /* struct orr_dim_row */
extern const struct orr_result_table orr_collective_results; /* struct orr_work_row */
extern const struct orr_result_table orr_operator_results;   /* struct orr_work_row */
extern const struct orr_result_table orr_path_part_results;  /* struct orrery_path_part */
extern const struct orr_result_table orr_path_step_results;  /* struct orr_path_step_row */

extern const struct orr_result_table orr_uncertainty_results; /* struct orr_uncertainty_row */
extern const struct orr_result_table orr_slope_results;       /* struct orrery_slope */

extern const struct orr_result_table orr_link_results;   /* struct orr_link_row */
extern const struct orr_result_table orr_memory_results; /* struct orr_memory_row */

/* The lists of a job's JSON; NULL where there is none. The row is a struct orr_job_row. */
struct json_t *orr_json_classes(const void *row);
struct json_t *orr_json_dims(const void *row);
struct json_t *orr_json_collectives(const void *row);
struct json_t *orr_json_operators(const void *row);
struct json_t *orr_json_path(const void *row);
struct json_t *orr_json_uncertainty(const void *row);
struct json_t *orr_json_config(const void *row);
struct json_t *orr_json_warnings(const void *row);

/* Of a struct orr_uncertainty_row. */
struct json_t *orr_json_slopes(const void *row);

#endif
