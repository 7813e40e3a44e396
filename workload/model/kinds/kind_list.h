/* All kinds of operators: name and description. For the table of kinds (registry.c) and the keys of
 * entries (model_items.c) alone: who makes an operator in memory declares its kind (kinds.h). */
#ifndef ORR_WORKLOAD_MODEL_KINDS_KIND_LIST_H
#define ORR_WORKLOAD_MODEL_KINDS_KIND_LIST_H

#define ORR_MODEL_KINDS(KIND)                                                                      \
    KIND(data, "the data of the samples; no operator")                                             \
    KIND(dense, "a fully connected layer")                                                         \
    KIND(conv2d, "a convolution over height and width")                                            \
    KIND(pool2d, "pooling: the maximum or the mean of each window")                                \
    KIND(batch_norm, "normalization of channels over the batch")                                   \
    KIND(layer_norm, "normalization of the features of each token")                                \
    KIND(activation, "a function of each number: relu, gelu, dropout; gated ones")                 \
    KIND(softmax, "normalized exponentials over the features")                                     \
    KIND(add, "the sum of its inputs")                                                             \
    KIND(multiply, "the product of its inputs, number by number")                                  \
    KIND(concat, "the concatenation of its inputs")                                                \
    KIND(flatten, "all numbers of a sample as features")                                           \
    KIND(reshape, "the same numbers in another shape")                                             \
    KIND(take, "the first tokens")                                                                 \
    KIND(embedding, "rows of a table that are looked up")                                          \
    KIND(position, "learned rows, one added to each token")                                        \
    KIND(attention, "multi-head attention with its four projections")                              \
    KIND(attention_core, "scores and weighted sums, between projections of their own")             \
    KIND(head_norm, "normalization of queries and keys")                                           \
    KIND(rotary, "rotary positions of queries and keys")                                           \
    KIND(latent_keys, "keys of latent attention: those of each head beside the rotary one")        \
    KIND(latent_attention, "scores and weighted sums of latent attention")                         \
    KIND(causal_conv, "a convolution along the tokens, of each channel by itself")                 \
    KIND(state_scan, "the recurrence of a state-space layer (Mamba-2)")                            \
    KIND(gated_norm, "a norm, times the gate that its second input begins with")                   \
    KIND(router, "scores of experts for each token")                                               \
    KIND(expert_dense, "a dense layer for each expert, on the tokens sent to it")                  \
    KIND(interaction, "products of all pairs of vectors, with the last vector")                    \
    KIND(matmul, "the product of two matrices of activations")                                     \
    KIND(custom, "anything else, by its operations, bytes and weights")                            \
    KIND(measured, "an operator with measured times")                                              \
    KIND(loss, "the loss of the model")

struct model_kind_ops;
#define ORR_MODEL_DECLARE(kind, text) extern const struct model_kind_ops orr_model_kind_##kind;
ORR_MODEL_KINDS(ORR_MODEL_DECLARE)
#undef ORR_MODEL_DECLARE

#endif
