/* From nodes in file order to a trace: sort by id, resolve parents, compressed sparse rows of
 * children, and the proof that the graph has no cycle (Kahn). */
#include "workload/et/et_build.h"

#include <stdlib.h>
#include <string.h>

#define MOST_NODES ((size_t)UINT32_MAX - 8)

enum orr_status build_init(struct build *build, struct orr_arena *arena, const char *path,
                           struct orr_diag *diag)
{
    *build = (struct build){.arena = arena, .path = path, .version = ""};
    build->scratch = orr_arena_create();
    if (build->scratch == NULL) {
        return orr_diag_no_memory(diag, "a trace");
    }
    orr_strings_init(&build->names, arena);
    orr_strings_init(&build->groups, arena);
    return ORR_OK;
}

void build_fini(struct build *build)
{
    orr_heap_free(build->nodes);
    orr_heap_free(build->sources);
    orr_heap_free(build->deps);
    orr_heap_free(build->extras);
    orr_arena_destroy(build->scratch);
}

/* Growing by half on the heap, so that large traces do not keep their old copies. */
static bool reserve(void *array, size_t *capacity, size_t needed, size_t size)
{
    void **storage = array;
    if (needed <= *capacity) {
        return true;
    }
    const size_t next = *capacity + *capacity / 2 + 64;
    void *grown = next <= SIZE_MAX / size ? orr_heap_realloc(*storage, next * size) : NULL;
    if (grown == NULL) {
        return false;
    }
    *storage = grown;
    *capacity = next;
    return true;
}

struct orr_node *build_add(struct build *build, uint64_t record, uint64_t offset)
{
    const size_t needed = build->node_count + (size_t)1;
    if (needed > MOST_NODES ||
        !reserve(&build->nodes, &build->node_capacity, needed, sizeof *build->nodes) ||
        !reserve(&build->sources, &build->source_capacity, needed, sizeof *build->sources)) {
        return NULL;
    }
    build->sources[build->node_count] =
        (struct build_source){.record = record, .offset = offset, .first_dep = build->dep_count};
    struct orr_node *node = &build->nodes[build->node_count];
    memset(node, 0, sizeof *node);
    node->name = "";
    node->first_child = build->node_count++;
    return node;
}

bool build_add_dep(struct build *build, uint64_t parent)
{
    if (!reserve(&build->deps, &build->dep_capacity, build->dep_count + 1, sizeof *build->deps)) {
        return false;
    }
    build->deps[build->dep_count++] = parent;
    return true;
}

struct orr_node_extra *build_extra(struct build *build, struct orr_node *node)
{
    if (node->extra == 0) {
        if (!reserve(&build->extras, &build->extra_capacity, build->extra_count + (size_t)1,
                     sizeof *build->extras)) {
            return NULL;
        }
        memset(&build->extras[build->extra_count], 0, sizeof *build->extras);
        node->extra = ++build->extra_count;
    }
    return &build->extras[node->extra - 1];
}

/* ---- finishing ---- */

struct finish {
    struct build *build;
    struct orr_trace *trace;
    struct orr_node *node;
    struct build_source *source; /* by node index */
    uint64_t *dep_end;           /* by node index */
    uint32_t *children, *parents;
    struct orr_diag *diag;
};

static struct orr_place place_of(const struct finish *finish, uint32_t index)
{
    return orr_place_binary(finish->build->path, finish->source[index].record,
                            finish->source[index].offset);
}

static int compare_ids(const void *a, const void *b)
{
    const struct orr_node *first = a, *second = b;
    if (first->id != second->id) {
        return first->id < second->id ? -1 : 1;
    }
    return (first->first_child > second->first_child) - (first->first_child < second->first_child);
}

static bool is_sorted(const struct build *build)
{
    for (uint32_t i = 1; i < build->node_count; i++) {
        if (build->nodes[i - 1].id >= build->nodes[i].id) {
            return false;
        }
    }
    return true;
}

static enum orr_status sort_nodes(struct finish *finish)
{
    struct build *build = finish->build;
    const uint32_t count = build->node_count;
    if (count != 0 && !is_sorted(build)) {
        qsort(build->nodes, count, sizeof *build->nodes, compare_ids);
    }
    finish->node = orr_arena_array(build->arena, count, sizeof *finish->node);
    finish->source = orr_arena_array(build->scratch, count, sizeof *finish->source);
    finish->dep_end = orr_arena_array(build->scratch, count, sizeof *finish->dep_end);
    if (finish->node == NULL || finish->source == NULL || finish->dep_end == NULL) {
        return orr_diag_no_memory(finish->diag, "a trace");
    }
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t from = build->nodes[i].first_child;
        finish->node[i] = build->nodes[i];
        finish->source[i] = build->sources[from];
        finish->dep_end[i] =
            from + 1 < count ? build->sources[from + 1].first_dep : build->dep_count;
    }
    for (uint32_t i = 1; i < count; i++) {
        if (finish->node[i].id == finish->node[i - 1].id) {
            const struct orr_place place = place_of(finish, i);
            return orr_diag_fail(finish->diag, ORR_ERR_INPUT, &place,
                                 "duplicate node id %llu (%s): record %llu has it already (%s)",
                                 (unsigned long long)finish->node[i].id, finish->node[i].name,
                                 (unsigned long long)finish->source[i - 1].record,
                                 finish->node[i - 1].name);
        }
    }
    return ORR_OK;
}

static uint32_t index_of(const struct finish *finish, uint64_t id)
{
    const uint32_t count = finish->build->node_count;
    /* Ids are nearly always dense: the first guess is the offset from the first id. */
    const uint64_t guess = id - finish->node[0].id;
    if (id >= finish->node[0].id && guess < count && finish->node[guess].id == id) {
        return (uint32_t)guess;
    }
    uint32_t low = 0, high = count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (finish->node[middle].id < id) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < count && finish->node[low].id == id ? low : UINT32_MAX;
}

static int compare_u64(const void *a, const void *b)
{
    const uint64_t first = *(const uint64_t *)a, second = *(const uint64_t *)b;
    return (first > second) - (first < second);
}

/* Replaces the parents' ids by indices, sorted and without duplicates. */
static enum orr_status resolve_node(struct finish *finish, uint32_t index)
{
    struct build_source *source = &finish->source[index];
    uint64_t *deps = finish->build->deps + source->first_dep;
    uint64_t count = finish->dep_end[index] - source->first_dep;
    for (uint64_t d = 0; d < count; d++) {
        const uint32_t parent = index_of(finish, deps[d]);
        if (parent == UINT32_MAX) {
            const struct orr_place place = place_of(finish, index);
            return orr_diag_fail(finish->diag, ORR_ERR_INPUT, &place,
                                 "node %llu (%s) depends on node %llu, which is not in the trace",
                                 (unsigned long long)finish->node[index].id,
                                 finish->node[index].name, (unsigned long long)deps[d]);
        }
        deps[d] = parent;
    }
    if (count > 1) {
        qsort(deps, count, sizeof *deps, compare_u64);
    }
    uint64_t kept = 0;
    for (uint64_t d = 0; d < count; d++) {
        if (d == 0 || deps[d] != deps[d - 1]) {
            deps[kept++] = deps[d];
        }
    }
    finish->dep_end[index] = source->first_dep + kept;
    finish->parents[index] = (uint32_t)kept;
    return ORR_OK;
}

static enum orr_status resolve_parents(struct finish *finish, uint64_t *edges)
{
    const uint32_t count = finish->build->node_count;
    finish->parents = orr_arena_array(finish->build->arena, count, sizeof *finish->parents);
    if (finish->parents == NULL) {
        return orr_diag_no_memory(finish->diag, "a trace");
    }
    *edges = 0;
    for (uint32_t i = 0; i < count; i++) {
        const enum orr_status status = resolve_node(finish, i);
        if (status != ORR_OK) {
            return status;
        }
        *edges += finish->parents[i];
    }
    return ORR_OK;
}

/* Rows of children by counting; filled in ascending order of child, so each row is sorted. */
static enum orr_status build_rows(struct finish *finish, uint64_t edges)
{
    const struct build *build = finish->build;
    finish->children =
        edges < UINT32_MAX ? orr_arena_array(build->arena, edges, sizeof *finish->children) : NULL;
    uint32_t *next = orr_arena_array(build->scratch, build->node_count, sizeof *next);
    if (finish->children == NULL || next == NULL) {
        return orr_diag_no_memory(finish->diag, "a trace's edges");
    }
    for (uint32_t i = 0; i < build->node_count; i++) {
        for (uint64_t d = finish->source[i].first_dep; d < finish->dep_end[i]; d++) {
            next[build->deps[d]]++;
        }
    }
    uint32_t total = 0;
    for (uint32_t i = 0; i < build->node_count; i++) {
        const uint32_t here = next[i];
        finish->node[i].first_child = next[i] = total;
        total += here;
    }
    for (uint32_t i = 0; i < build->node_count; i++) {
        for (uint64_t d = finish->source[i].first_dep; d < finish->dep_end[i]; d++) {
            finish->children[next[build->deps[d]]++] = i;
        }
    }
    return ORR_OK;
}

/* A node on a cycle has an unfinished parent that has one too: walking back finds the cycle. */
static enum orr_status report_cycle(struct finish *finish, const uint32_t *waiting, uint32_t *walk)
{
    enum { SHOWN = 10 };
    const struct build *build = finish->build;
    uint32_t at = 0;
    while (waiting[at] == 0) {
        at++;
    }
    memset(walk, 0, build->node_count * sizeof *walk);
    uint32_t steps = 0;
    for (; walk[at] == 0; steps++) {
        walk[at] = steps + 1;
        uint64_t d = finish->source[at].first_dep;
        while (waiting[build->deps[d]] == 0) {
            d++;
        }
        at = (uint32_t)build->deps[d];
    }
    /* Walked against the edges: collect and turn round. */
    uint32_t chain[SHOWN + 1], length = 0;
    const uint32_t start = at;
    do {
        if (length <= SHOWN) {
            chain[length] = at;
        }
        length++;
        uint64_t d = finish->source[at].first_dep;
        while (waiting[build->deps[d]] == 0) {
            d++;
        }
        at = (uint32_t)build->deps[d];
    } while (at != start);
    const struct orr_place place = place_of(finish, start);
    (void)orr_diag_fail(finish->diag, ORR_ERR_INPUT, &place, "cycle of dependencies: ");
    const uint32_t shown = length < SHOWN ? length : SHOWN;
    orr_diag_append(finish->diag, "%llu (%s)", (unsigned long long)finish->node[start].id,
                    finish->node[start].name);
    if (length > shown) {
        orr_diag_append(finish->diag, " -> ...");
    }
    for (uint32_t i = shown; i-- > 0;) {
        orr_diag_append(finish->diag, " -> %llu (%s)",
                        (unsigned long long)finish->node[chain[i]].id, finish->node[chain[i]].name);
    }
    return ORR_ERR_INPUT;
}

static enum orr_status check_acyclic(struct finish *finish)
{
    const uint32_t count = finish->build->node_count;
    uint32_t *waiting = orr_arena_array(finish->build->scratch, count, sizeof *waiting);
    uint32_t *queue = orr_arena_array(finish->build->scratch, count, sizeof *queue);
    if (waiting == NULL || queue == NULL) {
        return orr_diag_no_memory(finish->diag, "a trace");
    }
    uint32_t head = 0, tail = 0;
    for (uint32_t i = 0; i < count; i++) {
        waiting[i] = finish->parents[i];
        if (waiting[i] == 0) {
            queue[tail++] = i;
        }
    }
    while (head < tail) {
        const uint32_t node = queue[head++];
        for (uint32_t e = finish->node[node].first_child;
             e < orr_trace_child_end(finish->trace, node); e++) {
            if (--waiting[finish->children[e]] == 0) {
                queue[tail++] = finish->children[e];
            }
        }
    }
    return tail == count ? ORR_OK : report_cycle(finish, waiting, queue);
}

static enum orr_status copy_extras(struct finish *finish)
{
    const struct build *build = finish->build;
    struct orr_node_extra *extras =
        orr_arena_array(build->arena, build->extra_count, sizeof *extras);
    if (extras == NULL) {
        return orr_diag_no_memory(finish->diag, "a trace");
    }
    if (build->extra_count != 0) {
        memcpy(extras, build->extras, build->extra_count * sizeof *extras);
    }
    finish->trace->extras = extras;
    finish->trace->extra_count = build->extra_count;
    return ORR_OK;
}

static enum orr_status assemble(struct finish *finish)
{
    uint64_t edges = 0;
    enum orr_status status = sort_nodes(finish);
    if (status == ORR_OK) {
        status = resolve_parents(finish, &edges);
    }
    if (status == ORR_OK) {
        status = build_rows(finish, edges);
    }
    if (status != ORR_OK) {
        return status;
    }
    const struct build *build = finish->build;
    *finish->trace = (struct orr_trace){.path = build->path,
                                        .nodes = build->node_count,
                                        .node = finish->node,
                                        .children = finish->children,
                                        .edges = (uint32_t)edges,
                                        .parents = finish->parents,
                                        .groups = build->groups.text,
                                        .group_count = build->groups.count,
                                        .version = build->version};
    status = copy_extras(finish);
    return status == ORR_OK ? check_acyclic(finish) : status;
}

enum orr_status build_finish(struct build *build, const struct orr_trace **out,
                             struct orr_diag *diag)
{
    struct finish finish = {.build = build, .diag = diag};
    finish.trace = orr_arena_alloc(build->arena, sizeof *finish.trace);
    if (finish.trace == NULL) {
        return orr_diag_no_memory(diag, "a trace");
    }
    const enum orr_status status = assemble(&finish);
    *out = finish.trace;
    return status;
}
