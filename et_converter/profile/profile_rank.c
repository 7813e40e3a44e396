/* One profile of a job; see profile_rank.h. */
#include "et_converter/profile/profile_rank.h"

#include <string.h>

#include "core/conf/conf.h"
#include "core/strings.h"
#include "et_converter/file_ranks.h"
#include "et_converter/profile/gpu_view.h"

enum { MAX_RANKS = 1 << 24 };

static enum orr_status fail_no_gpu(const struct kt_trace *kineto, struct orr_diag *diag)
{
    const struct orr_location place = orr_location_file(kineto->path);
    return orr_diag_fail(diag, ORR_ERR_INPUT, &place,
                         "no kernel and no copy of a GPU is in the profile: record it with "
                         "activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]");
}

/* When the profile was recorded, since 1970. */
static void set_times(const struct kt_trace *kineto, struct orr_profile_rank *out)
{
    int64_t end_ns = 0;
    for (uint32_t w = 0; w < kineto->works; w++) {
        end_ns = kineto->work[w].end_ns > end_ns ? kineto->work[w].end_ns : end_ns;
    }
    const int64_t start_ns = orr_kineto_absolute_ns(kineto->origin_ns, kineto->base_ns);
    const int64_t in_1973 = INT64_C(100000000000000000);
    out->start_ns = start_ns > in_1973 ? start_ns : 0;
    out->end_ns = out->start_ns != 0 ? start_ns + end_ns : 0;
}

static void set_steps(const struct kt_steps *steps, uint32_t picked, struct orr_profile_rank *out)
{
    out->steps = steps->count;
    out->step = picked != PT_NONE   ? steps->step[picked].number
                : steps->count == 1 ? steps->step[0].number
                                    : -1;
    out->first_step = out->last_step = -1;
    for (uint32_t s = 0; s < steps->count; s++) {
        if (steps->step[s].is_whole) {
            out->first_step = out->first_step < 0 ? steps->step[s].number : out->first_step;
            out->last_step = steps->step[s].number;
        }
    }
}

static enum orr_status tell(const struct kt_trace *kineto, const char *step,
                            struct orr_profile_rank *out, struct orr_diag *diag)
{
    struct kt_steps steps;
    struct gpu_view_counts counts;
    uint32_t picked = PT_NONE;
    if (kineto->works == 0) {
        return fail_no_gpu(kineto, diag);
    }
    enum orr_status status = orr_kineto_steps(kineto, &steps, diag);
    if (status == ORR_OK) {
        status = orr_kineto_pick_step(kineto, &steps, step, &picked, diag);
    }
    if (status == ORR_OK) {
        set_steps(&steps, picked, out);
        status = orr_gpu_view_of(kineto, &steps, picked, &out->view, &counts, diag);
    }
    if (status == ORR_OK) {
        out->kernels = counts.kernels;
        out->communication_kernels = counts.communication_kernels;
        out->copies = counts.copies;
        out->without_launch = counts.without_launch;
    }
    return status;
}

static int64_t size_of_all(const struct pt_trace *trace)
{
    for (uint32_t g = 0; g < trace->groups; g++) {
        if (strcmp(trace->group[g].key, "0") == 0) {
            return trace->group[g].size;
        }
    }
    return 0;
}

static enum orr_status read_profile(struct orr_arena *arena,
                                    const struct orr_profile_request *request, const char *step,
                                    struct orr_profile_rank *out, struct orr_diag *diag)
{
    struct orr_strings strings;
    struct kt_trace kineto;
    struct pt_trace trace = {.path = out->file, .arena = arena, .strings = &strings, .pid = -1};
    const struct js_source source = {.path = out->file, .progress = &request->progress};
    orr_strings_init(&strings, arena);
    enum orr_status status = orr_kineto_trace_read(&trace, &source, &kineto, diag);
    if (status != ORR_OK) {
        orr_conf_name_wrong(out->file, "a profile or timeline of events (Kineto, Perfetto)", diag);
        return status;
    }
    out->is_named = kineto.rank >= 0 && kineto.rank < MAX_RANKS;
    out->rank = out->is_named ? (uint32_t)kineto.rank : out->rank;
    out->is_named = out->is_named || orr_profile_rank_of_name(out->file, &out->rank);
    out->world = kineto.world;
    out->all_ranks = size_of_all(&trace);
    set_times(&kineto, out);
    return tell(&kineto, step, out, diag);
}

enum orr_status orr_profile_rank_read(const struct orr_profile_request *request, const char *step,
                                      uint32_t place, struct orr_profile_rank *out,
                                      struct orr_diag *diag)
{
    struct orr_arena *arena = orr_arena_create();
    *out = (struct orr_profile_rank){.file = out->file, .rank = place};
    const enum orr_status status = arena != NULL ? read_profile(arena, request, step, out, diag)
                                                 : orr_diag_no_memory(diag, "a profile");
    orr_arena_destroy(arena);
    return status;
}
