/* Trace conversions for programs; see include/orrery/convert.h. */
#include "orrery/convert.h"

#include <string.h>

#include "core/strings.h"
#include "et_converter/conversion_report.h"
#include "et_converter/converter.h"
#include "network/net_config.h"
#include "orrery/orrery.h"
#include "report/convert_report.h"
#include "sim/api_object.h"
#include "sim/load/find_input.h"
#include "sim/load/inline_network.h"
#include "sim/load/platform_network.h"

struct orrery_conversion {
    struct orr_object object;
    bool done;
    struct conv_report report;
    const char *out; /* as in the request */
    bool gzip;
};

struct orrery_conversion *orrery_conversion_new(void)
{
    return orr_object_new(sizeof(struct orrery_conversion));
}

void orrery_conversion_free(struct orrery_conversion *conversion)
{
    orr_object_free(conversion != NULL ? &conversion->object : NULL);
}

const char *orrery_conversion_error(const struct orrery_conversion *conversion)
{
    return orr_object_error(conversion != NULL ? &conversion->object : NULL);
}

void orrery_conversion_on_warning(struct orrery_conversion *conversion,
                                  void (*warn)(void *user, const char *text), void *user)
{
    orr_object_on_warning(conversion != NULL ? &conversion->object : NULL, warn, user);
}

const char *orrery_convert_format(size_t index, const char **summary)
{
    size_t count;
    const struct orr_converter *const *converters = orr_converters(&count);
    if (index >= count) {
        return NULL;
    }
    if (summary != NULL) {
        *summary = converters[index]->summary;
    }
    return converters[index]->name;
}

/* ---- the request ---- */

static enum orr_status unknown_format(const char *name, struct orr_diag *diag)
{
    const char *names[32];
    size_t count = 0;
    while (count < sizeof names / sizeof *names &&
           (names[count] = orrery_convert_format(count, NULL)) != NULL) {
        count++;
    }
    const char *nearest = orr_nearest_name(name, names, count);
    return orr_diag_fail(diag, ORR_ERR_INPUT, NULL, "unknown format \"%s\"%s%s%s", name,
                         nearest != NULL ? "; did you mean \"" : "", nearest != NULL ? nearest : "",
                         nearest != NULL ? "\"?" : "");
}

static enum orr_status check_ranges(const struct orrery_convert *what, struct orr_diag *diag)
{
    if (what->ranks > INT32_MAX) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                             "ranks: expected at most 2147483647, got %u", what->ranks);
    }
    if (what->passes > CONV_MAX_PASSES) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL, "passes: expected at most %d, got %u",
                             CONV_MAX_PASSES, what->passes);
    }
    enum conv_missing missing;
    if (what->missing_ranks != NULL && !orr_conv_missing_of(what->missing_ranks, &missing)) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                             "missing_ranks: expected replay or copy, got \"%s\"",
                             what->missing_ranks);
    }
    const bool none = !(what->batch_size < 0) && !(what->batch_size > 0);
    return none || (what->batch_size >= 1 && what->batch_size <= CONV_MAX_BATCH)
               ? ORR_OK
               : orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                               "batch_size: expected a number from 1 to 1e9, got %g",
                               what->batch_size);
}

static enum orr_status check_format(const struct orr_converter *converter,
                                    const struct conv_job *job, bool platform,
                                    struct orr_diag *diag)
{
    static const char *const texts[] = {[CONV_NOT_FOR] = "is not for this format",
                                        [CONV_NO_TRACE] = "is missing",
                                        [CONV_NO_FILE] = "are missing",
                                        [CONV_TOO_MANY] = "is more than this format takes",
                                        [CONV_NO_PLATFORM] = "is missing",
                                        [CONV_NO_OUT] = "is missing"};
    const struct conv_check_result refusal = orr_converter_check(converter, job, platform);
    return refusal.error == CONV_USAGE_OK
               ? ORR_OK
               : orr_diag_fail(diag, ORR_ERR_INPUT, NULL, "%s: %s %s", converter->name,
                               refusal.name, texts[refusal.error]);
}

static enum orr_status check_what(const struct orrery_convert *what,
                                  const struct orr_converter **converter, struct orr_diag *diag)
{
    const enum orr_status status = orr_check_caller_struct(
        "orrery_convert", what != NULL ? &what->size : NULL, sizeof *what, diag);
    if (status != ORR_OK) {
        return status;
    }
    const bool none = what->format == NULL && what->kineto == NULL && what->file_count == 0;
    if (none || (what->files == NULL && what->file_count != 0)) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL, "expected `%s`, got NULL",
                             none ? "format" : "files");
    }
    *converter =
        what->format != NULL ? orr_converter_find(what->format) : orr_converter_of_profiles();
    return *converter != NULL ? check_ranges(what, diag) : unknown_format(what->format, diag);
}

static struct conv_job job_of(const struct orrery_convert *what)
{
    enum conv_missing missing = CONV_MISSING_REFUSED;
    if (what->missing_ranks != NULL) {
        (void)orr_conv_missing_of(what->missing_ranks, &missing);
    }
    return (struct conv_job){.files = what->files,
                             .file_count = what->file_count,
                             .out = what->out,
                             .gzip = what->gzip,
                             .et = what->et,
                             .step = what->step,
                             .kineto = what->kineto,
                             .ranks = what->ranks,
                             .missing = missing,
                             .passes = what->passes,
                             .batch_size = what->batch_size,
                             .progress = {what->progress, what->progress_user}};
}

/* ---- converting ---- */

static enum orr_status read_platform(struct orr_object *object, const char *platform,
                                     struct net_config *network)
{
    char found[ORR_INPUT_PATH_BYTES];
    const char *path = NULL;
    if (orr_is_notation(platform) && strchr(platform, '(') != NULL) {
        const struct orr_inline_network described = {.topology = platform};
        return orr_inline_network_read(object->arena, &described, network, &object->diag);
    }
    const enum orr_status status =
        orr_find_input("platforms", platform, found, &path, &object->diag);
    const struct orr_platform_source source = {.path = path};
    return status == ORR_OK
               ? orr_platform_network_read(object->arena, &source, network, &object->diag)
               : status;
}

static enum orr_status run(struct orrery_conversion *conversion,
                           const struct orr_converter *converter, struct conv_job *job,
                           const char *platform)
{
    struct orr_object *object = &conversion->object;
    struct net_config network;
    enum orr_status status = platform != NULL ? read_platform(object, platform, &network) : ORR_OK;
    if (status != ORR_OK) {
        return status;
    }
    job->platform = platform != NULL ? &network : NULL;
    conversion->gzip = job->gzip;
    conversion->out = orr_arena_strdup(object->arena, job->out);
    if (conversion->out == NULL) {
        return orr_diag_no_memory(&object->diag, "a conversion");
    }
    orr_convert_report_init(&conversion->report, object->arena);
    status = orr_converter_run(converter, job, &conversion->report, &object->diag);
    if (status == ORR_OK && platform != NULL) {
        orr_convert_check_npus(&conversion->report, &network, platform);
    }
    return status;
}

static enum orr_status convert(struct orrery_conversion *conversion,
                               const struct orrery_convert *what)
{
    struct orr_object *object = &conversion->object;
    const struct orr_converter *converter = NULL;
    enum orr_status status = check_what(what, &converter, &object->diag);
    if (status != ORR_OK) {
        return status;
    }
    struct conv_job job = job_of(what);
    status = check_format(converter, &job, what->platform != NULL, &object->diag);
    if (status != ORR_OK) {
        return status;
    }
    conversion->done = false;
    return orr_object_clear(object) ? run(conversion, converter, &job, what->platform)
                                    : ORR_ERR_MEMORY;
}

enum orrery_status orrery_convert(struct orrery_conversion *conversion,
                                  const struct orrery_convert *what)
{
    if (conversion == NULL) {
        return ORRERY_ERROR_INPUT;
    }
    const enum orr_status status = convert(conversion, what);
    conversion->done = conversion->done || status == ORR_OK;
    return orr_object_finish(&conversion->object, status);
}

/* ---- the report ---- */

static enum orr_status check_done(struct orrery_conversion *conversion)
{
    return conversion->done ? ORR_OK
                            : orr_diag_fail(&conversion->object.diag, ORR_ERR_INPUT, NULL,
                                            "nothing was converted yet");
}

static void count(const struct conv_report *report, struct orrery_conversion_counts *out)
{
    *out = (struct orrery_conversion_counts){
        .size = sizeof *out, .ranks = report->ranks, .notes = report->notes};
    for (size_t i = 0; i < report->ranks; i++) {
        const struct conv_rank *rank = report->rank[i];
        out->nodes_read += rank->nodes_in;
        out->matched += rank->matched;
        out->nodes_written += rank->nodes_out;
        out->communication_bytes += rank->communication_bytes;
        out->longest_ps =
            rank->critical_path_ps > out->longest_ps ? rank->critical_path_ps : out->longest_ps;
    }
}

enum orrery_status orrery_conversion_counts(struct orrery_conversion *conversion,
                                            struct orrery_conversion_counts *counts)
{
    if (conversion == NULL) {
        return ORRERY_ERROR_INPUT;
    }
    enum orr_status status =
        orr_check_caller_struct("orrery_conversion_counts", counts != NULL ? &counts->size : NULL,
                                sizeof *counts, &conversion->object.diag);
    if (status == ORR_OK && (status = check_done(conversion)) == ORR_OK) {
        count(&conversion->report, counts);
    }
    return orr_object_finish(&conversion->object, status);
}

static enum orr_status get_note(struct orrery_conversion *conversion, size_t index,
                                struct orrery_conversion_note *out)
{
    const struct conv_report *report = &conversion->report;
    if (index >= report->notes) {
        return orr_diag_fail(&conversion->object.diag, ORR_ERR_INPUT, NULL,
                             "a note: expected an index below %zu, got %zu", report->notes, index);
    }
    const struct conv_note *note = &report->note[index];
    *out = (struct orrery_conversion_note){.size = sizeof *out,
                                           .finding = note->finding,
                                           .count = note->count,
                                           .example = note->examples > 0 ? note->example[0] : NULL};
    return ORR_OK;
}

enum orrery_status orrery_conversion_note(struct orrery_conversion *conversion, size_t index,
                                          struct orrery_conversion_note *note)
{
    if (conversion == NULL) {
        return ORRERY_ERROR_INPUT;
    }
    enum orr_status status =
        orr_check_caller_struct("orrery_conversion_note", note != NULL ? &note->size : NULL,
                                sizeof *note, &conversion->object.diag);
    if (status == ORR_OK && (status = check_done(conversion)) == ORR_OK) {
        status = get_note(conversion, index, note);
    }
    return orr_object_finish(&conversion->object, status);
}

static enum orr_status write_found(struct orrery_conversion *conversion, FILE *out, bool json)
{
    const struct conv_report *report = &conversion->report;
    if (json && orr_convert_json(out, report) != 0) {
        return orr_diag_fail(&conversion->object.diag, ORR_ERR_IO, NULL,
                             "the report cannot be written");
    }
    if (!json) {
        orr_convert_print(out, report);
        orr_convert_print_files(out, report, conversion->out, conversion->gzip);
    }
    return orr_check_written(out, &conversion->object.diag);
}

enum orrery_status orrery_conversion_write(struct orrery_conversion *conversion, FILE *out,
                                           bool json)
{
    if (conversion == NULL) {
        return ORRERY_ERROR_INPUT;
    }
    enum orr_status status = check_done(conversion);
    return orr_object_finish(&conversion->object,
                             status == ORR_OK ? write_found(conversion, out, json) : status);
}
