/* The builder of task graphs; see tg_builder.h. Items are added to growing arrays on the heap,
 * which finishing copies into the arena at their final size. Dependencies become lists by a
 * counting sort, which keeps the order in which they were added. */
#include "workload/taskgraph/tg_builder.h"

#include "core/strings.h"

#include <string.h>

struct wait {
    uint32_t task, for_task;
};

/* A growing array. */
struct list {
    void *items;
    size_t count, capacity;
};

struct tg_builder {
    uint32_t npus, copies;
    const char *file;
    struct tg_origin origin;
    struct list tasks;   /* struct tg_task */
    struct list waits;   /* struct wait */
    struct list members; /* uint32_t */
    struct list order;   /* uint32_t */
    bool first_come;
    struct orr_arena *text;
    struct orr_strings names;
    bool failed; /* out of memory or of numbers */
};

struct tg_builder *orr_tg_builder_create(uint32_t npus, uint32_t copies)
{
    struct tg_builder *builder = orr_heap_calloc(1, sizeof *builder);
    if (builder == NULL) {
        return NULL;
    }
    *builder = (struct tg_builder){.npus = npus, .copies = copies, .text = orr_arena_create()};
    if (builder->text == NULL) {
        orr_heap_free(builder);
        return NULL;
    }
    orr_strings_init(&builder->names, builder->text);
    builder->failed = orr_strings_add(&builder->names, "", 0) != 0;
    return builder;
}

void orr_tg_builder_destroy(struct tg_builder *builder)
{
    if (builder == NULL) {
        return;
    }
    orr_heap_free(builder->tasks.items);
    orr_heap_free(builder->waits.items);
    orr_heap_free(builder->members.items);
    orr_heap_free(builder->order.items);
    orr_arena_destroy(builder->text);
    orr_heap_free(builder);
}

/* Grows the list to `capacity` items. */
static bool reserve(struct tg_builder *builder, struct list *list, size_t capacity, size_t size)
{
    if (capacity <= list->capacity) {
        return true;
    }
    void *grown = capacity < UINT32_MAX ? orr_heap_realloc(list->items, capacity * size) : NULL;
    if (grown == NULL) {
        builder->failed = true;
        return false;
    }
    list->items = grown;
    list->capacity = capacity;
    return true;
}

/* The first of `count` new items, or NULL. */
static void *extend(struct tg_builder *builder, struct list *list, size_t count, size_t size)
{
    const size_t needed = list->count + count;
    const size_t doubled = list->capacity + list->capacity / 2 + 64;
    if (needed > list->capacity &&
        !reserve(builder, list, needed > doubled ? needed : doubled, size)) {
        return NULL;
    }
    list->count = needed;
    return (char *)list->items + (needed - count) * size;
}

void orr_tg_builder_reserve(struct tg_builder *builder, size_t tasks, size_t waits)
{
    (void)reserve(builder, &builder->tasks, tasks, sizeof(struct tg_task));
    (void)reserve(builder, &builder->waits, waits, sizeof(struct wait));
}

void orr_tg_builder_set_origin(struct tg_builder *builder, const char *file,
                               const struct tg_origin *origin)
{
    builder->file = file;
    builder->origin = origin != NULL ? *origin : (struct tg_origin){.label = NULL};
}

uint32_t orr_tg_builder_name(struct tg_builder *builder, const char *text)
{
    const uint32_t number = orr_strings_add(&builder->names, text, strlen(text));
    builder->failed = builder->failed || number == UINT32_MAX;
    return number;
}

uint32_t orr_tg_builder_add(struct tg_builder *builder, const struct tg_task *task)
{
    struct tg_task *added = extend(builder, &builder->tasks, 1, sizeof *added);
    if (added == NULL) {
        return TG_NONE;
    }
    *added = *task;
    return (uint32_t)(builder->tasks.count - 1);
}

uint32_t orr_tg_builder_all_reduce(struct tg_builder *builder, const struct tg_task *task,
                                   const uint32_t *members, uint32_t count)
{
    struct tg_task reduce = *task;
    uint32_t *kept = count != 0 ? extend(builder, &builder->members, count, sizeof *kept) : NULL;
    if (kept == NULL && count != 0) {
        return TG_NONE;
    }
    for (uint32_t i = 0; i < count; i++) {
        kept[i] = members[i];
    }
    reduce.role = TG_ALL_REDUCE;
    reduce.from = (uint32_t)(builder->members.count - count);
    reduce.to = count;
    return orr_tg_builder_add(builder, &reduce);
}

void orr_tg_builder_wait(struct tg_builder *builder, uint32_t task, uint32_t for_task)
{
    struct wait *added = extend(builder, &builder->waits, 1, sizeof *added);
    if (added != NULL) {
        *added = (struct wait){.task = task, .for_task = for_task};
    }
}

void orr_tg_builder_first_come(struct tg_builder *builder)
{
    builder->first_come = true;
}

void orr_tg_builder_order(struct tg_builder *builder, const uint32_t *order)
{
    const size_t tasks = builder->tasks.count;
    builder->order.count = 0;
    uint32_t *kept = tasks != 0 ? extend(builder, &builder->order, tasks, sizeof *kept) : NULL;
    if (kept != NULL) {
        memcpy(kept, order, tasks * sizeof *kept);
    }
}

/* ---- finishing ---- */

static const void *copy(struct orr_arena *arena, const struct list *list, size_t size)
{
    void *kept = orr_arena_alloc_raw(arena, list->count * size + 1, sizeof(uint64_t));
    if (kept != NULL && list->count != 0) {
        memcpy(kept, list->items, list->count * size);
    }
    return kept;
}

static bool copy_names(const struct tg_builder *builder, struct orr_arena *arena,
                       struct tg_graph *out)
{
    const char **name = orr_arena_array(arena, builder->names.count, sizeof *name);
    bool kept = name != NULL;
    for (uint32_t i = 0; i < builder->names.count && kept; i++) {
        name[i] = orr_arena_strdup(arena, builder->names.text[i]);
        kept = name[i] != NULL;
    }
    out->name = name;
    out->names = builder->names.count;
    return kept;
}

/* Checks that both ends of each dependency are tasks; an error names the end that is one. */
static enum orr_status check_waits(const struct tg_builder *builder, const struct tg_graph *graph,
                                   struct orr_diag *diag)
{
    const struct wait *wait = builder->waits.items;
    for (size_t i = 0; i < builder->waits.count; i++) {
        if (wait[i].task >= graph->tasks || wait[i].for_task >= graph->tasks) {
            const struct orr_location location =
                orr_location_file(graph->file != NULL ? graph->file : "");
            return orr_diag_fail(diag, ORR_ERR_INPUT, graph->file != NULL ? &location : NULL,
                                 "expected dependencies between the %u tasks, got one of %u on %u",
                                 (unsigned)graph->tasks, (unsigned)wait[i].task,
                                 (unsigned)wait[i].for_task);
        }
    }
    return ORR_OK;
}

/* Sorts the dependencies, including repeated ones, into lists; task[].first_next is the begin of
 * each. */
static void sort_waits(const struct tg_builder *builder, struct tg_task *task, uint32_t *next)
{
    const struct wait *wait = builder->waits.items;
    const size_t waits = builder->waits.count, tasks = builder->tasks.count;
    uint32_t first = 0;
    for (size_t i = 0; i < tasks; i++) {
        task[i].first_next = 0;
    }
    for (size_t i = 0; i < waits; i++) {
        task[wait[i].for_task].first_next++;
    }
    for (size_t i = 0; i < tasks; i++) {
        const uint32_t count = task[i].first_next;
        task[i].first_next = first;
        first += count;
    }
    for (size_t i = 0; i < waits; i++) {
        next[task[wait[i].for_task].first_next++] = wait[i].task;
    }
    for (size_t i = tasks; i-- > 1;) { /* each now holds the begin of the next one */
        task[i].first_next = task[i - 1].first_next;
    }
    if (tasks != 0) {
        task[0].first_next = 0;
    }
}

/* Removes all but the last of repeated dependencies; last[task]: the last predecessor seen, plus
 * one. */
static uint32_t drop_repeated(struct tg_task *task, uint32_t tasks, uint32_t *next, uint32_t nexts,
                              uint32_t *last)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < tasks; i++) {
        const uint32_t first = task[i].first_next;
        const uint32_t end = i + 1 < tasks ? task[i + 1].first_next : nexts;
        for (uint32_t e = end; e-- > first;) {
            const bool is_repeated = last[next[e]] == i + 1;
            last[next[e]] = i + 1;
            next[e] = is_repeated ? TG_NONE : next[e];
        }
        task[i].first_next = kept;
        for (uint32_t e = first; e < end; e++) {
            next[kept] = next[e];
            kept += next[e] != TG_NONE;
        }
    }
    return kept;
}

static enum orr_status make_nexts(const struct tg_builder *builder, struct orr_arena *arena,
                                  struct tg_task *task, struct tg_graph *out, struct orr_diag *diag)
{
    const size_t waits = builder->waits.count;
    uint32_t *next = orr_arena_alloc_raw(arena, waits * sizeof *next + 1, sizeof *next);
    uint32_t *last = orr_heap_calloc(out->tasks + 1u, sizeof *last);
    enum orr_status status = next != NULL && last != NULL
                                 ? check_waits(builder, out, diag)
                                 : orr_diag_no_memory(diag, "the dependencies of a task graph");
    if (status == ORR_OK) {
        sort_waits(builder, task, next);
        out->nexts = drop_repeated(task, out->tasks, next, (uint32_t)waits, last);
        out->next = next;
    }
    orr_heap_free(last);
    return status;
}

enum orr_status orr_tg_builder_finish(struct tg_builder *builder, struct orr_arena *arena,
                                      struct tg_graph *out, struct orr_diag *diag)
{
    *out = (struct tg_graph){.file = builder->file,
                             .npus = builder->npus,
                             .copies = builder->copies,
                             .tasks = (uint32_t)builder->tasks.count,
                             .members = (uint32_t)builder->members.count,
                             .origin = builder->origin};
    struct tg_task *task =
        orr_arena_alloc_raw(arena, builder->tasks.count * sizeof *task + 1, sizeof(uint64_t));
    out->member = copy(arena, &builder->members, sizeof *out->member);
    out->first_come = builder->first_come;
    if (builder->order.count != 0) {
        out->order = copy(arena, &builder->order, sizeof *out->order);
        builder->failed =
            builder->failed || out->order == NULL || builder->order.count != builder->tasks.count;
    }
    if (builder->failed || task == NULL || out->member == NULL ||
        !copy_names(builder, arena, out)) {
        return orr_diag_no_memory(diag, "a task graph");
    }
    if (out->tasks != 0) {
        memcpy(task, builder->tasks.items, out->tasks * sizeof *task);
    }
    out->task = task;
    const enum orr_status status = make_nexts(builder, arena, task, out, diag);
    return status == ORR_OK ? orr_tg_check(out, diag) : status;
}
