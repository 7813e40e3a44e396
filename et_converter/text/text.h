/* ASTRA-sim 1.0 text workloads: a first line with the policy, the number of layers, and layers of
 * twelve words. docs/file-formats.md describes how the policies run them. */
#ifndef ORR_ET_CONVERTER_TEXT_TEXT_H
#define ORR_ET_CONVERTER_TEXT_TEXT_H

#include "et_converter/converter.h"
#include "et_converter/trace_output.h"
#include "workload/trace/et/et.h"

struct conv_output;
struct conv_report;
struct net_config;
struct orr_arena;
struct orr_diag;
struct orr_trace;

enum text_policy {
    TEXT_DATA,
    TEXT_MODEL,
    TEXT_DATA_MODEL, /* HYBRID_DATA_MODEL: dimension 0 model, the others data */
    TEXT_MODEL_DATA,
    TEXT_DLRM,
    TEXT_DLRM_ENHANCED,
    TEXT_TRANSFORMER,
    TEXT_RECOMPUTE, /* HYBRID_TRANSFORMER_FWD_IN_BCKWD */
    TEXT_CUSTOMIZED,
    TEXT_MICRO,
    TEXT_INFERENCE,
    TEXT_POLICIES
};

enum text_collective {
    TEXT_NONE,
    TEXT_ALL_REDUCE,
    TEXT_ALL_TO_ALL,
    TEXT_ALL_REDUCE_ALL_TO_ALL, /* one after the other */
    TEXT_ALL_GATHER,
    TEXT_REDUCE_SCATTER,
    TEXT_COLLECTIVES
};

enum text_phase { TEXT_FORWARD, TEXT_INPUT_GRADIENT, TEXT_WEIGHT_GRADIENT, TEXT_PHASES };

/* NPUs that take part in a communication. */
enum text_scope {
    TEXT_NO_SCOPE,
    TEXT_ALL_NPUS,
    TEXT_FIRST_DIM,
    TEXT_OTHER_DIMS,
    TEXT_MODEL_GROUP, /* model_parallel_NPU_group neighbours */
    TEXT_DATA_GROUP,
    TEXT_EXPERT_GROUP,
    TEXT_EXPERT_DATA_GROUP,
    TEXT_SCOPES
};

struct text_work {
    uint64_t cycles;    /* of 1 ns */
    uint8_t collective; /* enum text_collective */
    uint8_t scope; /* TEXT_EXPERT_GROUP and the like if the file names it, else TEXT_NO_SCOPE */
    uint64_t bytes;
};

struct text_layer {
    const char *name;
    struct text_work work[TEXT_PHASES];
    uint64_t update_cycles;
    uint8_t policy; /* of the layer in HYBRID_CUSTOMIZED, else of the model */
    bool checkpoint, recomputes;
};

struct text_model {
    const char *name; /* of the file */
    enum text_policy policy;
    struct text_layer *layer;
    uint32_t layers, last_bottom_layer;
    uint32_t model_group; /* NPUs; 0: not given */
    /* The first line has the further keys of SimAI and AICB. */
    bool extended;
    uint32_t expert, stages, all_npus; /* 1, 1 and 0 if not given */
};

const char *orr_text_policy_name(enum text_policy policy);
const char *orr_text_collective_name(enum text_collective collective);
const char *orr_text_phase_name(enum text_phase phase);

/* Reads a workload into the arena. O(bytes). Errors have line and column. */
enum orr_status orr_text_read(struct orr_arena *arena, const struct orr_et_bytes *bytes,
                              struct text_model *model, struct orr_diag *diag);

/* A group of NPUs: `size` ranks, `stride` apart. */
struct text_span {
    uint32_t stride, size; /* size 1: a single NPU */
    uint32_t mask;         /* dimensions that the group spans; 0: it is no set of dimensions */
};

/* The model on a platform. */
struct text_job {
    const struct text_model *model;
    const struct net_config *platform;
    uint32_t npus, passes;
    struct text_span span[TEXT_SCOPES];
    struct conv_output *output; /* holds the groups; set before traces are built */
    bool grouped;               /* a group is no set of dimensions, so traces of ranks differ */
};

/* Assigns groups on the platform. Errors: groups that do not divide its NPUs. */
enum orr_status orr_text_assign_groups(const struct text_model *model, const struct conv_job *conv,
                                       struct text_job *job, struct orr_diag *diag);

/* Scope of a layer's communication; TEXT_NO_SCOPE if there is none or it is omitted, which is
 * reported as a note (report NULL: not). */
enum text_scope orr_text_scope_of(const struct text_job *job, uint32_t layer, enum text_phase phase,
                                  struct conv_report *report);

/* Adds the notes about the whole file. */
void orr_text_add_notes(const struct text_job *job, struct conv_report *report);

/* Builds the trace of a rank in the arena. O(layers x passes). */
enum orr_status orr_text_trace(struct orr_arena *arena, const struct text_job *job, uint32_t rank,
                               const struct orr_trace **trace, struct orr_diag *diag);

#endif
