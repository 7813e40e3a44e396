/* Totals of a model; see rank_sums.h. */
#include "workload/parallel/rank_sums.h"
#include "workload/trace/op_kind.h"

struct sums {
    double flops, of_type[ORR_PRODUCT_TYPES];
};

static struct sums sums_of(const struct rank_block *block, double filled)
{
    struct sums sums = {0};
    for (uint32_t i = 0; i < block->ops; i++) {
        const struct rank_op *op = &block->op[i];
        if (!op->uncounted && orr_wl_does_model_flops(op->kind)) {
            const double all = (double)op->forward.flops + (double)op->input_gradient.flops +
                               (double)op->weight_gradient.flops;
            const double flops = op->of_experts ? filled * all : all;
            sums.flops += flops;
            sums.of_type[op->product] += flops;
        }
    }
    return sums;
}

void orr_rank_totals(const struct rank_program *program, double samples,
                     const struct rank_experts *experts, struct gen_totals *totals)
{
    struct sums known = {0};
    *totals = (struct gen_totals){.samples = samples};
    for (uint32_t l = 0; l < program->layers; l++) {
        const struct rank_block *block = program->layer[l].block;
        const double parameters = (double)block->parameters;
        const double of_experts = (double)block->expert_parameters;
        if (l == 0 || block != program->layer[l - 1].block) {
            known = sums_of(block, experts->filled);
        }
        if (block->beside) {
            totals->mtp_parameters += parameters + of_experts;
        } else {
            totals->parameters += parameters + of_experts;
            totals->active_parameters += parameters + of_experts * experts->met;
        }
        totals->model_flops += samples * known.flops;
        totals->fp8_flops += samples * known.of_type[ORR_PRODUCT_FP8];
        totals->fp4_flops += samples * known.of_type[ORR_PRODUCT_FP4];
    }
}
