/* Ranks of input files; see file_ranks.h. */
#include "et_converter/file_ranks.h"

#include "core/arena.h"
#include "et_converter/conversion_report.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { MAX_RANKS = 1 << 24 };

/* The last dot in text[0..length); length when there is none. */
static size_t last_dot(const char *text, size_t length)
{
    for (size_t i = length; i-- > 0;) {
        if (text[i] == '.') {
            return i;
        }
    }
    return length;
}

bool orr_convert_rank_of_name(const char *path, uint32_t *rank)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash != NULL ? slash + 1 : path;
    size_t length = strlen(name);
    if (length > 3 && strcmp(name + length - 3, ".gz") == 0) {
        length -= 3;
    }
    const size_t end = last_dot(name, length);
    const size_t dot = last_dot(name, end);
    uint64_t value = 0;
    if (end == length || dot == end || dot + 1 == end) {
        return false;
    }
    for (size_t i = dot + 1; i < end; i++) {
        if (name[i] < '0' || name[i] > '9') {
            return false;
        }
        value = value * 10 + (uint64_t)(name[i] - '0');
        if (value >= MAX_RANKS) {
            return false;
        }
    }
    *rank = (uint32_t)value;
    return true;
}

bool orr_profile_rank_of_name(const char *path, uint32_t *rank)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash != NULL ? slash + 1 : path;
    for (const char *at = name; strlen(at) > 4; at++) {
        const char *digits = at + 4 + (at[4] == '_' || at[4] == '-' || at[4] == '=' ? 1 : 0);
        if (strncasecmp(at, "rank", 4) == 0 && isdigit((unsigned char)*digits) != 0) {
            const unsigned long value = strtoul(digits, NULL, 10);
            *rank = (uint32_t)value;
            return value < MAX_RANKS;
        }
    }
    return strstr(name, ".pt.trace.") == NULL && orr_convert_rank_of_name(path, rank);
}

static enum orr_status check_twice(const struct conv_job *job, const uint32_t *rank, uint32_t ranks,
                                   struct conv_report *report, struct orr_diag *diag)
{
    size_t *owner = orr_heap_calloc(ranks, sizeof *owner); /* index of the file plus one */
    enum orr_status status = owner != NULL ? ORR_OK : orr_diag_no_memory(diag, "ranks");
    for (size_t i = 0; i < job->file_count && status == ORR_OK; i++) {
        if (owner[rank[i]] != 0) {
            const struct orr_location place = orr_location_file(job->files[i]);
            status = orr_diag_fail(diag, ORR_ERR_INPUT, &place,
                                   "rank %" PRIu32 " is given twice, also by %s", rank[i],
                                   job->files[owner[rank[i]] - 1]);
        } else {
            owner[rank[i]] = i + 1;
        }
    }
    for (uint32_t r = 0; r < ranks && status == ORR_OK; r++) {
        if (owner[r] == 0) {
            orr_convert_report_note(report, "missing ranks between existing ones", "rank %" PRIu32,
                                    r);
        }
    }
    orr_heap_free(owner);
    return status;
}

enum orr_status orr_convert_ranks_of_files(const struct conv_job *job, uint32_t *rank,
                                           struct conv_report *report, struct orr_diag *diag)
{
    bool named = true;
    uint32_t last = 0;
    for (size_t i = 0; i < job->file_count && named; i++) {
        named = orr_convert_rank_of_name(job->files[i], &rank[i]);
        last = named && rank[i] > last ? rank[i] : last;
    }
    if (named) {
        return check_twice(job, rank, last + 1, report, diag);
    }
    for (size_t i = 0; i < job->file_count; i++) {
        rank[i] = (uint32_t)i;
        orr_convert_report_note(report, "files whose names have no rank, numbered in their order",
                                "rank %zu: %s", i, job->files[i]);
    }
    return ORR_OK;
}
