/* Parser of record labels; see flexflow_label.h. */
#include "et_converter/flexflow/flexflow_label.h"

#include "core/arena.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct splitter {
    struct label_fields *out;
    char *text;        /* copy of the label; the fields point into it */
    size_t begin, end; /* of the current field, in text */
    unsigned depth;
    bool closed; /* a group ended behind the last '|' */
};

/* Ends the current field, without surrounding white space. */
static bool end_field(struct splitter *splitter)
{
    struct label_fields *out = splitter->out;
    char *text = splitter->text;
    size_t first = splitter->begin, last = splitter->end;
    while (first < last && isspace((unsigned char)text[first])) {
        first++;
    }
    while (last > first && isspace((unsigned char)text[last - 1])) {
        last--;
    }
    if (splitter->closed && first == last) {
        splitter->closed = false;
        return true; /* it was a group */
    }
    if (out->count == LABEL_MAX_FIELDS || splitter->closed) {
        return false;
    }
    text[last] = '\0';
    out->depth[out->count] = splitter->depth;
    out->field[out->count++] = text + first;
    return true;
}

static bool only_space(const struct splitter *splitter)
{
    for (size_t i = splitter->begin; i < splitter->end; i++) {
        if (!isspace((unsigned char)splitter->text[i])) {
            return false;
        }
    }
    return true;
}

/* Handles one of "{|}"; the next field starts behind it. `next`: its position in the text. */
static bool mark(struct splitter *splitter, char at, size_t next)
{
    bool good = true;
    if (at == '{') {
        good = only_space(splitter) && !splitter->closed;
        splitter->depth++;
    } else {
        good = end_field(splitter) && (at == '|' || splitter->depth > 0);
        splitter->depth -= at == '}' ? 1 : 0;
        splitter->closed = at == '}';
    }
    splitter->begin = splitter->end = next;
    return good;
}

bool orr_label_split(struct label_fields *out, const char *label, struct orr_arena *arena,
                     const char **problem)
{
    struct splitter splitter = {.out = out};
    const size_t length = strlen(label);
    *out = (struct label_fields){.count = 0};
    *problem = "a label without matching braces, or of more than 16 fields";
    splitter.text = orr_arena_strndup(arena, label, length);
    if (splitter.text == NULL) {
        *problem = "more memory than there is";
        return false;
    }
    for (size_t i = 0; i < length; i++) {
        const char at = label[i];
        if (at == '{' || at == '|' || at == '}') {
            if (!mark(&splitter, at, i + 1)) {
                return false;
            }
            continue;
        }
        const bool escape = at == '\\' && i + 1 < length;
        splitter.text[splitter.end++] = escape ? label[++i] : at;
    }
    return splitter.depth == 0 && end_field(&splitter);
}

bool orr_label_number(const char *field, double *out)
{
    char *end;
    errno = 0;
    *out = strtod(field, &end);
    return end != field && *end == '\0' && isfinite(*out);
}

bool orr_label_integer(const char *field, uint64_t *out)
{
    char *end;
    errno = 0;
    *out = strtoull(field, &end, 10);
    return isdigit((unsigned char)field[0]) && *end == '\0' && errno == 0;
}

const char *orr_label_value(const char *field, const char *key)
{
    const size_t length = strlen(key);
    if (strncmp(field, key, length) != 0) {
        return NULL;
    }
    field += length;
    field += strspn(field, " \t");
    if (*field != '=') {
        return NULL;
    }
    return field + 1 + strspn(field + 1, " \t");
}
