/* The entries of a model's file, before blocks are expanded. */
#ifndef ORR_WORKLOAD_MODEL_MODEL_ITEMS_H
#define ORR_WORKLOAD_MODEL_MODEL_ITEMS_H

#include "core/conf/keys.h"
#include "workload/model/model_builder.h"

struct model_builder;
struct model_kind_ops;
struct orr_arena;
struct orr_conf;
struct orr_diag;

struct model_items;

/* An operator, or a block. */
struct model_item {
    const struct orr_conf *map; /* of its keys */
    const char *name;           /* NULL: none */
    const char *const *input;   /* [inputs] names; 0 inputs: the entry before */
    uint32_t inputs;
    const struct model_kind_ops *kind; /* NULL: a block */
    const void *attributes;            /* of the kind */
    uint32_t repeat, copies;           /* of the block */
    bool shared;                       /* its repetitions and copies share weights */
    const struct model_items *items;
};

struct model_items {
    uint32_t count;
    const struct model_item *item; /* [count] */
};

/* An entry of `operators`: a mapping with one key, a kind or `block`. */
extern const struct orr_key_table orr_model_item_table;

/* Reads a list of entries. */
enum orr_status orr_model_items_read(struct orr_arena *arena, const struct orr_conf_list *list,
                                     struct model_items *out, struct orr_diag *diag);

/* Expands a list of entries into the builder. */
enum orr_status orr_model_items_expand(struct orr_arena *arena, const struct model_items *items,
                                       struct model_builder *builder, struct orr_diag *diag);

#endif
