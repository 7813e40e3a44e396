/* Tokenizer: words between white space, with line and column. */
#ifndef ORR_ET_CONVERTER_TEXT_TOKENIZER_H
#define ORR_ET_CONVERTER_TEXT_TOKENIZER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/status.h"

struct orr_diag;

struct conv_tokenizer {
    const char *name; /* of the file, for messages */
    const char *text; /* [count] */
    size_t count, at;
    unsigned line, column; /* of `at`, from 1 */
};

struct conv_token {
    const char *text; /* not terminated */
    size_t length;    /* 0: none */
    unsigned line, column;
};

void orr_convert_tokenizer_init(struct conv_tokenizer *words, const char *name, const char *text,
                                size_t count);

/* The next word; false at the end, where the word is empty and has the location of the end. */
bool orr_convert_tokenizer_next(struct conv_tokenizer *words, struct conv_token *word);

/* The next word of the current line; false at its end. */
bool orr_convert_tokenizer_next_in_line(struct conv_tokenizer *words, struct conv_token *word);

bool orr_convert_token_is(const struct conv_token *word, const char *text);

/* Parses an integer from 0 to `max`; false if it is none. */
bool orr_convert_token_number(const struct conv_token *word, uint64_t max, uint64_t *out);

/* Copies the word for a message: zero-terminated, truncated, control characters as '?'. Returns
 * `text`. */
enum { CONV_TOKEN_BYTES = 48 };
const char *orr_convert_token_text(const struct conv_token *word, char text[CONV_TOKEN_BYTES]);

/* Fails with "FILE:LINE:COLUMN: WHAT: expected EXPECTED, got "WORD"", or that file or line ends
 * there. */
enum orr_status orr_convert_token_fail(const struct conv_tokenizer *words,
                                       const struct conv_token *word, const char *what,
                                       const char *expected, struct orr_diag *diag);

#endif
