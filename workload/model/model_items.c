/* Entries of a model's file; see model_items.h. */
#include "workload/model/model_items.h"

#include "core/conf/conf.h"
#include "core/conf/conf_read.h"
#include "workload/model/kinds/kind.h"
#include "workload/model/kinds/kind_list.h"

#include <inttypes.h>
#include <string.h>

#define COUNT(keys) (sizeof(keys) / sizeof *(keys))

/* ---- keys ---- */

struct block {
    const char *name;
    struct orr_conf_list input, operators;
    int64_t repeat, copies;
    bool shared;
};

#define AT(member) offsetof(struct block, member)

static const struct orr_key block_keys[] = {
    {.name = "name",
     .type = ORR_KEY_TEXT,
     .offset = AT(name),
     .absent = "\"block\" and a number",
     .example = "name: encoder",
     .doc = "its name, for the inputs of later operators"},
    {.name = "input",
     .type = ORR_KEY_TEXT,
     .offset = AT(input),
     .list = true,
     .scalar_as_list = true,
     .min = 1,
     .absent = "the operator before it",
     .example = "input: image",
     .doc = "its input: `above` for its operators"},
    {.name = "repeat",
     .type = ORR_KEY_INTEGER,
     .offset = AT(repeat),
     .low = 1,
     .high = 1e6,
     .default_text = "1",
     .doc = "repetitions in sequence"},
    {.name = "copies",
     .type = ORR_KEY_INTEGER,
     .offset = AT(copies),
     .low = 1,
     .high = 1e6,
     .default_text = "1",
     .doc = "copies in parallel, whose outputs all go to the users of the block's output"},
    {.name = "shared",
     .type = ORR_KEY_BOOL,
     .offset = AT(shared),
     .default_text = "false",
     .doc = "all repetitions and copies use the weights of the first"},
    {.name = "operators",
     .type = ORR_KEY_NODE,
     .offset = AT(operators),
     .required = true,
     .list = true,
     .min = 1,
     .max = 100000,
     .example = "operators: [{dense: {out: 1024}}]",
     .doc = "as model.operators, blocks too"},
};

static const struct orr_key_table block_table = {"a block", block_keys, COUNT(block_keys), NULL};

#define NUMBER(kind, text) NUMBER_OF_##kind,
enum { ORR_MODEL_KINDS(NUMBER) NUMBER_OF_block, ITEM_KEYS };
#undef NUMBER

struct entry {
    const struct orr_conf *map[ITEM_KEYS];
};

#define KEY(kind, text)                                                                            \
    {.name = #kind,                                                                                \
     .type = ORR_KEY_NODE,                                                                         \
     .offset = offsetof(struct entry, map[NUMBER_OF_##kind]),                                      \
     .table = &orr_model_kind_##kind.table,                                                        \
     .doc = text},
static const struct orr_key item_keys[ITEM_KEYS] = {
    ORR_MODEL_KINDS(KEY){.name = "block",
                         .type = ORR_KEY_NODE,
                         .offset = offsetof(struct entry, map[NUMBER_OF_block]),
                         .table = &block_table,
                         .doc = "operators that are repeated, or that have a name together"}};
#undef KEY

#define NAME(kind, text) #kind,
static const char *const item_names[] = {ORR_MODEL_KINDS(NAME) "block", NULL};
#undef NAME

const struct orr_key_table orr_model_item_table = {"an operator", item_keys, ITEM_KEYS, item_names};

/* ---- reading ---- */

static enum orr_status find_key(const struct orr_conf *map, uint32_t *key, struct orr_diag *diag)
{
    struct entry entry = {{NULL}};
    const enum orr_status status =
        orr_conf_read(map, orr_model_item_table.owner, item_keys, ITEM_KEYS, &entry, diag);
    uint32_t count = 0;
    for (uint32_t k = 0; k < ITEM_KEYS && status == ORR_OK; k++) {
        if (entry.map[k] != NULL && count++ == 0) {
            *key = k;
        }
    }
    if (status == ORR_OK && count != 1) {
        const struct orr_location location = orr_conf_location(map);
        return orr_diag_fail(diag, ORR_ERR_INPUT, &location,
                             "%s: expected one key, the kind of an operator or block, got %" PRIu32,
                             map->path, count);
    }
    return status;
}

static enum orr_status check_name(const struct model_item *item, struct orr_diag *diag)
{
    return item->name != NULL && strcmp(item->name, "above") == 0
               ? orr_conf_expected(orr_conf_get(item->map, "name"),
                                   "another name: above is the input of a block", diag)
               : ORR_OK;
}

static void set_names(struct model_item *item, const char *name, const struct orr_conf_list *input)
{
    item->name = name;
    item->input = input->values;
    item->inputs = (uint32_t)input->count;
}

static enum orr_status read_operator(struct orr_arena *arena, struct model_item *item,
                                     struct orr_diag *diag)
{
    const struct orr_key_table *table = &item->kind->table;
    struct model_entry *entry = orr_arena_alloc(arena, item->kind->attributes);
    if (entry == NULL) {
        return orr_diag_no_memory(diag, "a model");
    }
    const enum orr_status status =
        orr_conf_read(item->map, table->owner, table->keys, table->count, entry, diag);
    item->attributes = entry;
    set_names(item, entry->name, &entry->input);
    return status;
}

static enum orr_status read_block(struct orr_arena *arena, struct model_item *item,
                                  struct orr_diag *diag)
{
    struct block block = {.name = NULL};
    struct model_items *items = orr_arena_alloc(arena, sizeof *items);
    if (items == NULL) {
        return orr_diag_no_memory(diag, "a model");
    }
    const enum orr_status status =
        orr_conf_read(item->map, block_table.owner, block_keys, COUNT(block_keys), &block, diag);
    set_names(item, block.name, &block.input);
    item->repeat = (uint32_t)block.repeat;
    item->copies = (uint32_t)block.copies;
    item->shared = block.shared;
    item->items = items;
    return status == ORR_OK ? orr_model_items_read(arena, &block.operators, items, diag) : status;
}

static enum orr_status read_item(struct orr_arena *arena, const struct orr_conf *map,
                                 struct model_item *item, struct orr_diag *diag)
{
    uint32_t key = 0;
    enum orr_status status = find_key(map, &key, diag);
    if (status != ORR_OK) {
        return status;
    }
    item->map = orr_conf_get(map, item_names[key]);
    item->kind = key == NUMBER_OF_block ? NULL : orr_model_kinds[key];
    status = (item->kind == NULL ? read_block : read_operator)(arena, item, diag);
    return status == ORR_OK ? check_name(item, diag) : status;
}

enum orr_status orr_model_items_read(struct orr_arena *arena, const struct orr_conf_list *list,
                                     struct model_items *out, struct orr_diag *diag)
{
    const struct orr_conf *const *map = list->values;
    struct model_item *item = orr_arena_array(arena, list->count, sizeof *item);
    if (item == NULL) {
        return orr_diag_no_memory(diag, "a model");
    }
    enum orr_status status = ORR_OK;
    for (size_t i = 0; i < list->count && status == ORR_OK; i++) {
        status = read_item(arena, map[i], &item[i], diag);
    }
    *out = (struct model_items){(uint32_t)list->count, item};
    return status;
}
