/* How the operators of transformer layers are cut; see transformer_cut.h. */
#include "workload/gen/transformer_cut.h"

#include <string.h>

#include "core/arena.h"
#include "core/diag.h"
#include "core/saturate.h"
#include "workload/model/kinds/kinds.h"
#include "workload/model/op_part.h"
#include "workload/parallel/layout.h"

/* ---- how layers are cut ---- */

static const struct tf_rule rules[] = {
    {"embedding", "rows", NULL, NULL},
    {"position embedding", NULL, "embedding output", NULL},
    {"qkv", "output", "attention input", NULL},
    {"qk norm", "heads", NULL, NULL},
    {"rotary", "heads", NULL, NULL},
    {"attention", "heads", NULL, "keys and values"},
    {"attention gate", "output", NULL, NULL},
    {"gated attention", "features", NULL, NULL},
    {"query up", "output", "query input", NULL},
    {"queries", "output", "query input", NULL},
    {"kv up", "output", "key and value input", NULL},
    {"rotary keys", "heads", "rotary key", NULL},
    {"attention projection", "input", NULL, NULL},
    {"attention residual", NULL, "attention output", NULL},
    {"cross queries", "output", "cross input", NULL},
    {"cross keys and values", "output", NULL, NULL},
    {"cross attention", "heads", NULL, "cross keys and values"},
    {"cross projection", "input", NULL, NULL},
    {"cross residual", NULL, "cross output", NULL},
    {"mamba input", "output", "mamba gather", NULL},
    {"mamba convolution", "channels", NULL, "tokens to heads"},
    {"mamba scan", "heads", NULL, NULL},
    {"mamba gate", "features", NULL, NULL},
    {"mamba projection", "input", NULL, "heads to tokens"},
    {"mamba residual", NULL, "mamba scatter", NULL},
    {"shared up", "output", "shared input", NULL},
    {"shared activation", "features", NULL, NULL},
    {"shared down", "input", NULL, NULL},
    {"shared sum", NULL, "shared output", NULL},
    {"mtp embedding", "rows", NULL, NULL},
    {"mtp positions", NULL, "mtp embedding output", NULL},
    {"ffn up", "output", "ffn input", NULL},
    {"activation", "features", NULL, NULL},
    {"ffn down", "input", NULL, NULL},
    {"ffn residual", NULL, "ffn output", NULL},
    {"logits", "output", "logits input", NULL},
    {"pooler", "output", NULL, NULL},
};

static const struct tf_rule *rule_of(const struct model_op *op)
{
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        if (strcmp(rules[i].label, op->label) == 0) {
            return &rules[i];
        }
    }
    return NULL;
}

static bool is_expert(const struct model_op *op)
{
    return op->kind == &orr_model_kind_expert_dense;
}

enum orr_status orr_transformer_places(struct orr_arena *arena, struct tf_blocks *blocks,
                                       struct orr_diag *diag)
{
    const struct model_graph *graph = &blocks->graph;
    struct tf_place *place = orr_arena_array(arena, graph->ops, sizeof *place);
    if (place == NULL) {
        return orr_diag_no_memory(diag, "a generated model");
    }
    for (uint32_t i = 0; i < graph->ops; i++) {
        const struct model_op *op = &graph->op[i];
        const struct tf_rule *rule = rule_of(op);
        const bool between = op->kind == &orr_model_kind_activation && is_expert(op - 1);
        place[i] = (struct tf_place){.rule = rule,
                                     .tensor = rule != NULL && rule->dim != NULL
                                                   ? orr_model_dim_named(op, rule->dim)
                                                   : EXCHANGE_NO_DIM,
                                     .tokens = orr_model_dim_named(op, "tokens"),
                                     .context = orr_model_dim_named(op, "tokens"),
                                     .of_experts = is_expert(op) || between};
        if (place[i].tokens == EXCHANGE_NO_DIM && op->shape.axes == 2) {
            place[i].context = place[i].tensor; /* it needs all tokens, of some heads */
        }
        place[i].experts = is_expert(op) ? orr_model_dim_named(op, "experts")
                           : between     ? place[i].tokens
                                         : 0; /* the samples */
    }
    blocks->place = place;
    return ORR_OK;
}

bool orr_transformer_is_shared(const struct tf_cut *cut, uint32_t index)
{
    const struct tf_place *place = tf_place_of(cut, index);
    return cut->shares > 1 && place->tensor == EXCHANGE_NO_DIM &&
           cut->graph->op[index].kind != &orr_model_kind_loss && place->tokens != EXCHANGE_NO_DIM;
}

bool orr_transformer_is_core(const struct model_op *op)
{
    return op->kind == &orr_model_kind_attention_core ||
           op->kind == &orr_model_kind_latent_attention;
}

/* ---- parts ---- */

/* The whole operator with the sizes that do not follow from a cut of its dimensions: of experts
 * their tokens, of the loss the slice of the vocabulary. */
static void resize(const struct tf_cut *cut, bool of_experts, struct model_op *whole,
                   struct model_input *input, struct model_expert_dense *dense)
{
    ORR_ASSERT(whole->inputs <= 2);
    memcpy(input, whole->input, whole->inputs * sizeof *input);
    whole->input = input;
    if (of_experts) {
        input[0].shape.size[0] = sat_times(cut->local, cut->each);
    }
    if (is_expert(whole)) {
        *dense = *(const struct model_expert_dense *)whole->attributes;
        dense->experts = (int64_t)cut->local;
        dense->tokens_each = (int64_t)cut->each;
        whole->attributes = dense;
    }
    if (whole->kind == &orr_model_kind_loss) {
        input[0].shape.size[input[0].shape.axes - 1] =
            sat_divide_up(cut->model->vocabulary, cut->tensor);
    }
}

const struct model_op *orr_transformer_part(const struct tf_cut *cut, uint32_t index)
{
    const struct tf_place *place = tf_place_of(cut, index);
    const uint32_t slot = index + 1 - cut->first;
    struct model_op *part = &cut->parts->part[slot];
    uint32_t degree[MODEL_MAX_DIMS] = {1, 1, 1, 1, 1, 1, 1, 1};
    ORR_ASSERT(slot <= TF_MAX_OPS);
    if ((cut->parts->known >> slot & 1) != 0) {
        return part;
    }
    if (place->context != EXCHANGE_NO_DIM && !place->of_experts) {
        degree[place->context] = cut->contexts;
    }
    if (orr_transformer_is_core(&cut->graph->op[index])) {
        degree[place->context] /= cut->ulysses;
        degree[place->tensor] *= cut->ulysses;
    }
    if (place->tensor != EXCHANGE_NO_DIM) {
        degree[place->tensor] *= place->of_experts ? cut->expert_tensor : cut->tensor;
    }
    struct model_op whole = cut->graph->op[index];
    struct model_input input[2];
    struct model_expert_dense dense;
    struct orr_diag diag;
    resize(cut, place->of_experts, &whole, input, &dense);
    const enum orr_status status =
        orr_model_part(&whole, cut->graph->element_bytes, degree, part, &diag);
    ORR_ASSERT(status == ORR_OK); /* the layout was checked */
    (void)status;
    cut->parts->known |= UINT64_C(1) << slot;
    return part;
}

/* Bytes of an operator's output that the rank holds. */
uint64_t orr_transformer_held_bytes(const struct tf_cut *cut, uint32_t index)
{
    const uint64_t samples = tf_place_of(cut, index)->of_experts ? 1 : cut->samples;
    const uint64_t shares = orr_transformer_is_shared(cut, index) ? cut->shares : 1;
    return sat_times(orr_transformer_part(cut, index)->output_bytes, samples) / shares;
}

/* Counts an output as kept, in elements or in a narrow type; false: it was. Attention keeps its
 * output in elements for its own backward pass, which a product that keeps it so shares. */
static bool keep(const struct tf_cut *cut, uint32_t from, enum gen_format format)
{
    const uint64_t bit = tf_cut_bit(cut, from);
    uint64_t *kept = format == GEN_ELEMENT ? &cut->parts->kept : &cut->parts->kept_narrow;
    const bool before = (*kept & bit) != 0;
    *kept |= bit;
    return !before;
}

/* Bytes of elements as a format keeps them. */
static uint64_t kept_bytes(const struct tf_cut *cut, uint32_t from, enum gen_format format,
                           uint64_t bytes)
{
    const struct model_op *op = &cut->graph->op[from];
    const bool core = orr_transformer_is_core(op);
    const uint64_t own = core && cut->job->plan.fused_attention ? bytes : 0;
    return format == GEN_ELEMENT
               ? bytes
               : sat_plus(own, orr_gen_format_bytes(format, cut->element, bytes / cut->element));
}

/* What the backward pass needs of the inputs, each once: of other layers, the first operator's.
 * Keys and values of an encoder count for as many tokens as the queries. */
uint64_t orr_transformer_kept_inputs(const struct tf_cut *cut, uint32_t index,
                                     enum gen_format format)
{
    const struct model_op *op = &cut->graph->op[index];
    uint64_t kept = 0;
    for (uint32_t e = op->first_edge; e < op->first_edge + op->edges && op->keeps_inputs; e++) {
        const uint32_t from = cut->graph->edge[e].from;
        const uint64_t bit = tf_cut_bit(cut, from);
        const bool here = from >= cut->first || index == cut->first;
        if (((cut->again | cut->remade) & bit) != 0 || !keep(cut, from, format)) {
            continue; /* another operator keeps it, or none does */
        }
        const uint64_t held = here ? orr_transformer_held_bytes(cut, from) : 0;
        const bool of_encoder = op->op_kind == ORR_OP_ATTENTION && e > op->first_edge;
        const struct model_input *keys = &op->input[op->inputs - 1];
        const uint64_t tokens = of_encoder ? keys->shape.size[0] / cut->contexts : 1;
        const uint64_t bytes =
            sat_times(held / tokens, of_encoder ? cut->model->sequence / cut->contexts : 1);
        kept = sat_plus(kept, kept_bytes(cut, from, format, bytes));
    }
    return kept;
}

/* ---- exchanges ---- */

/* The dimension of an operator that the ranks of a family cut. */
static uint32_t dim_of(const struct tf_cut *cut, uint32_t index, enum gen_family family)
{
    const struct tf_place *place = tf_place_of(cut, index);
    if (family == GEN_EP) {
        return place->experts;
    }
    if (family == GEN_CP) {
        return place->context;
    }
    if ((family == GEN_ETP ? place->of_experts : true) && place->tensor != EXCHANGE_NO_DIM) {
        return place->tensor;
    }
    const uint64_t shares = family == GEN_ETP ? cut->expert_tensor : cut->shares;
    return shares > 1 ? place->tokens : EXCHANGE_NO_DIM;
}

struct exchange_pair orr_transformer_exchange(const struct tf_cut *cut, uint32_t index,
                                              const struct model_edge *edge, enum gen_family family)
{
    const struct model_graph *graph = cut->graph;
    const struct model_op *from = &graph->op[edge->from];
    if (from->kind == &orr_model_kind_take) { /* masked positions are cut as all are */
        edge = &graph->edge[from->first_edge];
    }
    return orr_exchange_of(&graph->op[edge->from], dim_of(cut, edge->from, family),
                           &graph->op[index], dim_of(cut, index, family), edge);
}

/* ---- experts ---- */

uint64_t orr_transformer_tokens_before(const struct tf_job *job, uint32_t rank, uint64_t tokens)
{
    const struct tf_model *model = &job->model;
    const uint64_t local = model->experts / gen_expert_ranks(&job->plan.layout);
    return gen_expert_tokens(&model->load, rank * local, tokens);
}

/* The tokens that the rank's experts get when each of its group sends so many; evenly, as many. */
static uint64_t received(const struct tf_job *job, uint64_t sent)
{
    const struct gen_layout *layout = &job->plan.layout;
    if (!layout->experts_differ) {
        return sent;
    }
    const uint64_t own = orr_transformer_tokens_before(job, job->expert_rank + 1, sent) -
                         orr_transformer_tokens_before(job, job->expert_rank, sent);
    return sat_times(gen_expert_ranks(layout), own);
}

void orr_transformer_cut_experts(struct tf_cut *cut)
{
    const struct tf_model *model = cut->model;
    const struct gen_plan *plan = &cut->job->plan;
    const double slots_per_token = (double)model->experts_per_token * model->capacity;
    const uint64_t length = cut->graph->op[cut->first].shape.size[0];
    const uint64_t shared = sat_divide_up(tf_cut_tokens(cut, length), cut->shares);
    cut->local = model->experts / gen_expert_ranks(&plan->layout);
    cut->sent = (uint64_t)(slots_per_token * (double)shared + 0.5);
    cut->own = received(cut->job, cut->sent);
    const uint64_t met = sat_times(cut->own, cut->expert_tensor); /* by all that share experts */
    cut->each = sat_divide_up(met, cut->local);
}
