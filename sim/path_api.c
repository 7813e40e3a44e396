/* The critical path, for the public API: named parts, and steps in order of time. Computed once at
 * the end of the run from the cause of the last finish (core/cause.h). */
#include <limits.h>

#include "core/fold.h"
#include "sim/api_call.h"
#include "sim/orrery_private.h"
#include "workload/engine/engine.h"
#include "workload/trace/op_kind.h"
#include "workload/trace/trace.h"

struct orr_path_view {
    struct orrery_path_part *part;
    struct orr_mark *step;
    size_t parts, steps;
};

static const char *const part_names[ORR_PART_DIMS] = {
    [ORR_PART_OTHER] = "other",
    [ORR_PART_COMPUTE] = "compute",
    [ORR_PART_CPU] = "CPU",
    [ORR_PART_LOCAL_MEMORY] = "local memory",
    [ORR_PART_REMOTE_MEMORY] = "remote memory",
    [ORR_PART_REPLAYED] = "replayed communication",
    [ORR_PART_REDUCTION] = "local reduction",
    [ORR_PART_ENDPOINT] = "endpoint delay",
    [ORR_PART_STRAGGLER] = "waiting for a straggler",
    [ORR_PART_CCL] = "library steps",
};

/* Name of a part of computing, if computing is broken down. */
static const char *name_of_kind(struct orr_arena *arena, unsigned place)
{
    static const char *const bounds[] = {[ORR_PART_BY_PEAK] = "by peak",
                                         [ORR_PART_BY_MEMORY] = "by memory",
                                         [ORR_PART_CONSTANT] = "constant"};
    return orr_arena_printf(arena, "%s %s", orr_op_kind_names[place / 3], bounds[place % 3]);
}

static const char *part_name(struct orr_arena *arena, unsigned part, unsigned dims)
{
    if (part >= ORR_PART_BANDWIDTH(dims)) {
        return name_of_kind(arena, part - ORR_PART_BANDWIDTH(dims));
    }
    if (part < ORR_PART_DIMS) {
        return part_names[part];
    }
    const unsigned place = part - ORR_PART_DIMS;
    return orr_arena_printf(arena, "dimension %u %s", place / 2 + 1,
                            place % 2 == 0 ? "bandwidth" : "latency");
}

static bool add_parts(struct orrery *job, const struct wl_path *path, struct orr_path_view *view)
{
    const unsigned dims = job->network.dims;
    const unsigned parts = orr_records_sensitivities(job) ? ORR_PART_OF_KIND(dims, ORR_OP_KINDS, 0)
                                                          : (unsigned)ORR_PART_BANDWIDTH(dims);
    sim_time sum = 0;
    view->part = orr_arena_array(job->arena, parts, sizeof *view->part);
    for (unsigned p = 0; view->part != NULL && p < parts; p++) {
        const sim_time spent = orr_cause_part(path->causes, path->end, p);
        if (spent == 0) {
            continue;
        }
        struct orrery_path_part *part = &view->part[view->parts++];
        const bool of_dim = p >= ORR_PART_DIMS && p < (unsigned)ORR_PART_BANDWIDTH(dims);
        *part = (struct orrery_path_part){.what = part_name(job->arena, p, dims),
                                          .dim = of_dim ? (p - ORR_PART_DIMS) / 2 : UINT_MAX,
                                          .ps = spent};
        if (part->what == NULL) {
            return false;
        }
        sum += spent;
    }
    ORR_ASSERT(view->part == NULL || sum == orr_engine_wall(job->layers.engine));
    return view->part != NULL;
}

static bool add_steps(struct orrery *job, const struct wl_path *path, struct orr_path_view *view)
{
    const uint32_t last = orr_cause_mark(path->causes, path->end);
    for (uint32_t mark = last; mark != ORR_MARK_NONE;
         mark = orr_mark_at(path->causes, mark).previous) {
        view->steps++;
    }
    view->step = orr_arena_array(job->arena, view->steps, sizeof *view->step);
    if (view->step == NULL) {
        return false;
    }
    size_t place = view->steps;
    for (uint32_t mark = last; mark != ORR_MARK_NONE; mark = view->step[place].previous) {
        view->step[--place] = orr_mark_at(path->causes, mark);
    }
    return true;
}

enum orr_status orr_path_prepare(struct orrery *job)
{
    struct wl_path path;
    if ((job->requests.record & (ORRERY_RECORD_PATH | ORRERY_RECORD_SLOPES)) == 0) {
        return ORR_OK;
    }
    struct orr_path_view *view = orr_arena_alloc(job->arena, sizeof *view);
    if (view == NULL || !orr_engine_path(job->layers.engine, &path) ||
        !add_parts(job, &path, view) || !add_steps(job, &path, view)) {
        return orr_diag_no_memory(&job->diag, "the critical path");
    }
    job->found.path = view;
    return ORR_OK;
}

size_t orrery_path_parts(const struct orrery *job)
{
    return job->found.path != NULL ? job->found.path->parts : 0;
}

enum orrery_status orrery_path_part(const struct orrery *job, size_t index,
                                    struct orrery_path_part *part)
{
    if (index >= orrery_path_parts(job)) {
        return orr_reject_index(job, "part of the critical path", index, orrery_path_parts(job));
    }
    *part = job->found.path->part[index];
    return ORRERY_OK;
}

size_t orrery_path_steps(const struct orrery *job)
{
    return job->found.path != NULL ? job->found.path->steps : 0;
}

enum orrery_status orrery_path_step(const struct orrery *job, size_t index,
                                    struct orrery_path_step *step)
{
    if (index >= orrery_path_steps(job)) {
        return orr_reject_index(job, "step of the critical path", index, orrery_path_steps(job));
    }
    const struct orr_mark *mark = &job->found.path->step[index];
    const struct orr_slot npu = orr_slot(mark->entity);
    const struct orr_node *node = &job->traces[npu.slot]->node[mark->item];
    *step = (struct orrery_path_step){.rank = orr_fold_rank(&job->fold, npu).rank,
                                      .node = mark->item,
                                      .id = node->id,
                                      .name = node->name,
                                      .start_ps = mark->time};
    return ORRERY_OK;
}
