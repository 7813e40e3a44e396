/* Lines of nccl-tests; see nccl_line.h. */
#include "study/measured/nccl_line.h"

#include <stdio.h>
#include <string.h>

#include "study/measured/measured_build.h"
#include "study/measured/measured_fields.h"
#include "study/measured/nccl_columns.h"

enum { FURTHEST_ROW = 4 }; /* a prefix has fewer words */

/* ---- words ---- */

/* What stands between words: blanks, the bars of a table in Markdown, and the commas of a table. */
static const char *blanks_of(const struct nccl_line *line)
{
    enum { FEWEST_COMMAS = 6 }; /* a row has more; other lines may have some */
    size_t commas = 0;
    for (size_t i = 0; i < line->length; i++) {
        commas += line->begin[i] == ',' ? 1 : 0;
    }
    return commas >= FEWEST_COMMAS ? " \t\r|," : " \t\r|";
}

static bool is_blank(const char *blanks, char c)
{
    return c != '\0' && strchr(blanks, c) != NULL;
}

/* The # of a comment; that of the column #wrong is none. */
static const char *find_hash(const struct nccl_line *line)
{
    static const char wrong[] = "#wrong";
    const char *hash = memchr(line->begin, '#', line->length);
    const size_t rest = hash != NULL ? (size_t)(line->begin + line->length - hash) : 0;
    return rest >= sizeof wrong - 1 && memcmp(hash, wrong, sizeof wrong - 1) == 0 ? NULL : hash;
}

/* Takes the units out of a line with names of columns: "time (us)", "algbw(GB/s)"; and the \ of a
 * Markdown table's "\#wrong". */
static void drop_units(struct nccl_line *line)
{
    size_t kept = 0;
    for (size_t i = 0; i < line->words; i++) {
        struct nccl_word word = line->word[i];
        const char *open = memchr(word.at, '(', word.length);
        word.length = open != NULL ? (size_t)(open - word.at) : word.length;
        if (word.length > 1 && word.at[0] == '\\') {
            word.at++;
            word.length--;
        }
        line->comment = line->comment == i ? kept : line->comment;
        if (word.length > 0) {
            line->word[kept++] = word;
        }
    }
    line->words = kept;
}

static void split(struct nccl_line *line)
{
    const char *end = line->begin + line->length, *blanks = blanks_of(line);
    const char *hash = find_hash(line);
    bool header = false;
    line->words = 0;
    line->comment = SIZE_MAX;
    for (const char *at = line->begin; at < end && line->words < NCCL_MAX_WORDS;) {
        if (at == hash) {
            line->comment = line->words;
            at++;
        } else if (is_blank(blanks, *at)) {
            at++;
        } else {
            const char *begin = at;
            while (at < end && at != hash && !is_blank(blanks, *at)) {
                at++;
            }
            line->word[line->words++] = (struct nccl_word){begin, (size_t)(at - begin)};
            header = header || (at - begin >= 5 && memcmp(begin, "algbw", 5) == 0);
        }
    }
    if (header) {
        drop_units(line);
    }
}

bool orr_nccl_next_line(const char *data, size_t bytes, size_t *at, struct nccl_line *line)
{
    if (*at >= bytes) {
        return false;
    }
    const char *begin = data + *at;
    const char *feed = memchr(begin, '\n', bytes - *at);
    line->begin = begin;
    line->length = feed != NULL ? (size_t)(feed - begin) : bytes - *at;
    line->ended = feed != NULL;
    line->number++;
    *at += line->length + 1;
    split(line);
    return true;
}

char *orr_nccl_word(const struct nccl_line *line, size_t index, char *text)
{
    const struct nccl_word none = {"", 0};
    const struct nccl_word *word = index < line->words ? &line->word[index] : &none;
    (void)snprintf(text, NCCL_WORD_BYTES, "%.*s",
                   (int)(word->length < NCCL_WORD_BYTES ? word->length : NCCL_WORD_BYTES - 1),
                   word->at);
    return text;
}

bool orr_nccl_word_is(const struct nccl_line *line, size_t index, const char *text)
{
    return index < line->words && strlen(text) == line->word[index].length &&
           memcmp(line->word[index].at, text, line->word[index].length) == 0;
}

uint32_t orr_nccl_column(const struct nccl_line *line, size_t index)
{
    return index < line->words ? (uint32_t)(line->word[index].at - line->begin) + 1 : 1;
}

bool orr_nccl_digits(const struct nccl_line *line, size_t index, uint64_t *out)
{
    char text[NCCL_WORD_BYTES];
    (void)orr_nccl_word(line, index, text);
    const size_t length = strlen(text);
    size_t begin = length;
    while (begin > 0 && text[begin - 1] >= '0' && text[begin - 1] <= '9') {
        begin--;
    }
    const bool whole = begin == 0 || text[begin - 1] == ':' || text[begin - 1] == '>';
    return begin < length && whole && orr_measured_integer(text + begin, out);
}

/* A word that is only a number. */
static bool number_at(const struct nccl_line *line, size_t index, uint64_t *out)
{
    char text[NCCL_WORD_BYTES];
    return index < line->words && orr_measured_integer(orr_nccl_word(line, index, text), out);
}

/* ---- kinds of lines ---- */

bool orr_nccl_is_cut(const struct nccl_line *line)
{
    const struct nccl_word *last = line->words > 0 ? &line->word[line->words - 1] : NULL;
    return last != NULL && last->length >= 3 && memcmp(last->at + last->length - 3, "...", 3) == 0;
}

static bool has_word(const struct nccl_line *line, size_t first, const char *text)
{
    while (first < line->words && !orr_nccl_word_is(line, first, text)) {
        first++;
    }
    return first < line->words;
}

/* "Ra...", "..." */
static bool is_cut_device(const struct nccl_line *line, size_t first)
{
    return line->words == first + 1 && line->word[first].length <= 7 && orr_nccl_is_cut(line) &&
           memcmp(line->word[first].at, "Rank", line->word[first].length - 3) == 0;
}

static enum nccl_kind comment_kind(const struct nccl_line *line, size_t first)
{
    uint64_t number;
    struct nccl_device device;
    if (orr_nccl_word_is(line, first, "Collective") && orr_nccl_word_is(line, first + 1, "test") &&
        orr_nccl_word_is(line, first + 2, "starting:") && first + 3 < line->words) {
        return NCCL_STARTING;
    }
    if (orr_nccl_word_is(line, first, "Out") && orr_nccl_word_is(line, first + 1, "of") &&
        orr_nccl_word_is(line, first + 2, "bounds")) {
        return NCCL_BOUNDS;
    }
    if ((orr_nccl_word_is(line, first, "Avg") && orr_nccl_word_is(line, first + 1, "bus")) ||
        (orr_nccl_word_is(line, first, "Collective") &&
         orr_nccl_word_is(line, first + 2, "concluded:"))) {
        return NCCL_END;
    }
    if (orr_nccl_word_is(line, first, "nThread") && number_at(line, first + 1, &number)) {
        return NCCL_SETTINGS;
    }
    if (orr_nccl_word_is(line, first, "Using") && orr_nccl_word_is(line, first + 1, "devices")) {
        return NCCL_DEVICES;
    }
    if (orr_nccl_word_is(line, first, "Rank")) {
        return orr_nccl_device(line, first, &device) ? NCCL_DEVICE : NCCL_CUT;
    }
    if (orr_nccl_word_is(line, first, "size") && has_word(line, first, "algbw") &&
        has_word(line, first, "busbw")) {
        return NCCL_HEADER;
    }
    return is_cut_device(line, first) ? NCCL_CUT : NCCL_OTHER;
}

/* A comment whose # was lost, as in what was copied from a page. */
static enum nccl_kind bare_kind(const struct nccl_line *line, size_t *first)
{
    for (size_t i = 0; i < FURTHEST_ROW && i < line->words; i++) {
        const enum nccl_kind kind = comment_kind(line, i);
        if (kind != NCCL_OTHER && kind != NCCL_CUT) {
            *first = i;
            return kind;
        }
    }
    return NCCL_OTHER;
}

static enum nccl_kind plain_kind(const struct nccl_line *line, size_t *first)
{
    uint64_t number;
    for (size_t i = 0; i < FURTHEST_ROW && i + 2 < line->words; i++) {
        const char type = line->word[i + 2].at[0];
        const bool letter = (type >= 'a' && type <= 'z') || (type >= 'A' && type <= 'Z');
        if (letter && orr_nccl_digits(line, i, &number) && number_at(line, i + 1, &number)) {
            *first = i;
            return NCCL_ROW;
        }
    }
    const bool cut = line->words > 0 && orr_nccl_word_is(line, line->words - 1, "...");
    return cut ? NCCL_CUT : bare_kind(line, first);
}

enum nccl_kind orr_nccl_kind(const struct nccl_line *line, size_t *first)
{
    *first = line->comment != SIZE_MAX ? line->comment : 0;
    return line->comment != SIZE_MAX ? comment_kind(line, *first) : plain_kind(line, first);
}

/* A row of numbers behind the name of a type; a table as CSV has none. */
static bool is_row_alone(const struct nccl_line *line, size_t first)
{
    struct nccl_columns columns;
    char type[NCCL_WORD_BYTES];
    return orr_nccl_type_bytes(orr_nccl_word(line, first + 2, type)) > 0 &&
           orr_nccl_columns_by_row(line, first, &columns);
}

/* The header of a table with our columns, which may have some of nccl-tests' too. */
static bool is_own_table(const struct nccl_line *line)
{
    return has_word(line, 0, "collective") || has_word(line, 0, "npus");
}

bool orr_measured_is_text(const char *data, size_t bytes)
{
    struct nccl_line line = {0};
    size_t first;
    for (size_t at = 0; orr_nccl_next_line(data, bytes, &at, &line);) {
        const enum nccl_kind kind = orr_nccl_kind(&line, &first);
        if (kind == NCCL_STARTING || kind == NCCL_SETTINGS || kind == NCCL_DEVICES ||
            (kind == NCCL_HEADER && !is_own_table(&line)) ||
            (kind == NCCL_ROW && is_row_alone(&line, first))) {
            return true;
        }
    }
    return false;
}

/* ---- parts of lines ---- */

unsigned orr_nccl_type_bytes(const char *name)
{
    static const struct {
        const char *name;
        unsigned bytes;
    } types[] = {{"int8", 1},     {"uint8", 1},    {"char", 1},   {"f8e4m3", 1},  {"f8e5m2", 1},
                 {"fp8_e4m3", 1}, {"fp8_e5m2", 1}, {"half", 2},   {"float16", 2}, {"bfloat16", 2},
                 {"int32", 4},    {"uint32", 4},   {"int", 4},    {"float", 4},   {"float32", 4},
                 {"int64", 8},    {"uint64", 8},   {"double", 8}, {"float64", 8}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (strcmp(types[i].name, name) == 0) {
            return types[i].bytes;
        }
    }
    return 0;
}

static bool named_number(const struct nccl_line *line, size_t *at, const char *name, uint64_t *out)
{
    if (!orr_nccl_word_is(line, *at, name) || !number_at(line, *at + 1, out)) {
        return false;
    }
    *at += 2;
    return true;
}

bool orr_nccl_device(const struct nccl_line *line, size_t first, struct nccl_device *out)
{
    uint64_t rank, group = 0, pid = 0, device;
    size_t at = first;
    if (!named_number(line, &at, "Rank", &rank) || rank >= INT32_MAX) {
        return false;
    }
    if (named_number(line, &at, "Group", &group) && group >= INT32_MAX) {
        return false;
    }
    (void)named_number(line, &at, "Pid", &pid);
    if (!orr_nccl_word_is(line, at, "on") || at + 1 >= line->words) {
        return false;
    }
    *out = (struct nccl_device){
        .rank = (uint32_t)rank, .group = (uint32_t)group, .pid = pid, .host = at + 1};
    at += 2;
    const bool whole = named_number(line, &at, "device", &device);
    out->gpu = at + 1; /* behind the address of the bus */
    return whole;
}

bool orr_nccl_settings(const struct nccl_line *line, size_t first, uint32_t *threads,
                       uint32_t *gpus)
{
    uint64_t t, g;
    size_t at = first;
    if (!named_number(line, &at, "nThread", &t) || !named_number(line, &at, "nGpus", &g) ||
        t == 0 || g == 0 || t > UINT16_MAX || g > UINT16_MAX) {
        return false;
    }
    *threads = (uint32_t)t;
    *gpus = (uint32_t)g;
    return true;
}
