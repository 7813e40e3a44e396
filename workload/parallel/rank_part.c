/* Parts of operators on a rank; see rank_part.h. */
#include "workload/parallel/rank_part.h"

#include "core/saturate.h"

static struct gen_work work_of(const struct model_work *work, const struct rank_amount *amount)
{
    const uint64_t bytes =
        sat_plus(work->input_bytes, sat_plus(work->output_bytes, work->inner_bytes));
    return (struct gen_work){
        sat_times(work->flops, amount->samples) / amount->shares,
        sat_plus(sat_times(bytes, amount->samples) / amount->shares, work->weight_bytes)};
}

/* Bytes of an array of elements in the format of products; the third array is the weights. */
static uint64_t narrow_bytes(const struct rank_amount *amount, unsigned array, uint64_t bytes)
{
    const uint64_t numbers = bytes / amount->element_bytes;
    return array == 2 ? orr_gen_weight_format_bytes(amount->product, amount->element_bytes, numbers)
                      : orr_gen_format_bytes(amount->product, amount->element_bytes, numbers);
}

/* Of the arrays of a product one is written in each pass: the output, the gradient of the input,
 * that of the weights. */
static void set_narrow_bytes(struct rank_op *op, const struct model_op *part,
                             const struct rank_amount *amount)
{
    const struct model_work *work = &part->forward;
    const uint64_t array[] = {sat_times(work->output_bytes, amount->samples),
                              sat_times(work->input_bytes, amount->samples), work->weight_bytes};
    struct gen_work *const pass[] = {&op->forward, &op->input_gradient, &op->weight_gradient};
    for (unsigned written = 0; written < 3; written++) {
        pass[written]->bytes = 0;
        for (unsigned i = 0; i < 3; i++) {
            const uint64_t bytes = i == written ? array[i] : narrow_bytes(amount, i, array[i]);
            pass[written]->bytes = sat_plus(pass[written]->bytes, bytes);
        }
    }
}

void orr_rank_set_part(struct rank_op *op, const struct model_op *part,
                       const struct rank_amount *amount)
{
    const struct gen_work both = work_of(&part->backward, amount);
    op->forward = work_of(&part->forward, amount);
    op->weight_gradient = work_of(&part->weight_gradient, amount);
    op->input_gradient = (struct gen_work){both.flops - op->weight_gradient.flops,
                                           both.bytes - op->weight_gradient.bytes};
    op->product = (enum orr_product_type)orr_gen_format_type(amount->product);
    if (amount->product != GEN_ELEMENT) {
        set_narrow_bytes(op, part, amount);
    }
    op->uncounted = part->uncounted;
    op->parameters = part->weights;
    op->kept_bytes = sat_times(part->kept_bytes, amount->samples) / amount->shares;
}
