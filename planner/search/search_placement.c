/* Placements of the parts of an operator; see search_space.h. */
#include "core/saturate.h"
#include "planner/search/search_space.h"
#include "workload/strategy/strategy.h"

#include <string.h>

/* The step between parts other than 1. */
static uint32_t spread_step(const struct space *space, uint32_t parts)
{
    return parts > 1 && space->group % parts == 0 ? space->group / parts : 1;
}

/* Number of first devices that give different sets of devices. */
static uint32_t count_offsets(const struct space *space, uint32_t parts)
{
    return parts == 1 || space->group % parts != 0 ? space->group : space->group / parts;
}

static uint32_t orders(const struct space_split *split)
{
    return split->cuts > 1 ? 2 : 1;
}

uint32_t orr_space_count_placements(const struct space *space, uint32_t number)
{
    const struct space_split *split = &space->split[number];
    const uint32_t steps = spread_step(space, split->parts) > 1 ? 2 : 1;
    return count_offsets(space, split->parts) * steps * orders(split);
}

struct search_choice orr_space_placement_at(const struct space *space, uint32_t number, uint32_t n)
{
    const struct space_split *split = &space->split[number];
    const uint32_t all = count_offsets(space, split->parts),
                   spread = spread_step(space, split->parts);
    struct search_choice choice = {.split = number, .first = n % all, .step = spread};
    n /= all;
    choice.order = n % orders(split);
    n /= orders(split);
    if (n == 1) {
        choice.step = 1;
    }
    if (choice.step == 1 && spread > 1) { /* blocks of consecutive devices */
        choice.first *= split->parts;
    }
    return choice;
}

struct search_choice orr_space_placement_like(const struct space *space, uint32_t number,
                                              const struct search_choice *like)
{
    const struct space_split *split = &space->split[number], *other = &space->split[like->split];
    const uint32_t spread = spread_step(space, split->parts);
    const bool from_start = like->order >= CHOICE_FROM_START;
    const uint32_t from = from_start ? 0 : like->first;
    struct search_choice choice = {.split = number, .first = from, .step = spread};
    if (split->cuts > 1 && like->order == CHOICE_REVERSED) {
        choice.order = CHOICE_REVERSED;
    }
    if (!from_start && spread > 1 && like->step == 1 && other->parts < space->group) {
        choice.step = 1;
        choice.first = from / split->parts * split->parts;
    } else if (split->parts > 1) {
        choice.first = from % count_offsets(space, split->parts);
    }
    return choice;
}

struct search_choice orr_space_choice_of_start(const struct space *space, uint32_t start,
                                               uint32_t op)
{
    const struct strategy *of = space->start[start];
    const uint32_t *device = orr_strategy_devices(of, op);
    const uint32_t parts = of->op[op].parts;
    struct search_choice choice = {
        .split = orr_space_find(space, space->class_of[op], orr_strategy_degrees(of, op)),
        .first = device[0],
        .step = spread_step(space, parts)};
    bool is[2] = {true, true};
    for (uint32_t i = 0; i < parts; i++) {
        is[0] &= device[i] == (device[0] + i * choice.step) % space->group;
        is[1] &= device[i] == (device[0] + i) % space->group;
    }
    choice.step = is[0] ? choice.step : 1;
    if (!is[0] && !is[1]) {
        choice.first = choice.step = 0;
        choice.order = CHOICE_FROM_START + start;
    }
    return choice;
}

/* The index of a part if its digits, the indices by dimension, are read in reverse order. */
static uint32_t reversed_part(const struct space_split *split, uint32_t part)
{
    uint32_t position = 0, weight = split->parts;
    for (unsigned d = MODEL_MAX_DIMS; d-- > 0;) {
        const uint32_t degree = split->degree[d] > 0 ? split->degree[d] : 1;
        weight /= degree;
        position += part % degree * weight;
        part /= degree;
    }
    return position;
}

void orr_space_devices(const struct space *space, uint32_t op, const struct search_choice *choice,
                       uint32_t *device)
{
    const struct space_split *split = &space->split[choice->split];
    if (choice->order >= CHOICE_FROM_START) {
        memcpy(device, orr_strategy_devices(space->start[choice->order - CHOICE_FROM_START], op),
               split->parts * sizeof *device);
        return;
    }
    for (uint32_t i = 0; i < split->parts; i++) {
        const uint32_t at = choice->order == CHOICE_REVERSED ? reversed_part(split, i) : i;
        device[i] = (choice->first + at * choice->step) % space->group;
    }
}

uint64_t orr_space_count(const struct space *space)
{
    uint64_t count = 1;
    for (uint32_t op = 0; op < space->problem->model->ops; op++) {
        const struct space_class *class = &space->class[space->class_of[op]];
        uint64_t choices = 0;
        for (uint32_t i = 0; i < class->splits; i++) {
            choices = sat_plus(choices, orr_space_count_placements(space, class->first + i));
        }
        count = sat_times(count, choices);
    }
    return count;
}
