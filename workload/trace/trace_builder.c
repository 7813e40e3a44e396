/* Stages the nodes of a trace; see trace_builder.h. Staged nodes are in growing heap blocks that
 * are freed at the end, so the arena holds only the final arrays in their exact size. */
#include "workload/trace/trace_builder.h"
#include "workload/trace/op_kind.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/time.h"
#include "workload/gpu/comm_kernel.h"
#include "workload/trace/trace_builder_private.h"

enum { MAX_DIMS = 32 };

struct orr_trace_builder *orr_trace_builder_create(struct orr_arena *arena)
{
    struct orr_trace_builder *builder = orr_heap_calloc(1, sizeof *builder);
    if (builder == NULL) {
        return NULL;
    }
    builder->arena = arena;
    builder->scratch = orr_arena_create();
    if (builder->scratch == NULL) {
        orr_heap_free(builder);
        return NULL;
    }
    builder->path = builder->version = builder->rules = "";
    orr_strings_init(&builder->names, builder->scratch);
    orr_strings_init(&builder->groups, builder->scratch);
    orr_diag_init(&builder->diag);
    return builder;
}

void orr_trace_builder_destroy(struct orr_trace_builder *builder)
{
    if (builder != NULL) {
        orr_heap_free(builder->name_class);
        orr_heap_free(builder->nodes);
        orr_heap_free(builder->deps);
        orr_heap_free(builder->extras);
        orr_heap_free(builder->orders);
        orr_heap_free(builder->next);
        orr_heap_free(builder->prefixes);
        orr_arena_destroy(builder->scratch);
        orr_heap_free(builder);
    }
}

static const char *store_text(struct orr_trace_builder *builder, const char *text)
{
    const char *copy = orr_arena_strdup(builder->arena, text);
    if (copy == NULL) {
        (void)orr_diag_no_memory(&builder->diag, "a trace");
        return "";
    }
    return copy;
}

void orr_trace_builder_set_source(struct orr_trace_builder *builder, const char *path,
                                  const char *version)
{
    builder->path = store_text(builder, path);
    builder->version = store_text(builder, version);
}

void orr_trace_builder_set_rules(struct orr_trace_builder *builder, const char *rules)
{
    builder->rules = store_text(builder, rules);
}

void orr_trace_builder_pass_over(struct orr_trace_builder *builder, const char *name)
{
    builder->foreign.name = builder->foreign.count == 0 ? name : builder->foreign.name;
    builder->foreign.count++;
}

void orr_trace_builder_count_old(struct orr_trace_builder *builder, const struct orr_foreign *old)
{
    builder->old.name = builder->old.count == 0 ? old->name : builder->old.name;
    builder->old.count += old->count;
}

void orr_trace_builder_set_replayed(struct orr_trace_builder *builder)
{
    builder->replayed = true;
}

void orr_trace_builder_set_content_hash(struct orr_trace_builder *builder, uint64_t hash)
{
    builder->content_hash = hash;
}

void orr_trace_builder_set_location(struct orr_trace_builder *builder, uint64_t record,
                                    uint64_t byte_offset)
{
    builder->has_location = true;
    builder->record = record;
    builder->byte_offset = byte_offset;
}

char *orr_node_label(uint64_t id, const char *name, char text[ORR_NODE_LABEL_BYTES])
{
    static const size_t max = 60;
    const size_t length = strlen(name);
    if (length == 0) {
        (void)snprintf(text, ORR_NODE_LABEL_BYTES, "%" PRIu64, id);
    } else {
        (void)snprintf(text, ORR_NODE_LABEL_BYTES, "%" PRIu64 " (%.*s%s)", id,
                       length > max ? (int)max - 3 : (int)length, name, length > max ? "..." : "");
    }
    for (char *c = text; *c != '\0'; c++) {
        *c = *c < ' ' || *c > '~' ? '?' : *c;
    }
    return text;
}

/* ---- staging ---- */

static bool stage_deps(struct orr_trace_builder *builder, const struct orr_deps *deps)
{
    if (deps->count == 0) {
        return true;
    }
    if (deps->count > SIZE_MAX / 4 - builder->dep_count) {
        return false;
    }
    const size_t needed = builder->dep_count + deps->count;
    if (!orr_heap_reserve(&builder->deps, &builder->dep_capacity, needed, sizeof *builder->deps)) {
        return false;
    }
    memcpy(builder->deps + builder->dep_count, deps->ids, deps->count * sizeof *builder->deps);
    builder->dep_count = needed;
    return true;
}

static const uint32_t *stage_texts(struct orr_trace_builder *builder, const char *const *texts,
                                   uint32_t count)
{
    uint32_t *numbers = orr_arena_array(builder->scratch, count, sizeof *numbers);
    for (uint32_t i = 0; numbers != NULL && i < count; i++) {
        numbers[i] = orr_strings_add(&builder->names, texts[i], strlen(texts[i]));
        if (numbers[i] == UINT32_MAX) {
            return NULL;
        }
    }
    return numbers;
}

static bool is_plain(const struct orr_node_extra *extra)
{
    return extra->inputs_values == NULL && extra->input_count == 0 && extra->output_count == 0;
}

static bool equal_plain(const struct orr_node_extra *a, const struct orr_node_extra *b)
{
    return is_plain(a) && is_plain(b) && a->priority == b->priority && a->root == b->root &&
           a->tag == b->tag && a->has_involved_dim == b->has_involved_dim &&
           a->involved_dims == b->involved_dims && a->involved_mask == b->involved_mask &&
           !orr_comm_is_uneven(&a->sizes) && !orr_comm_is_uneven(&b->sizes);
}

static bool push_extra(struct orr_trace_builder *builder, const struct staged_extra *staged,
                       uint32_t *number)
{
    const size_t count = builder->extra_count;
    if (count == 0 || !equal_plain(&staged->extra, &builder->extras[count - 1].extra)) {
        if (!orr_heap_reserve(&builder->extras, &builder->extra_capacity, count + 1,
                              sizeof *builder->extras)) {
            return false;
        }
        builder->extras[builder->extra_count++] = *staged;
    }
    *number = (uint32_t)builder->extra_count;
    return true;
}

/* Copies numbers to the trace's arena; an empty list is NULL. */
static bool keep_numbers(struct orr_trace_builder *builder, const uint64_t **numbers,
                         uint32_t count)
{
    uint64_t *copy = count != 0 ? orr_arena_array(builder->arena, count, sizeof *copy) : NULL;
    if (copy != NULL) {
        memcpy(copy, *numbers, count * sizeof *copy);
    }
    *numbers = copy;
    return count == 0 || copy != NULL;
}

/* Sets *number to 0 if the node has no rare attributes. Equal consecutive entries are shared. */
static bool stage_extra(struct orr_trace_builder *builder, const struct orr_node_spec *spec,
                        uint32_t *number)
{
    const bool coll = spec->kind == ORR_NODE_COLL;
    const bool comm = coll || spec->kind == ORR_NODE_SEND || spec->kind == ORR_NODE_RECV;
    struct staged_extra staged = {
        .extra = {.priority = comm ? spec->priority : 0,
                  .root = coll ? spec->root : 0,
                  .tag = coll ? spec->tag : 0,
                  .has_involved_dim = coll && spec->has_involved_dim,
                  .input_count = spec->inputs != NULL ? spec->input_count : 0,
                  .output_count = spec->outputs != NULL ? spec->output_count : 0}};
    struct orr_node_extra *extra = &staged.extra;
    if (extra->has_involved_dim) {
        extra->involved_dims = spec->involved_dims;
        extra->involved_mask = spec->involved_mask;
    }
    if (spec->kind == ORR_NODE_METADATA && spec->inputs_values != NULL) {
        extra->inputs_values = orr_arena_strdup(builder->arena, spec->inputs_values);
        if (extra->inputs_values == NULL) {
            return false;
        }
    }
    extra->sizes = coll ? spec->sizes : (struct orr_comm_sizes){0};
    if (!keep_numbers(builder, &extra->sizes.send, extra->sizes.send_count) ||
        !keep_numbers(builder, &extra->sizes.recv, extra->sizes.recv_count)) {
        return false;
    }
    *number = 0;
    if (is_plain(extra) && !orr_comm_is_uneven(&extra->sizes) &&
        (extra->priority | extra->root | extra->tag) == 0 && !extra->has_involved_dim) {
        return true;
    }
    staged.inputs = stage_texts(builder, spec->inputs, extra->input_count);
    staged.outputs = stage_texts(builder, spec->outputs, extra->output_count);
    return staged.inputs != NULL && staged.outputs != NULL && push_extra(builder, &staged, number);
}

static uint8_t flags_of(const struct orr_node_spec *spec)
{
    unsigned flags = spec->flags & (ORR_NODE_IS_CPU | ORR_NODE_HAS_CPU_FLAG);
    const bool memory = spec->kind == ORR_NODE_MEM_LOAD || spec->kind == ORR_NODE_MEM_STORE;
    flags |= (flags & ORR_NODE_IS_CPU) != 0 ? ORR_NODE_HAS_CPU_FLAG : 0u;
    if (spec->kind == ORR_NODE_COMP) {
        flags |= spec->num_ops != 0 ? ORR_NODE_HAS_NUM_OPS : spec->flags & ORR_NODE_HAS_NUM_OPS;
    }
    if (spec->kind == ORR_NODE_COMP || memory) {
        flags |= spec->tensor_bytes != 0 ? ORR_NODE_HAS_TENSOR_SIZE
                                         : spec->flags & ORR_NODE_HAS_TENSOR_SIZE;
    }
    if (memory) {
        flags |= spec->flags & ORR_NODE_LOCAL_MEMORY;
    }
    if (spec->kind == ORR_NODE_SEND || spec->kind == ORR_NODE_RECV) {
        flags |= spec->flags & (ORR_NODE_HAS_SRC | ORR_NODE_HAS_DST | ORR_NODE_RELATIVE_PEER);
        flags |= spec->kind == ORR_NODE_SEND ? ORR_NODE_HAS_DST : ORR_NODE_HAS_SRC;
    }
    return (uint8_t)flags;
}

static struct orr_node node_of(const struct orr_node_spec *spec)
{
    struct orr_node node = {.id = spec->id,
                            .duration_ps =
                                spec->duration_ps < ORR_TIME_MAX ? spec->duration_ps : ORR_TIME_MAX,
                            .kind = (uint8_t)spec->kind,
                            .flags = flags_of(spec)};
    switch (spec->kind) {
    case ORR_NODE_COMP:
        node.amount = spec->num_ops;
        node.comm = (uint8_t)((spec->delay ? ORR_COMP_DELAY : 0u) |
                              (spec->unaligned ? ORR_COMP_UNALIGNED : 0u) |
                              orr_wl_product_flag(spec->product));
        node.op = (uint8_t)spec->op;
        node.of.tensor_bytes = spec->tensor_bytes;
        break;
    case ORR_NODE_MEM_LOAD:
    case ORR_NODE_MEM_STORE:
        node.of.tensor_bytes = spec->tensor_bytes;
        node.comm = (uint8_t)spec->access;
        break;
    case ORR_NODE_SEND:
    case ORR_NODE_RECV:
        node.amount = spec->comm_bytes;
        node.comm = spec->signal;
        node.of.p2p.peer = spec->kind == ORR_NODE_SEND ? spec->dst : spec->src;
        node.of.p2p.tag = spec->tag;
        break;
    case ORR_NODE_COLL:
        node.amount = spec->comm_bytes;
        node.comm = (uint8_t)spec->comm;
        node.op = spec->tokens ? ORR_COLL_TOKENS : ORR_COLL_LIBRARY;
        break;
    default:
        break;
    }
    return node;
}

bool orr_trace_builder_order_next(struct orr_trace_builder *builder, uint64_t id,
                                  struct orr_deps next)
{
    if (next.count > SIZE_MAX / 4 - builder->next_count ||
        !orr_heap_reserve(&builder->orders, &builder->order_capacity, builder->order_count + 1,
                          sizeof *builder->orders) ||
        !orr_heap_reserve(&builder->next, &builder->next_capacity, builder->next_count + next.count,
                          sizeof *builder->next)) {
        return false;
    }
    if (next.count != 0) {
        memcpy(builder->next + builder->next_count, next.ids, next.count * sizeof *builder->next);
    }
    builder->orders[builder->order_count++] =
        (struct staged_next){.id = id, .first = builder->next_count, .count = next.count};
    builder->next_count += next.count;
    return true;
}

static bool stage_prefixes(struct orr_trace_builder *builder, size_t node,
                           const struct orr_prefixes *prefixes, bool may_pass_over)
{
    if (prefixes->count == 0) {
        return true;
    }
    if (prefixes->count > SIZE_MAX / 4 - builder->prefix_count ||
        !orr_heap_reserve(&builder->prefixes, &builder->prefix_capacity,
                          builder->prefix_count + prefixes->count, sizeof *builder->prefixes)) {
        return false;
    }
    for (size_t i = 0; i < prefixes->count; i++) {
        builder->prefixes[builder->prefix_count++] =
            (struct staged_prefix){.node = node,
                                   .id = prefixes->ids[i],
                                   .bytes = prefixes->bytes[i],
                                   .may_pass_over = may_pass_over};
    }
    return true;
}

bool orr_trace_builder_add_prefix(struct orr_trace_builder *builder, uint64_t collective,
                                  uint64_t bytes)
{
    const struct orr_prefixes one = {.ids = &collective, .bytes = &bytes, .count = 1};
    ORR_ASSERT(builder->node_count != 0);
    return stage_prefixes(builder, builder->node_count - 1, &one, false);
}

static bool stage_next(struct orr_trace_builder *builder, const struct orr_node_spec *spec)
{
    if (spec->next.count == 0) {
        return true;
    }
    const bool staged = orr_trace_builder_order_next(builder, spec->id, spec->next);
    if (staged) {
        builder->orders[builder->order_count - 1].may_pass_over = spec->may_pass_over;
    }
    return staged;
}

static bool has_group(const struct orr_node_spec *spec)
{
    const bool comm =
        spec->kind == ORR_NODE_COLL || spec->kind == ORR_NODE_SEND || spec->kind == ORR_NODE_RECV;
    return comm && spec->group != NULL && spec->group[0] != '\0';
}

enum { CLASS_KNOWN = 1u << 7 };

/* What a computation is by its name, asked once for each name; 0 if memory is out. */
static uint8_t class_of(struct orr_trace_builder *builder, uint32_t number, const char *name)
{
    const size_t before = builder->name_class_capacity;
    if (!orr_heap_reserve(&builder->name_class, &builder->name_class_capacity, (size_t)number + 1,
                          sizeof *builder->name_class)) {
        return 0;
    }
    if (builder->name_class_capacity > before) {
        memset(builder->name_class + before, 0, builder->name_class_capacity - before);
    }
    uint8_t *class = &builder->name_class[number];
    if (*class == 0) {
        *class = (uint8_t)(CLASS_KNOWN | (orr_call_is_sync(name) ? ORR_COMP_SYNC : 0u) |
                           (orr_kernel_is_comm(name) ? ORR_COMP_COMM : 0u) |
                           (orr_work_is_copy(name) ? ORR_COMP_COPY : 0u));
    }
    return *class;
}

static void set_class(struct orr_trace_builder *builder, struct staged_node *staged,
                      const char *name)
{
    const bool cpu = (staged->node.flags & ORR_NODE_IS_CPU) != 0;
    const unsigned of = cpu ? ORR_COMP_SYNC : ORR_COMP_COMM | ORR_COMP_COPY;
    if (staged->node.kind == ORR_NODE_COMP) {
        staged->node.comm =
            (uint8_t)(staged->node.comm | (class_of(builder, staged->name, name) & of));
    }
}

static bool stage(struct orr_trace_builder *builder, const struct orr_node_spec *spec)
{
    const char *name = spec->name != NULL ? spec->name : "";
    struct staged_node staged = {.node = node_of(spec),
                                 .record =
                                     builder->has_location ? builder->record : builder->node_count,
                                 .byte_offset = builder->byte_offset,
                                 .first_dep = builder->dep_count,
                                 .data_deps = (uint32_t)spec->data_deps.count,
                                 .name = orr_strings_add(&builder->names, name, strlen(name))};
    if (staged.name == UINT32_MAX || !stage_extra(builder, spec, &staged.node.extra)) {
        return false;
    }
    set_class(builder, &staged, name);
    if (has_group(spec)) {
        staged.node.group = orr_strings_add(&builder->groups, spec->group, strlen(spec->group)) + 1;
        if (staged.node.group == 0) {
            return false;
        }
    }
    if (!orr_heap_reserve(&builder->nodes, &builder->node_capacity, builder->node_count + 1,
                          sizeof *builder->nodes)) {
        return false;
    }
    if (!stage_deps(builder, &spec->data_deps) || !stage_deps(builder, &spec->ctrl_deps) ||
        !stage_next(builder, spec) ||
        !stage_prefixes(builder, builder->node_count, &spec->prefixes, spec->may_pass_over)) {
        builder->dep_count = staged.first_dep;
        return false;
    }
    builder->has_tokens = builder->has_tokens || (spec->kind == ORR_NODE_COLL && spec->tokens);
    builder->nodes[builder->node_count++] = staged;
    return true;
}

struct orr_location orr_staged_location(const struct orr_trace_builder *builder, size_t index)
{
    if (builder->has_location) {
        const struct staged_node *staged = &builder->nodes[index];
        return orr_location_binary(builder->path, staged->record, staged->byte_offset);
    }
    return builder->path[0] != '\0' ? orr_location_file(builder->path) : orr_location_none();
}

enum orr_status orr_fail_duplicate(const struct orr_trace_builder *builder, size_t first,
                                   size_t second, struct orr_diag *diag)
{
    const struct staged_node *a = &builder->nodes[first], *b = &builder->nodes[second];
    char label[ORR_NODE_LABEL_BYTES], other[ORR_NODE_LABEL_BYTES];
    const struct orr_location location = orr_staged_location(builder, second);
    return orr_diag_fail(
        diag, ORR_ERR_INPUT, &location,
        "duplicate node id: record %" PRIu64 " is node %s and record %" PRIu64 " is node %s",
        a->record, orr_node_label(a->node.id, builder->names.text[a->name], label), b->record,
        orr_node_label(b->node.id, builder->names.text[b->name], other));
}

enum orr_status orr_trace_builder_add(struct orr_trace_builder *builder,
                                      const struct orr_node_spec *spec, struct orr_diag *diag)
{
    char label[ORR_NODE_LABEL_BYTES];
    if (spec->has_involved_dim && spec->involved_dims > MAX_DIMS) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                             "node %s: %u involved dimensions; at most %d are supported",
                             orr_node_label(spec->id, spec->name != NULL ? spec->name : "", label),
                             (unsigned)spec->involved_dims, MAX_DIMS);
    }
    if (builder->node_count >= UINT32_MAX - 1 || spec->data_deps.count > UINT32_MAX) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL, "a trace has at most %u nodes",
                             UINT32_MAX - 1);
    }
    if (!stage(builder, spec)) {
        return orr_diag_no_memory(diag, "a trace");
    }
    /* Other duplicates are found at finish. Consecutive ones fail here, because a few compressed
     * bytes can repeat a node millions of times. */
    const size_t last = builder->node_count - 1;
    if (last > 0 && builder->nodes[last - 1].node.id == spec->id) {
        return orr_fail_duplicate(builder, last - 1, last, diag);
    }
    if (spec->id >= builder->next_id) {
        builder->next_id = spec->id + 1;
    }
    return ORR_OK;
}

/* ---- short forms ---- */

static uint64_t add_next(struct orr_trace_builder *builder, struct orr_node_spec *spec)
{
    spec->id = builder->next_id;
    (void)orr_trace_builder_add(builder, spec, &builder->diag);
    return spec->id;
}

uint64_t orr_trace_builder_add_comp(struct orr_trace_builder *builder, const char *name,
                                    uint64_t num_ops, uint64_t tensor_bytes, struct orr_deps deps)
{
    struct orr_node_spec spec = {.kind = ORR_NODE_COMP,
                                 .flags = ORR_NODE_HAS_NUM_OPS | ORR_NODE_HAS_TENSOR_SIZE,
                                 .name = name,
                                 .num_ops = num_ops,
                                 .tensor_bytes = tensor_bytes,
                                 .data_deps = deps};
    return add_next(builder, &spec);
}

uint64_t orr_trace_builder_add_replay(struct orr_trace_builder *builder, const char *name,
                                      uint64_t duration_ps, bool on_cpu, struct orr_deps deps)
{
    struct orr_node_spec spec = {.kind = ORR_NODE_COMP,
                                 .flags = on_cpu ? ORR_NODE_IS_CPU : 0u,
                                 .name = name,
                                 .duration_ps = duration_ps,
                                 .data_deps = deps};
    return add_next(builder, &spec);
}

uint64_t orr_trace_builder_add_coll(struct orr_trace_builder *builder, const char *name,
                                    enum orr_trace_comm comm, uint64_t bytes, struct orr_deps deps)
{
    struct orr_node_spec spec = {
        .kind = ORR_NODE_COLL, .comm = comm, .name = name, .comm_bytes = bytes, .data_deps = deps};
    return add_next(builder, &spec);
}

uint64_t orr_trace_builder_add_coll_in(struct orr_trace_builder *builder, const char *group,
                                       enum orr_trace_comm comm, uint64_t bytes,
                                       struct orr_deps deps)
{
    struct orr_node_spec spec = {.kind = ORR_NODE_COLL,
                                 .comm = comm,
                                 .name = orr_trace_comm_name(comm),
                                 .comm_bytes = bytes,
                                 .group = group,
                                 .data_deps = deps};
    return add_next(builder, &spec);
}

uint64_t orr_trace_builder_add_send(struct orr_trace_builder *builder, uint32_t dst, uint32_t tag,
                                    uint64_t bytes, struct orr_deps deps)
{
    struct orr_node_spec spec = {.kind = ORR_NODE_SEND,
                                 .name = "send",
                                 .comm_bytes = bytes,
                                 .dst = dst,
                                 .tag = tag,
                                 .data_deps = deps};
    return add_next(builder, &spec);
}

uint64_t orr_trace_builder_add_recv(struct orr_trace_builder *builder, uint32_t src, uint32_t tag,
                                    uint64_t bytes, struct orr_deps deps)
{
    struct orr_node_spec spec = {.kind = ORR_NODE_RECV,
                                 .name = "recv",
                                 .comm_bytes = bytes,
                                 .src = src,
                                 .tag = tag,
                                 .data_deps = deps};
    return add_next(builder, &spec);
}

uint64_t orr_trace_builder_add_mem(struct orr_trace_builder *builder, enum orr_node_kind kind,
                                   bool local, uint64_t tensor_bytes, struct orr_deps deps)
{
    struct orr_node_spec spec = {.kind = kind,
                                 .flags = local ? ORR_NODE_LOCAL_MEMORY : 0u,
                                 .name = kind == ORR_NODE_MEM_LOAD ? "load" : "store",
                                 .tensor_bytes = tensor_bytes,
                                 .data_deps = deps};
    return add_next(builder, &spec);
}

uint64_t orr_trace_builder_add_metadata(struct orr_trace_builder *builder, const char *name,
                                        const char *inputs_values)
{
    struct orr_node_spec spec = {
        .kind = ORR_NODE_METADATA, .name = name, .inputs_values = inputs_values};
    return add_next(builder, &spec);
}
