/* Classes of operators and their splits; see search_space.h. */
#include "planner/search/search_space.h"

#include "core/arena.h"
#include "core/diag.h"
#include "core/saturate.h"
#include "workload/model/part_time.h"
#include "workload/strategy/strategy.h"

#include <stdlib.h>
#include <string.h>

/* ---- classes ---- */

static bool same_text(const char *a, const char *b)
{
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

static bool same_dim(const struct model_dim *a, const struct model_dim *b)
{
    bool same = same_text(a->name, b->name) && a->gives == b->gives && a->axis == b->axis &&
                a->weights == b->weights && a->size == b->size && a->halo_bytes == b->halo_bytes;
    for (unsigned i = 0; i < MODEL_INPUT_CUTS && same; i++) {
        same = a->cut[i].needs == b->cut[i].needs && a->cut[i].axis == b->cut[i].axis;
    }
    return same;
}

static bool same_work(const struct model_work *a, const struct model_work *b)
{
    return a->flops == b->flops && a->input_bytes == b->input_bytes &&
           a->other_input_bytes == b->other_input_bytes && a->output_bytes == b->output_bytes &&
           a->inner_bytes == b->inner_bytes && a->weight_bytes == b->weight_bytes;
}

/* Whether two operators are equal in all fields that determine times, bytes and splits. */
static bool same_op(const struct model_op *a, const struct model_op *b)
{
    bool same = same_text(a->profile, b->profile) && a->op_kind == b->op_kind &&
                a->table == b->table && a->dims == b->dims && a->measured == b->measured &&
                a->forward_ps == b->forward_ps && a->backward_ps == b->backward_ps &&
                a->weights == b->weights && a->weight_bytes == b->weight_bytes &&
                a->bias == b->bias && a->output_bytes == b->output_bytes &&
                a->shape.axes == b->shape.axes && same_work(&a->forward, &b->forward) &&
                same_work(&a->backward, &b->backward);
    for (uint32_t d = 0; d < a->dims && same; d++) {
        same = same_dim(&a->dim[d], &b->dim[d]);
    }
    return same;
}

static uint64_t hash_of(const struct model_op *op)
{
    const uint64_t fields[] = {op->op_kind,       op->table,          op->dims,
                               op->weights,       op->bias,           op->output_bytes,
                               op->forward.flops, op->backward.flops, (uint64_t)op->forward_ps};
    uint64_t hash = UINT64_C(14695981039346656037);
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        hash = (hash ^ fields[i]) * UINT64_C(1099511628211);
        hash ^= hash >> 29;
    }
    return hash;
}

/* Finds the classes of all operators: a hash table with open addressing over the first operator of
 * each. */
static bool find_classes(struct space *space)
{
    const struct model_graph *model = space->problem->model;
    size_t mask = 15;
    while (mask < 2 * (size_t)model->ops) {
        mask = 2 * mask + 1;
    }
    uint32_t *slot = orr_heap_calloc(mask + 1, sizeof *slot); /* class plus one */
    space->class = orr_arena_array(space->arena, (size_t)model->ops + 1, sizeof *space->class);
    space->class_of = orr_arena_array(space->arena, (size_t)model->ops + 1, sizeof(uint32_t));
    const bool made = slot != NULL && space->class != NULL && space->class_of != NULL;
    for (uint32_t op = 0; op < model->ops && made; op++) {
        size_t at = hash_of(&model->op[op]) & mask;
        while (slot[at] != 0 &&
               !same_op(&model->op[op], &model->op[space->class[slot[at] - 1].op])) {
            at = (at + 1) & mask;
        }
        if (slot[at] == 0) {
            space->class[space->classes].op = op;
            slot[at] = ++space->classes;
        }
        space->class_of[op] = slot[at] - 1;
    }
    orr_heap_free(slot);
    return made;
}

/* ---- splits ---- */

bool orr_search_can_split(const struct search_dimensions *dimensions, const char *name)
{
    bool is = dimensions->count == 0;
    for (size_t i = 0; i < dimensions->count && !is; i++) {
        is = strcmp(dimensions->name[i], name) == 0;
    }
    return is;
}

static const struct model_op *op_of(const struct space *space, uint32_t class)
{
    return &space->problem->model->op[space->class[class].op];
}

/* Adds a split if it has a time; else the reason stays in the diag. false: memory is out. */
static bool add_split(struct space *space, uint32_t class, const uint32_t *degree,
                      struct orr_diag *diag)
{
    const struct model_op *op = op_of(space, class);
    struct space_split split = {.parts = 1, .shards = 1};
    struct model_times times;
    for (uint32_t d = 0; d < op->dims; d++) {
        split.degree[d] = degree[d];
        split.parts *= degree[d];
        split.cuts += degree[d] > 1;
        split.shards *= op->dim[d].weights == MODEL_WEIGHTS_SLICED ? degree[d] : 1;
    }
    if (orr_model_part_time(space->problem->model, space->class[class].op, degree,
                            space->problem->speed, space->samples, &times, diag) != ORR_OK) {
        return true;
    }
    split.forward_ps = times.forward_ps;
    split.backward_ps = times.backward_ps;
    struct space_split *grown = orr_arena_grow(space->arena, space->split, &space->capacity,
                                               space->splits + 1, sizeof *grown);
    if (grown == NULL) {
        return false;
    }
    space->split = grown;
    grown[space->splits++] = split;
    space->class[class].splits++;
    return true;
}

static bool is_degree(const struct space *space, const struct model_dim *dim, uint32_t degree)
{
    const uint64_t size = dim->size != 0 ? dim->size : space->samples;
    const uint64_t largest = sat_divide_up(size, degree);
    const bool even = 8 * (largest * degree - size) <= size;
    if (!orr_search_can_split(&space->problem->dimensions, dim->name)) {
        return false;
    }
    if (dim->size == 0 && degree == space->group) { /* data parallelism */
        return degree <= size;
    }
    return even && degree <= size && (space->group % degree == 0 || degree == size);
}

struct enumeration {
    struct space *space;
    uint32_t class;
    uint32_t max_cuts, count;
    bool add, failed;
    uint32_t degree[MODEL_MAX_DIMS];
    struct orr_diag *diag;
};

/* Enumerates the degrees of the dimensions from d on whose product is at most `left`. */
static void enumerate(struct enumeration *all, uint32_t d, uint32_t left, uint32_t cuts)
{
    const struct model_op *op = op_of(all->space, all->class);
    if (d == op->dims) {
        all->count++;
        all->failed =
            all->failed || (all->add && !add_split(all->space, all->class, all->degree, all->diag));
        return;
    }
    for (uint32_t degree = 1; degree <= left && !all->failed; degree++) {
        if (degree == 1 || (cuts < all->max_cuts && is_degree(all->space, &op->dim[d], degree))) {
            all->degree[d] = degree;
            enumerate(all, d + 1, left / degree, cuts + (degree > 1));
        }
    }
}

static int by_parts(const void *a, const void *b)
{
    const struct space_split *x = a, *y = b;
    int order = (x->parts > y->parts) - (x->parts < y->parts);
    for (unsigned d = 0; d < MODEL_MAX_DIMS && order == 0; d++) {
        order = (x->degree[d] < y->degree[d]) - (x->degree[d] > y->degree[d]);
    }
    return order;
}

/* Adds the splits of the starts that are not in the space yet. */
static bool add_starts(struct space *space, uint32_t class, struct orr_diag *diag)
{
    const struct model_graph *model = space->problem->model;
    const uint32_t first = space->class[class].first;
    for (uint32_t s = 0; s < space->starts; s++) {
        for (uint32_t op = 0; op < model->ops; op++) {
            const uint32_t *degree = orr_strategy_degrees(space->start[s], op);
            bool there = space->class_of[op] != class;
            for (size_t i = first; i < space->splits && !there; i++) {
                there = memcmp(space->split[i].degree, degree,
                               model->op[op].dims * sizeof *degree) == 0;
            }
            if (!there && !add_split(space, class, degree, diag)) {
                return false;
            }
        }
    }
    return true;
}

static bool add_widths(struct space *space, struct space_class *class)
{
    class->first_width = (uint32_t)space->widths;
    for (uint32_t i = 0; i < class->splits; i++) {
        const uint32_t parts = space->split[class->first + i].parts;
        if (class->widths == 0 || space->width[space->widths - 1].parts != parts) {
            struct space_width *grown =
                orr_arena_grow(space->arena, space->width, &space->width_capacity,
                               space->widths + 1, sizeof *grown);
            if (grown == NULL) {
                return false;
            }
            space->width = grown;
            grown[space->widths++] = (struct space_width){parts, class->first + i, 0};
            class->widths++;
        }
        space->width[space->widths - 1].splits++;
    }
    return true;
}

static enum orr_status add_class(struct space *space, uint32_t number, struct orr_diag *diag)
{
    struct space_class *class = &space->class[number];
    struct orr_diag why;
    struct enumeration all = {.space = space, .class = number, .diag = &why};
    orr_diag_init(&why);
    class->first = (uint32_t)space->splits;
    all.max_cuts = SPACE_MAX_CUTS + 1;
    do {
        all.max_cuts--;
        all.count = 0;
        enumerate(&all, 0, space->group, 0);
    } while (all.count > SPACE_MAX_SPLITS && all.max_cuts > 1);
    all.add = true;
    enumerate(&all, 0, space->group, 0);
    if (all.failed || !add_starts(space, number, &why)) {
        return orr_diag_no_memory(diag, "a search");
    }
    if (class->splits == 0) {
        return orr_diag_fail(diag, why.status, &why.place, "%s", why.message);
    }
    qsort(space->split + class->first, class->splits, sizeof *space->split, by_parts);
    return add_widths(space, class) ? ORR_OK : orr_diag_no_memory(diag, "a search");
}

/* Checks that every split of a start has a time. */
static enum orr_status check_starts(const struct space *space, struct orr_diag *diag)
{
    const struct model_graph *model = space->problem->model;
    enum orr_status status = ORR_OK;
    for (uint32_t s = 0; s < space->starts; s++) {
        for (uint32_t op = 0; op < model->ops && status == ORR_OK; op++) {
            const uint32_t *degree = orr_strategy_degrees(space->start[s], op);
            struct model_times times;
            if (orr_space_find(space, space->class_of[op], degree) == UINT32_MAX) {
                status = orr_model_part_time(model, op, degree, space->problem->speed,
                                             space->samples, &times, diag);
            }
        }
    }
    return status;
}

enum orr_status orr_space_init(struct space *space, struct orr_arena *arena,
                               const struct search_problem *problem,
                               const struct strategy *const *start, uint32_t starts,
                               struct orr_diag *diag)
{
    *space = (struct space){.arena = arena,
                            .problem = problem,
                            .start = start,
                            .starts = starts,
                            .group = problem->devices / problem->copies};
    space->samples = orr_model_batch(problem->model, problem->devices) / problem->copies;
    if (!find_classes(space)) {
        return orr_diag_no_memory(diag, "a search");
    }
    enum orr_status status = ORR_OK;
    for (uint32_t class = 0; class < space->classes && status == ORR_OK; class ++) {
        status = add_class(space, class, diag);
    }
    return status == ORR_OK ? check_starts(space, diag) : status;
}

/* ---- finding ---- */

const struct space_width *orr_space_width(const struct space *space, uint32_t number,
                                          uint32_t parts)
{
    const struct space_class *class = &space->class[number];
    for (uint32_t i = 0; i < class->widths; i++) {
        if (space->width[class->first_width + i].parts == parts) {
            return &space->width[class->first_width + i];
        }
    }
    return NULL;
}

uint32_t orr_space_find(const struct space *space, uint32_t class, const uint32_t *degree)
{
    const struct model_op *op = op_of(space, class);
    uint32_t parts = 1;
    for (uint32_t d = 0; d < op->dims; d++) {
        parts *= degree[d];
    }
    const struct space_width *width = orr_space_width(space, class, parts);
    for (uint32_t i = 0; width != NULL && i < width->splits; i++) {
        if (memcmp(space->split[width->first + i].degree, degree, op->dims * sizeof *degree) == 0) {
            return width->first + i;
        }
    }
    return UINT32_MAX;
}
