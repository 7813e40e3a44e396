/* Forward and backward passes of the layers of a chunk; see estimate_private.h. A rank computes one
 * operator at a time, in the order in which they become ready; exchanges of a group follow each
 * other. */
#include <math.h>
#include <string.h>

#include "core/arena.h"
#include "study/estimate/estimate_private.h"
#include "workload/parallel/gradients.h"
#include "workload/parallel/recompute.h"
#include "workload/trace/op_kind.h"

enum { MAX_WAITING = 256, MAX_PREFETCH = 64, LOOK_BACK = 4 };

/* A gradient of weights that is not computed yet. */
struct waiting {
    double ready, seconds;
};

struct pass {
    const struct est_job *job;
    double chain;   /* the end of what the next operator waits for */
    double compute; /* the computation is free */
    double host;    /* the host has launched */
    double lane[EST_LANES];
    double history[MAX_PREFETCH + 1]; /* ends of the last layers (ZeRO-3) */
    uint64_t worked;
    bool inputs_only; /* backward passes are of inputs */
    bool whole;       /* backward passes end with the weights' gradients */
    struct waiting waiting[MAX_WAITING];
    unsigned first, last;
};

/* ---- layers ---- */

static double work_seconds(const struct est_job *job, const struct rank_op *op,
                           const struct gen_work *work)
{
    const struct wl_work one = {
        op->kind, (op->unaligned ? ORR_COMP_UNALIGNED : 0u) | orr_wl_product_flag(op->product),
        work->flops, work->bytes};
    return work->flops == 0 && work->bytes == 0
               ? 0
               : (double)orr_wl_roofline_time(&job->costs->roofline, &one) / (double)ORR_PS_PER_S;
}

static enum est_lane lane_of(enum gen_family family)
{
    return family == GEN_TP          ? EST_TENSOR
           : family == GEN_ETP       ? EST_EXPERT_TENSOR
           : family == GEN_CP        ? EST_CONTEXT
           : family == GEN_ULYSSES   ? EST_CONTEXT
           : family == GEN_EP        ? EST_EXPERT
           : family == GEN_EP_RAIL   ? EST_EXPERT
           : family == GEN_EMBEDDING ? EST_ENDS
                                     : EST_DATA;
}

static struct est_exchange exchange_of(struct est_job *job, const struct rank_comm *comm)
{
    if (!comm->is_set) {
        return (struct est_exchange){0};
    }
    if (comm->family == GEN_EP_RAIL) {
        return (struct est_exchange){orr_token_seconds(&job->groups, comm->bytes, comm->node_bytes),
                                     EST_EXPERT};
    }
    const uint32_t ranks = orr_gen_family_size(&job->plan->layout, comm->family);
    const uint64_t bytes =
        comm->comm == ORR_COMM_ALL_GATHER ? (comm->bytes + ranks - 1) / ranks : comm->bytes;
    return (struct est_exchange){
        orr_collective_seconds(&job->groups, comm->family, comm->comm, bytes),
        lane_of(comm->family)};
}

/* Gathers or reduces the parameters of a layer: experts' apart. */
static double share_seconds(struct est_job *job, const struct rank_block *block,
                            enum orr_trace_comm comm)
{
    const struct gen_plan *plan = job->plan;
    const bool gather = comm == ORR_COMM_ALL_GATHER;
    const struct gen_layout *layout = &plan->layout;
    const enum gen_family family[] = {gen_shard_family(layout), gen_expert_shard_family(layout)};
    double seconds = 0;
    for (unsigned i = 0; i < 2; i++) {
        const uint32_t ranks = orr_gen_family_size(&plan->layout, family[i]);
        const struct gen_weight_count weights = orr_rank_weights(block, i == 1);
        const uint64_t bytes =
            gather ? orr_gen_gathered_bytes(plan, weights) : weights.all * plan->gradient_bytes;
        seconds += orr_collective_seconds(&job->groups, family[i], comm,
                                          gather ? (bytes + ranks - 1) / ranks : bytes);
    }
    return seconds;
}

/* Two stages have copies of the layer. */
static double mirror_seconds(struct est_job *job, const struct rank_block *block)
{
    const struct gen_plan *plan = job->plan;
    return plan->pipeline.copies == 1
               ? 0
               : orr_collective_seconds(&job->groups, GEN_MIRROR, ORR_COMM_ALL_REDUCE,
                                        orr_rank_updated(plan, block) * plan->gradient_bytes);
}

/* Reduces the gradients of a layer's shards over replicas. */
static double replicate_seconds(struct est_job *job, const struct rank_block *block)
{
    const uint64_t bytes = orr_rank_updated(job->plan, block) * job->plan->gradient_bytes;
    return job->plan->layout.replicas > 1
               ? orr_collective_seconds(&job->groups, GEN_REPLICA, ORR_COMM_ALL_REDUCE, bytes)
               : 0;
}

static double update_seconds(const struct est_job *job, const struct rank_block *block)
{
    const struct gen_plan *plan = job->plan;
    const uint64_t parameters = orr_rank_updated(plan, block);
    const struct wl_work work = {ORR_OP_ELEMENTWISE, 0, parameters,
                                 orr_gen_update_bytes(plan, parameters)};
    return parameters == 0 || !plan->has_optimizer
               ? 0
               : (double)orr_wl_roofline_time(&job->costs->roofline, &work) / (double)ORR_PS_PER_S;
}

/* Attention in n steps of a seconds, beside n - 1 messages of c; backward beside 2 n - 1, the last
 * behind all steps. */
static void set_ring(const struct est_job *job, const struct rank_op *from, struct est_op *op)
{
    if (from->ring > 1) {
        const double n = from->ring, c = orr_ring_seconds(&job->groups, from->ring_bytes);
        op->ring_forward = fmax(0, (n - 1) * (c - op->forward / n));
        op->ring_input = fmax(c, (2 * n - 1) * c - op->input);
    }
}

static void set_op(struct est_job *job, const struct rank_block *block, uint32_t index,
                   struct est_op *op)
{
    const struct rank_op *from = &block->op[index];
    *op = (struct est_op){.exchanges = from->forward.bytes == 0 && from->kind != ORR_OP_CAST,
                          .forward = work_seconds(job, from, &from->forward),
                          .input = work_seconds(job, from, &from->input_gradient),
                          .weights = work_seconds(job, from, &from->weight_gradient),
                          .to = exchange_of(job, &from->forward_comm),
                          .back = exchange_of(job, &from->backward_comm),
                          .regather = exchange_of(job, &from->regather),
                          .of_core = from->of_core};
    op->passes = from->input_gradient.flops != 0 || from->input_gradient.bytes != 0;
    op->has_weights = from->weight_gradient.flops != 0 || from->weight_gradient.bytes != 0;
    set_ring(job, from, op);
    op->core_ends = from->of_core && (index + 1 == block->ops || !block->op[index + 1].of_core);
}

static void set_block(struct est_job *job, const struct rank_block *block, bool computed_again,
                      struct est_block *out)
{
    const struct gen_plan *plan = job->plan;
    struct est_op *op = orr_arena_array(job->arena, block->ops + 1, sizeof *op);
    *out = (struct est_block){.block = block, .computed_again = computed_again, .op = op};
    if (op == NULL) {
        job->no_memory = true;
        return;
    }
    for (uint32_t i = 0; i < block->ops; i++) {
        set_op(job, block, i, &op[i]);
        out->computes += op[i].forward + op[i].input + op[i].weights;
        out->again += computed_again || est_is_again(job, out, i) ? op[i].forward : 0;
    }
    out->gather = plan->zero > 0 ? share_seconds(job, block, ORR_COMM_ALL_GATHER) : 0;
    out->reduce =
        share_seconds(job, block, plan->zero > 0 ? ORR_COMM_REDUCE_SCATTER : ORR_COMM_ALL_REDUCE) +
        mirror_seconds(job, block);
    out->replicate = replicate_seconds(job, block);
    out->update = update_seconds(job, block);
}

/* ---- a rank ---- */

static void start_waiting(struct pass *pass, double until)
{
    while (pass->first != pass->last && pass->waiting[pass->first].ready <= until) {
        const struct waiting *next = &pass->waiting[pass->first];
        pass->compute = fmax(pass->compute, next->ready) + next->seconds;
        pass->first = (pass->first + 1) % MAX_WAITING;
    }
}

static double waiting_end(const struct pass *pass)
{
    double end = pass->compute;
    for (unsigned i = pass->first; i != pass->last; i = (i + 1) % MAX_WAITING) {
        end = fmax(end, pass->waiting[i].ready) + pass->waiting[i].seconds;
    }
    return end;
}

static void compute(struct pass *pass, double seconds)
{
    start_waiting(pass, pass->chain);
    pass->compute = pass->chain = fmax(pass->compute, pass->chain) + seconds;
}

static void wait(struct pass *pass, double ready, double seconds)
{
    if ((pass->last + 1) % MAX_WAITING == pass->first) {
        start_waiting(pass, INFINITY);
    }
    pass->waiting[pass->last] = (struct waiting){ready, seconds};
    pass->last = (pass->last + 1) % MAX_WAITING;
}

/* ---- passes of a layer ---- */

/* Ends of layers that gathers ahead wait for. */
static uint32_t kept_ends(const struct gen_plan *plan)
{
    return (plan->prefetch < MAX_PREFETCH ? plan->prefetch : MAX_PREFETCH) + 1;
}

/* ZeRO-3: the end of the gathering of a layer's weights. */
static double gathered(struct pass *pass, const struct est_block *block)
{
    const struct gen_plan *plan = pass->job->plan;
    const struct est_exchange gather = {block->gather, EST_DATA};
    return plan->zero < 3 ? 0
                          : est_communicate(pass->lane, &gather,
                                            pass->history[pass->worked % kept_ends(plan)]);
}

static void layer_ends(struct pass *pass)
{
    pass->history[pass->worked++ % kept_ends(pass->job->plan)] = pass->chain;
}

static void run_op(struct pass *pass, const struct est_op *op)
{
    if (op->exchanges) {
        pass->chain = est_communicate(pass->lane, &op->to, pass->chain);
    } else {
        compute(pass, op->forward);
        pass->chain += op->ring_forward;
    }
}

static void run_ops(struct pass *pass, const struct est_block *block)
{
    for (uint32_t i = 0; i < block->block->ops; i++) {
        run_op(pass, &block->op[i]);
    }
}

/* The host launches a layer before it begins; `share` of its time is of this pass. */
static void launch(struct pass *pass, const struct est_block *block, double share)
{
    const struct gen_host *host = &pass->job->plan->host;
    const sim_time all = block->block->expert_parameters > 0 ? host->experts_ps : host->layer_ps;
    if (all > 0 && !block->block->is_end) {
        pass->host += share * (double)all / (double)ORR_PS_PER_S;
        pass->chain = fmax(pass->chain, pass->host);
    }
}

static void forward_layer(struct pass *pass, const struct est_block *block)
{
    pass->chain = fmax(pass->chain, gathered(pass, block));
    launch(pass, block, 1.0 / 3);
    run_ops(pass, block);
    layer_ends(pass);
}

static void recompute_core(struct pass *pass, const struct est_block *block, uint32_t last)
{
    uint32_t first = last;
    while (first > 0 && block->op[first - 1].of_core) {
        first--;
    }
    for (uint32_t i = first; i <= last; i++) {
        compute(pass, block->op[i].forward);
        pass->chain += block->op[i].ring_forward;
    }
}

/* What is made again before the backward pass of an operator: attention, or modules. */
static void recompute(struct pass *pass, const struct est_block *block, uint32_t index)
{
    for (uint32_t i = 0; i < index && block->block->again_bytes > 0; i++) {
        if (block->block->op[i].again_for == index) {
            run_op(pass, &block->op[i]);
        }
    }
    if (gen_recomputes_core(pass->job->plan) && block->op[index].core_ends) {
        recompute_core(pass, block, index);
    }
}

static void backward_op(struct pass *pass, const struct est_op *op)
{
    const double after = pass->chain;
    if (op->exchanges) {
        pass->chain = est_communicate(pass->lane, &op->back, after);
    } else if (op->passes) {
        compute(pass, op->input);
        pass->chain += op->ring_input;
    }
    if (op->has_weights && !pass->inputs_only) {
        wait(pass, est_communicate(pass->lane, &op->regather, after), op->weights);
        pass->chain = op->passes ? pass->chain : waiting_end(pass);
    }
}

static void backward_layer(struct pass *pass, const struct est_block *block)
{
    const struct gen_plan *plan = pass->job->plan;
    pass->chain = fmax(pass->chain, gathered(pass, block));
    launch(pass, block, 2.0 / 3);
    if (block->computed_again) {
        run_ops(pass, block);
    }
    for (uint32_t i = block->block->ops; i-- > 0;) {
        recompute(pass, block, i);
        backward_op(pass, &block->op[i]);
    }
    layer_ends(pass);
    if (plan->zero >= 3 && plan->overlap && !pass->inputs_only) {
        const struct est_exchange reduce = {block->reduce, EST_DATA};
        const struct est_exchange replicate = {block->replicate, EST_REPLICA};
        const double end =
            est_communicate(pass->lane, &reduce, fmax(pass->chain, waiting_end(pass)));
        (void)est_communicate(pass->lane, &replicate, end);
    }
}

/* ---- chunks ---- */

/* One forward and one backward pass behind each other; returns their ends. */
static void run_pair(struct pass *pass, const struct est_chunk *chunk, double *begins,
                     double *ready, double end[2])
{
    const struct est_block *const *layer = pass->job->layer;
    const double begin = pass->chain;
    for (uint32_t l = chunk->range.first; l < chunk->range.end; l++) {
        begins[l - chunk->range.first] = pass->chain - begin;
        forward_layer(pass, layer[l]);
    }
    end[0] = pass->chain;
    for (uint32_t l = chunk->range.end; l-- > chunk->range.first;) {
        backward_layer(pass, layer[l]);
        ready[l - chunk->range.first] = fmax(pass->chain, waiting_end(pass)) - end[0];
    }
    if (pass->whole) {
        pass->chain = fmax(pass->chain, waiting_end(pass));
        start_waiting(pass, INFINITY);
    }
    end[1] = pass->chain;
}

/* The gradients of the weights alone, the last layer's first: gathered inputs come beside them, and
 * with ZeRO-3 their reductions. */
static double time_weights(const struct est_job *job, const struct est_chunk *chunk, double *ready)
{
    const bool reduces = job->plan->zero >= 3 && job->plan->overlap;
    double compute = 0, gather = 0, reduce = 0;
    for (uint32_t l = chunk->range.end; l-- > chunk->range.first;) {
        const struct est_block *block = job->layer[l];
        for (uint32_t i = 0; i < block->block->ops; i++) {
            compute += block->op[i].weights;
            gather += block->op[i].regather.seconds;
        }
        reduce += reduces ? block->reduce : 0;
        ready[l - chunk->range.first] = fmax(compute, gather);
    }
    return fmax(reduce, fmax(compute, gather));
}

/* The times of passes in an order. */
static void time_order(struct est_job *job, struct est_chunk *chunk, double *begins, double *ready)
{
    const uint32_t layers = chunk->range.end - chunk->range.first;
    double *of_weights = orr_arena_array(job->arena, layers + 1u, sizeof *of_weights);
    struct pass inputs = {.job = job, .inputs_only = true};
    struct pass whole = {.job = job, .whole = true};
    double end[2];
    if (of_weights == NULL) {
        job->no_memory = true;
        return;
    }
    run_pair(&inputs, chunk, begins, ready, end);
    chunk->inputs = end[1] - end[0];
    chunk->weights = time_weights(job, chunk, of_weights);
    chunk->weights_ready = of_weights;
    run_pair(&whole, chunk, begins, ready, end);
    chunk->forward = end[0];
    chunk->backward = end[1] - end[0];
}

/* The second pair of passes: what the one before has left to do is in it. */
static void time_chunk(struct est_job *job, struct est_chunk *chunk)
{
    const uint32_t layers = chunk->range.end - chunk->range.first;
    double *begins = orr_arena_array(job->arena, layers + 1, sizeof *begins);
    double *ready = orr_arena_array(job->arena, layers + 1, sizeof *ready);
    struct pass pass = {.job = job};
    double before[2], after[2];
    if (begins == NULL || ready == NULL) {
        job->no_memory = true;
        return;
    }
    chunk->begins = begins;
    chunk->ready = ready;
    if (job->plan->pipeline.order != NULL) {
        time_order(job, chunk, begins, ready);
        return;
    }
    run_pair(&pass, chunk, begins, ready, before);
    run_pair(&pass, chunk, begins, ready, after);
    chunk->forward = after[0] - before[1];
    chunk->backward = after[1] - after[0];
}

static bool same_layers(const struct est_job *job, const struct est_chunk *a,
                        const struct est_chunk *b)
{
    const uint32_t layers = a->range.end - a->range.first;
    return layers == b->range.end - b->range.first &&
           memcmp(&job->layer[a->range.first], &job->layer[b->range.first],
                  layers * sizeof job->layer[0]) == 0;
}

/* One of the last few chunks with the same layers; NULL: none. */
static const struct est_chunk *find_same(const struct est_job *job, uint32_t index)
{
    for (uint32_t back = 1; back <= LOOK_BACK && back <= index; back++) {
        if (same_layers(job, &job->chunk[index], &job->chunk[index - back])) {
            return &job->chunk[index - back];
        }
    }
    return NULL;
}

void orr_est_time_chunks(struct est_job *job)
{
    const struct gen_pipeline *pipeline = &job->plan->pipeline;
    const uint32_t chunks = pipeline->stages * pipeline->chunks;
    for (uint32_t i = 0; i < chunks && !job->no_memory; i++) {
        struct est_chunk *chunk = &job->chunk[i];
        const struct gen_range range = chunk->range;
        const struct est_chunk *same = find_same(job, i);
        if (same != NULL) {
            *chunk = *same;
            chunk->range = range;
        } else {
            time_chunk(job, chunk);
        }
    }
}

static const struct est_block *block_of(struct est_job *job, const struct rank_block *block,
                                        bool computed_again)
{
    for (uint32_t b = 0; b < job->blocks; b++) {
        if (job->block[b].block == block && job->block[b].computed_again == computed_again) {
            return &job->block[b];
        }
    }
    set_block(job, block, computed_again, &job->block[job->blocks]);
    return &job->block[job->blocks++];
}

static void set_layers(struct est_job *job, const struct gen_range *chunk)
{
    for (uint32_t l = chunk->first; l < chunk->end && !job->no_memory; l++) {
        const struct rank_block *block = job->program->layer[l].block;
        const bool again = orr_rank_recomputes(job->program, chunk, l);
        const struct est_block *before = l > chunk->first ? job->layer[l - 1] : NULL;
        const bool same =
            before != NULL && before->block == block && before->computed_again == again;
        job->layer[l] = same ? before : block_of(job, block, again);
    }
}

void orr_est_passes(struct est_job *job)
{
    const struct gen_pipeline *pipeline = &job->plan->pipeline;
    for (uint32_t i = 0; i < pipeline->stages * pipeline->chunks; i++) {
        job->chunk[i].range =
            orr_rank_layers(job->program, i / pipeline->chunks, i % pipeline->chunks);
        set_layers(job, &job->chunk[i].range);
    }
    job->no_memory = job->no_memory || job->groups.no_memory;
    if (!job->no_memory) {
        orr_est_time_chunks(job);
        orr_est_contend(job);
    }
}
