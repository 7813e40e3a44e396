/* Conversion of foreign traces to execution traces, as `orrery convert` (docs/how-to/convert.md).
 *
 *     struct orrery_conversion *conversion = orrery_conversion_new();
 *     struct orrery_convert what = {ORRERY_SIZED(orrery_convert), .format = "chakra",
 *                                   .files = files, .file_count = 4, .out = "job"};
 *     if (orrery_convert(conversion, &what) != ORRERY_OK) {
 *         fprintf(stderr, "%s\n", orrery_conversion_error(conversion));
 *     }
 *     orrery_conversion_write(conversion, stdout, false);
 *     orrery_conversion_free(conversion);
 *
 * One thread at a time may use a handle. A failed call stores its message, "LOCATION: MESSAGE", for
 * orrery_conversion_error. Errors: ORRERY_ERROR_INPUT (an invalid file, arguments that the format
 * does not support or lacks, NULL, a struct of another version), _IO, _MEMORY. */
#ifndef ORRERY_CONVERT_H
#define ORRERY_CONVERT_H

#include <stdio.h>

#include "orrery/parts.h"

#ifdef __cplusplus
extern "C" {
#endif

struct orrery_conversion;

/* Create and free a handle: NULL if out of memory; freeing NULL is fine. orrery_conversion_error:
 * the error of the last failed call, owned by the handle. */
ORRERY_API struct orrery_conversion *orrery_conversion_new(void);
ORRERY_API void orrery_conversion_free(struct orrery_conversion *conversion);
ORRERY_API const char *orrery_conversion_error(const struct orrery_conversion *conversion);

/* `warn` is called with the text of each warning from now on; NULL (default): warnings are
 * ignored. */
ORRERY_API void orrery_conversion_on_warning(struct orrery_conversion *conversion,
                                             void (*warn)(void *user, const char *text),
                                             void *user);

/* The name of the index-th format, NULL behind the last; *summary (may be NULL) describes it in a
 * line. */
ORRERY_API const char *orrery_convert_format(size_t index, const char **summary);

/* Arguments of a conversion; texts are only read during the call. Absent: NULL, 0. */
struct orrery_convert {
    size_t size;              /* ORRERY_SIZED(orrery_convert) */
    const char *format;       /* "pytorch", "text", "chakra", "flexflow", "sipml"; NULL: profiles */
    const char *const *files; /* [file_count], or: */
    size_t file_count;
    const char *et;     /* pytorch: path of the execution trace; "{rank}" in it is the rank */
    const char *kineto; /* pytorch: path of the profile of the same run, likewise */
    /* pytorch: number of ranks, from 0 on; 0: the paths are those of a single rank */
    uint32_t ranks;
    const char *out; /* prefix of PREFIX.RANK.et and PREFIX.groups.json, in an existing folder */
    bool gzip;       /* compress */
    /* text: required, gives NPUs and dimensions; other formats: its NPUs are compared with the
     * traces. A file, the name of one that ships, or a notation */
    const char *platform;
    uint32_t passes;   /* text: forward and backward passes, at most 10^6; 0: 1 */
    double batch_size; /* sipml: 1 to 10^9; 0: the smallest of the files' */
    /* Called from time to time with the progress of reading, if the format supports it; NULL:
     * never. */
    void (*progress)(void *user, uint64_t done_bytes, uint64_t total_bytes);
    void *progress_user;
    /* pytorch: what stands in for ranks of the job without a file: "copy" (of the nearest ranks),
     * "replay" (recorded times); NULL: they are an error */
    const char *missing_ranks;
    /* pytorch: without `et` the profiles alone are converted: `kineto` (a path, a folder, or a
     * pattern) and `files`. Their step: a number N of "ProfilerStep#N", or "all"; NULL: the last
     * one that is whole on all ranks */
    const char *step;
};

/* Converts; replaces the previous result of the handle. After an error, incomplete output files may
 * remain. O(bytes, nodes and edges). */
ORRERY_API enum orrery_status orrery_convert(struct orrery_conversion *conversion,
                                             const struct orrery_convert *what);

/* ---- results ---- */

/* Totals over all ranks. */
struct orrery_conversion_counts {
    size_t size;         /* ORRERY_SIZED(orrery_conversion_counts) */
    uint64_t ranks;      /* traces written */
    uint64_t nodes_read; /* of the input: layers, operators or nodes */
    uint64_t matched;    /* of nodes_read: converted */
    uint64_t nodes_written, communication_bytes;
    int64_t longest_ps; /* largest sum of recorded durations along a path of one rank */
    size_t notes;       /* kinds of findings */
};
ORRERY_API enum orrery_status orrery_conversion_counts(struct orrery_conversion *conversion,
                                                       struct orrery_conversion_counts *counts);

/* A finding for the user: input that was guessed or omitted. */
struct orrery_conversion_note {
    size_t size;         /* ORRERY_SIZED(orrery_conversion_note) */
    const char *finding; /* owned by the handle until its next conversion */
    uint64_t count;
    const char *example; /* the first example; NULL: none */
};
ORRERY_API enum orrery_status orrery_conversion_note(struct orrery_conversion *conversion,
                                                     size_t index,
                                                     struct orrery_conversion_note *note);

/* Writes the output of the command: nodes, communication, times, notes and files; with `json` that
 * of --report. */
ORRERY_API enum orrery_status orrery_conversion_write(struct orrery_conversion *conversion,
                                                      FILE *out, bool json);

#ifdef __cplusplus
}
#endif

#endif
