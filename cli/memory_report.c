/* Local memory in use: a line for each rank's peak, and a counter track in the Chrome trace format
 * for each rank, in files NAME.RANK.json. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "cli/output.h"
#include "cli/report.h"
#include "cli/terminal.h"
#include "core/core.h"

enum { TEXT = 64, PATH_BYTES = 4096 };

static int write_trace(const char *path, uint32_t rank, const struct orrery_memory_use *use)
{
    FILE *file = fopen(path, "w");
    if (file == NULL) {
        orr_say("%s: cannot be written: %s\n", path, strerror(errno));
        return 2;
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
    if (fclose(file) != 0) {
        orr_say("%s: cannot be written: %s\n", path, strerror(errno));
        return 2;
    }
    return 0;
}

int orr_report_memory(FILE *out, struct orrery *job)
{
    const char *name = orrery_memory_trace_name(job);
    for (uint32_t rank = 0; name != NULL && rank < orrery_npus(job); rank++) {
        struct orrery_memory_use use;
        const enum orrery_status status = orrery_memory_use(job, rank, &use);
        if (status != ORRERY_OK) {
            orr_say("%s\n", orrery_error(job));
            return orr_exit_status(status);
        }
        char bytes[TEXT], at[TEXT], path[PATH_BYTES];
        orr_print(out, "sys[%" PRIu32 "] peak memory usage: %s at %s\n", rank,
                  orr_format_bytes(use.peak_bytes, bytes, TEXT),
                  orr_format_time(use.peak_ps, at, TEXT));
        (void)snprintf(path, sizeof path, "%s.%" PRIu32 ".json", name, rank);
        const int written = use.steps != 0 ? write_trace(path, rank, &use) : 0;
        if (written != 0) {
            return written;
        }
    }
    return 0;
}

static int write_use(FILE *out, struct orrery *job, uint32_t rank, enum orrery_memory memory)
{
    struct orrery_memory_use use;
    const enum orrery_status status = orrery_memory_use_in(job, rank, memory, &use);
    if (status != ORRERY_OK) {
        orr_say("%s\n", orrery_error(job));
        return orr_exit_status(status);
    }
    for (size_t i = 0; i < use.steps; i++) {
        const struct orrery_memory_step *step = &use.step[i];
        const bool peak = step->at_ps == use.peak_ps && step->bytes == use.peak_bytes;
        orr_print(out, "%" PRIu32 ",%s,%" PRId64 ",%" PRIu64 ",%s,", rank,
                  memory == ORRERY_MEMORY_LOCAL ? "local" : "remote", step->at_ps, step->bytes,
                  peak ? "yes" : "no");
        if (peak && use.peak_name != NULL) {
            orr_print(out, "%" PRIu64, use.peak_node);
        }
        (void)fputc('\n', out);
    }
    return 0;
}

int orr_report_memory_csv(FILE *out, struct orrery *job)
{
    int result = 0;
    (void)fputs("rank,memory,time_ps,bytes,peak,node\n", out);
    for (uint32_t rank = 0; rank < orrery_npus(job) && result == 0; rank++) {
        result = write_use(out, job, rank, ORRERY_MEMORY_LOCAL);
        if (result == 0) {
            result = write_use(out, job, rank, ORRERY_MEMORY_REMOTE);
        }
    }
    return result;
}
