/* Parts of operators, and exchanges; see graph_cut.h. */
#include "workload/parallel/graph/graph_cut.h"

#include "core/saturate.h"
#include "workload/model/op_part.h"
#include "workload/parallel/rank_part.h"
#include "workload/strategy/axis_cut.h"

static uint32_t size_of(const struct graph_cut *cut, enum gen_axis axis)
{
    return cut->plan->layout.size[axis];
}

static bool is_of_experts(const struct graph_cut *cut, uint32_t op)
{
    return orr_axis_experts(&cut->graph->op[op]) > 0;
}

/* ---- parts ---- */

static void cut_dim(uint32_t *degree, uint32_t dim, uint32_t ranks)
{
    if (dim != EXCHANGE_NO_DIM && dim != 0) {
        degree[dim] *= ranks;
    }
}

/* Experts have no dimension of tokens: context-parallel ranks share what is sent to them. Of e
 * expert-parallel ranks each does an e-th of the experts for the samples of all. */
bool orr_graph_cut_part(const struct graph_cut *cut, uint32_t op, struct model_op *part,
                        struct rank_amount *amount)
{
    uint32_t degree[MODEL_MAX_DIMS] = {1, 1, 1, 1, 1, 1, 1, 1};
    const bool experts = is_of_experts(cut, op);
    struct orr_diag diag;
    orr_diag_init(&diag);
    cut_dim(degree, cut->tensor[op], size_of(cut, GEN_TENSOR));
    cut_dim(degree, cut->context[op], size_of(cut, GEN_CONTEXT));
    *amount = (struct rank_amount){cut->plan->micro_batch, experts ? size_of(cut, GEN_CONTEXT) : 1,
                                   cut->plan->element_bytes, GEN_ELEMENT};
    if (experts) {
        cut_dim(degree, cut->expert[op], size_of(cut, GEN_EXPERT));
        amount->samples = sat_times(amount->samples, size_of(cut, GEN_EXPERT));
    }
    return orr_model_part(&cut->graph->op[op], cut->graph->element_bytes, degree, part, &diag) ==
           ORR_OK;
}

/* ---- bytes ---- */

static uint64_t shared(const struct graph_cut *cut, uint64_t bytes)
{
    return sat_divide_up(sat_times(bytes, cut->plan->micro_batch), size_of(cut, GEN_CONTEXT));
}

/* Whether an edge leads to experts, or from them. */
static bool to_experts(const struct graph_cut *cut, uint32_t op, uint32_t from)
{
    return cut->expert[op] != 0 && cut->expert[from] == 0;
}

static bool from_experts(const struct graph_cut *cut, uint32_t op, uint32_t from)
{
    return cut->expert[op] == 0 && cut->expert[from] != 0;
}

/* What passes along an edge of the tokens of a rank, of all tensor-parallel ranks together: to
 * experts and back a token for each expert. */
static uint64_t passing(const struct graph_cut *cut, uint32_t op, uint32_t from)
{
    const struct model_op *producer = &cut->graph->op[from], *consumer = &cut->graph->op[op];
    const bool cuts = cut->context[from] != EXCHANGE_NO_DIM || is_of_experts(cut, from);
    if (to_experts(cut, op, from)) {
        return shared(cut, consumer->forward.input_bytes);
    }
    if (from_experts(cut, op, from)) {
        return shared(cut, producer->forward.output_bytes);
    }
    return cuts ? shared(cut, producer->output_bytes)
                : sat_times(producer->output_bytes, cut->plan->micro_batch);
}

/* Attention with queries, keys and values side by side gathers keys and values. */
static uint64_t gathered_tokens(const struct graph_cut *cut, uint32_t op,
                                const struct model_edge *edge)
{
    const struct model_op *consumer = &cut->graph->op[op];
    const bool is_core = consumer->op_kind == ORR_OP_ATTENTION && consumer->weights == 0;
    struct model_op part;
    struct rank_amount amount;
    if (is_core && consumer->inputs == 1 && orr_graph_cut_part(cut, op, &part, &amount)) {
        return sat_times(part.forward.input_bytes - part.forward.output_bytes, amount.samples);
    }
    const uint32_t dim = cut->tensor[op];
    const bool sliced = dim != EXCHANGE_NO_DIM && dim != 0 &&
                        orr_model_cut(&consumer->dim[dim], edge)->needs == MODEL_NEEDS_SLICE;
    const uint64_t all = sat_times(cut->graph->op[edge->from].output_bytes, cut->plan->micro_batch);
    return sliced ? sat_divide_up(all, size_of(cut, GEN_TENSOR)) : all;
}

/* ---- exchanges ---- */

static struct rank_comm comm_of(enum gen_family family, struct exchange exchange, uint64_t bytes,
                                uint32_t ranks)
{
    const bool all_to_all = exchange.comm == ORR_COMM_ALL_TO_ALL && family != GEN_EP;
    return (struct rank_comm){.family = family,
                              .comm = (enum orr_trace_comm)exchange.comm,
                              .bytes = all_to_all ? sat_divide_up(bytes, ranks) : bytes,
                              .is_set = exchange.is_needed};
}

/* Gathered inputs of products are not kept but gathered again. */
static unsigned add(struct graph_exchange *out, enum gen_family family, struct exchange_pair pair,
                    uint64_t bytes, uint32_t ranks)
{
    const bool sliced =
        pair.forward.comm == ORR_COMM_REDUCE_SCATTER || pair.forward.comm == ORR_COMM_ALL_TO_ALL;
    if (ranks == 1 || (!pair.forward.is_needed && !pair.backward.is_needed)) {
        return 0;
    }
    *out = (struct graph_exchange){
        .family = family,
        .forward = comm_of(family, pair.forward, bytes, ranks),
        .backward = comm_of(family, pair.backward, bytes, ranks),
        .kept_bytes = !pair.forward.is_needed      ? 0
                      : sliced && family != GEN_EP ? sat_divide_up(bytes, ranks)
                                                   : bytes,
        .is_gathered = pair.forward.is_needed && pair.forward.comm == ORR_COMM_ALL_GATHER};
    return 1;
}

static struct exchange_pair along(const struct graph_cut *cut, const uint32_t *dim, uint32_t op,
                                  const struct model_edge *edge)
{
    const struct model_graph *graph = cut->graph;
    return orr_exchange_of(&graph->op[edge->from], dim[edge->from], &graph->op[op], dim[op], edge);
}

/* Whether tensor-parallel ranks have slices of a tensor. */
static bool has_slices(const struct model_op *op, uint32_t dim)
{
    return dim != EXCHANGE_NO_DIM && op->dim[dim].gives == MODEL_GIVES_SLICE;
}

/* To experts tokens are sent before tensor-parallel ranks gather them, and back after these reduced
 * them. */
unsigned orr_graph_cut_exchanges(const struct graph_cut *cut, uint32_t op,
                                 const struct model_edge *edge,
                                 struct graph_exchange out[GRAPH_MAX_EXCHANGES])
{
    const uint32_t tensor = size_of(cut, GEN_TENSOR), from = edge->from;
    const uint64_t bytes = passing(cut, op, from);
    const bool back = from_experts(cut, op, from);
    const struct exchange_pair experts = along(cut, cut->expert, op, edge);
    const struct exchange_pair shares = along(cut, cut->tensor, op, edge);
    const bool sliced =
        back ? shares.forward.is_needed && shares.forward.comm == ORR_COMM_REDUCE_SCATTER
             : has_slices(&cut->graph->op[from], cut->tensor[from]);
    const uint64_t sent = sliced ? sat_divide_up(bytes, tensor) : bytes;
    unsigned count = 0;
    if (!back) {
        count += add(&out[count], GEN_EP, experts, sent, size_of(cut, GEN_EXPERT));
    }
    count += add(&out[count], GEN_TP, shares, bytes, tensor);
    if (back) {
        count += add(&out[count], GEN_EP, experts, sent, size_of(cut, GEN_EXPERT));
    }
    if (size_of(cut, GEN_CONTEXT) == 1) {
        return count;
    }
    const struct exchange_pair tokens = along(cut, cut->context, op, edge);
    return count + add(&out[count], GEN_CP, tokens, gathered_tokens(cut, op, edge),
                       size_of(cut, GEN_CONTEXT));
}
