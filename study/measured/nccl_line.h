/* Lines of the output of nccl-tests and rccl-tests, and their kinds. Launchers put a prefix before
 * each line ("0: ", "[1,0]<stdout>:"), and other programs print lines between. So the kind of a
 * line depends on its shape, wherever that begins. */
#ifndef ORR_STUDY_MEASURED_NCCL_LINE_H
#define ORR_STUDY_MEASURED_NCCL_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { NCCL_MAX_WORDS = 64, NCCL_WORD_BYTES = 128 };

struct nccl_word {
    const char *at;
    size_t length;
};

struct nccl_line {
    const char *begin;
    size_t length;   /* without the line end */
    uint32_t number; /* from 1 */
    bool ended;      /* it has a line feed */
    struct nccl_word word[NCCL_MAX_WORDS];
    size_t words;   /* words beyond NCCL_MAX_WORDS are dropped */
    size_t comment; /* the first word after the line's first #, which is no part of a word;
                       SIZE_MAX: none */
};

/* Reads the line at *at and advances; false at the end. `number` counts up from 0. */
bool orr_nccl_next_line(const char *data, size_t bytes, size_t *at, struct nccl_line *line);

/* The word as a text, truncated to NCCL_WORD_BYTES. Returns `text`. */
char *orr_nccl_word(const struct nccl_line *line, size_t index, char *text);
bool orr_nccl_word_is(const struct nccl_line *line, size_t index, const char *text);

/* The column of a word, from 1. */
uint32_t orr_nccl_column(const struct nccl_line *line, size_t index);

enum nccl_kind {
    NCCL_OTHER,
    NCCL_STARTING, /* # Collective test starting: NAME */
    NCCL_SETTINGS, /* # nThread N nGpus N minBytes ... */
    NCCL_DEVICES,  /* # Using devices */
    NCCL_DEVICE,   /* #  Rank N [Group N] [Pid N] on HOST device N ... */
    NCCL_CUT,      /* a truncated device's line, or "..." */
    NCCL_HEADER,   /* # size count type redop root time algbw busbw ... */
    NCCL_ROW,      /* N N TYPE ...: a row, complete or not */
    NCCL_BOUNDS,   /* # Out of bounds values : N OK or FAILED */
    NCCL_END       /* # Avg bus bandwidth ..., # Collective test concluded: ... */
};

/* The kind of the line, and the first word of its shape: after the # of a comment, which may be
 * missing, at the size of a row. */
enum nccl_kind orr_nccl_kind(const struct nccl_line *line, size_t *first);

/* True if the line was truncated: "...". */
bool orr_nccl_is_cut(const struct nccl_line *line);

/* The number at the end of a word, after a prefix that ends with a colon or >. */
bool orr_nccl_digits(const struct nccl_line *line, size_t index, uint64_t *out);

/* Bytes of an element of a type by NCCL's name; 0: not known. */
unsigned orr_nccl_type_bytes(const char *name);

struct nccl_device {
    uint32_t rank, group;
    uint64_t pid;
    size_t host; /* index of the word */
    size_t gpu;  /* of the first word of its name */
};

/* Parses a device's line, whose first word is at `first`; group and pid are 0 if they are missing.
 * False: the line is incomplete. */
bool orr_nccl_device(const struct nccl_line *line, size_t first, struct nccl_device *out);

/* Parses `# nThread T nGpus G`. */
bool orr_nccl_settings(const struct nccl_line *line, size_t first, uint32_t *threads,
                       uint32_t *gpus);

#endif
