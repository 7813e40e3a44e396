/* Sections of Orrery's files above the lower layers: `compute` of a platform, and `workload` of a
 * job. */
#ifndef ORR_SIM_LOAD_WORKLOAD_CONFIG_H
#define ORR_SIM_LOAD_WORKLOAD_CONFIG_H

#include "core/conf/keys.h"
#include "orrery/orrery.h"
#include "sim/load/config_keys.h"
#include "system/sys_mono.h"
#include "workload/gen/generate.h"
#include "workload/gen/models.h"

struct orr_arena;
struct orr_conf;
struct orr_diag;
struct wl_compute;

/* A workload: traces from files, or generated, from a generator or a model. */
struct wl_workload {
    const char *traces;         /* prefix, relative to the working directory; NULL: generated */
    struct sys_mono all_reduce; /* for task graphs, and for traces of them */
    const char *taskgraph;      /* a file, as written; NULL: none */
    struct orr_gen generate;    /* kind NULL: a model */
    struct gen_model model;
    const char *groups_file;       /* JSON of groups by number; NULL: none */
    const struct orr_conf *groups; /* mapping of names to lists of ranks; NULL = none */
    double tokens;                 /* of one run of the traces, all NPUs; 0: unknown */
    double samples;                /* of a generated model; 0: unknown */
    uint32_t iterations;           /* of a task graph or a model; 0: neither */
    double model_flops;            /* useful operations of one run, all NPUs; 0: unknown */
    double product_share[ORR_PRODUCT_TYPES]; /* of these, by type; of traces set later */
};

/* A workload file, and values to set, such as "workload.training.batch=64". */
struct wl_workload_file {
    const char *path;
    const char *text;       /* what the file would hold, whose path only names it; NULL: read it */
    const char *library;    /* folder of the shipped inputs, for includes; NULL: none */
    const char *const *set; /* [set_count] */
    size_t set_count;
};

/* Reads the `compute` section (NULL: none) for a platform of `npus` NPUs into *compute, whose
 * memory bandwidth the caller has set. */
enum orr_status orr_wl_compute_read(struct orr_arena *arena, const struct orr_conf *map,
                                    uint32_t npus, struct wl_compute *compute,
                                    struct orr_diag *diag);
extern const struct orr_key_table orr_wl_compute_table;

/* Reads the `workload` section for a platform of `npus` NPUs. */
enum orr_status orr_wl_workload_read(struct orr_arena *arena, const struct orr_conf *map,
                                     uint32_t npus, struct wl_workload *out, struct orr_diag *diag);
extern const struct orr_key_table orr_wl_workload_table;

/* Reads the `workload` section of a file, with includes and values set on top, for `npus` NPUs and
 * without a platform. */
enum orr_status orr_wl_workload_load(struct orr_arena *arena, const struct wl_workload_file *file,
                                     uint32_t npus, struct wl_workload *out, struct orr_diag *diag);

/* The same from a tree, and from a workload object. */
enum orr_status orr_wl_workload_from(struct orr_arena *arena, const struct orr_conf *root,
                                     uint32_t npus, struct wl_workload *out, struct orr_diag *diag);
struct orrery_workload;
enum orr_status orr_wl_workload_of(struct orr_arena *arena, const struct orrery_workload *workload,
                                   uint32_t npus, struct wl_workload *out, struct orr_diag *diag);

/* Ends a public call: keeps the error for orrery_workload_error. (shared_parts.c) */
enum orrery_status orr_workload_finish_call(struct orrery_workload *workload,
                                            const struct orr_diag *diag, enum orr_status status);

/* The properties of a generated model, for the public API. (sim/model_api.c) */
struct orrery_model orr_model_of(const struct gen_model *model);

#endif
