/* The profiles of a job's ranks; see profile_job.h. */
#include "et_converter/profile/profile_job.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/arena.h"
#include "core/strings.h"
#include "et_converter/profile/profile_rank.h"
#include "et_converter/profile_files.h"

/* Profiles of one run are recorded at the same time, by clocks that may differ a little. */
#define ONE_RUN_NS INT64_C(600000000000)

static int compare_ranks(const void *a, const void *b)
{
    const struct orr_profile_rank *x = a, *y = b;
    return (x->rank > y->rank) - (x->rank < y->rank);
}

/* ---- files of one run ---- */

static enum orr_status fail_two_runs(const struct orr_profile_rank *a,
                                     const struct orr_profile_rank *b, const char *why,
                                     struct orr_diag *diag)
{
    const struct orr_location place = orr_location_file(b->file);
    return orr_diag_fail(diag, ORR_ERR_INPUT, &place,
                         "not of one run with %s: %s; give the files of one run", a->file, why);
}

static enum orr_status check_worlds(const struct orr_profile_rank *a,
                                    const struct orr_profile_rank *b, struct orr_diag *diag)
{
    char why[128];
    if (a->world > 0 && b->world > 0 && a->world != b->world) {
        (void)snprintf(why, sizeof why, "%" PRId64 " ranks (distributedInfo), there %" PRId64,
                       b->world, a->world);
        return fail_two_runs(a, b, why, diag);
    }
    if (a->all_ranks > 0 && b->all_ranks > 0 && a->all_ranks != b->all_ranks) {
        (void)snprintf(why, sizeof why,
                       "process group \"0\" has %" PRId64 " ranks (pg_config), there %" PRId64,
                       b->all_ranks, a->all_ranks);
        return fail_two_runs(a, b, why, diag);
    }
    return ORR_OK;
}

static enum orr_status check_clocks(const struct orr_profile_rank *a,
                                    const struct orr_profile_rank *b, struct orr_diag *diag)
{
    char why[128];
    const int64_t behind_ns = b->start_ns - a->end_ns, ahead_ns = a->start_ns - b->end_ns;
    const int64_t apart_ns = behind_ns > ahead_ns ? behind_ns : ahead_ns;
    if (a->start_ns == 0 || b->start_ns == 0 || apart_ns <= 0) {
        return ORR_OK;
    }
    if (apart_ns > ONE_RUN_NS) {
        (void)snprintf(why, sizeof why, "recorded %.0f s apart", (double)apart_ns / 1e9);
        return fail_two_runs(a, b, why, diag);
    }
    const struct orr_location place = orr_location_file(b->file);
    orr_diag_warn(diag, &place,
                  "recorded %.3f s apart from %s: the clocks of hosts differ, or it is another run",
                  (double)apart_ns / 1e9, a->file);
    return ORR_OK;
}

static enum orr_status check_twice(const struct orr_profile_rank *a,
                                   const struct orr_profile_rank *b, struct orr_diag *diag)
{
    const struct orr_location place = orr_location_file(b->file);
    return a->rank != b->rank
               ? ORR_OK
               : orr_diag_fail(diag, ORR_ERR_INPUT, &place,
                               "rank %" PRIu32 " is given twice, also by %s; give one file a rank, "
                               "all of one recording",
                               b->rank, a->file);
}

static enum orr_status check_one_run(const struct orr_profile_job *job, struct orr_diag *diag)
{
    enum orr_status status = ORR_OK;
    for (uint32_t i = 1; i < job->ranks && status == ORR_OK; i++) {
        const struct orr_profile_rank *first = &job->rank[0], *before = &job->rank[i - 1],
                                      *own = &job->rank[i];
        status = check_twice(before, own, diag);
        if (status == ORR_OK) {
            status = check_worlds(first, own, diag);
        }
        if (status == ORR_OK) {
            status = check_clocks(first, own, diag);
        }
    }
    return status;
}

/* ---- warnings ---- */

static void warn_of_missing(const struct orr_profile_job *job, struct orr_diag *diag)
{
    char text[128];
    size_t used = 0;
    uint32_t missing = 0, at = 0;
    for (int64_t rank = 0; rank < job->world && rank <= UINT32_MAX; rank++) {
        if (at < job->ranks && job->rank[at].rank == (uint32_t)rank) {
            at++;
            continue;
        }
        missing++;
        if (used + 24 < sizeof text) {
            const int length =
                snprintf(text + used, sizeof text - used, "%s%" PRId64, used > 0 ? ", " : "", rank);
            used += (size_t)length;
        }
    }
    if (missing > 0) {
        orr_diag_warn(diag, NULL,
                      "%" PRIu32 " of %" PRId64 " ranks %s no profile here (%s%s): what they "
                      "recorded is not known",
                      missing, job->world, missing == 1 ? "has" : "have", text,
                      missing > 1 && used + 24 >= sizeof text ? ", ..." : "");
    }
}

static void warn_of_ranks(const struct orr_profile_job *job, const char *step,
                          struct orr_diag *diag)
{
    for (uint32_t i = 0; i < job->ranks; i++) {
        const struct orr_profile_rank *own = &job->rank[i];
        const struct orr_location place = orr_location_file(own->file);
        if (!own->is_named && job->ranks > 1) {
            orr_diag_warn(diag, &place,
                          "neither distributedInfo nor the name says the rank: taken as rank "
                          "%" PRIu32 ", by its place in the list",
                          own->rank);
        }
        if (own->steps == 0 && step == NULL) {
            orr_diag_warn(diag, &place,
                          "no rows \"ProfilerStep#N\": all of it is told as one step (prof.step() "
                          "behind each step marks them)");
        }
    }
}

/* ---- reading ---- */

static enum orr_status read_all(const struct orr_profile_request *request,
                                const struct orr_profile_files *files, struct orr_profile_job *job,
                                struct orr_diag *diag)
{
    enum orr_status status = ORR_OK;
    for (uint32_t i = 0; i < files->count && status == ORR_OK; i++) {
        job->rank[i].file = files->path[i];
        status = orr_profile_rank_read(request, request->step, i, &job->rank[i], diag);
        const struct orr_profile_rank *own = &job->rank[i];
        job->world = own->world > job->world ? own->world : job->world;
    }
    job->ranks = (uint32_t)files->count;
    return status;
}

/* The last step that all profiles have whole; those that told a later one are read again. */
static enum orr_status align_steps(const struct orr_profile_request *request,
                                   struct orr_profile_job *job, struct orr_diag *diag)
{
    const struct orr_profile_rank *earliest = &job->rank[0], *latest = &job->rank[0];
    for (uint32_t i = 0; i < job->ranks; i++) {
        const struct orr_profile_rank *own = &job->rank[i];
        earliest = own->last_step < earliest->last_step ? own : earliest;
        latest = own->first_step > latest->first_step ? own : latest;
    }
    if (request->step != NULL || earliest->last_step < 0) {
        return ORR_OK;
    }
    if (latest->first_step > earliest->last_step) {
        char why[128];
        (void)snprintf(why, sizeof why,
                       "its whole steps begin with %" PRId64 ", and there they end with %" PRId64,
                       latest->first_step, earliest->last_step);
        return fail_two_runs(earliest, latest, why, diag);
    }
    char step[32];
    (void)snprintf(step, sizeof step, "%" PRId64, earliest->last_step);
    enum orr_status status = ORR_OK;
    for (uint32_t i = 0; i < job->ranks && status == ORR_OK; i++) {
        struct orr_profile_rank *own = &job->rank[i];
        if (own->last_step != earliest->last_step) {
            const uint32_t rank = own->rank;
            status = orr_profile_rank_read(request, step, rank, own, diag);
        }
    }
    return status;
}

enum orr_status orr_profile_job_read(struct orr_arena *arena,
                                     const struct orr_profile_request *request,
                                     struct orr_profile_job *out, struct orr_diag *diag)
{
    struct orr_profile_files files;
    *out = (struct orr_profile_job){.world = -1};
    enum orr_status status =
        orr_profile_files_list(arena, request->given, request->givens, &files, diag);
    if (status != ORR_OK) {
        return status;
    }
    if (files.count == 0 || files.count > UINT32_MAX / 2) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL, "expected profiles, got none");
    }
    out->rank = orr_arena_array(arena, files.count, sizeof *out->rank);
    if (out->rank == NULL) {
        return orr_diag_no_memory(diag, "profiles");
    }
    status = read_all(request, &files, out, diag);
    if (status == ORR_OK) {
        qsort(out->rank, out->ranks, sizeof *out->rank, compare_ranks);
        status = check_one_run(out, diag);
    }
    if (status == ORR_OK) {
        status = align_steps(request, out, diag);
    }
    if (status == ORR_OK) {
        warn_of_ranks(out, request->step, diag);
        warn_of_missing(out, diag);
    }
    return status;
}
