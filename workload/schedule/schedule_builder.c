/* Builds schedules, slot by slot; see schedule_builder.h. */
#include "workload/schedule/schedule_builder.h"

#include "core/arena.h"
#include "core/diag.h"

struct orr_schedule_builder {
    struct orr_arena *arena;
    struct orr_schedule *schedule;
    uint32_t *device, *chunk, *part, *first, *last;
    size_t *begin;
    struct orr_schedule_slot *slot;
    size_t slots, capacity;
    uint32_t current; /* device */
    uint32_t copy_micros;
    bool no_memory;
};

static struct orr_pass pass_of(const struct orr_schedule_builder *builder,
                               struct orr_chunk_pass pass)
{
    const uint32_t part = builder->part[builder->current * builder->schedule->chunks + pass.chunk];
    const uint32_t copy = builder->first[part] == 0 ? 0 : 1;
    return (struct orr_pass){pass.kind, part, pass.micro + copy * builder->copy_micros};
}

static void add_slot(struct orr_schedule_builder *builder, struct orr_schedule_slot slot)
{
    struct orr_schedule_slot *grown = orr_arena_grow(
        builder->arena, builder->slot, &builder->capacity, builder->slots + 1, sizeof *grown);
    if (grown == NULL) {
        builder->no_memory = true;
        return;
    }
    builder->slot = grown;
    builder->slot[builder->slots++] = slot;
}

void orr_schedule_add(struct orr_schedule_builder *builder, struct orr_chunk_pass pass)
{
    add_slot(builder, (struct orr_schedule_slot){.pass = {pass_of(builder, pass)}, .passes = 1});
}

void orr_schedule_add_both(struct orr_schedule_builder *builder, struct orr_chunk_pass forward,
                           struct orr_chunk_pass backward)
{
    add_slot(builder,
             (struct orr_schedule_slot){
                 .pass = {pass_of(builder, forward), pass_of(builder, backward)}, .passes = 2});
}

void orr_schedule_next_device(struct orr_schedule_builder *builder)
{
    builder->begin[++builder->current] = builder->slots;
}

void *orr_schedule_room(struct orr_schedule_builder *builder, size_t count, size_t bytes)
{
    void *room = orr_arena_array(builder->arena, count, bytes);
    builder->no_memory = builder->no_memory || room == NULL;
    return room;
}

/* Says which part is where. */
static void place(struct orr_schedule_builder *builder, enum orr_placement placement)
{
    const struct orr_schedule *schedule = builder->schedule;
    const uint32_t stages = schedule->stages, of_copy = schedule->parts / schedule->copies;
    for (uint32_t device = 0; device < stages; device++) {
        for (uint32_t chunk = 0; chunk < schedule->chunks; chunk++) {
            const bool back = placement != ORR_PLACE_LOOP && chunk == 1;
            const uint32_t part = chunk * stages + (back ? stages - 1 - device : device);
            builder->part[device * schedule->chunks + chunk] = part;
            builder->device[part] = device;
            builder->chunk[part] = chunk;
            builder->first[part] = part / of_copy * of_copy;
            builder->last[part] = builder->first[part] + of_copy - 1;
        }
    }
}

static bool init_builder(struct orr_schedule_builder *builder, struct orr_arena *arena,
                         struct orr_schedule *schedule)
{
    *builder = (struct orr_schedule_builder){
        .arena = arena,
        .schedule = schedule,
        .device = orr_arena_array(arena, schedule->parts, sizeof *builder->device),
        .chunk = orr_arena_array(arena, schedule->parts, sizeof *builder->chunk),
        .part = orr_arena_array(arena, schedule->parts, sizeof *builder->part),
        .first = orr_arena_array(arena, schedule->parts, sizeof *builder->first),
        .last = orr_arena_array(arena, schedule->parts, sizeof *builder->last),
        .begin = orr_arena_array(arena, schedule->stages + 1u, sizeof *builder->begin),
        .copy_micros = schedule->micros / schedule->copies};
    return builder->device != NULL && builder->chunk != NULL && builder->part != NULL &&
           builder->first != NULL && builder->last != NULL && builder->begin != NULL;
}

enum orr_status orr_schedule_make(const struct orr_schedule_kind *kind,
                                  const struct orr_schedule_request *request,
                                  struct orr_arena *arena, struct orr_schedule *schedule,
                                  struct orr_diag *diag)
{
    struct orr_schedule_builder builder;
    *schedule = (struct orr_schedule){.stages = request->stages,
                                      .micros = request->micros,
                                      .chunks = request->chunks,
                                      .copies = kind->placement == ORR_PLACE_TWO_WAY ? 2 : 1,
                                      .parts = request->stages * request->chunks};
    if (!init_builder(&builder, arena, schedule)) {
        return orr_diag_no_memory(diag, "a schedule");
    }
    place(&builder, kind->placement);
    kind->order(&builder, request);
    if (builder.no_memory) {
        return orr_diag_no_memory(diag, "a schedule");
    }
    schedule->device = builder.device;
    schedule->chunk = builder.chunk;
    schedule->part = builder.part;
    schedule->first = builder.first;
    schedule->last = builder.last;
    schedule->begin = builder.begin;
    schedule->slot = builder.slot;
    return ORR_OK;
}
