/* Streams: which nodes of an NPU may run concurrently (docs/models.md, section 2: resources and
 * slots).
 *
 * By default: one compute stream, one CPU stream, one memory channel, one collective stream for
 * each communicator group, one send stream for each peer, unlimited receives. Collectives of a
 * group run in program order, the topological order that prefers small ids, so all ranks pair them
 * identically whatever the timing. Under the reference's policy collectives, sends and memory
 * accesses share one slot and start in the order in which they are found ready. */
#include <string.h>

#include "workload/engine/engine_private.h"

struct builder {
    const struct orr_trace *trace;
    const struct sys_policy *policy;
    struct orr_arena *arena;
    uint32_t *stream, *ordinal, *position, *at;
    uint32_t streams;
    uint32_t *peer_stream; /* pairs of peer and stream, sorted */
    uint32_t peers;
    size_t peer_capacity;
};

static uint32_t send_stream(struct builder *builder, uint32_t peer)
{
    for (uint32_t i = builder->peers; i-- > 0;) {
        if (builder->peer_stream[2 * (size_t)i] == peer) {
            return builder->peer_stream[2 * (size_t)i + 1];
        }
    }
    uint32_t *grown = orr_arena_grow(builder->arena, builder->peer_stream, &builder->peer_capacity,
                                     2 * ((size_t)builder->peers + 1), sizeof *grown);
    if (grown == NULL) {
        return WL_NONE;
    }
    builder->peer_stream = grown;
    grown[2 * (size_t)builder->peers] = peer;
    grown[2 * (size_t)builder->peers + 1] = builder->streams;
    builder->peers++;
    return builder->streams++;
}

static uint32_t stream_of(struct builder *builder, const struct orr_node *node)
{
    if (wl_has_rules(builder->policy, builder->trace) && node->kind >= ORR_NODE_SEND) {
        return STREAM_FREE;
    }
    const bool one_slot = builder->policy->one_comm_slot || builder->policy->memory_path;
    switch (node->kind) {
    case ORR_NODE_COMP:
        if ((node->comm & ORR_COMP_DELAY) != 0 && !builder->policy->ignores_rules) {
            return STREAM_FREE;
        }
        return (node->flags & ORR_NODE_IS_CPU) != 0 ? STREAM_CPU : STREAM_COMPUTE;
    case ORR_NODE_MEM_LOAD:
    case ORR_NODE_MEM_STORE:
        return STREAM_MEMORY;
    case ORR_NODE_COLL:
        return one_slot ? STREAM_MEMORY : STREAMS_FIXED + node->group;
    case ORR_NODE_SEND:
        return one_slot ? STREAM_MEMORY : send_stream(builder, node->of.p2p.peer);
    default:
        return STREAM_FREE;
    }
}

static bool assign_streams(struct builder *builder)
{
    const struct orr_trace *trace = builder->trace;
    builder->stream = orr_arena_array(builder->arena, trace->nodes, sizeof *builder->stream);
    builder->streams =
        STREAMS_FIXED + (builder->policy->one_comm_slot ? 0 : trace->group_count + 1);
    if (builder->stream == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < trace->nodes; i++) {
        builder->stream[i] = stream_of(builder, &trace->node[i]);
        if (builder->stream[i] == WL_NONE) {
            return false;
        }
    }
    return true;
}

/* ---- program order ---- */

static void heap_push(uint32_t *heap, uint32_t *count, uint32_t node)
{
    uint32_t at = (*count)++;
    while (at > 0 && heap[(at - 1) / 2] > node) {
        heap[at] = heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    heap[at] = node;
}

static uint32_t heap_pop(uint32_t *heap, uint32_t *count)
{
    const uint32_t first = heap[0];
    const uint32_t node = heap[--*count];
    uint32_t at = 0;
    while (2 * at + 1 < *count) {
        uint32_t child = 2 * at + 1;
        if (child + 1 < *count && heap[child + 1] < heap[child]) {
            child++;
        }
        if (heap[child] >= node) {
            break;
        }
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = node;
    return first;
}

static void order_nodes(const struct builder *builder, uint32_t *waiting, uint32_t *heap,
                        uint32_t *next)
{
    const struct orr_trace *trace = builder->trace;
    uint32_t count = 0, position = 0;
    for (uint32_t i = 0; i < trace->nodes; i++) {
        waiting[i] = trace->parents[i];
        if (waiting[i] == 0) {
            heap_push(heap, &count, i);
        }
    }
    while (count != 0) {
        const uint32_t node = heap_pop(heap, &count);
        builder->at[position] = node;
        builder->position[node] = position++;
        if (trace->node[node].kind == ORR_NODE_COLL) {
            builder->ordinal[node] = next[trace->node[node].group]++;
        }
        for (uint32_t e = trace->node[node].first_child; e < orr_trace_child_end(trace, node);
             e++) {
            if (--waiting[trace->children[e]] == 0) {
                heap_push(heap, &count, trace->children[e]);
            }
        }
    }
}

/* Kahn's algorithm with a heap: O((nodes + edges) log nodes). */
static bool assign_ordinals(struct builder *builder)
{
    const struct orr_trace *trace = builder->trace;
    const size_t nodes = trace->nodes;
    builder->ordinal = orr_arena_array(builder->arena, nodes, sizeof *builder->ordinal);
    builder->position = orr_arena_array(builder->arena, nodes, sizeof *builder->position);
    builder->at = orr_arena_array(builder->arena, nodes, sizeof *builder->at);
    uint32_t *scratch = orr_heap_calloc(2 * nodes + trace->group_count + 1, sizeof *scratch);
    if (builder->ordinal == NULL || builder->position == NULL || builder->at == NULL ||
        scratch == NULL) {
        orr_heap_free(scratch);
        return false;
    }
    order_nodes(builder, scratch, scratch + nodes, scratch + 2 * nodes);
    orr_heap_free(scratch);
    return true;
}

/* The collectives of a group by id. O(nodes). */
static bool assign_ordinals_by_id(struct builder *builder)
{
    const struct orr_trace *trace = builder->trace;
    uint32_t *next = orr_heap_calloc((size_t)trace->group_count + 1, sizeof *next);
    builder->ordinal = orr_arena_array(builder->arena, trace->nodes, sizeof *builder->ordinal);
    for (uint32_t i = 0; next != NULL && builder->ordinal != NULL && i < trace->nodes; i++) {
        if (trace->node[i].kind == ORR_NODE_COLL) {
            builder->ordinal[i] = next[trace->node[i].group]++;
        }
    }
    const bool done = next != NULL && builder->ordinal != NULL;
    orr_heap_free(next);
    return done;
}

static bool assign_order(struct builder *builder)
{
    const struct sys_policy *policy = builder->policy;
    if (policy->pair_by_issue) { /* needs no program order */
        return true;
    }
    return wl_has_rules(policy, builder->trace) ? assign_ordinals_by_id(builder)
                                                : assign_ordinals(builder);
}

enum orr_status orr_wl_layout_create(const struct wl_layout **out, const struct orr_trace *trace,
                                     const struct wl_parts *parts, struct orr_diag *diag)
{
    const struct sys_policy *policy = parts->policy;
    struct orr_arena *arena = parts->arena;
    struct builder builder = {.trace = trace, .policy = policy, .arena = arena};
    struct wl_layout *layout = orr_arena_alloc(arena, sizeof *layout);
    const bool by_kind = orr_wl_compute_by_kind(parts->compute);
    const uint8_t *op_kind = by_kind ? orr_wl_op_kinds(trace, arena) : NULL;
    if (by_kind && op_kind == NULL) {
        return orr_diag_no_memory(diag, "the kinds of a trace's operations");
    }
    if (layout == NULL || !assign_streams(&builder) || !assign_order(&builder)) {
        return orr_diag_no_memory(diag, "a trace's lanes");
    }
    *layout =
        (struct wl_layout){.trace = trace,
                           .stream = builder.stream,
                           .op_kind = op_kind,
                           .ordinal = builder.ordinal,
                           .position = builder.position,
                           .at = builder.at,
                           .streams = builder.streams,
                           .first_group_stream = STREAMS_FIXED,
                           .path_stream = policy->memory_path ? STREAM_MEMORY : WL_NONE,
                           .group_streams = policy->one_comm_slot ? 0 : trace->group_count + 1};
    *out = layout;
    return orr_wl_prefixes_list(layout, arena, diag);
}

/* ---- ready nodes ---- */

static bool in_program_order(const struct wl_npu *npu, uint32_t index)
{
    const struct wl_layout *layout = npu->layout;
    return index >= layout->first_group_stream &&
           index < layout->first_group_stream + layout->group_streams;
}

static uint32_t first_node(const struct wl_npu *npu, uint32_t index)
{
    const uint32_t key = npu->stream[index].heap[0];
    return in_program_order(npu, index) ? npu->layout->at[key] : key;
}

void orr_wl_stream_push(struct wl_engine *engine, struct wl_npu *npu, uint32_t node)
{
    const uint32_t index = npu->layout->stream[node];
    struct wl_stream *stream = &npu->stream[index];
    uint32_t *heap = orr_arena_grow(engine->parts.arena, stream->heap, &stream->capacity,
                                    stream->count + (size_t)1, sizeof *heap);
    if (heap == NULL) {
        orr_evq_stop(engine->parts.queue, ORR_ERR_MEMORY);
        return;
    }
    stream->heap = heap;
    if (stream->count == 0) {
        npu->busy_streams[npu->busy_count++] = index;
    }
    if (index == npu->layout->path_stream) { /* served FIFO, like a link */
        heap[stream->count++] = node;
        return;
    }
    heap_push(heap, &stream->count,
              in_program_order(npu, index) ? npu->layout->position[node] : node);
}

static bool can_start(const struct wl_npu *npu, uint32_t index)
{
    const struct wl_stream *stream = &npu->stream[index];
    if (index == STREAM_FREE || stream->relaxed) {
        return true;
    }
    if (!in_program_order(npu, index)) {
        return stream->running == 0;
    }
    return stream->running == 0 &&
           npu->layout->ordinal[first_node(npu, index)] == stream->next_ordinal;
}

static uint32_t pop_from(struct wl_npu *npu, uint32_t busy)
{
    const uint32_t index = npu->busy_streams[busy];
    const uint32_t node = first_node(npu, index);
    struct wl_stream *stream = &npu->stream[index];
    if (index == npu->layout->path_stream) {
        memmove(stream->heap, stream->heap + 1, --stream->count * sizeof *stream->heap);
    } else {
        (void)heap_pop(stream->heap, &stream->count);
    }
    stream->running++;
    stream->next_ordinal++;
    if (stream->count == 0) {
        npu->busy_streams[busy] = npu->busy_streams[--npu->busy_count];
    }
    return node;
}

uint32_t orr_wl_stream_pop(struct wl_npu *npu)
{
    uint32_t best = WL_NONE, best_node = WL_NONE;
    for (uint32_t i = 0; i < npu->busy_count; i++) {
        const uint32_t node = first_node(npu, npu->busy_streams[i]);
        if (node < best_node && can_start(npu, npu->busy_streams[i])) {
            best = i;
            best_node = node;
        }
    }
    return best != WL_NONE ? pop_from(npu, best) : WL_NONE;
}

bool orr_wl_streams_relax(struct wl_npu *npu)
{
    bool any = false;
    for (uint32_t i = 0; i < npu->busy_count; i++) {
        const uint32_t index = npu->busy_streams[i];
        if (index >= npu->layout->first_group_stream || index == npu->layout->path_stream) {
            npu->stream[index].relaxed = true;
            any = true;
        }
    }
    return any;
}
