/* Expands the entries of a model's file: blocks are repeated, names are resolved; see
 * model_items.h. Each repetition of an outermost block is a layer.
 *
 * Each repetition of a block is a scope. A name is looked up among the entries listed before it in
 * its scope, then in the enclosing scopes. The name of a block means its output: its last operator,
 * of all of its copies. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/conf/conf.h"
#include "core/strings.h"
#include "workload/model/model_items.h"
#include "workload/model/op_graph.h"

struct values {
    const model_value *value; /* [count] */
    uint32_t count;
};

struct scope {
    const struct scope *parent; /* NULL: the model */
    const char *prefix;         /* of its operators' names */
    const struct model_items *items;
    struct values *outputs; /* [items->count], outputs of the entries expanded so far */
    uint32_t done;
    struct values above, tip;
    model_value first;        /* the first of its values */
    bool shares;              /* its weights are shared ... */
    model_value shared_first; /* ... with an equal scope that has this first value */
};

struct expansion {
    struct orr_arena *arena;
    struct model_builder *builder;
    struct orr_diag *diag;
    const char *layer; /* that the next operator begins; NULL: none */
};

static enum orr_status expand(struct expansion *expansion, struct scope *scope);

/* ---- names ---- */

static const struct values *find_in(const struct scope *scope, const char *name)
{
    for (uint32_t i = scope->done; i-- > 0;) {
        const struct model_item *item = &scope->items->item[i];
        if (item->name != NULL && strcmp(item->name, name) == 0) {
            return &scope->outputs[i];
        }
    }
    return NULL;
}

static const struct values *find(const struct scope *scope, const char *name)
{
    if (strcmp(name, "above") == 0) {
        return scope->parent != NULL ? &scope->above : NULL;
    }
    const struct values *values = NULL;
    for (; scope != NULL && values == NULL; scope = scope->parent) {
        values = find_in(scope, name);
    }
    return values;
}

static bool is_listed_later(const struct scope *scope, const char *name)
{
    for (; scope != NULL; scope = scope->parent) {
        for (uint32_t i = scope->done; i < scope->items->count; i++) {
            const struct model_item *item = &scope->items->item[i];
            if (item->name != NULL && strcmp(item->name, name) == 0) {
                return true;
            }
        }
    }
    return false;
}

static const char *nearest(struct orr_arena *arena, const struct scope *from, const char *name)
{
    size_t count = 0;
    for (const struct scope *scope = from; scope != NULL; scope = scope->parent) {
        count += scope->done;
    }
    const char **names = orr_arena_array(arena, count + 1, sizeof *names);
    count = 0;
    for (const struct scope *scope = from; scope != NULL && names != NULL; scope = scope->parent) {
        for (uint32_t i = 0; i < scope->done; i++) {
            const char *known = scope->items->item[i].name;
            if (known != NULL) {
                names[count++] = known;
            }
        }
    }
    return names != NULL ? orr_nearest_name(name, names, count) : NULL;
}

/* Fails at the location of a name. */
static enum orr_status fail_name(const struct expansion *expansion, const struct scope *scope,
                                 const struct orr_conf *node, const char *name)
{
    const struct orr_location location = orr_conf_location(node);
    if (is_listed_later(scope, name)) {
        return orr_diag_fail(expansion->diag, ORR_ERR_INPUT, &location,
                             "%s: \"%s\" does not come before it: this would be a cycle",
                             node->path, name);
    }
    const char *known = nearest(expansion->arena, scope, name);
    return orr_diag_fail(expansion->diag, ORR_ERR_INPUT, &location,
                         "%s: expected an operator or block listed before it, got \"%s\"%s%s%s",
                         node->path, name, known != NULL ? "; did you mean \"" : "",
                         known != NULL ? known : "", known != NULL ? "\"?" : "");
}

static const struct orr_conf *entry_of(const struct orr_conf *node, uint32_t index)
{
    return node->kind == ORR_CONF_LIST ? node->item[index] : node;
}

/* The inputs of an entry: those named, or the entry before. */
static enum orr_status inputs_of(const struct expansion *expansion, const struct scope *scope,
                                 const struct model_item *item, struct values *out)
{
    const struct values *outputs = NULL;
    if (item->inputs == 0) {
        *out = scope->tip;
        return ORR_OK;
    }
    size_t capacity = 0;
    model_value *all = NULL;
    *out = (struct values){NULL, 0};
    for (uint32_t i = 0; i < item->inputs; i++) {
        outputs = find(scope, item->input[i]);
        if (outputs == NULL) {
            return fail_name(expansion, scope, entry_of(orr_conf_get(item->map, "input"), i),
                             item->input[i]);
        }
        all = orr_arena_grow(expansion->arena, all, &capacity,
                             (size_t)out->count + outputs->count + 1, sizeof *all);
        if (all == NULL) {
            return orr_diag_no_memory(expansion->diag, "a model");
        }
        for (uint32_t v = 0; v < outputs->count && out->count < MODEL_MAX_OPS; v++) {
            all[out->count++] = outputs->value[v];
        }
    }
    out->value = all;
    return ORR_OK;
}

/* ---- operators ---- */

static bool are_data(const struct expansion *expansion, const struct values *values)
{
    for (uint32_t i = 0; i < values->count; i++) {
        if (!orr_model_value_is_data(expansion->builder, values->value[i])) {
            return false;
        }
    }
    return true;
}

static enum orr_status find_owner(const struct expansion *expansion, const struct scope *scope,
                                  const struct model_item *item, struct model_op_spec *spec)
{
    const struct model_entry *entry = item->attributes;
    if (entry->shared == NULL) {
        spec->shared = spec->of_block = scope->shares;
        spec->owner = scope->shared_first + (orr_model_values(expansion->builder) - scope->first);
        return ORR_OK;
    }
    const struct orr_conf *node = orr_conf_get(item->map, "shared");
    const struct values *owner = find(scope, entry->shared);
    if (owner == NULL) {
        return fail_name(expansion, scope, node, entry->shared);
    }
    if (owner->count != 1) {
        return orr_conf_expected(node, "one operator", expansion->diag);
    }
    spec->shared = true;
    spec->owner = owner->value[0];
    return ORR_OK;
}

/* Its name with blanks for dots: "layer 3 attention". */
static const char *label_of(const struct expansion *expansion, const char *name)
{
    char *label = name != NULL ? orr_arena_strdup(expansion->arena, name) : NULL;
    for (char *at = label; at != NULL && *at != '\0'; at++) {
        *at = *at == '.' ? ' ' : *at;
    }
    return label;
}

static enum orr_status add_operator(struct expansion *expansion, const struct scope *scope,
                                    const struct model_item *item, struct values *outputs)
{
    const struct model_entry *entry = item->attributes;
    struct model_op_spec spec = {.kind = item->kind,
                                 .name = item->name,
                                 .profile = entry->profile,
                                 .output_element_bytes = (uint64_t)entry->output_element_bytes,
                                 .section = item->map};
    struct values inputs;
    enum orr_status status = inputs_of(expansion, scope, item, &inputs);
    if (status == ORR_OK) {
        status = find_owner(expansion, scope, item, &spec);
    }
    model_value *value = orr_arena_alloc(expansion->arena, sizeof *value);
    if (status == ORR_OK && scope->prefix[0] != '\0' && item->name != NULL) {
        spec.name = orr_arena_printf(expansion->arena, "%s%s", scope->prefix, item->name);
    }
    if (status == ORR_OK && (value == NULL || (spec.name == NULL && item->name != NULL))) {
        return orr_diag_no_memory(expansion->diag, "a model");
    }
    spec.label = label_of(expansion, spec.name);
    spec.layer = expansion->layer;
    spec.joins_layer = scope->parent != NULL;
    const bool none =
        item->inputs == 0 &&
        (item->kind->source || (item->kind->is_lookup && !are_data(expansion, &inputs)));
    if (status == ORR_OK) {
        spec.input = inputs.value;
        spec.inputs = none ? 0 : inputs.count;
        status = orr_model_add(expansion->builder, &spec, item->attributes, value, expansion->diag);
        expansion->layer = item->kind->source ? expansion->layer : NULL;
    }
    *outputs = (struct values){value, 1};
    return status;
}

/* ---- blocks ---- */

/* "NAME." or "NAME.COPY.REPETITION."; COPY and REPETITION are omitted if there is only one. */
static const char *prefix_of(const struct expansion *expansion, const struct scope *parent,
                             const struct model_item *item, uint32_t copy, uint32_t repetition)
{
    char name[32], of_copy[32] = "", of_repetition[32] = "";
    (void)snprintf(name, sizeof name, "block %" PRIu32, parent->done + 1);
    if (item->copies > 1) {
        (void)snprintf(of_copy, sizeof of_copy, "%" PRIu32 ".", copy + 1);
    }
    if (item->repeat > 1) {
        (void)snprintf(of_repetition, sizeof of_repetition, "%" PRIu32 ".", repetition + 1);
    }
    return orr_arena_printf(expansion->arena, "%s%s.%s%s", parent->prefix,
                            item->name != NULL ? item->name : name, of_copy, of_repetition);
}

static enum orr_status expand_repetition(struct expansion *expansion, const struct scope *parent,
                                         const struct model_item *item, struct scope *scope)
{
    if (scope->prefix == NULL) {
        return orr_diag_no_memory(expansion->diag, "a model");
    }
    scope->parent = parent;
    scope->items = item->items;
    scope->tip = scope->above;
    scope->first = orr_model_values(expansion->builder);
    if (parent->parent == NULL) {
        char *layer = orr_arena_strndup(expansion->arena, scope->prefix, strlen(scope->prefix) - 1);
        expansion->layer = label_of(expansion, layer);
    }
    return expand(expansion, scope);
}

/* Repetitions in sequence; `tip`: the input, then the output of the last one. */
static enum orr_status expand_chain(struct expansion *expansion, const struct scope *parent,
                                    const struct model_item *item, uint32_t copy,
                                    model_value *shared_first, struct values *tip)
{
    enum orr_status status = ORR_OK;
    for (uint32_t r = 0; r < item->repeat && status == ORR_OK; r++) {
        const bool is_repeated = item->shared && (copy > 0 || r > 0);
        struct scope scope = {.prefix = prefix_of(expansion, parent, item, copy, r), .above = *tip};
        scope.shares = is_repeated || parent->shares;
        scope.shared_first =
            is_repeated
                ? *shared_first
                : parent->shared_first + (orr_model_values(expansion->builder) - parent->first);
        if (copy == 0 && r == 0) {
            *shared_first = orr_model_values(expansion->builder);
        }
        status = expand_repetition(expansion, parent, item, &scope);
        *tip = scope.tip;
    }
    return status;
}

static enum orr_status add_block(struct expansion *expansion, const struct scope *parent,
                                 const struct model_item *item, struct values *outputs)
{
    struct values inputs;
    size_t capacity = 0;
    model_value *all = NULL, shared_first = 0;
    enum orr_status status = inputs_of(expansion, parent, item, &inputs);
    *outputs = (struct values){NULL, 0};
    for (uint32_t c = 0; c < item->copies && status == ORR_OK; c++) {
        struct values tip = inputs;
        status = expand_chain(expansion, parent, item, c, &shared_first, &tip);
        if (status != ORR_OK) {
            return status;
        }
        all = orr_arena_grow(expansion->arena, all, &capacity,
                             (size_t)outputs->count + tip.count + 1, sizeof *all);
        if (all == NULL) {
            return orr_diag_no_memory(expansion->diag, "a model");
        }
        memcpy(all + outputs->count, tip.value, tip.count * sizeof *all);
        outputs->count += tip.count;
        outputs->value = all;
    }
    return status;
}

/* ---- lists ---- */

static enum orr_status check_new(const struct expansion *expansion, const struct scope *scope,
                                 const struct model_item *item)
{
    return item->name == NULL || find_in(scope, item->name) == NULL
               ? ORR_OK
               : orr_conf_expected(orr_conf_get(item->map, "name"),
                                   "a name that no entry before it has", expansion->diag);
}

static enum orr_status expand(struct expansion *expansion, struct scope *scope)
{
    const struct model_items *items = scope->items;
    scope->outputs = orr_arena_array(expansion->arena, items->count, sizeof *scope->outputs);
    if (scope->outputs == NULL) {
        return orr_diag_no_memory(expansion->diag, "a model");
    }
    enum orr_status status = ORR_OK;
    for (; scope->done < items->count && status == ORR_OK; scope->done++) {
        const struct model_item *item = &items->item[scope->done];
        struct values *outputs = &scope->outputs[scope->done];
        status = check_new(expansion, scope, item);
        if (status == ORR_OK) {
            status = item->kind != NULL ? add_operator(expansion, scope, item, outputs)
                                        : add_block(expansion, scope, item, outputs);
        }
        scope->tip = *outputs;
    }
    return status;
}

enum orr_status orr_model_items_expand(struct orr_arena *arena, const struct model_items *items,
                                       struct model_builder *builder, struct orr_diag *diag)
{
    struct expansion expansion = {arena, builder, diag, NULL};
    struct scope scope = {.prefix = "", .items = items};
    return expand(&expansion, &scope);
}
