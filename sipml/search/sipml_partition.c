/* Partition: see sipml_partition.h. The duration t of an operator is that of its work on one
 * device. Launches and the minimum time of a part are added after the division (section 4.2). */
#include "sipml/search/sipml_partition.h"

#include "core/conf/conf.h"
#include "core/divide.h"
#include "workload/model/op_graph.h"
#include "workload/model/part_time.h"

#include <string.h>

/* ---- the rule ---- */

/* Whether twice `parts` is nearer to time / quantum. For the nearest in ratio the limit is parts
 * sqrt(2), which no ratio of integers equals: squares are compared. */
static bool is_more(sim_time time, sim_time quantum, enum sipml_rounding rounding, uint32_t parts)
{
    const orr_wide t = (orr_wide)time, of_parts = (orr_wide)quantum * parts;
    if (rounding == SIPML_DOWN) {
        return t >= 2 * of_parts;
    }
    return of_parts <= t && t * t > 2 * of_parts * of_parts;
}

uint32_t orr_sipml_parts(sim_time time, sim_time quantum, enum sipml_rounding rounding,
                         uint32_t max)
{
    uint32_t parts = 1;
    while (parts <= max / 2 && is_more(time, quantum, rounding, parts)) {
        parts *= 2;
    }
    return parts;
}

uint64_t orr_sipml_samples(const struct sipml_problem *problem)
{
    return orr_model_batch(problem->model, problem->devices) / problem->copies;
}

uint32_t orr_sipml_shards(const struct model_op *op, const struct sipml_split *split)
{
    return op->dim[split->dim].weights == MODEL_WEIGHTS_SLICED ? split->parts : 1;
}

void orr_sipml_degrees(const struct model_op *op, const struct sipml_split *split, uint32_t *degree)
{
    for (uint32_t d = 0; d < op->dims; d++) {
        degree[d] = d == split->dim ? split->parts : 1;
    }
}

/* ---- the splits of an operator ---- */

struct finding {
    struct orr_arena *arena;
    const struct sipml_problem *problem;
    struct model_speed work; /* of work alone, without launches and minimum times */
    struct sipml_splits *splits;
    struct orr_diag quiet;
};

static bool add_split(struct finding *find, struct sipml_split split)
{
    struct sipml_splits *splits = find->splits;
    struct sipml_split *grown = orr_arena_grow(find->arena, splits->split, &splits->capacity,
                                               splits->splits + 1, sizeof *grown);
    if (grown != NULL) {
        splits->split = grown;
        grown[splits->splits++] = split;
    }
    return grown != NULL;
}

static enum orr_status time_of(struct finding *find, uint32_t op, const struct sipml_split *split,
                               struct model_times *times, struct orr_diag *diag)
{
    uint32_t degree[MODEL_MAX_DIMS];
    orr_sipml_degrees(&find->problem->model->op[op], split, degree);
    return orr_model_part_time(find->problem->model, op, degree, &find->work,
                               orr_sipml_samples(find->problem), times, diag);
}

/* Whether the operator has the split, and a time for its parts. */
static bool can_split(struct finding *find, uint32_t op, const struct sipml_split *split)
{
    const struct model_dim *dim = &find->problem->model->op[op].dim[split->dim];
    const uint64_t max = dim->size != 0 ? dim->size : orr_sipml_samples(find->problem);
    struct model_times times;
    if (split->parts > max ||
        (find->problem->rules.blocks && split->parts > 1 && strcmp(dim->name, "parts") != 0)) {
        return false;
    }
    orr_diag_init(&find->quiet);
    return split->parts == 1 || time_of(find, op, split, &times, &find->quiet) == ORR_OK;
}

/* The mean of forward and backward pass, if both exist: both have the same parts, whose times are
 * to be near the quantum. The halves are added without overflow. */
static sim_time mean_pass(const struct model_times *times)
{
    const sim_time forward = times->forward_ps, backward = times->backward_ps;
    if (forward == 0 || backward == 0) {
        return forward + backward;
    }
    return forward / 2 + backward / 2 + (forward & backward & 1);
}

/* The number of parts by the rule, if there were a dimension of that size. */
static enum orr_status count_parts(struct finding *find, uint32_t op, uint32_t *parts,
                                   struct orr_diag *diag)
{
    const struct sipml_problem *problem = find->problem;
    const struct sipml_split unsplit = {0, 1, false};
    struct model_times times;
    const enum orr_status status = time_of(find, op, &unsplit, &times, diag);
    if (status == ORR_OK) {
        *parts = orr_sipml_parts(mean_pass(&times), problem->rules.quantum_ps,
                                 problem->rules.rounding, problem->devices / problem->copies);
    }
    return status;
}

static enum orr_status find_splits(struct finding *find, uint32_t op, struct orr_diag *diag)
{
    const uint32_t dims = find->problem->model->op[op].dims;
    const size_t before = find->splits->splits;
    uint32_t parts = 1;
    enum orr_status status = count_parts(find, op, &parts, diag);
    for (; status == ORR_OK && parts > 1 && find->splits->splits == before; parts /= 2) {
        for (uint32_t d = 1; d <= dims && status == ORR_OK; d++) {
            const struct sipml_split split = {d % dims, parts, false};
            if (can_split(find, op, &split) && !add_split(find, split)) {
                status = orr_diag_no_memory(diag, "the splits of operators");
            }
        }
    }
    if (status == ORR_OK && find->splits->splits == before &&
        !add_split(find, (struct sipml_split){0, 1, false})) {
        status = orr_diag_no_memory(diag, "the splits of operators");
    }
    return status;
}

/* Keeps of the splits from `first` on those that slice the weights, if there are any. */
static void keep_slices(struct finding *find, uint32_t op, size_t first)
{
    const struct model_op *at = &find->problem->model->op[op];
    struct sipml_splits *splits = find->splits;
    size_t kept = first;
    for (size_t i = first; i < splits->splits; i++) {
        if (orr_sipml_shards(at, &splits->split[i]) > 1) {
            splits->split[kept++] = splits->split[i];
        }
    }
    splits->splits = kept > first ? kept : splits->splits;
}

static enum orr_status check_blocks(const struct sipml_problem *problem, struct orr_diag *diag)
{
    for (uint32_t op = 0; op < problem->model->ops && problem->rules.blocks; op++) {
        const struct model_op *at = &problem->model->op[op];
        const struct orr_location location =
            at->section != NULL ? orr_conf_location(at->section) : orr_location_none();
        if (orr_model_dim_named(at, "parts") == UINT32_MAX) {
            return orr_diag_fail(diag, ORR_ERR_INPUT, &location,
                                 "operator \"%s\": expected a dimension \"parts\", because edges "
                                 "are to go from block to block; set parts: true in the model "
                                 "(generated models have no such dimension)",
                                 at->name);
        }
    }
    return ORR_OK;
}

/* ---- shared weights ---- */

/* The maximum of parts in each class of operators with the same weights, at its owner; 0 if an
 * operator shares with none. */
static uint32_t *class_parts(struct orr_arena *arena, const struct model_graph *model,
                             const struct sipml_splits *unshared)
{
    uint32_t *max = orr_arena_array(arena, (size_t)model->ops + 1, sizeof *max);
    for (uint32_t op = 0; op < model->ops && max != NULL; op++) {
        const uint32_t owner = model->op[op].owner;
        const uint32_t first = unshared->first[owner],
                       here = unshared->split[unshared->first[op]].parts;
        if (owner != op) {
            max[owner] = max[owner] > unshared->split[first].parts ? max[owner]
                                                                   : unshared->split[first].parts;
            max[owner] = max[owner] > here ? max[owner] : here;
        }
    }
    return max;
}

/* The splits of an operator that shares weights: its own, slices as fine as the finest, and
 * unsplit. */
static bool add_slices(struct finding *find, uint32_t op, uint32_t parts)
{
    const struct sipml_splits *splits = find->splits;
    const struct model_op *at = &find->problem->model->op[op];
    bool unsplit = false, added = true;
    for (size_t i = splits->first[op]; i < splits->splits; i++) {
        unsplit |= orr_sipml_shards(at, &splits->split[i]) == 1;
    }
    const uint32_t unshared = splits->split[splits->first[op]].parts;
    for (uint32_t d = 1; d < at->dims && unshared < parts && added; d++) {
        const struct sipml_split split = {d, parts, false};
        if (at->dim[d].weights == MODEL_WEIGHTS_SLICED && can_split(find, op, &split)) {
            added = add_split(find, split);
        }
    }
    return added && (unsplit || add_split(find, (struct sipml_split){0, 1, true}));
}

static bool copy_splits(struct finding *find, const struct sipml_splits *from, uint32_t op)
{
    bool added = true;
    find->splits->first[op] = (uint32_t)find->splits->splits;
    for (uint32_t i = from->first[op]; i < from->first[op + 1] && added; i++) {
        added = add_split(find, from->split[i]);
    }
    return added;
}

/* Rebuilds the splits with those that shared weights need. */
static bool add_shared_splits(struct finding *find, struct sipml_splits *out)
{
    const struct model_graph *model = find->problem->model;
    const struct sipml_splits unshared = *out;
    const uint32_t *max = class_parts(find->arena, model, &unshared);
    *out = (struct sipml_splits){
        .first = orr_arena_array(find->arena, (size_t)model->ops + 1, sizeof(uint32_t))};
    bool made = max != NULL && out->first != NULL;
    for (uint32_t op = 0; op < model->ops && made; op++) {
        const uint32_t parts = max[model->op[op].owner];
        made = copy_splits(find, &unshared, op) && (parts == 0 || add_slices(find, op, parts));
    }
    if (made) {
        out->first[model->ops] = (uint32_t)out->splits;
    }
    return made;
}

enum orr_status orr_sipml_splits(struct orr_arena *arena, const struct sipml_problem *problem,
                                 struct sipml_splits *out, struct orr_diag *diag)
{
    struct finding find = {arena, problem, *problem->speed, out, {0}};
    const uint32_t ops = problem->model->ops;
    find.work.minimum_ps = find.work.launch_ps = 0;
    *out =
        (struct sipml_splits){.first = orr_arena_array(arena, (size_t)ops + 1, sizeof(uint32_t))};
    enum orr_status status = out->first != NULL ? check_blocks(problem, diag)
                                                : orr_diag_no_memory(diag, "splits of operators");
    for (uint32_t op = 0; op < ops && status == ORR_OK; op++) {
        status = find_splits(&find, op, diag);
        if (status == ORR_OK && problem->rules.sliced) {
            keep_slices(&find, op, out->first[op]);
        }
        out->first[op + 1] = (uint32_t)out->splits;
    }
    if (status == ORR_OK && !add_shared_splits(&find, out)) {
        status = orr_diag_no_memory(diag, "splits of operators");
    }
    return status;
}
