/* What profiles recorded, as text, JSON and CSV; see profile_study.h. */
#include <inttypes.h>
#include <jansson.h>

#include "core/strings.h"
#include "report/json_text.h"
#include "report/results/result.h"
#include "report/table_text.h"
#include "study/profile/profile_study.h"

/* Whether all ranks tell the same step. */
static bool one_step(const struct orr_profile_job *job)
{
    for (uint32_t i = 1; i < job->ranks; i++) {
        if (job->rank[i].step != job->rank[0].step) {
            return false;
        }
    }
    return job->ranks > 0 && job->rank[0].step >= 0;
}

/* The ranks' times, added up. */
static struct orr_gpu_view sum_of(const struct orr_profile_job *job)
{
    struct orr_gpu_view sum = {0};
    for (uint32_t i = 0; i < job->ranks; i++) {
        const struct orr_gpu_view *view = &job->rank[i].view;
        sum.span_ps += view->span_ps;
        sum.compute_ps += view->compute_ps;
        sum.exposed_communication_ps += view->exposed_communication_ps;
        sum.idle_ps += view->idle_ps;
        sum.idle_by_ps[ORR_GPU_IDLE_LAUNCH] += view->idle_by_ps[ORR_GPU_IDLE_LAUNCH];
    }
    return sum;
}

static void print_shares(FILE *out, const struct orr_profile_job *job)
{
    const struct orr_gpu_view sum = sum_of(job);
    const double span = sum.span_ps > 0 ? (double)sum.span_ps / 100 : 1;
    orr_print(out,
              "\nof the GPU's time: %.1f %% compute, %.1f %% exposed communication, %.1f %% idle "
              "(%.1f %% waiting for launches)\n",
              (double)sum.compute_ps / span, (double)sum.exposed_communication_ps / span,
              (double)sum.idle_ps / span, (double)sum.idle_by_ps[ORR_GPU_IDLE_LAUNCH] / span);
}

int orr_profile_text(FILE *out, const void *context)
{
    const struct orr_profile_job *job = &((const struct orr_profile_study *)context)->job;
    orr_print(out, "%" PRIu32 " profile%s", job->ranks, orr_plural(job->ranks));
    if (job->world > 0) {
        orr_print(out, " of %" PRId64 " rank%s", job->world, orr_plural((uint64_t)job->world));
    }
    if (one_step(job)) {
        orr_print(out, ", step %" PRId64, job->rank[0].step);
    }
    orr_print(out, "; the GPU's view\n\n");
    orr_result_heads(out, &orr_profile_rank_results, (struct orr_row_style){0});
    (void)fputc('\n', out);
    for (uint32_t i = 0; i < job->ranks; i++) {
        orr_result_cells(out, &orr_profile_rank_results, &job->rank[i], (struct orr_row_style){0});
        (void)fputc('\n', out);
    }
    print_shares(out, job);
    return ferror(out) != 0 ? 1 : 0;
}

int orr_profile_json(FILE *out, const void *context)
{
    const struct orr_profile_job *job = &((const struct orr_profile_study *)context)->job;
    json_t *root = json_object(), *ranks = json_array();
    (void)json_object_set_new(root, "profiles", json_integer(job->ranks));
    (void)json_object_set_new(root, "world_size",
                              job->world > 0 ? json_integer(job->world) : json_null());
    for (uint32_t i = 0; i < job->ranks; i++) {
        orr_result_append_json(ranks, &orr_profile_rank_results, &job->rank[i]);
    }
    (void)json_object_set_new(root, "ranks", ranks);
    return orr_json_write_and_free(root, out);
}

int orr_profile_csv(FILE *out, const void *context)
{
    const struct orr_profile_job *job = &((const struct orr_profile_study *)context)->job;
    orr_result_csv_head(out, &orr_profile_rank_results);
    (void)fputc('\n', out);
    for (uint32_t i = 0; i < job->ranks; i++) {
        orr_result_csv_line(out, &orr_profile_rank_results, &job->rank[i]);
        (void)fputc('\n', out);
    }
    return ferror(out) != 0 ? 1 : 0;
}
