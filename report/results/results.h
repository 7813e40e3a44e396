/* The tables of results, and their rows. */
#ifndef ORR_REPORT_RESULTS_RESULTS_H
#define ORR_REPORT_RESULTS_RESULTS_H

#include "orrery/orrery.h"
#include "report/results/result.h"

/* ---- a job of traces ---- */

struct orr_job_row {
    const struct orrery *job;
    bool per_npu; /* a class of its own for each NPU */
    int64_t wall_ps;
    uint32_t npus;
    uint64_t events;
    orrery_wide messages;
    struct orrery_rates rates;
};

/* Of a job that has run. */
struct orr_job_row orr_job_row(const struct orrery *job);

/* NPUs with equal times, or one of them. */
struct orr_npu_row {
    const struct orrery *job;
    uint32_t rank; /* the first */
    uint32_t members;
    const char *ranks; /* "0-511,1024" */
    struct orrery_times times;
};

/* The GPU's view of NPUs with work of the CPU, else no value: whether NPU 0 has one; values of a
 * struct orr_npu_row; an object for JSON. (gpu_results.c) */
bool orr_has_gpu_times(const struct orrery *job);
struct orr_value orr_gpu_compute(const void *row);
struct orr_value orr_gpu_communication(const void *row);
struct orr_value orr_gpu_exposed(const void *row);
struct orr_value orr_gpu_copies(const void *row);
struct orr_value orr_gpu_idle(const void *row);
struct json_t *orr_json_gpu(const void *row);

struct orr_dim_row {
    unsigned dim; /* from 1 */
    struct orrery_dim_stats stats;
    double offered;     /* time of its ports or links, in ps */
    double utilization; /* 0: not counted */
};

/* Fills the row of a dimension, from 0; false: no such dimension. */
bool orr_dim_row(const struct orrery *job, unsigned dim, struct orr_dim_row *row);

enum { ORR_CHOICE_BYTES = 640 };

/* A row of the summary. */
struct orr_work_row {
    const struct orrery *job;
    struct orrery_summary_row of;
    const char *kind;
    int64_t mean_ps;                                        /* over the row's nodes */
    int64_t exposed_per_npu_ps, exposed_waiting_per_npu_ps; /* over the job's NPUs */
    uint64_t collectives;                                   /* COLLECTIVE: number */
    double bus_bandwidth_bytes_per_s;
    char choice_text[ORR_CHOICE_BYTES]; /* COLLECTIVE: algorithms and scheduler; "": not known */
};

struct orr_path_step_row {
    struct orrery_path_step of;
    int64_t duration_ps;
};

/* The uncertainty of the job's time. */
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
    char name[2][ORR_NODE_NAME_BYTES]; /* storage for names that are numbers */
};

/* The bytes of live tensors in a memory of an NPU, from one change to the next. */
struct orr_memory_row {
    uint32_t rank;
    const char *memory; /* "local", "remote" */
    struct orrery_memory_step step;
    bool peak, written; /* at the peak `node` writes a tensor */
    uint64_t node;
};

/* The index-th collective or other row of the summary; false after the last. O(rows). */
bool orr_work_row(const struct orrery *job, bool collectives, size_t index,
                  struct orr_work_row *row);

/* Fills the row of a step of the critical path; false after the last. O(1). */
bool orr_path_step_row(const struct orrery *job, size_t index, struct orr_path_step_row *row);

extern const struct orr_result_table orr_job_results;        /* struct orr_job_row */
extern const struct orr_result_table orr_npu_results;        /* struct orr_npu_row */
extern const struct orr_result_table orr_gpu_results;        /* struct orr_npu_row */
extern const struct orr_result_table orr_dim_results;        /* struct orr_dim_row */
extern const struct orr_result_table orr_collective_results; /* struct orr_work_row */
extern const struct orr_result_table orr_operator_results;   /* struct orr_work_row */
extern const struct orr_result_table orr_path_part_results;  /* struct orrery_path_part */
extern const struct orr_result_table orr_path_step_results;  /* struct orr_path_step_row */

extern const struct orr_result_table orr_uncertainty_results; /* struct orr_uncertainty_row */
extern const struct orr_result_table orr_slope_results;       /* struct orrery_slope */

extern const struct orr_result_table orr_link_results;   /* struct orr_link_row */
extern const struct orr_result_table orr_memory_results; /* struct orr_memory_row */

/* Lists for a job's JSON, owned by the caller; NULL: none. The row is a struct orr_job_row. */
struct json_t *orr_json_classes(const void *row);
struct json_t *orr_json_dims(const void *row);
struct json_t *orr_json_collectives(const void *row);
struct json_t *orr_json_operators(const void *row);
struct json_t *orr_json_path(const void *row);
struct json_t *orr_json_uncertainty(const void *row);
struct json_t *orr_json_config(const void *row);
struct json_t *orr_json_warnings(const void *row);

/* The row is a struct orr_uncertainty_row. */
struct json_t *orr_json_slopes(const void *row);

#endif
