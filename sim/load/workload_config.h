/* The sections of our own files that are not of the lower layers: `compute` of a platform, and
 * `workload` of a job. */
#ifndef ORR_SIM_LOAD_WORKLOAD_CONFIG_H
#define ORR_SIM_LOAD_WORKLOAD_CONFIG_H

#include "core/core.h"
#include "orrery/orrery.h"
#include "sim/load/config_keys.h"
#include "workload/workload.h"

/* What to run: traces from files, or generated ones: of a kind of its own or of a model. */
struct wl_workload {
    const char *traces; /* prefix, already relative to the working directory; NULL: generate */
    struct sys_mono all_reduce; /* of a task graph, and of traces of one */
    const char *taskgraph;      /* a file, as it is written; NULL: none */
    struct orr_gen generate;    /* kind NULL: a model */
    struct gen_model model;
    const char *groups_file;       /* JSON of groups by number; NULL: none */
    const struct orr_conf *groups; /* mapping of names to lists of ranks; NULL = none */
    double tokens;                 /* of one run of the traces, all NPUs together; 0 = not known */
    double samples;                /* of a generated model; 0 = not known */
    uint32_t iterations; /* of a task graph or a model, one after the other; 0: it is neither */
    double model_flops;  /* useful operations of one run, all NPUs together; 0 = not known */
};

/* A workload file, and values to set such as "workload.training.batch=64". */
struct wl_workload_file {
    const char *path;
    const char *library;    /* folder of inputs that ship, for includes; NULL: none */
    const char *const *set; /* [set_count] */
    size_t set_count;
};

/* Reads the `compute` section (NULL: not given) for a platform of so many NPUs into *compute, whose
 * memory bandwidth the caller has set. */
enum orr_status orr_wl_compute_read(struct orr_arena *arena, const struct orr_conf *map,
                                    uint32_t npus, struct wl_compute *compute,
                                    struct orr_diag *diag);
extern const struct orr_key_table orr_wl_compute_table;

/* Reads the `workload` section for a platform of so many NPUs. */
enum orr_status orr_wl_workload_read(struct orr_arena *arena, const struct orr_conf *map,
                                     uint32_t npus, struct wl_workload *out, struct orr_diag *diag);
extern const struct orr_key_table orr_wl_workload_table;

/* Reads the `workload` section of a file with its includes and with values set on top, for so many
 * NPUs and without a platform. */
enum orr_status orr_wl_workload_load(struct orr_arena *arena, const struct wl_workload_file *file,
                                     uint32_t npus, struct wl_workload *out, struct orr_diag *diag);

/* The same from a tree, and from a workload that was made by a program. */
enum orr_status orr_wl_workload_from(struct orr_arena *arena, const struct orr_conf *root,
                                     uint32_t npus, struct wl_workload *out, struct orr_diag *diag);
struct orrery_workload;
enum orr_status orr_wl_workload_of(struct orr_arena *arena, const struct orrery_workload *workload,
                                   uint32_t npus, struct wl_workload *out, struct orr_diag *diag);

/* The end of a public call: keeps what is wrong for orrery_workload_error. (shared_parts.c) */
enum orrery_status orr_workload_finish_call(struct orrery_workload *workload,
                                            const struct orr_diag *diag, enum orr_status status);

/* What a generated model is, as programs are told. (sim/model_api.c) */
struct orrery_model orr_model_of(const struct gen_model *model);

#endif
