/* Layouts in the words of frameworks; see layout_emit.h. The names are those that `orrery import`
 * reads (et_converter/launch/). */
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "report/table_text.h"
#include "study/layouts/layout_emit.h"
#include "study/layouts/layout_study.h"

static bool recomputes(const struct orr_best_layout *layout, const char *what)
{
    return strcmp(layout->recompute, what) == 0;
}

static bool says_all(const struct orr_best_layout *layout, const char **why)
{
    (void)layout;
    *why = NULL;
    return true;
}

/* ---- Megatron-LM ---- */

/* Of a way that context-parallel ranks share attention; NULL: there is more to say. */
static const char *megatron_word(const char *exchange)
{
    return strcmp(exchange, "all_gather") == 0       ? "all_gather"
           : strcmp(exchange, "ring_attention") == 0 ? "p2p"
           : strcmp(exchange, "ulysses") == 0        ? "a2a"
                                                     : NULL;
}

static int write_megatron(FILE *out, const struct orr_best_layout *layout)
{
    static const char *const sharding[] = {NULL, NULL, "optim_grads", "optim_grads_params"};
    const struct {
        const char *flag;
        double number;
        bool said;
    } flags[] = {{"tensor-model-parallel-size", layout->tensor, true},
                 {"pipeline-model-parallel-size", layout->pipeline, true},
                 {"num-virtual-stages-per-pipeline-rank", layout->chunks, layout->chunks > 1},
                 {"context-parallel-size", layout->context, layout->context > 1},
                 {"expert-model-parallel-size", layout->expert, layout->expert > 1},
                 {"expert-tensor-parallel-size", layout->expert_tensor,
                  layout->expert_tensor != layout->tensor},
                 {"num-distributed-optimizer-instances", layout->replicas, layout->replicas > 1},
                 {"micro-batch-size", layout->micro_batch, true},
                 {"global-batch-size", layout->batch, true}};
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
        if (flags[i].said) {
            orr_print(out, "--%s %.0f\n", flags[i].flag, flags[i].number);
        }
    }
    (void)fputs(layout->tensor > 1 ? "--sequence-parallel\n" : "", out);
    if (layout->context > 1 && megatron_word(layout->context_exchange) != NULL) {
        orr_print(out, "--cp-comm-type %s\n", megatron_word(layout->context_exchange));
    }
    (void)fputs(layout->zero > 0 ? "--use-distributed-optimizer\n" : "", out);
    if (sharding[layout->zero] != NULL) {
        orr_print(out, "--use-megatron-fsdp\n--data-parallel-sharding-strategy %s\n",
                  sharding[layout->zero]);
    }
    (void)fputs(layout->overlap ? "--overlap-grad-reduce\n" : "", out);
    (void)fputs(layout->overlap_gather && layout->zero > 0 ? "--overlap-param-gather\n" : "", out);
    (void)fputs(recomputes(layout, "selective") ? "--recompute-granularity selective\n" : "", out);
    (void)fputs(recomputes(layout, "full") ? "--recompute-granularity full\n--recompute-method "
                                             "uniform\n--recompute-num-layers 1\n"
                                           : "",
                out);
    return ferror(out) != 0 ? 1 : 0;
}

/* ---- DeepSpeed ---- */

static bool deepspeed_says(const struct orr_best_layout *layout, const char **why)
{
    const struct {
        bool lacks;
        const char *what;
    } parts[] = {{layout->tensor > 1, "tensor parallelism"},
                 {layout->pipeline > 1, "a pipeline"},
                 {layout->context > 1, "context parallelism"},
                 {layout->expert > 1, "expert parallelism"},
                 {layout->replicas > 1, "replicas"},
                 {!recomputes(layout, "none"), "recomputation"}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (parts[i].lacks) {
            *why = parts[i].what;
            return false;
        }
    }
    return true;
}

static int write_deepspeed(FILE *out, const struct orr_best_layout *layout)
{
    const double ranks = (double)layout->data * layout->micro_batch;
    orr_print(out, "{\n  \"train_batch_size\": %.0f,\n", layout->batch);
    orr_print(out, "  \"train_micro_batch_size_per_gpu\": %u,\n", layout->micro_batch);
    orr_print(out, "  \"gradient_accumulation_steps\": %.0f,\n", layout->batch / ranks);
    orr_print(out, "  \"bf16\": {\"enabled\": true},\n");
    orr_print(out, "  \"zero_optimization\": {\"stage\": %u, \"overlap_comm\": %s}\n}\n",
              layout->zero, layout->overlap ? "true" : "false");
    return ferror(out) != 0 ? 1 : 0;
}

/* ---- torchtitan ---- */

static bool torchtitan_says(const struct orr_best_layout *layout, const char **why)
{
    *why = "an optimizer sharded without gradients and weights (ZeRO-1)";
    return layout->zero != 1 || layout->data == 1;
}

static int write_torchtitan(FILE *out, const struct orr_best_layout *layout)
{
    const bool shards = layout->zero >= 2;
    orr_print(out, "[training]\nlocal_batch_size = %.0f\nglobal_batch_size = %.0f\n\n",
              layout->batch / layout->data, layout->batch);
    orr_print(out,
              "[parallelism]\ndata_parallel_replicate_degree = %u\ndata_parallel_shard_degree = "
              "%u\n",
              shards ? layout->replicas : layout->data,
              shards ? layout->data / layout->replicas : 1);
    orr_print(out, "fsdp_reshard_after_forward = \"%s\"\n", layout->zero == 3 ? "always" : "never");
    orr_print(out, "tensor_parallel_degree = %u\ncontext_parallel_degree = %u\n", layout->tensor,
              layout->context);
    orr_print(out, "expert_parallel_degree = %u\npipeline_parallel_degree = %u\n", layout->expert,
              layout->pipeline);
    if (layout->pipeline > 1) {
        orr_print(out,
                  "pipeline_parallel_schedule = \"%s\"\npipeline_parallel_microbatch_size = %u\n",
                  layout->chunks > 1 ? "Interleaved1F1B" : "1F1B", layout->micro_batch);
    }
    orr_print(out, "\n[activation_checkpoint]\nmode = \"%s\"\n", layout->recompute);
    return ferror(out) != 0 ? 1 : 0;
}

static const struct orr_layout_framework frameworks[] = {
    {"megatron", says_all, write_megatron},
    {"deepspeed", deepspeed_says, write_deepspeed},
    {"torchtitan", torchtitan_says, write_torchtitan}};

const struct orr_layout_framework *orr_layout_framework_at(size_t index)
{
    return index < sizeof frameworks / sizeof *frameworks ? &frameworks[index] : NULL;
}
