/* The profiles of a job before they are converted; see profile_scan.h. */
#include "et_converter/pytorch/profile_scan.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/conf/conf.h"
#include "core/strings.h"
#include "core/units.h"
#include "et_converter/file_ranks.h"
#include "et_converter/profile_files.h"
#include "et_converter/pytorch/kineto_steps.h"

/* Profiles of one run are recorded at the same time, by clocks that may differ a little. */
#define ONE_RUN_NS INT64_C(600000000000)
/* Smaller offsets are ignored: ranks of one machine share a clock. */
#define SAME_CLOCK_NS INT64_C(1000000)

/* ---- files ---- */

enum orr_status orr_profile_list(struct conversion *conversion)
{
    const struct conv_job *job = conversion->job;
    const char *template = job->kineto;
    const uint32_t ranks = template != NULL && strstr(template, "{rank}") != NULL ? job->ranks : 0;
    const size_t most = (size_t)ranks + job->file_count + 1;
    const char **given = orr_arena_array(conversion->arena, most, sizeof *given);
    struct orr_profile_files files;
    size_t givens = 0;
    for (uint32_t rank = 0; given != NULL && rank < ranks; rank++) {
        given[givens++] = orr_pytorch_path_of(conversion->arena, template, rank);
    }
    if (given != NULL && ranks == 0 && template != NULL) {
        given[givens++] = template;
    }
    for (size_t i = 0; given != NULL && i < job->file_count; i++) {
        given[givens++] = job->files[i];
    }
    const enum orr_status status =
        given != NULL
            ? orr_profile_files_list(conversion->arena, given, givens, &files, conversion->diag)
            : orr_diag_no_memory(conversion->diag, "paths");
    if (status != ORR_OK) {
        return status;
    }
    conversion->profile = files.path;
    conversion->files = (uint32_t)files.count;
    conversion->many = files.count > 1;
    conversion->lone = files.count == 1 && job->missing == CONV_MISSING_REFUSED;
    conversion->missing = conversion->lone ? PT_MISSING_REPLAY : conversion->missing;
    return ORR_OK;
}

/* ---- one profile ---- */

struct reading {
    struct conversion *conversion;
    struct orr_arena *arena;
    struct orr_strings strings;
    struct pt_trace trace;
    struct kt_trace kineto;
    struct kt_steps steps;
    uint32_t file;
};

static enum orr_status check_contents(const struct reading *reading)
{
    const struct kt_trace *kineto = &reading->kineto;
    const struct orr_location place = orr_location_file(kineto->path);
    struct orr_diag *diag = reading->conversion->diag;
    if (kineto->works == 0) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, &place,
                             "no kernel and no copy of a GPU is in the profile: record it with "
                             "activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]");
    }
    return kineto->ops > 0 && kineto->calls > 0
               ? ORR_OK
               : orr_diag_fail(diag, ORR_ERR_INPUT, &place,
                               "no operators and launches of the host are in the profile, so what "
                               "waits for what is not known: record it with "
                               "ProfilerActivity.CPU; `orrery trace info` tells its times");
}

static int64_t absolute_ns(const struct kt_trace *kineto, int64_t ns)
{
    return orr_kineto_absolute_ns(kineto->origin_ns, kineto->base_ns) + ns;
}

static bool keep_steps(const struct reading *reading, struct pt_scan *scan)
{
    const struct kt_steps *steps = &reading->steps;
    scan->has_several = steps->count > 1;
    scan->step =
        orr_arena_array(reading->conversion->arena, (size_t)steps->count + 1, sizeof *scan->step);
    for (uint32_t s = 0; scan->step != NULL && s < steps->count; s++) {
        if (steps->step[s].is_whole) {
            scan->step[scan->steps++] = (struct pt_scan_step){
                steps->step[s].number, absolute_ns(&reading->kineto, steps->step[s].start_ns)};
        }
    }
    return scan->step != NULL;
}

static bool keep_kernels(const struct reading *reading, struct pt_scan *scan)
{
    const struct kt_trace *kineto = &reading->kineto;
    uint32_t count = 0;
    for (uint32_t w = 0; w < kineto->works; w++) {
        count += kineto->work[w].is_nccl ? 1 : 0;
    }
    scan->kernel =
        orr_arena_array(reading->conversion->arena, (size_t)count + 1, sizeof *scan->kernel);
    for (uint32_t w = 0; scan->kernel != NULL && w < kineto->works; w++) {
        const struct kt_work *work = &kineto->work[w];
        const uint32_t step = reading->steps.of_work[w];
        if (work->is_nccl) {
            scan->kernel[scan->kernels++] = (struct pt_scan_kernel){
                .end_ns = absolute_ns(kineto, work->end_ns),
                .key = work->nccl != PT_NONE
                           ? orr_profile_key(&reading->trace, &kineto->nccl[work->nccl].comm)
                           : 0,
                .step = step != PT_NONE ? reading->steps.step[step].number : -1};
        }
    }
    return scan->kernel != NULL;
}

static enum orr_status read_one(struct reading *reading)
{
    struct conversion *conversion = reading->conversion;
    struct pt_scan *scan = &conversion->scan[reading->file];
    struct kt_place *place = &conversion->place[reading->file];
    const char *path = conversion->profile[reading->file];
    const struct js_source source = {.path = path, .progress = &conversion->job->progress};
    uint32_t named;
    reading->trace = (struct pt_trace){
        .path = path, .arena = reading->arena, .strings = &reading->strings, .pid = -1};
    orr_strings_init(&reading->strings, reading->arena);
    enum orr_status status =
        orr_kineto_trace_read(&reading->trace, &source, &reading->kineto, conversion->diag);
    if (status != ORR_OK) {
        orr_conf_name_wrong(path, "a profile or timeline of events (Kineto, Perfetto)",
                            conversion->diag);
        return status;
    }
    status = check_contents(reading);
    if (status == ORR_OK) {
        status = orr_kineto_steps(&reading->kineto, &reading->steps, conversion->diag);
    }
    if (status != ORR_OK) {
        return status;
    }
    *place = (struct kt_place){reading->kineto.rank, reading->kineto.world};
    place->rank =
        place->rank < 0 && orr_profile_rank_of_name(path, &named) ? (int64_t)named : place->rank;
    scan->origin_ns = absolute_ns(&reading->kineto, 0);
    return keep_steps(reading, scan) && keep_kernels(reading, scan)
               ? ORR_OK
               : orr_diag_no_memory(conversion->diag, "the profiles of a job");
}

static enum orr_status read_profiles(struct conversion *conversion)
{
    struct reading *reading = orr_arena_alloc(conversion->arena, sizeof *reading);
    struct orr_arena *arena = orr_arena_create();
    enum orr_status status = reading != NULL && arena != NULL
                                 ? ORR_OK
                                 : orr_diag_no_memory(conversion->diag, "the profiles of a job");
    for (uint32_t file = 0; file < conversion->files && status == ORR_OK; file++) {
        *reading = (struct reading){.conversion = conversion, .arena = arena, .file = file};
        status = read_one(reading);
        orr_arena_reset(arena);
    }
    orr_arena_destroy(arena);
    return status;
}

/* ---- the step ---- */

static enum orr_status fail_steps(const struct conversion *conversion, uint32_t file,
                                  const char *text)
{
    const struct pt_scan *scan = &conversion->scan[file];
    const struct orr_location place = orr_location_file(conversion->profile[file]);
    char has[128] = "it has no rows \"ProfilerStep#N\"";
    if (scan->steps > 0) {
        (void)snprintf(has, sizeof has, "its whole steps are %" PRId64 " to %" PRId64,
                       scan->step[0].number, scan->step[scan->steps - 1].number);
    }
    return orr_diag_fail(conversion->diag, ORR_ERR_INPUT, &place,
                         "%s: %s; give the profiles of one run, and a step that all have", text,
                         has);
}

static bool has_step(const struct pt_scan *scan, int64_t number)
{
    for (uint32_t s = 0; s < scan->steps; s++) {
        if (scan->step[s].number == number) {
            return true;
        }
    }
    return false;
}

/* Picks the step: the one that is asked for, else the last that is whole on all ranks; -1: all of
 * profiles without steps. */
static enum orr_status pick_step(struct conversion *conversion)
{
    const char *text = conversion->job->step;
    const struct pt_scan *scan = conversion->scan;
    int64_t number = INT64_MAX;
    conversion->step = -1;
    if (text != NULL && strcmp(text, "all") == 0) {
        return ORR_OK;
    }
    if (text != NULL && !orr_parse_integer(text, &number)) {
        return orr_diag_fail(conversion->diag, ORR_ERR_INPUT, NULL,
                             "--step: expected the number of a step or \"all\", got \"%s\"", text);
    }
    for (uint32_t file = 0; file < conversion->files && text == NULL; file++) {
        if (scan[file].steps == 0) {
            orr_convert_report_note(conversion->report,
                                    "profiles without rows \"ProfilerStep#N\": converted as a "
                                    "whole",
                                    "%s", conversion->profile[file]);
            number = -1;
        } else if (scan[file].step[scan[file].steps - 1].number < number) {
            number = scan[file].step[scan[file].steps - 1].number;
        }
    }
    conversion->step = number;
    for (uint32_t file = 0; file < conversion->files && number >= 0; file++) {
        if (!has_step(&scan[file], number)) {
            char asked[64];
            (void)snprintf(asked, sizeof asked, "step %" PRId64 " is not in the profile", number);
            return fail_steps(conversion, file, asked);
        }
    }
    return ORR_OK;
}

/* ---- clocks ---- */

static int compare_times(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static bool is_of_step(const struct conversion *conversion, const struct pt_scan *scan,
                       const struct pt_scan_kernel *kernel)
{
    return conversion->step < 0 || !scan->has_several || kernel->step == conversion->step;
}

/* The ends of a profile's collectives in the step; returns their number. */
static uint32_t list_ends(const struct conversion *conversion, const struct pt_scan *scan,
                          int64_t *end_ns)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < scan->kernels; i++) {
        if (is_of_step(conversion, scan, &scan->kernel[i])) {
            end_ns[count++] = scan->kernel[i].end_ns;
        }
    }
    return count;
}

/* How far the clock of a profile is ahead of the first one's: the median difference of the ends of
 * their collectives, which end on all ranks at once. 0 if their numbers differ. */
static int64_t ahead_of(const struct conversion *conversion, uint32_t file)
{
    const struct pt_scan *first = &conversion->scan[0], *own = &conversion->scan[file];
    int64_t *a = orr_heap_calloc((size_t)first->kernels + 1, sizeof *a);
    int64_t *b = orr_heap_calloc((size_t)own->kernels + 1, sizeof *b);
    int64_t ahead_ns = 0;
    if (a != NULL && b != NULL) {
        const uint32_t firsts = list_ends(conversion, first, a);
        const uint32_t owns = list_ends(conversion, own, b);
        for (uint32_t i = 0; i < owns && owns == firsts; i++) {
            b[i] -= a[i];
        }
        if (owns > 0 && owns == firsts) {
            qsort(b, owns, sizeof *b, compare_times);
            ahead_ns = b[owns / 2];
        }
    }
    orr_heap_free(a);
    orr_heap_free(b);
    return ahead_ns > -SAME_CLOCK_NS && ahead_ns < SAME_CLOCK_NS ? 0 : ahead_ns;
}

/* When the step, or the profile, begins on a rank. */
static int64_t start_of(const struct conversion *conversion, uint32_t file)
{
    const struct pt_scan *scan = &conversion->scan[file];
    for (uint32_t s = 0; s < scan->steps && conversion->step >= 0 && scan->has_several; s++) {
        if (scan->step[s].number == conversion->step) {
            return scan->step[s].start_ns;
        }
    }
    return scan->origin_ns;
}

static enum orr_status set_starts(struct conversion *conversion)
{
    int64_t earliest_ns = INT64_MAX;
    for (uint32_t file = 0; file < conversion->files; file++) {
        const int64_t apart_ns = conversion->scan[file].origin_ns - conversion->scan[0].origin_ns;
        if (apart_ns > ONE_RUN_NS || apart_ns < -ONE_RUN_NS) {
            const struct orr_location place = orr_location_file(conversion->profile[file]);
            return orr_diag_fail(conversion->diag, ORR_ERR_INPUT, &place,
                                 "not of one run with %s: recorded %.0f s apart; give the files of "
                                 "one run",
                                 conversion->profile[0], (double)apart_ns / 1e9);
        }
        const int64_t ahead_ns = file > 0 ? ahead_of(conversion, file) : 0;
        if (ahead_ns != 0) {
            orr_convert_report_note(
                conversion->report,
                "clocks of ranks that differ: set by the ends of their collectives",
                "%s is %.3f ms ahead of the first", conversion->profile[file],
                (double)ahead_ns / 1e6);
        }
        conversion->start_ns[file] = start_of(conversion, file) - ahead_ns;
        earliest_ns =
            conversion->start_ns[file] < earliest_ns ? conversion->start_ns[file] : earliest_ns;
    }
    for (uint32_t file = 0; file < conversion->files; file++) {
        conversion->start_ns[file] -= earliest_ns;
    }
    return ORR_OK;
}

enum orr_status orr_profile_scan(struct conversion *conversion)
{
    struct orr_arena *arena = conversion->arena;
    const uint32_t files = conversion->files;
    conversion->scan = orr_arena_array(arena, files, sizeof *conversion->scan);
    conversion->place = orr_arena_array(arena, files, sizeof *conversion->place);
    conversion->start_ns = orr_arena_array(arena, files, sizeof *conversion->start_ns);
    if (conversion->scan == NULL || conversion->place == NULL || conversion->start_ns == NULL) {
        return orr_diag_no_memory(conversion->diag, "the profiles of a job");
    }
    enum orr_status status = read_profiles(conversion);
    if (status == ORR_OK) {
        status = pick_step(conversion);
    }
    if (status == ORR_OK) {
        status = set_starts(conversion);
    }
    return status == ORR_OK ? orr_profile_count_keys(conversion) : status;
}
