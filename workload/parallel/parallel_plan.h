/* The parallelization and training configuration that all generated models share
 * (`workload.parallel`, `workload.training`), and the totals that a model reports. */
#ifndef ORR_WORKLOAD_PARALLEL_PARALLEL_PLAN_H
#define ORR_WORKLOAD_PARALLEL_PARALLEL_PLAN_H

#include "core/conf/keys.h"
#include "core/time.h"
#include "workload/parallel/layout_parts.h"
#include "workload/parallel/pipeline.h"
#include "workload/parallel/precision.h"

struct orr_arena;
struct orr_conf;
struct orr_diag;
struct orr_schedule_kind;

/* How context-parallel ranks share attention. */
enum gen_context_exchange { GEN_GATHER, GEN_RING, GEN_ULYSSES_ALONE, GEN_ULYSSES_RING };

enum gen_recompute { GEN_RECOMPUTE_NONE, GEN_RECOMPUTE_SELECTIVE, GEN_RECOMPUTE_FULL };
/* As the key training.recompute has it: "selective". */
const char *orr_gen_recompute_name(enum gen_recompute recompute);
/* As the key parallel.context_exchange has it: "ulysses". */
const char *orr_gen_context_exchange_name(enum gen_context_exchange exchange);

/* Not offloaded; one share per rank; gathered or reduced inside the pool. */
enum gen_offload { GEN_OFFLOAD_NONE, GEN_OFFLOAD_SHARDED, GEN_OFFLOAD_GATHERED };
/* Optimizer state: on the NPU; in the remote memory, loaded by the NPU; at the memory, which
 * updates the weights itself. */
enum gen_offload_optimizer { GEN_OPTIMIZER_LOCAL, GEN_OPTIMIZER_NPU, GEN_OPTIMIZER_MEMORY };
enum gen_optimizer { GEN_ADAM, GEN_SGD, GEN_NO_OPTIMIZER };

/* Layers of each pipeline stage: equal numbers; the remainder spread; as listed. */
enum gen_spread { GEN_EVEN, GEN_UNEVEN, GEN_LISTED };

/* Time that the host takes to launch a layer's operators of a micro-batch, forwards and backwards
 * together; 0: none. */
struct gen_host {
    sim_time layer_ps, experts_ps; /* of layers without and with experts */
};

struct gen_split {
    enum gen_spread spread;
    struct orr_conf_list listed; /* int64_t for each part, in model order */
    bool embedding, head;        /* whether these count as layers */
};

/* The parallelization of a job and the schedule of its training step. */
struct gen_plan {
    struct orr_arena *arena; /* of the orders of schedules; set before the plan is read, changed */
    struct gen_layout layout;
    uint32_t expert_tensor; /* as the section sets it; 0: it does not */
    enum gen_context_exchange context_exchange;
    uint32_t context_ulysses; /* as the section sets it; 0: it does not */
    unsigned dispatcher;      /* of tokens (token_dispatch.h) */
    uint32_t node;            /* NPUs of a node, for it */
    bool sequence_parallel; /* norms, dropout and residuals split over the tensor-parallel ranks */
    unsigned zero;          /* ZeRO stage, 0 to 3 */
    struct gen_pipeline pipeline; /* stages, chunks and micro-batches */
    struct gen_split split;       /* layers of each stage */
    bool pipeline_scatter;        /* tensor-parallel ranks send one share each between stages */
    uint64_t batch;               /* samples of a step, all ranks together */
    uint64_t micro_batch;         /* samples per micro-batch of a rank */
    uint32_t steps;
    struct gen_precision precision; /* types by tensor (precision.h) */
    uint64_t element_bytes, gradient_bytes;
    uint64_t optimizer_bytes; /* state of a parameter */
    bool has_optimizer;
    enum gen_recompute recompute;
    uint32_t recompute_layers;  /* full: the first so many of each chunk, or in groups of so many */
    bool recompute_blocks;      /* the former */
    unsigned recompute_modules; /* selective: bits of enum gen_module (recompute.h) */
    struct orr_conf_list recompute_operators; /* patterns of names, const char * */
    bool keep_gated;                          /* dense layers keep the product with the gate, too */
    uint64_t bucket_bytes;                    /* bytes of a gradient bucket; 0: reduced by layer */
    bool overlap;                             /* gradients are reduced during the backward pass */
    bool overlap_gather; /* ZeRO-1, -2: weights are gathered during the next forward pass */
    bool chain; /* one reduction after the backward pass; each layer begins when its part has
                   arrived */
    uint64_t slice_bytes; /* a reduction is cut into slices of this many bytes; 0: it is not */
    bool fused_attention; /* scores stay on chip */
    struct gen_host host; /* how long the host takes */
    uint32_t prefetch;    /* ZeRO-3: layers whose parameters are gathered ahead */
    enum gen_offload offload_parameters, offload_gradients;
    enum gen_offload_optimizer offload_optimizer;
    const char *order;                /* order of the ranks' digits */
    const struct orr_conf *operators; /* dimensions of operators by pattern; NULL: none */
    bool sequence_is_set, data_is_set, batch_is_set; /* whether the sections set them */
    const struct orr_conf *parallel, *training;      /* for the locations of errors; may be NULL */
};

extern const struct orr_key_table orr_gen_parallel_table, orr_gen_training_table;

/* Reads both sections (NULL: absent) for `npus` NPUs; plan->arena must be set. Errors: degrees
 * whose product is not the NPUs; a batch that data-parallel ranks x micro-batches do not divide; an
 * interleaved schedule whose micro-batches are not a multiple of the stages. */
enum orr_status orr_gen_plan_read(const struct orr_conf *parallel, const struct orr_conf *training,
                                  uint32_t npus, struct gen_plan *plan, struct orr_diag *diag);

/* Sets the batch, unless 0 or a key sets it. Errors as of orr_gen_plan_read. */
enum orr_status orr_gen_plan_set_batch(struct gen_plan *plan, uint64_t batch,
                                       struct orr_diag *diag);

/* Reads the key layers_per_stage of the section (NULL: absent); `words` holds its texts. */
enum orr_status orr_gen_split_read(const struct orr_conf *parallel,
                                   const struct orr_conf_list *words, struct gen_split *split,
                                   struct orr_diag *diag);

/* The settings that searches for layouts vary. */
struct gen_change {
    uint32_t tensor, context, expert, pipeline;
    uint32_t expert_tensor;               /* 0: as the tensor-parallel ranks */
    uint32_t chunks;                      /* above 1: interleaved, unless */
    const struct orr_schedule_kind *kind; /* a schedule of the list, on several stages; or NULL */
    uint32_t replicas;
    enum gen_context_exchange context_exchange;
    unsigned zero;
    enum gen_recompute recompute;
    bool sequence_parallel;      /* where there are tensor-parallel ranks */
    uint64_t batch, micro_batch; /* batch 0: a micro-batch of each data-parallel rank */
};

struct gen_change orr_gen_plan_settings(const struct gen_plan *plan);

/* Changes the settings of a plan on the same NPUs; the remaining NPUs become data-parallel ranks.
 * Errors as of orr_gen_plan_read. */
enum orr_status orr_gen_plan_change(struct gen_plan *plan, const struct gen_change *change,
                                    struct orr_diag *diag);

/* Fails at a key of a section ("parallel", "training"), or at the section if the key is absent; the
 * message begins with the key's path. */
enum orr_status orr_gen_fail(const struct orr_conf *section, const char *key, struct orr_diag *diag,
                             const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 4, 5)))
#endif
    ;

struct gen_work {
    uint64_t flops, bytes;
};

/* Peak memory of an NPU of a class. */
struct gen_memory {
    uint64_t weights_bytes, gradients_bytes, optimizer_bytes, activations_bytes;
    uint64_t pool_bytes; /* its share of the remote memory */
};

/* Totals of the whole model. */
struct gen_totals {
    double parameters;
    double active_parameters;    /* used by one token: fewer with experts */
    double mtp_parameters;       /* of modules of multi-token prediction, beside these */
    double model_flops;          /* of a step, without recomputation */
    double fp8_flops, fp4_flops; /* of these, in products of such types */
    double tokens;               /* of a step; 0: the model has none */
    double samples;              /* of a step */
};

#endif
