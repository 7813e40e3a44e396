/* What every generated model shares: how it is parallelized (`workload.parallel`), how it is
 * trained (`workload.training`), and what it says about itself. */
#ifndef ORR_WORKLOAD_GEN_PARALLEL_PLAN_H
#define ORR_WORKLOAD_GEN_PARALLEL_PLAN_H

#include "core/core.h"
#include "workload/gen/layout.h"
#include "workload/gen/pipeline.h"

enum gen_recompute { GEN_RECOMPUTE_NONE, GEN_RECOMPUTE_SELECTIVE, GEN_RECOMPUTE_FULL };
/* Not in the remote memory; a share of each rank; gathered or reduced inside the pool. */
enum gen_offload { GEN_OFFLOAD_NONE, GEN_OFFLOAD_SHARDED, GEN_OFFLOAD_GATHERED };
/* Where optimizer state is: on the NPU; in the remote memory, and the NPU loads it; at the memory,
 * which updates the weights itself. */
enum gen_offload_optimizer { GEN_OPTIMIZER_LOCAL, GEN_OPTIMIZER_NPU, GEN_OPTIMIZER_MEMORY };
enum gen_optimizer { GEN_ADAM, GEN_SGD, GEN_NO_OPTIMIZER };

/* How many layers each stage has, of a pipeline: as many; what does not divide spread; as listed.
 */
enum gen_spread { GEN_EVEN, GEN_UNEVEN, GEN_LISTED };

struct gen_split {
    enum gen_spread spread;
    struct orr_conf_list listed; /* int64_t of each part, in the order of the model */
    bool embedding, head;        /* count as layers */
};

/* How a job is cut over the NPUs and how a step of it goes. */
struct gen_plan {
    struct gen_layout layout;
    bool sequence_parallel; /* norms, dropout and residuals split over the tensor-parallel ranks */
    unsigned zero;          /* ZeRO stage, 0 to 3 */
    struct gen_pipeline pipeline; /* stages, chunks and micro-batches */
    struct gen_split split;       /* of the layers among them */
    bool pipeline_scatter;        /* tensor-parallel ranks send a share each between stages */
    uint64_t batch;               /* samples of a step, all ranks together */
    uint64_t micro_batch;         /* samples of a micro-batch of one rank */
    uint32_t steps;
    uint64_t element_bytes, gradient_bytes;
    uint64_t optimizer_bytes; /* state of a parameter */
    bool has_optimizer;
    enum gen_recompute recompute;
    uint64_t bucket_bytes; /* gradients are reduced in pieces of this many bytes; 0: by layer */
    bool overlap;          /* gradients are reduced beside the backward pass */
    bool overlap_gather;   /* ZeRO-1, -2: weights are gathered beside the next forward pass */
    bool chain;            /* all at once behind it, and layers begin with their part of them */
    uint64_t slice_bytes;  /* a reduction is cut into pieces of so many bytes; 0: it is not */
    bool fused_attention;  /* scores stay on chip */
    bool fp8_products;     /* of layers */
    uint32_t prefetch;     /* ZeRO-3: layers whose parameters are gathered ahead */
    enum gen_offload offload_parameters, offload_gradients;
    enum gen_offload_optimizer offload_optimizer;
    const char *order;                               /* of the ranks' digits */
    bool sequence_is_set, data_is_set, batch_is_set; /* as the sections say */
    const struct orr_conf *parallel, *training;      /* for the places of errors; may be NULL */
};

extern const struct orr_key_table orr_gen_parallel_table, orr_gen_training_table;

/* Reads both sections (NULL: not given) for so many NPUs. Errors: degrees that do not multiply to
 * the NPUs, a batch that data-parallel ranks and micro-batches do not divide, an interleaved
 * schedule whose micro-batches the stages do not divide. */
enum orr_status orr_gen_plan_read(const struct orr_conf *parallel, const struct orr_conf *training,
                                  uint32_t npus, struct gen_plan *plan, struct orr_diag *diag);

/* The key layers_per_stage of the section (NULL: not given), whose texts were read. */
enum orr_status orr_gen_split_read(const struct orr_conf *parallel,
                                   const struct orr_conf_list *words, struct gen_split *split,
                                   struct orr_diag *diag);

/* What a layout may be changed in so that it fits (layout_search.h). */
struct gen_change {
    uint32_t tensor, pipeline;
    unsigned zero;
    enum gen_recompute recompute;
};

struct gen_change orr_gen_plan_settings(const struct gen_plan *plan);

/* Changes a plan that was read, on the same NPUs: data-parallel ranks are what is left, and a batch
 * that was not given follows them. Errors as of orr_gen_plan_read. */
enum orr_status orr_gen_plan_change(struct gen_plan *plan, const struct gen_change *change,
                                    struct orr_diag *diag);

/* Fails at the key of a section ("parallel", "training"), or at the section when it is not given;
 * the message begins with the key's path. */
enum orr_status orr_gen_fail(const struct orr_conf *section, const char *key, struct orr_diag *diag,
                             const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 4, 5)))
#endif
    ;

/* Memory that an NPU of a class needs, at its peak. */
struct gen_memory {
    uint64_t weights_bytes, gradients_bytes, optimizer_bytes, activations_bytes;
    uint64_t pool_bytes; /* its share of what is in the remote memory */
};

/* Totals of the whole model. */
struct gen_totals {
    double parameters;
    double active_parameters; /* that a token meets: fewer with experts */
    double model_flops;       /* of a step, without recomputation */
    double tokens;            /* of a step; 0: the model has none */
    double samples;           /* of a step */
};

#endif
