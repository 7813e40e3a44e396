/* Tokenizer; see tokenizer.h. */
#include "et_converter/text/tokenizer.h"

#include "core/diag.h"

#include <ctype.h>
#include <string.h>

void orr_convert_tokenizer_init(struct conv_tokenizer *words, const char *name, const char *text,
                                size_t count)
{
    *words = (struct conv_tokenizer){
        .name = name, .text = text != NULL ? text : "", .count = count, .line = 1, .column = 1};
}

static void advance(struct conv_tokenizer *words)
{
    const bool line_ends = words->text[words->at++] == '\n';
    words->line += line_ends ? 1 : 0;
    words->column = line_ends ? 1 : words->column + 1;
}

static bool read_token(struct conv_tokenizer *words, bool in_line, struct conv_token *word)
{
    while (words->at < words->count && isspace((unsigned char)words->text[words->at]) != 0 &&
           !(in_line && words->text[words->at] == '\n')) {
        advance(words);
    }
    *word = (struct conv_token){
        .text = words->text + words->at, .line = words->line, .column = words->column};
    while (words->at < words->count && isspace((unsigned char)words->text[words->at]) == 0) {
        advance(words);
        word->length++;
    }
    return word->length > 0;
}

bool orr_convert_tokenizer_next(struct conv_tokenizer *words, struct conv_token *word)
{
    return read_token(words, false, word);
}

bool orr_convert_tokenizer_next_in_line(struct conv_tokenizer *words, struct conv_token *word)
{
    return read_token(words, true, word);
}

bool orr_convert_token_is(const struct conv_token *word, const char *text)
{
    return strlen(text) == word->length && memcmp(word->text, text, word->length) == 0;
}

bool orr_convert_token_number(const struct conv_token *word, uint64_t max, uint64_t *out)
{
    uint64_t value = 0;
    for (size_t i = 0; i < word->length; i++) {
        const uint64_t digit = (uint64_t)(unsigned char)word->text[i] - '0';
        if (digit > 9 || digit > max || value > (max - digit) / 10) {
            return false;
        }
        value = value * 10 + digit;
    }
    *out = value;
    return word->length > 0;
}

const char *orr_convert_token_text(const struct conv_token *word, char text[CONV_TOKEN_BYTES])
{
    size_t i = 0;
    for (; i < word->length && i + 1 < CONV_TOKEN_BYTES; i++) {
        const unsigned char c = (unsigned char)word->text[i];
        text[i] = (char)(c < 0x20 || c == 0x7F ? '?' : c);
    }
    text[i] = '\0';
    return text;
}

enum orr_status orr_convert_token_fail(const struct conv_tokenizer *words,
                                       const struct conv_token *word, const char *what,
                                       const char *expected, struct orr_diag *diag)
{
    char text[CONV_TOKEN_BYTES];
    const struct orr_location place = orr_location_text(words->name, word->line, word->column);
    if (word->length == 0) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, &place, "%s: expected %s, but the %s ends", what,
                             expected, words->at == words->count ? "file" : "line");
    }
    return orr_diag_fail(diag, ORR_ERR_INPUT, &place, "%s: expected %s, got \"%s\"", what, expected,
                         orr_convert_token_text(word, text));
}
