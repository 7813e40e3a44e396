/* Layout search; see layout_search.h. */
#include "workload/gen/layout_search.h"

#include "core/arena.h"
#include "workload/parallel/layout.h"
#include "workload/parallel/parallel_plan.h"

enum { LOCAL, POOL, ZEROS = 4, RECOMPUTES = 3, MAX_DEGREE = 65536 };

struct search {
    const struct gen_model *model;
    const uint64_t *capacity_bytes; /* [LOCAL], [POOL] */
    const struct gen_speed *speed;
    struct gen_change current;
    struct orr_arena *arena; /* reset for each layout */
    struct gen_layout_candidates *out;
    bool out_of_memory;
};

static unsigned count_changes(const struct gen_change *a, const struct gen_change *b)
{
    unsigned changes = a->tensor != b->tensor ? 1 : 0;
    changes += a->pipeline != b->pipeline ? 1 : 0;
    changes += a->zero != b->zero ? 1 : 0;
    return changes + (a->recompute != b->recompute ? 1 : 0);
}

/* Order: fewer changes, then less time, then less memory; the rest only makes the order total. */
static bool is_better(const struct gen_layout_candidate *a, const struct gen_layout_candidate *b)
{
    if (a->changes != b->changes) {
        return a->changes < b->changes;
    }
    if (a->sample_s < b->sample_s || a->sample_s > b->sample_s) {
        return a->sample_s < b->sample_s;
    }
    if (a->bytes != b->bytes) {
        return a->bytes < b->bytes;
    }
    return a->change.tensor != b->change.tensor ? a->change.tensor < b->change.tensor
                                                : a->change.pipeline < b->change.pipeline;
}

static void insert(struct gen_layout_candidates *out, const struct gen_layout_candidate *found)
{
    if (out->count > 0 && found->changes != out->near[0].changes) { /* only the nearest */
        if (found->changes > out->near[0].changes) {
            return;
        }
        out->count = 0;
    }
    unsigned at = out->count;
    if (at < GEN_MAX_LAYOUTS) {
        out->count++;
    } else if (!is_better(found, &out->near[--at])) {
        return;
    }
    for (; at > 0 && is_better(found, &out->near[at - 1]); at--) {
        out->near[at] = out->near[at - 1];
    }
    out->near[at] = *found;
}

static bool fits(const struct search *search, uint64_t bytes, uint64_t pooled)
{
    const uint64_t *max = search->capacity_bytes;
    return (max[LOCAL] == 0 || bytes <= max[LOCAL]) && (max[POOL] == 0 || pooled <= max[POOL]);
}

/* Sets *found to a layout; false: it is not a valid one, or offloading implies another stage. */
static bool try_layout(struct search *search, const struct gen_change *change,
                       struct gen_layout_candidate *found)
{
    struct gen_model other = *search->model;
    struct orr_diag reason;
    uint64_t pooled = 0;
    *found = (struct gen_layout_candidate){.change = *change,
                                           .changes = count_changes(change, &search->current)};
    orr_diag_init(&reason);
    orr_arena_reset(search->arena);
    if (other.ops->change(search->arena, search->model->job, change, &other.job, &reason) !=
        ORR_OK) {
        search->out_of_memory = search->out_of_memory || reason.status == ORR_ERR_MEMORY;
        return false;
    }
    const struct gen_plan *plan = other.ops->plan(other.job);
    if (plan->zero != change->zero) {
        return false;
    }
    if (!orr_gen_model_bytes(&other, &found->bytes, &pooled)) {
        search->out_of_memory = true;
        return false;
    }
    found->data = gen_data_ranks(&plan->layout);
    found->pool_bytes = pooled;
    if (found->changes <= GEN_MAX_CHANGES && fits(search, found->bytes, pooled)) {
        found->sample_s = other.ops->estimate(other.job, search->speed);
        found->fits = true;
    }
    return true;
}

static bool saves(const struct gen_layout_candidate *found,
                  const struct gen_layout_candidate *without)
{
    return without->change.tensor == 0 || found->bytes < without->bytes ||
           found->pool_bytes < without->pool_bytes;
}

/* The layouts of given degrees; tensor 0: there is none. */
struct of_degrees {
    struct gen_layout_candidate layout[ZEROS][RECOMPUTES];
};

/* Whether a stage of ZeRO and recomputation save memory: beside the same layout with the present
 * stage, that with a lower one, and that with the present recomputation. */
static bool is_useful(const struct search *search, const struct of_degrees *all, unsigned zero,
                      unsigned recompute)
{
    const unsigned now = search->current.zero, kept = search->current.recompute;
    const struct gen_layout_candidate *found = &all->layout[zero][recompute];
    bool useful = recompute == kept || saves(found, &all->layout[zero][kept]);
    for (unsigned other = 0; other < ZEROS && zero != now; other++) {
        if (other == now || other < zero) {
            useful = useful && saves(found, &all->layout[other][recompute]);
        }
    }
    return useful;
}

/* All ZeRO stages and kinds of recomputation for given degrees, without those that change nothing.
 */
static void try_degrees(struct search *search, uint32_t tensor, uint32_t pipeline)
{
    struct of_degrees all = {0};
    struct gen_change now = search->current;
    now.tensor = tensor;
    now.pipeline = pipeline;
    if (!try_layout(search, &now, &all.layout[now.zero][now.recompute])) {
        return;
    }
    for (unsigned zero = 0; zero < ZEROS; zero++) {
        for (unsigned recompute = 0; recompute < RECOMPUTES; recompute++) {
            struct gen_change change = now;
            change.zero = zero;
            change.recompute = (enum gen_recompute)recompute;
            struct gen_layout_candidate *found = &all.layout[zero][recompute];
            if ((zero != now.zero || change.recompute != now.recompute) &&
                !try_layout(search, &change, found)) {
                found->change.tensor = 0;
            }
        }
    }
    struct gen_layout_candidate *min = &search->out->min;
    for (unsigned i = 0; i < ZEROS * RECOMPUTES; i++) {
        const struct gen_layout_candidate *found = &all.layout[i / RECOMPUTES][i % RECOMPUTES];
        if (found->change.tensor == 0 || !is_useful(search, &all, i / RECOMPUTES, i % RECOMPUTES)) {
            continue;
        }
        if (found->bytes < min->bytes ||
            (found->bytes == min->bytes && found->changes < min->changes)) {
            *min = *found;
        }
        if (found->fits) {
            insert(search->out, found);
        }
    }
}

static void try_all(struct search *search, uint32_t npus)
{
    const uint32_t max = npus < MAX_DEGREE ? npus : MAX_DEGREE;
    for (uint32_t tensor = 1; tensor <= max && !search->out_of_memory; tensor++) {
        if (npus % tensor != 0) {
            continue;
        }
        for (uint32_t pipeline = 1; pipeline <= max; pipeline++) {
            if (npus / tensor % pipeline == 0) {
                try_degrees(search, tensor, pipeline);
            }
        }
    }
}

enum orr_status orr_gen_search_layouts(const struct gen_model *model,
                                       const uint64_t capacity_bytes[2],
                                       const struct gen_speed *speed,
                                       struct gen_layout_candidates *out, struct orr_diag *diag)
{
    const struct gen_plan *plan = model->ops->plan(model->job);
    struct search search = {.model = model,
                            .capacity_bytes = capacity_bytes,
                            .speed = speed,
                            .current = orr_gen_plan_settings(plan),
                            .out = out};
    *out = (struct gen_layout_candidates){.min = {.change = search.current}};
    uint64_t pooled = 0;
    if (!orr_gen_model_bytes(model, &out->min.bytes, &pooled)) {
        return orr_diag_no_memory(diag, "the memory of a stage");
    }
    if (model->ops->change == NULL) {
        return ORR_OK;
    }
    search.arena = orr_arena_create();
    if (search.arena == NULL) {
        return orr_diag_no_memory(diag, "other layouts");
    }
    try_all(&search, plan->layout.npus);
    orr_arena_destroy(search.arena);
    return search.out_of_memory ? orr_diag_no_memory(diag, "other layouts") : ORR_OK;
}
