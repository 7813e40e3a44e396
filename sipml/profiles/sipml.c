/* Converter of SiP-ML profiles; see sipml.h. */
#include "sipml/profiles/sipml.h"

#include <inttypes.h>
#include <string.h>

#include "et_converter/input_bytes.h"
#include "et_converter/trace_output.h"

enum { MAX_BYTES = 1 << 30, MAX_BATCH = 1000000000 };

bool orr_sipml_batch_of_name(const char *path, uint64_t *batch)
{
    const char *at = NULL;
    for (const char *next = strstr(path, "_bs"); next != NULL; next = strstr(next + 1, "_bs")) {
        at = next + 3;
    }
    uint64_t value = 0;
    const char *digit = at;
    for (; digit != NULL && *digit >= '0' && *digit <= '9' && value < MAX_BATCH; digit++) {
        value = value * 10 + (uint64_t)(*digit - '0');
    }
    *batch = value;
    return at != NULL && digit != at && (*digit == '.' || *digit == '\0') && value > 0;
}

/* ---- choice of files ---- */

struct choice {
    size_t low, high; /* indices of files; equal if one suffices */
    double share;
    double batch; /* 0: that of the file, unknown */
};

static enum orr_status read_batches(const struct conv_job *job, uint64_t *batch,
                                    struct orr_diag *diag)
{
    for (size_t i = 0; i < job->file_count; i++) {
        const struct orr_location place = orr_location_file(job->files[i]);
        if (!orr_sipml_batch_of_name(job->files[i], &batch[i]) &&
            (job->file_count > 1 || job->batch_size > 0)) {
            return orr_diag_fail(diag, ORR_ERR_INPUT, &place,
                                 "the file name has no batch size; expected a name such as "
                                 "NAME_bs4.pb");
        }
        for (size_t k = 0; k < i; k++) {
            if (batch[k] == batch[i]) {
                return orr_diag_fail(diag, ORR_ERR_INPUT, &place,
                                     "batch size %" PRIu64 " is given twice, also by %s", batch[i],
                                     job->files[k]);
            }
        }
    }
    return ORR_OK;
}

/* Indices of the files in ascending order of batch size. */
static void sort_files(const uint64_t *batch, size_t count, size_t *order)
{
    for (size_t i = 0; i < count; i++) {
        size_t at = i;
        for (; at > 0 && batch[order[at - 1]] > batch[i]; at--) {
            order[at] = order[at - 1];
        }
        order[at] = i;
    }
}

/* Chooses the files of the two batch sizes around the requested one; outside of all, the two
 * nearest. */
static enum orr_status choose_files(const struct conv_job *job, const uint64_t *batch,
                                    size_t *order, struct choice *choice, struct orr_diag *diag)
{
    size_t above = 0;
    sort_files(batch, job->file_count, order);
    choice->batch = job->batch_size > 0 ? job->batch_size : (double)batch[order[0]];
    while (above < job->file_count && (double)batch[order[above]] < choice->batch) {
        above++;
    }
    if (above < job->file_count && (double)batch[order[above]] == choice->batch) {
        choice->low = choice->high = order[above];
        return ORR_OK;
    }
    if (job->file_count < 2) {
        const struct orr_location place = orr_location_file(job->files[0]);
        return orr_diag_fail(diag, ORR_ERR_INPUT, &place,
                             "the profile is of batch size %" PRIu64
                             "; for %g at least one more is "
                             "needed",
                             batch[0], choice->batch);
    }
    above = above == 0 ? 1 : above == job->file_count ? above - 1 : above;
    choice->low = order[above - 1];
    choice->high = order[above];
    const double low = (double)batch[choice->low], high = (double)batch[choice->high];
    choice->share = (choice->batch - low) / (high - low);
    return ORR_OK;
}

/* ---- converting ---- */

static enum orr_status read_profile(struct orr_arena *arena, const struct conv_job *job,
                                    size_t index, struct sipml_profile *profile,
                                    struct orr_diag *diag)
{
    struct conv_source source;
    enum orr_status status =
        orr_convert_source_read(&source, job->files[index], MAX_BYTES, &job->progress, diag);
    if (status == ORR_OK) {
        const struct orr_et_bytes bytes = {source.name, source.data, source.count};
        status = orr_sipml_read(arena, &bytes, profile, diag);
    }
    orr_convert_source_free(&source);
    return status;
}

static void note_choice(const struct conv_job *job, const struct choice *choice,
                        struct conv_report *report)
{
    if (choice->low != choice->high) {
        orr_convert_report_note(report,
                                choice->share < 0 || choice->share > 1
                                    ? "a batch size outside of those of the files, extrapolated"
                                    : "a batch size between those of two files, interpolated",
                                "%g from %s and %s", choice->batch, job->files[choice->low],
                                job->files[choice->high]);
    }
}

static enum orr_status write_trace(const struct conv_job *job, const struct orr_trace *trace,
                                   struct conv_report *report, struct orr_diag *diag)
{
    struct conv_output *output;
    const struct conv_rank in = {.nodes_in = trace->nodes, .matched = trace->nodes};
    if (job->out == NULL) {
        return orr_convert_report_trace(report, trace, &in, 1, diag);
    }
    enum orr_status status = orr_convert_output_create(&output, job->out, job->gzip, diag);
    if (status == ORR_OK) {
        status = orr_convert_output_trace(output, 0, 1, trace, diag);
    }
    if (status == ORR_OK) {
        status = orr_convert_output_finish(output, diag);
    }
    orr_convert_output_destroy(output);
    return status == ORR_OK ? orr_convert_report_trace(report, trace, &in, 1, diag) : status;
}

/* Writes the model. If the batch size is not an integer, the batch counts as one sample. */
static enum orr_status write_model(struct orr_arena *arena, const struct conv_job *job,
                                   const struct choice *choice, const struct orr_trace *trace,
                                   struct conv_report *report, struct orr_diag *diag)
{
    const uint64_t batch = choice->batch >= 1 ? (uint64_t)choice->batch : 1;
    const struct sipml_model_info info = {.path = job->model,
                                          .batch = (double)batch == choice->batch ? batch : 1};
    return orr_sipml_model(arena, trace, &info, report, diag);
}

static enum orr_status convert(struct orr_arena *arena, const struct conv_job *job,
                               const struct choice *choice, struct conv_report *report,
                               struct orr_diag *diag)
{
    struct sipml_profile low, high;
    const struct orr_trace *trace = NULL;
    const bool two = choice->low != choice->high;
    const struct sipml_interpolation interpolation = {&low, two ? &high : &low, choice->share};
    enum orr_status status = read_profile(arena, job, choice->low, &low, diag);
    if (status == ORR_OK && two) {
        status = read_profile(arena, job, choice->high, &high, diag);
    }
    if (status == ORR_OK) {
        note_choice(job, choice, report);
        status = orr_sipml_trace(arena, &interpolation, &trace, report, diag);
    }
    if (status == ORR_OK && job->model != NULL) {
        status = write_model(arena, job, choice, trace, report, diag);
    }
    return status == ORR_OK ? write_trace(job, trace, report, diag) : status;
}

enum orr_status orr_convert_sipml(const struct conv_job *job, struct conv_report *report,
                                  struct orr_diag *diag)
{
    struct choice choice = {.share = 0};
    struct orr_arena *arena = orr_arena_create();
    uint64_t *batch = arena != NULL ? orr_arena_array(arena, job->file_count, sizeof *batch) : NULL;
    size_t *order = arena != NULL ? orr_arena_array(arena, job->file_count, sizeof *order) : NULL;
    enum orr_status status = batch != NULL && order != NULL ? read_batches(job, batch, diag)
                                                            : orr_diag_no_memory(diag, "profiles");
    if (status == ORR_OK) {
        status = choose_files(job, batch, order, &choice, diag);
    }
    if (status == ORR_OK) {
        status = convert(arena, job, &choice, report, diag);
    }
    orr_arena_destroy(arena);
    return status;
}

const struct orr_converter orr_converter_sipml = {
    .name = "sipml",
    .summary = "SiP-ML profiles NAME_bs1.pb, NAME_bs2.pb, ... of a model's operators",
    .reads = "a profile of SiP-ML",
    .options = CONV_BATCH_SIZE | CONV_MODEL,
    .max_files = SIZE_MAX,
    .run = orr_convert_sipml};
