/* Foreign traces become execution traces, as by `orrery convert` (docs/user-guide.md).
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
 * A handle is used by one thread at a time. Every call that fails keeps what is wrong for
 * orrery_conversion_error, as "PLACE: MESSAGE". Errors: ORRERY_ERROR_INPUT (a file that is wrong,
 * what the format does not take or needs, a NULL, a struct of another interface), _IO, _MEMORY. */
#ifndef ORRERY_CONVERT_H
#define ORRERY_CONVERT_H

#include <stdio.h>

#include "orrery/parts.h"

#ifdef __cplusplus
extern "C" {
#endif

struct orrery_conversion;

/* As of other objects: NULL when memory is out; NULL can be freed; texts are the handle's. */
ORRERY_API struct orrery_conversion *orrery_conversion_new(void);
ORRERY_API void orrery_conversion_free(struct orrery_conversion *conversion);
ORRERY_API const char *orrery_conversion_error(const struct orrery_conversion *conversion);

/* `warn` is called with the text of each warning from now on; NULL: nothing is (the default). */
ORRERY_API void orrery_conversion_on_warning(struct orrery_conversion *conversion,
                                             void (*warn)(void *user, const char *text),
                                             void *user);

/* The name of the index-th format, NULL behind the last; *summary (NULL: not wanted) says what it
 * is, in a line. */
ORRERY_API const char *orrery_convert_format(size_t index, const char **summary);

/* What is to be converted; texts are only read during the call. Absent: NULL, 0. */
struct orrery_convert {
    size_t size;              /* ORRERY_SIZED(orrery_convert) */
    const char *format;       /* "pytorch", "text", "chakra", "flexflow", "sipml" */
    const char *const *files; /* [file_count], or: */
    size_t file_count;
    const char *et;       /* pytorch: path of the execution trace; "{rank}" in it is the rank */
    const char *kineto;   /* pytorch: of the profile of the same run, likewise */
    uint32_t ranks;       /* pytorch: ranks 0 to ranks - 1; 0: the paths are those of one */
    const char *out;      /* prefix of PREFIX.RANK.et and PREFIX.groups.json; the folder is there */
    bool gzip;            /* compress */
    const char *platform; /* text: NPUs and dimensions that the trace is for; others: held against
                           * the traces. A file, the name of one that ships, or a notation */
    uint32_t passes;      /* text: forward and backward passes, at most 10^6; 0: 1 */
    double batch_size;    /* sipml: 1 to 10^9; 0: the smallest of the files' */
    /* Told now and then how far the reading is, where the format can; NULL: not wanted. */
    void (*progress)(void *user, uint64_t done_bytes, uint64_t total_bytes);
    void *progress_user;
};

/* Converts, in place of what the handle told of. Files that were begun are left behind on an
 * error. O(bytes, nodes and edges). */
ORRERY_API enum orrery_status orrery_convert(struct orrery_conversion *conversion,
                                             const struct orrery_convert *what);

/* ---- what was found ---- */

/* Of all ranks together. */
struct orrery_conversion_counts {
    size_t size;         /* ORRERY_SIZED(orrery_conversion_counts) */
    uint64_t ranks;      /* traces written */
    uint64_t nodes_read; /* of the input: its own things (layers, operators, nodes) */
    uint64_t matched;    /* of them that became something */
    uint64_t nodes_written, communication_bytes;
    int64_t longest_ps; /* the largest sum of recorded durations along a chain of a rank */
    size_t notes;       /* kinds of findings */
};
ORRERY_API enum orrery_status orrery_conversion_counts(struct orrery_conversion *conversion,
                                                       struct orrery_conversion_counts *counts);

/* What the user should know: what was guessed, or left out. */
struct orrery_conversion_note {
    size_t size;         /* ORRERY_SIZED(orrery_conversion_note) */
    const char *finding; /* the handle's, until it converts again */
    uint64_t count;
    const char *example; /* the first; NULL: none */
};
ORRERY_API enum orrery_status orrery_conversion_note(struct orrery_conversion *conversion,
                                                     size_t index,
                                                     struct orrery_conversion_note *note);

/* Writes what the command writes: nodes, communication, times, notes and the files; or the same as
 * JSON, as --report does. */
ORRERY_API enum orrery_status orrery_conversion_write(struct orrery_conversion *conversion,
                                                      FILE *out, bool json);

#ifdef __cplusplus
}
#endif

#endif
