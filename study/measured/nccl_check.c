/* Checks of a log of nccl-tests: wrong data, devices of two kinds, an end that is missing. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "study/measured/nccl_run.h"

/* The largest error of a sum that nccl-tests took as right, before they counted wrong values
 * (DeltaMaxValue in src/common.cu). */
static double largest_error(const char *type)
{
    const unsigned bytes = type != NULL ? orr_nccl_type_bytes(type) : 0;
    if (type != NULL && (strcmp(type, "float") == 0 || strcmp(type, "float32") == 0)) {
        return 1e-5;
    }
    if (type != NULL && (strcmp(type, "double") == 0 || strcmp(type, "float64") == 0)) {
        return 1e-12;
    }
    const bool coarse = bytes == 0 || strstr(type, "float") != NULL || strcmp(type, "half") == 0 ||
                        strstr(type, "f8") != NULL || strstr(type, "fp8") != NULL;
    return coarse ? 1e-2 : 0;
}

/* An error is printed with one digit: 1e-05 may be up to 1.5e-05. */
static bool is_wrong(const struct nccl_wrong *wrong)
{
    const size_t length = strlen(wrong->text);
    struct measured_number number;
    if (length > 0 && wrong->text[length - 1] == '*') {
        return true;
    }
    if (strcmp(wrong->text, "nan") == 0 || strcmp(wrong->text, "-nan") == 0 ||
        strcmp(wrong->text, "inf") == 0 || strcmp(wrong->text, "-inf") == 0) {
        return true;
    }
    if (!orr_measured_number(wrong->text, &number)) {
        return false;
    }
    return wrong->is_error ? fabs(number.value) > 1.5 * largest_error(wrong->type)
                           : number.value > 0;
}

static uint64_t values_in(const struct nccl_line *line, size_t first, bool *failed)
{
    uint64_t values = 0;
    *failed = false;
    for (size_t i = first; i < line->words; i++) {
        char text[NCCL_WORD_BYTES];
        *failed = *failed || orr_nccl_word_is(line, i, "FAILED");
        (void)orr_measured_integer(orr_nccl_word(line, i, text), &values);
    }
    return values;
}

/* What a log says in the end of values out of bounds; 0: nothing. */
static uint64_t values_of_log(const struct orr_measured_build *build)
{
    struct nccl_line line = {0};
    size_t first;
    bool failed;
    for (size_t at = 0; orr_nccl_next_line(build->data, build->bytes, &at, &line);) {
        if (orr_nccl_kind(&line, &first) == NCCL_BOUNDS) {
            const uint64_t values = values_in(&line, first, &failed);
            if (values > 0) {
                return values;
            }
        }
    }
    return 0;
}

enum orr_status orr_nccl_check_wrong(const struct orr_measured_build *build,
                                     const struct nccl_wrong *wrong)
{
    char log[64] = "";
    if (!is_wrong(wrong)) {
        return ORR_OK;
    }
    const uint64_t values = values_of_log(build);
    if (values > 0) {
        (void)snprintf(log, sizeof log, " (Out of bounds values : %" PRIu64 " FAILED)", values);
    }
    return orr_measured_fail(build, wrong->line, wrong->column,
                             "%s is %s%s: the collective gave wrong data, so its times are not "
                             "used; measure again, or take the row out",
                             wrong->is_error ? "error" : "#wrong", wrong->text, log);
}

enum orr_status orr_nccl_check_bounds(const struct orr_measured_build *build,
                                      const struct nccl_line *line, size_t first)
{
    bool failed;
    const uint64_t values = values_in(line, first, &failed);
    return failed || values > 0
               ? orr_measured_fail(build, line->number, orr_nccl_column(line, first),
                                   "Out of bounds values : %" PRIu64 " FAILED: the collective gave "
                                   "wrong data, so the times of this run are not used; measure "
                                   "again, or take the run out",
                                   values)
               : ORR_OK;
}

/* ---- devices ---- */

/* The first file that names a device; NULL: none. */
static const struct orr_measured_file *first_with_device(const struct orr_measured_build *build)
{
    for (size_t i = 0; i < build->files; i++) {
        if (build->file[i].device != NULL) {
            return &build->file[i];
        }
    }
    return NULL;
}

enum orr_status orr_nccl_check_gpu(const struct orr_measured_build *build, const char *name,
                                   uint32_t line, uint32_t column)
{
    struct orr_measured_file *file = &build->file[build->files - 1];
    const struct orr_measured_file *first = first_with_device(build);
    if (first != NULL && strcmp(name, first->device) != 0) {
        const bool one = first == file;
        return orr_measured_fail(
            build, line, column,
            "the log%s of two machines: a device here is %s, and in %s%s%" PRIu32
            " %s; give each machine's log to a run of its own",
            one ? " is" : "s are", name, one ? "line " : first->path, one ? "" : ":",
            first->device_line, first->device);
    }
    if (file->device == NULL) {
        file->device = orr_arena_strdup(build->arena, name);
        file->device_line = line;
    }
    return file->device != NULL ? ORR_OK : orr_measured_no_memory(build);
}

enum orr_status orr_nccl_check_device(const struct orr_measured_build *build,
                                      const struct nccl_line *line,
                                      const struct nccl_device *device)
{
    if (device->gpu >= line->words || orr_nccl_is_cut(line)) {
        return ORR_OK;
    }
    const char *begin = line->word[device->gpu].at;
    const struct nccl_word *last = &line->word[line->words - 1];
    const size_t length = (size_t)(last->at + last->length - begin);
    char name[NCCL_WORD_BYTES];
    const size_t kept = length < sizeof name ? length : sizeof name - 1;
    memcpy(name, begin, kept);
    name[kept] = '\0';
    return orr_nccl_check_gpu(build, name, line->number, orr_nccl_column(line, device->gpu));
}

/* ---- the end ---- */

struct nccl_sizes orr_nccl_sizes(const struct nccl_line *line, size_t first)
{
    struct nccl_sizes sizes = {0};
    for (size_t i = first; i + 1 < line->words; i++) {
        char text[NCCL_WORD_BYTES];
        (void)orr_nccl_word(line, i + 1, text);
        if (orr_nccl_word_is(line, i, "maxBytes")) {
            (void)orr_measured_integer(text, &sizes.last);
        } else if (orr_nccl_word_is(line, i, "step:")) {
            char *unit = strchr(text, '(');
            const bool factor = unit != NULL && strncmp(unit, "(factor", 7) == 0;
            text[unit != NULL ? unit - text : 0] = '\0';
            (void)orr_measured_integer(text, factor ? &sizes.factor : &sizes.increment);
        }
    }
    return sizes;
}

/* The size behind the last row, or more than all. */
static uint64_t next_size(const struct nccl_sizes *sizes, uint64_t bytes)
{
    uint64_t next = UINT64_MAX;
    if (sizes->factor > 1) {
        return __builtin_mul_overflow(bytes, sizes->factor, &next) ? UINT64_MAX : next;
    }
    return sizes->increment == 0 || __builtin_add_overflow(bytes, sizes->increment, &next)
               ? UINT64_MAX
               : next;
}

void orr_nccl_warn_of_cut(const struct orr_measured_build *build, const struct nccl_run *run)
{
    const struct nccl_result *last = run->results > 0 ? &run->result[run->results - 1] : NULL;
    if (run->closed || last == NULL || next_size(&run->sizes, last->bytes) > run->sizes.last) {
        return;
    }
    const struct orr_location location = orr_measured_location(build, last->line, last->column);
    orr_diag_warn(build->diag, &location,
                  "the log is cut off, or an excerpt: its last row is of %" PRIu64
                  " bytes, of up to %" PRIu64 " that the run measures",
                  last->bytes, run->sizes.last);
}
