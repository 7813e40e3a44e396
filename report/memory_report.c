/* Local memory in use: a line with each rank's peak, and the counter track of each rank in the
 * Chrome trace format, in files NAME.RANK.json. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "core/diag.h"
#include "core/units.h"
#include "report/results/result.h"
#include "report/results/results.h"
#include "report/run_report.h"
#include "report/table_text.h"
#include "sim/api_call.h"

enum { TEXT = 64, PATH_BYTES = 4096 };

static enum orr_status write_failed(const char *path, struct orr_diag *diag)
{
    const int error = errno;
    const struct orr_location location = orr_location_file(path);
    return orr_diag_fail(diag, ORR_ERR_IO, &location, "cannot be written: %s", strerror(error));
}

static enum orr_status write_trace(const char *path, uint32_t rank,
                                   const struct orrery_memory_use *use, struct orr_diag *diag)
{
    FILE *file = fopen(path, "w");
    if (file == NULL) {
        return write_failed(path, diag);
    }
    (void)fprintf(file, "{\"traceEvents\": [");
    for (size_t i = 0; i < use->steps; i++) {
        (void)fprintf(file,
                      "%s\n{\"name\": \"local memory\", \"ph\": \"C\", \"pid\": %" PRIu32
                      ", \"ts\": %.6f, \"args\": {\"bytes\": %" PRIu64 "}}",
                      i != 0 ? "," : "", rank, (double)use->step[i].at_ps / 1e6,
                      use->step[i].bytes);
    }
    (void)fprintf(file, "\n]}\n");
    return fclose(file) == 0 ? ORR_OK : write_failed(path, diag);
}

enum orr_status orr_report_memory(FILE *out, struct orrery *job, struct orr_diag *diag)
{
    const char *name = orrery_memory_trace_name(job);
    for (uint32_t rank = 0; name != NULL && rank < orrery_npus(job); rank++) {
        struct orrery_memory_use use;
        const enum orrery_status status = orrery_memory_use(job, rank, &use);
        if (status != ORRERY_OK) {
            return orr_forward_error(job, status, diag);
        }
        char bytes[TEXT], at[TEXT], path[PATH_BYTES];
        orr_print(out, "sys[%" PRIu32 "] peak memory usage: %s at %s\n", rank,
                  orr_format_bytes(use.peak_bytes, bytes, TEXT),
                  orr_format_time(use.peak_ps, at, TEXT));
        (void)snprintf(path, sizeof path, "%s.%" PRIu32 ".json", name, rank);
        const enum orr_status written =
            use.steps != 0 ? write_trace(path, rank, &use, diag) : ORR_OK;
        if (written != ORR_OK) {
            return written;
        }
    }
    return ORR_OK;
}

static enum orr_status write_use(FILE *out, struct orrery *job, uint32_t rank,
                                 enum orrery_memory memory, struct orr_diag *diag)
{
    struct orrery_memory_use use;
    const enum orrery_status status = orrery_memory_use_in(job, rank, memory, &use);
    if (status != ORRERY_OK) {
        return orr_forward_error(job, status, diag);
    }
    for (size_t i = 0; i < use.steps; i++) {
        const struct orrery_memory_step *step = &use.step[i];
        const bool peak = step->at_ps == use.peak_ps && step->bytes == use.peak_bytes;
        const struct orr_memory_row row = {.rank = rank,
                                           .memory =
                                               memory == ORRERY_MEMORY_LOCAL ? "local" : "remote",
                                           .step = *step,
                                           .peak = peak,
                                           .written = peak && use.peak_name != NULL,
                                           .node = use.peak_node};
        orr_result_csv_line(out, &orr_memory_results, &row);
        (void)fputc('\n', out);
    }
    return ORR_OK;
}

enum orr_status orr_report_memory_csv(FILE *out, struct orrery *job, struct orr_diag *diag)
{
    enum orr_status status = ORR_OK;
    orr_result_csv_head(out, &orr_memory_results);
    (void)fputc('\n', out);
    for (uint32_t rank = 0; rank < orrery_npus(job) && status == ORR_OK; rank++) {
        status = write_use(out, job, rank, ORRERY_MEMORY_LOCAL, diag);
        if (status == ORR_OK) {
            status = write_use(out, job, rank, ORRERY_MEMORY_REMOTE, diag);
        }
    }
    return status;
}
