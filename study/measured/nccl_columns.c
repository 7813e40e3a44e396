/* Columns of nccl-tests; see nccl_columns.h. */
#include "study/measured/nccl_columns.h"

#include <string.h>

#include "study/measured/measured_fields.h"

static bool is_time(const struct nccl_line *line, size_t word)
{
    return orr_nccl_word_is(line, word, "time") || orr_nccl_word_is(line, word, "cputime");
}

static size_t find_time(const struct nccl_line *line, size_t from)
{
    while (from < line->words && !is_time(line, from)) {
        from++;
    }
    return from;
}

/* Position of a column in the first half; SIZE_MAX: missing. */
static size_t in_half(const struct nccl_line *line, size_t time, size_t per_half, const char *name)
{
    for (size_t i = 0; i < per_half; i++) {
        if (orr_nccl_word_is(line, time + i, name)) {
            return i;
        }
    }
    return SIZE_MAX;
}

/* Finds the halves in a header whose first time is before `end`; false if they differ. */
static bool find_halves(const struct nccl_line *line, size_t time, size_t end,
                        struct nccl_columns *out)
{
    const size_t second = find_time(line, time + 1);
    out->halves = second < end ? 2 : 1;
    out->per_half = (second < end ? second : end) - time;
    out->algbw = in_half(line, time, out->per_half, "algbw");
    out->busbw = in_half(line, time, out->per_half, "busbw");
    out->wrong = in_half(line, time, out->per_half, "#wrong");
    for (size_t i = 0; i < 2 && out->wrong == SIZE_MAX; i++) { /* old; the # was lost */
        out->wrong = in_half(line, time, out->per_half, i == 0 ? "error" : "wrong");
        out->error = i == 0 && out->wrong != SIZE_MAX;
    }
    out->cpu = orr_nccl_word_is(line, time, "cputime");
    return out->algbw != SIZE_MAX && out->busbw != SIZE_MAX &&
           (out->halves == 1 || end - second == out->per_half);
}

bool orr_nccl_columns_of(const struct nccl_line *line, size_t first, struct nccl_columns *out)
{
    *out = (struct nccl_columns){.stamps = orr_nccl_word_is(line, line->words - 1, "timestamp")};
    const size_t end = line->words - (out->stamps ? 1 : 0), time = find_time(line, first);
    if (!orr_nccl_word_is(line, first + 1, "count") || !orr_nccl_word_is(line, first + 2, "type") ||
        time >= end || !find_halves(line, time, end, out)) {
        return false;
    }
    for (size_t i = first + 3; i < time; i++) {
        out->redop = out->redop || orr_nccl_word_is(line, i, "redop");
    }
    out->texts = time - first - 2;
    out->known = true;
    return true;
}

size_t orr_nccl_row_words(const struct nccl_line *line, const struct nccl_columns *columns)
{
    size_t words = line->words;
    for (unsigned i = 0; i < 2 && columns->stamps && words > 0; i++) {
        const struct nccl_word *last = &line->word[words - 1];
        const char mark = i == 0 ? ':' : '-';
        words -= last->length > 0 && last->at[0] >= '0' && last->at[0] <= '9' &&
                         memchr(last->at, mark, last->length) != NULL &&
                         memchr(last->at, 'e', last->length) == NULL /* 1e-07 */
                     ? 1
                     : 0;
    }
    return words;
}

static bool is_number(const struct nccl_line *line, size_t word)
{
    char text[NCCL_WORD_BYTES];
    struct measured_number number;
    return orr_measured_number(orr_nccl_word(line, word, text), &number);
}

bool orr_nccl_columns_by_row(const struct nccl_line *line, size_t first, struct nccl_columns *out)
{
    enum { HALF = 4 };
    *out = (struct nccl_columns){
        .per_half = HALF, .algbw = 1, .busbw = 2, .wrong = 3, .stamps = true, .redop = true};
    const size_t words = orr_nccl_row_words(line, out);
    out->stamps = words != line->words;
    size_t at = first + 3; /* behind size, count and type */
    at += at < words && !is_number(line, at) ? 1 : 0;
    const size_t results = words > at ? words - at : 0;
    const size_t root = results % HALF;
    out->error = root == 0; /* both are of the old form */
    out->halves = results / HALF;
    out->texts = at + root - first - 2 + (at == first + 3 ? 1 : 0); /* a blank redop counts */
    out->known = root <= 1 && (out->halves == 1 || out->halves == 2) && is_number(line, at + root);
    return out->known;
}
