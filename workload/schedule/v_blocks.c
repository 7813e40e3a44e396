/* V-Half and V-Min (Qi et al., "Pipeline Parallelism with Controllable Memory", NeurIPS 2024,
 * section 3): two parts a device on a V, and a block of passes that repeats every six slots, chosen
 * so that a device keeps about 1/2 or 1/3 of 1F1B's activations. The repeated block is then made
 * denser without more memory: passes move, in the order of their slots, to the earliest free slot
 * behind what they need. A slot holds one pass; the order found is run with the passes' true times.
 */
#include <string.h>

#include "workload/schedule/schedule_builder.h"

enum { PERIOD = 6, KINDS = 3 /* F, B, W */, NO_PASS = 0 };

/* Slots of all devices. A cell is NO_PASS or 1 + (kind * 2 + chunk) * micros + micro. */
struct grid {
    uint32_t stages, micros, slots;
    uint32_t *cell;    /* [stages * slots] */
    uint32_t *slot_of; /* [KINDS * 2 * stages * micros] the slot of a pass, by kind, part, micro */
    uint32_t limit;    /* activations of parts that a device may keep */
};

struct pass {
    enum orr_pass_kind kind;
    uint32_t chunk, micro;
};

static uint32_t *cell(const struct grid *grid, uint32_t device, uint32_t slot)
{
    return &grid->cell[(size_t)device * grid->slots + slot];
}

static uint32_t code(const struct grid *grid, struct pass pass)
{
    return 1 + ((uint32_t)pass.kind * 2 + pass.chunk) * grid->micros + pass.micro;
}

static struct pass decode(const struct grid *grid, uint32_t code)
{
    const uint32_t index = (code - 1) / grid->micros;
    return (struct pass){(enum orr_pass_kind)(index / 2), index % 2, (code - 1) % grid->micros};
}

static uint32_t part_of(const struct grid *grid, uint32_t device, uint32_t chunk)
{
    return chunk == 0 ? device : 2 * grid->stages - 1 - device;
}

static uint32_t *slot_of(const struct grid *grid, enum orr_pass_kind kind, uint32_t part,
                         uint32_t micro)
{
    return &grid->slot_of[((size_t)kind * 2 * grid->stages + part) * grid->micros + micro];
}

static void put(struct grid *grid, uint32_t device, uint32_t slot, struct pass pass)
{
    *cell(grid, device, slot) = code(grid, pass);
    *slot_of(grid, pass.kind, part_of(grid, device, pass.chunk), pass.micro) = slot;
}

/* ---- passes of weights ---- */

/* Walks over a device's slots: the pass of weights of the oldest backward pass goes into each free
 * slot. Returns the most activations kept; with `fill` the passes stay in the grid. */
static uint32_t place_weights(struct grid *grid, uint32_t device, bool fill)
{
    uint32_t kept = 0, most = 0, oldest = 0;
    for (uint32_t slot = 0; slot < grid->slots; slot++) {
        const uint32_t here = *cell(grid, device, slot);
        if (here != NO_PASS) {
            kept += decode(grid, here).kind == ORR_PASS_FORWARD ? 1 : 0;
            most = kept > most ? kept : most;
            continue;
        }
        while (oldest < slot &&
               (*cell(grid, device, oldest) == NO_PASS ||
                decode(grid, *cell(grid, device, oldest)).kind != ORR_PASS_BACKWARD_INPUTS)) {
            oldest++;
        }
        if (oldest < slot) {
            struct pass pass = decode(grid, *cell(grid, device, oldest++));
            kept--;
            pass.kind = ORR_PASS_BACKWARD_WEIGHTS;
            if (fill) {
                put(grid, device, slot, pass);
            }
        }
    }
    return most;
}

static void remove_weights(struct grid *grid)
{
    for (size_t i = 0; i < (size_t)grid->stages * grid->slots; i++) {
        if (grid->cell[i] != NO_PASS &&
            decode(grid, grid->cell[i]).kind == ORR_PASS_BACKWARD_WEIGHTS) {
            grid->cell[i] = NO_PASS;
        }
    }
}

/* The most activations kept, of a grid with its passes of weights. */
static uint32_t peak(const struct grid *grid, uint32_t device)
{
    uint32_t kept = 0, most = 0;
    for (uint32_t slot = 0; slot < grid->slots; slot++) {
        const uint32_t here = *cell(grid, device, slot);
        if (here != NO_PASS) {
            const enum orr_pass_kind kind = decode(grid, here).kind;
            kept += kind == ORR_PASS_FORWARD ? 1 : 0;
            most = kept > most ? kept : most;
            kept -= kind == ORR_PASS_BACKWARD_WEIGHTS ? 1 : 0;
        }
    }
    return most;
}

/* ---- squeezing ---- */

/* The first slot behind what the pass of a device needs. */
static uint32_t behind_needs(const struct grid *grid, uint32_t device, struct pass pass)
{
    const uint32_t part = part_of(grid, device, pass.chunk);
    if (pass.kind == ORR_PASS_FORWARD) {
        return part == 0 ? 0 : *slot_of(grid, ORR_PASS_FORWARD, part - 1, pass.micro) + 1;
    }
    if (pass.kind == ORR_PASS_BACKWARD_WEIGHTS) {
        return *slot_of(grid, ORR_PASS_BACKWARD_INPUTS, part, pass.micro) + 1;
    }
    const uint32_t own = *slot_of(grid, ORR_PASS_FORWARD, part, pass.micro) + 1;
    if (part == 2 * grid->stages - 1) {
        return own;
    }
    const uint32_t next = *slot_of(grid, ORR_PASS_BACKWARD_INPUTS, part + 1, pass.micro) + 1;
    return own > next ? own : next;
}

/* Moves the pass in a slot to the earliest free slot from `from` on that keeps the limit. Returns
 * its slot. */
static uint32_t move(struct grid *grid, uint32_t device, uint32_t slot, uint32_t from,
                     bool without_weights)
{
    const struct pass pass = decode(grid, *cell(grid, device, slot));
    const bool checked =
        pass.kind == ORR_PASS_FORWARD || (without_weights && pass.kind == ORR_PASS_BACKWARD_INPUTS);
    *cell(grid, device, slot) = NO_PASS;
    for (uint32_t to = from; to < slot; to++) {
        if (*cell(grid, device, to) != NO_PASS) {
            continue;
        }
        put(grid, device, to, pass);
        if (!checked || (without_weights ? place_weights(grid, device, false)
                                         : peak(grid, device)) <= grid->limit) {
            return to;
        }
        *cell(grid, device, to) = NO_PASS;
    }
    put(grid, device, slot, pass);
    return slot;
}

/* One walk over all passes. Passes of one kind (F0, F1, B0, B1, W) keep their order on a device.
 * `behind` [stages * 5]: the first slot behind the last one of a kind. */
static void squeeze(struct grid *grid, uint32_t *behind, bool without_weights)
{
    enum { KINDS_OF_DEVICE = 5 };
    memset(behind, 0, (size_t)grid->stages * KINDS_OF_DEVICE * sizeof *behind);
    for (uint32_t slot = 0; slot < grid->slots; slot++) {
        for (uint32_t device = 0; device < grid->stages; device++) {
            if (*cell(grid, device, slot) == NO_PASS) {
                continue;
            }
            const struct pass pass = decode(grid, *cell(grid, device, slot));
            const uint32_t kind =
                pass.kind == ORR_PASS_BACKWARD_WEIGHTS ? 4 : (uint32_t)pass.kind * 2 + pass.chunk;
            uint32_t *last = &behind[device * KINDS_OF_DEVICE + kind];
            const uint32_t needs = behind_needs(grid, device, pass);
            *last = move(grid, device, slot, needs > *last ? needs : *last, without_weights) + 1;
        }
    }
}

/* ---- the block ---- */

/* The slots of the first micro-batch's F0, F1, B1, B0 on a device. */
typedef void block_of(uint32_t stages, uint32_t device, uint32_t slot[4]);

static void half(uint32_t stages, uint32_t device, uint32_t slot[4])
{
    const uint32_t shift = stages % 2 == 0 ? 3 : 0;
    slot[0] = 2 * device;
    slot[1] = 3 * stages - 2 - device;
    slot[2] = 3 * stages + shift + 2 * device - 1;
    slot[3] = 6 * stages + shift - 2 - device;
}

static void min(uint32_t stages, uint32_t device, uint32_t slot[4])
{
    const uint32_t shift = stages % 3 == 0 ? 2 : 0;
    slot[0] = device;
    slot[1] = 2 * stages - 1 - device;
    slot[2] = 2 * stages + shift + device;
    slot[3] = 4 * stages + shift - 1 - device;
}

static void repeat(struct grid *grid, block_of *block)
{
    for (uint32_t device = 0; device < grid->stages; device++) {
        uint32_t at[4];
        block(grid->stages, device, at);
        for (uint32_t micro = 0; micro < grid->micros; micro++) {
            for (uint32_t i = 0; i < 4; i++) {
                const struct pass pass = {i < 2 ? ORR_PASS_FORWARD : ORR_PASS_BACKWARD_INPUTS,
                                          i == 1 || i == 2 ? 1 : 0, micro};
                put(grid, device, at[i] + PERIOD * micro, pass);
            }
        }
        const uint32_t kept = place_weights(grid, device, true);
        grid->limit = kept > grid->limit ? kept : grid->limit;
    }
}

static void emit(struct orr_schedule_builder *builder, const struct grid *grid)
{
    for (uint32_t device = 0; device < grid->stages; device++) {
        for (uint32_t slot = 0; slot < grid->slots; slot++) {
            const uint32_t here = *cell(grid, device, slot);
            if (here != NO_PASS) {
                const struct pass pass = decode(grid, here);
                orr_schedule_add(builder,
                                 (struct orr_chunk_pass){pass.kind, pass.chunk, pass.micro});
            }
        }
        orr_schedule_next_device(builder);
    }
}

static void order(struct orr_schedule_builder *builder, const struct orr_schedule_request *request,
                  block_of *block)
{
    struct grid grid = {.stages = request->stages,
                        .micros = request->micros,
                        .slots = 7 * request->stages + (PERIOD + 2) * request->micros + 4};
    const size_t passes = (size_t)KINDS * 2 * grid.stages * grid.micros;
    grid.cell = orr_schedule_room(builder, (size_t)grid.stages * grid.slots, sizeof *grid.cell);
    grid.slot_of = orr_schedule_room(builder, passes, sizeof *grid.slot_of);
    uint32_t *behind = orr_schedule_room(builder, (size_t)grid.stages * 5, sizeof *behind);
    if (grid.cell == NULL || grid.slot_of == NULL || behind == NULL) {
        return;
    }
    repeat(&grid, block);
    squeeze(&grid, behind, false);
    remove_weights(&grid);
    squeeze(&grid, behind, true);
    for (uint32_t device = 0; device < grid.stages; device++) {
        (void)place_weights(&grid, device, true);
    }
    emit(builder, &grid);
}

static void order_half(struct orr_schedule_builder *builder,
                       const struct orr_schedule_request *request)
{
    order(builder, request, half);
}

static void order_min(struct orr_schedule_builder *builder,
                      const struct orr_schedule_request *request)
{
    order(builder, request, min);
}

const struct orr_schedule_kind orr_schedule_v_half = {
    .name = "v-half",
    .summary = "two parts a device on a V, about half of 1f1b's memory",
    .placement = ORR_PLACE_V,
    .default_chunks = 2,
    .min_chunks = 2,
    .max_chunks = 2,
    .order = order_half};

const struct orr_schedule_kind orr_schedule_v_min = {
    .name = "v-min",
    .summary = "two parts a device on a V, about a third of 1f1b's memory",
    .placement = ORR_PLACE_V,
    .default_chunks = 2,
    .min_chunks = 2,
    .max_chunks = 2,
    .order = order_min};
