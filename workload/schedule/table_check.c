/* From the cells of a table to a schedule; see table_check.h. */
#include "workload/schedule/table_check.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/arena.h"
#include "core/diag.h"

struct maker {
    const struct orr_table *table;
    struct orr_arena *arena;
    struct orr_schedule *schedule;
    struct orr_diag *diag;
    bool with_parts; /* cells name parts of the model */
    bool whole;      /* B is the whole backward pass */
    uint32_t *device, *chunk, *part, *first, *last;
    bool *placed;  /* [parts] a micro-batch has gone through it: first and last are known */
    uint8_t *seen; /* [parts * micros] bit k: pass of kind k */
};

static enum orr_status fail_cell(const struct maker *maker, const struct orr_table_cell *cell,
                                 const char *what)
{
    const struct orr_location place =
        orr_location_text(maker->table->name, cell->line, cell->column);
    return orr_diag_fail(maker->diag, ORR_ERR_INPUT, &place, "cell %u: %s", cell->column, what);
}

/* ---- what the cells say ---- */

static enum orr_status measure(struct maker *maker)
{
    const struct orr_table *table = maker->table;
    const size_t cells = table->begin[table->devices];
    uint32_t parts = 0, micros = 0;
    bool weights = false;
    if (cells == 0) {
        const struct orr_location place = orr_location_file(table->name);
        return orr_diag_fail(maker->diag, ORR_ERR_INPUT, &place,
                             "expected a line for each device, with a cell for each slot");
    }
    maker->with_parts = table->cell[0].pass[0].has_part;
    for (size_t i = 0; i < cells; i++) {
        for (unsigned k = 0; k < table->cell[i].passes; k++) {
            const struct orr_table_pass *pass = &table->cell[i].pass[k];
            if (pass->has_part != maker->with_parts) {
                return fail_cell(maker, &table->cell[i],
                                 "expected all cells with a part of the model (5F0), or none");
            }
            parts = pass->part >= parts ? pass->part + 1 : parts;
            micros = pass->micro >= micros ? pass->micro + 1 : micros;
            weights = weights || pass->kind == ORR_PASS_BACKWARD_WEIGHTS;
        }
    }
    maker->whole = !maker->with_parts && !weights;
    parts *= maker->with_parts ? 1 : table->devices;
    if (parts % table->devices != 0) {
        const struct orr_location place = orr_location_file(table->name);
        return orr_diag_fail(maker->diag, ORR_ERR_INPUT, &place,
                             "expected equally many parts on each of %" PRIu32
                             " devices, got %" PRIu32 " parts",
                             table->devices, parts);
    }
    *maker->schedule = (struct orr_schedule){.stages = table->devices,
                                             .micros = micros,
                                             .chunks = parts / table->devices,
                                             .copies = 1,
                                             .parts = parts};
    if ((uint64_t)parts * micros > ORR_SCHEDULE_MAX_SLOTS) {
        const struct orr_location place = orr_location_file(table->name);
        return orr_diag_fail(maker->diag, ORR_ERR_INPUT, &place,
                             "expected at most %d parts x micro-batches, got %" PRIu64,
                             ORR_SCHEDULE_MAX_SLOTS, (uint64_t)parts * micros);
    }
    return ORR_OK;
}

static bool make_room(struct maker *maker)
{
    const struct orr_schedule *schedule = maker->schedule;
    const size_t parts = schedule->parts;
    maker->device = orr_arena_array(maker->arena, parts, sizeof *maker->device);
    maker->chunk = orr_arena_array(maker->arena, parts, sizeof *maker->chunk);
    maker->part = orr_arena_array(maker->arena, parts, sizeof *maker->part);
    maker->first = orr_arena_array(maker->arena, parts, sizeof *maker->first);
    maker->last = orr_arena_array(maker->arena, parts, sizeof *maker->last);
    maker->placed = orr_arena_array(maker->arena, parts, sizeof *maker->placed);
    maker->seen = orr_arena_array(maker->arena, parts * schedule->micros, 1);
    return maker->device != NULL && maker->chunk != NULL && maker->part != NULL &&
           maker->first != NULL && maker->last != NULL && maker->placed != NULL &&
           maker->seen != NULL;
}

/* ---- which part is where ---- */

static void place_in_loop(struct maker *maker)
{
    const struct orr_schedule *schedule = maker->schedule;
    for (uint32_t part = 0; part < schedule->parts; part++) {
        maker->device[part] = part % schedule->stages;
        maker->chunk[part] = part / schedule->stages;
        maker->part[maker->device[part] * schedule->chunks + maker->chunk[part]] = part;
    }
}

/* Parts are where their cells are: on one device, with as many as the others. */
static enum orr_status place_by_cells(struct maker *maker)
{
    const struct orr_schedule *schedule = maker->schedule;
    const struct orr_table *table = maker->table;
    memset(maker->device, 0xff, schedule->parts * sizeof *maker->device);
    for (uint32_t device = 0; device < table->devices; device++) {
        for (size_t i = table->begin[device]; i < table->begin[device + 1]; i++) {
            for (unsigned k = 0; k < table->cell[i].passes; k++) {
                uint32_t *of = &maker->device[table->cell[i].pass[k].part];
                if (*of != UINT32_MAX && *of != device) {
                    return fail_cell(maker, &table->cell[i], "the part is on another device above");
                }
                *of = device;
            }
        }
    }
    for (uint32_t device = 0; device < table->devices; device++) {
        uint32_t chunk = 0;
        for (uint32_t part = 0; part < schedule->parts; part++) {
            if (maker->device[part] == device && chunk < schedule->chunks) {
                maker->chunk[part] = chunk;
                maker->part[device * schedule->chunks + chunk++] = part;
            }
        }
        if (chunk != schedule->chunks) {
            const struct orr_location place = orr_location_file(table->name);
            return orr_diag_fail(maker->diag, ORR_ERR_INPUT, &place,
                                 "device %" PRIu32 ": expected %" PRIu32 " parts, got %" PRIu32,
                                 device, schedule->chunks, chunk);
        }
    }
    return ORR_OK;
}

/* ---- passes ---- */

static enum orr_pass_kind kind_of(const struct maker *maker, const struct orr_table_pass *pass)
{
    return maker->whole && pass->kind == ORR_PASS_BACKWARD_INPUTS ? ORR_PASS_BACKWARD : pass->kind;
}

static uint8_t *seen(const struct maker *maker, uint32_t part, uint32_t micro)
{
    return &maker->seen[(size_t)part * maker->schedule->micros + micro];
}

/* The bits of the passes that a pass stands for. */
static uint8_t bits(enum orr_pass_kind kind)
{
    const unsigned both = 1u << ORR_PASS_BACKWARD_INPUTS | 1u << ORR_PASS_BACKWARD_WEIGHTS;
    return (uint8_t)(kind == ORR_PASS_BACKWARD ? both : 1u << kind);
}

static enum orr_status add_pass(struct maker *maker, const struct orr_table_cell *cell,
                                uint32_t device, unsigned index, struct orr_schedule_slot *slot)
{
    const struct orr_table_pass *pass = &cell->pass[index];
    const uint32_t part =
        maker->with_parts ? pass->part : maker->part[device * maker->schedule->chunks + pass->part];
    const enum orr_pass_kind kind = kind_of(maker, pass);
    uint8_t *of = seen(maker, part, pass->micro);
    if ((*of & bits(kind)) != 0) {
        char what[96];
        (void)snprintf(what, sizeof what,
                       "the pass stands twice in the table (part %" PRIu32 ", micro-batch %" PRIu32
                       ")",
                       part, pass->micro);
        return fail_cell(maker, cell, what);
    }
    *of = (uint8_t)(*of | bits(kind));
    slot->pass[index] = (struct orr_pass){kind, part, pass->micro};
    slot->passes = cell->passes;
    return ORR_OK;
}

static enum orr_status add_slots(struct maker *maker, struct orr_schedule_slot *slot)
{
    const struct orr_table *table = maker->table;
    for (uint32_t device = 0; device < table->devices; device++) {
        for (size_t i = table->begin[device]; i < table->begin[device + 1]; i++) {
            for (unsigned k = 0; k < table->cell[i].passes; k++) {
                if (add_pass(maker, &table->cell[i], device, k, &slot[i]) != ORR_OK) {
                    return maker->diag->status;
                }
            }
        }
    }
    return ORR_OK;
}

/* ---- copies, holes ---- */

static enum orr_status fail_hole(const struct maker *maker, uint32_t part, uint32_t micro,
                                 const char *what)
{
    const struct orr_location place = orr_location_file(maker->table->name);
    return orr_diag_fail(maker->diag, ORR_ERR_INPUT, &place,
                         "device %" PRIu32 ": no %s pass of micro-batch %" PRIu32 " (part %" PRIu32
                         ")",
                         maker->device[part], what, micro, part);
}

static enum orr_status check_micro(struct maker *maker, uint32_t micro, uint32_t first,
                                   uint32_t last)
{
    for (uint32_t part = first; part <= last; part++) {
        static const char *const what[] = {"forward", "backward", "weights'"};
        for (unsigned kind = 0; kind < 3; kind++) {
            if ((*seen(maker, part, micro) & 1u << kind) == 0) {
                return fail_hole(maker, part, micro, what[kind]);
            }
        }
        if (maker->placed[part] && (maker->first[part] != first || maker->last[part] != last)) {
            const struct orr_location place = orr_location_file(maker->table->name);
            return orr_diag_fail(maker->diag, ORR_ERR_INPUT, &place,
                                 "a pass is missing: micro-batch %" PRIu32
                                 " goes through parts %" PRIu32 " to %" PRIu32
                                 ", one before it through parts %" PRIu32 " to %" PRIu32,
                                 micro, first, last, maker->first[part], maker->last[part]);
        }
        maker->placed[part] = true;
        maker->first[part] = first;
        maker->last[part] = last;
    }
    return ORR_OK;
}

static enum orr_status find_copies(struct maker *maker)
{
    struct orr_schedule *schedule = maker->schedule;
    for (uint32_t micro = 0; micro < schedule->micros; micro++) {
        uint32_t first = UINT32_MAX, last = 0;
        for (uint32_t part = 0; part < schedule->parts; part++) {
            if (*seen(maker, part, micro) != 0 || !maker->with_parts) {
                first = first == UINT32_MAX ? part : first;
                last = part;
            }
        }
        if (first == UINT32_MAX) {
            return fail_hole(maker, 0, micro, "forward");
        }
        if (check_micro(maker, micro, first, last) != ORR_OK) {
            return maker->diag->status;
        }
    }
    const uint32_t of_copy = maker->last[0] - maker->first[0] + 1;
    schedule->copies = schedule->parts / of_copy;
    if (schedule->copies * of_copy != schedule->parts || schedule->chunks % schedule->copies != 0) {
        return fail_hole(maker, of_copy, 0, "forward");
    }
    return ORR_OK;
}

enum orr_status orr_table_to_schedule(const struct orr_table *table, struct orr_arena *arena,
                                      struct orr_schedule *schedule, struct orr_diag *diag)
{
    struct maker maker = {.table = table, .arena = arena, .schedule = schedule, .diag = diag};
    if (measure(&maker) != ORR_OK) {
        return diag->status;
    }
    struct orr_schedule_slot *slot =
        orr_arena_array(arena, table->begin[table->devices], sizeof *slot);
    if (slot == NULL || !make_room(&maker)) {
        return orr_diag_no_memory(diag, "a schedule");
    }
    if (maker.with_parts) {
        if (place_by_cells(&maker) != ORR_OK) {
            return diag->status;
        }
    } else {
        place_in_loop(&maker);
    }
    if (add_slots(&maker, slot) != ORR_OK || find_copies(&maker) != ORR_OK) {
        return diag->status;
    }
    schedule->device = maker.device;
    schedule->chunk = maker.chunk;
    schedule->part = maker.part;
    schedule->first = maker.first;
    schedule->last = maker.last;
    schedule->begin = table->begin;
    schedule->slot = slot;
    return ORR_OK;
}
