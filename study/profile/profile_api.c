/* Profiles for programs; see include/orrery/profile.h. */
#include "orrery/profile.h"

#include "core/arena.h"
#include "core/diag.h"
#include "et_converter/profile_files.h"
#include "report/results/result_rows.h"
#include "study/profile/profile_study.h"
#include "study/study_call.h"
#include "study/study_ops.h"

_Static_assert(sizeof(struct orr_profile_rank) <= ORR_STUDY_ROW_BYTES, "a row fits");

static size_t count_ranks(const void *of)
{
    return ((const struct orr_profile_study *)of)->job.ranks;
}

static void get_rank(const void *of, size_t index, void *row)
{
    *(struct orr_profile_rank *)row = ((const struct orr_profile_study *)of)->job.rank[index];
}

static void destroy(void *of)
{
    orr_arena_destroy(((struct orr_profile_study *)of)->arena);
    orr_heap_free(of);
}

static const struct orr_result_rows rows[] = {
    {&orr_profile_rank_results, count_ranks, get_rank, NULL}, {NULL, NULL, NULL, NULL}};
static const struct orr_result_table *const tables[] = {&orr_profile_rank_results, NULL};
static const struct orr_result_sources result_sources = {rows, "profiles"};
static const struct orr_study_kind kind = {
    .result_sources = &result_sources,
    .write = {orr_profile_text, orr_profile_json, orr_profile_csv},
    .destroy = destroy};

const struct orr_study_ops orr_study_profile = {
    .name = "gpu-profiles",
    .summary = "what profiles of torch.profiler recorded, from the GPU's view",
    .tables = tables,
    .kind = &kind,
};

enum orrery_status orrery_profile(struct orrery_study *study, const struct orrery_profile *given)
{
    struct orr_profile_study *of = NULL;
    struct orr_diag diag;
    if (orr_study_begin(study, "orrery_profile", given, sizeof *given, &diag) == ORR_OK) {
        of = orr_heap_calloc(1, sizeof *of);
        if (of == NULL || (of->arena = orr_arena_create()) == NULL) {
            (void)orr_diag_no_memory(&diag, "profiles");
        }
    }
    if (of != NULL && of->arena != NULL) {
        const struct orr_profile_request request = {
            .given = given->given, .givens = given->givens, .step = given->step};
        diag.warn = given->warn;
        diag.warn_user = given->user;
        (void)orr_profile_job_read(of->arena, &request, &of->job, &diag);
    }
    return orr_study_end(study, &kind, of, &diag);
}

int orrery_is_profile(const char *path)
{
    return path != NULL && orr_profile_is(path) ? 1 : 0;
}
