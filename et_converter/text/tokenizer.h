/* A text as words between white space, each with its line and column. */
#ifndef ORR_ET_CONVERTER_TEXT_TOKENIZER_H
#define ORR_ET_CONVERTER_TEXT_TOKENIZER_H

#include "core/core.h"

struct conv_tokenizer {
    const char *name; /* of the file, for reports */
    const char *text; /* [count] */
    size_t count, at;
    unsigned line, column; /* of `at`, from 1 */
};

struct conv_token {
    const char *text; /* not terminated */
    size_t length;    /* 0: there was none */
    unsigned line, column;
};

void orr_convert_tokenizer_init(struct conv_tokenizer *words, const char *name, const char *text,
                                size_t count);

/* The next word; false at the end, the word is then empty and stands where the text ends. */
bool orr_convert_tokenizer_next(struct conv_tokenizer *words, struct conv_token *word);

/* The next word of the current line; false at its end. */
bool orr_convert_tokenizer_next_in_line(struct conv_tokenizer *words, struct conv_token *word);

bool orr_convert_token_is(const struct conv_token *word, const char *text);

/* A whole number from 0 to `most`; false when it is none. */
bool orr_convert_token_number(const struct conv_token *word, uint64_t max, uint64_t *out);

/* The word for a message: terminated, cut, without control characters. Returns `text`. */
enum { CONV_TOKEN_BYTES = 48 };
const char *orr_convert_token_text(const struct conv_token *word, char text[CONV_TOKEN_BYTES]);

/* "FILE:LINE:COLUMN: WHAT: expected EXPECTED, got "WORD"", or that the file ends there. */
enum orr_status orr_convert_token_fail(const struct conv_tokenizer *words,
                                       const struct conv_token *word, const char *what,
                                       const char *expected, struct orr_diag *diag);

#endif
