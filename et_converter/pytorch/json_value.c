/* JSON documents: access to values (json_scan.h), and building (json_private.h). */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/arena.h"
#include "et_converter/pytorch/json_private.h"

enum { MAX_TEXT_BYTES = 1 << 30 };

static const struct js_token *token_of(struct js_value value)
{
    return value.doc != NULL && value.at < value.doc->tokens ? &value.doc->token[value.at] : NULL;
}

static struct js_value nothing(void)
{
    return (struct js_value){NULL, UINT32_MAX};
}

enum js_kind orr_js_kind_of(struct js_value value)
{
    const struct js_token *token = token_of(value);
    return token != NULL ? (enum js_kind)token->kind : JS_NONE;
}

struct js_value orr_js_first(struct js_value in)
{
    const struct js_token *token = token_of(in);
    const bool has = token != NULL && token->kind >= JS_LIST && token->next > in.at + 1;
    return has ? (struct js_value){in.doc, in.at + 1} : nothing();
}

struct js_value orr_js_next(struct js_value in, struct js_value value)
{
    const struct js_token *token = token_of(value), *outer = token_of(in);
    const bool has = token != NULL && outer != NULL && token->next < outer->next;
    return has ? (struct js_value){value.doc, token->next} : nothing();
}

/* Most of the time of a reader goes here: the tokens are walked without checks. */
struct js_value orr_js_member(struct js_value object, const char *name)
{
    if (orr_js_kind_of(object) != JS_OBJECT) {
        return nothing();
    }
    const struct js_token *token = object.doc->token;
    const char *text = object.doc->text;
    const size_t length = strlen(name);
    const uint32_t end = token[object.at].next;
    for (uint32_t key = object.at + 1; key < end; key = token[token[key].next].next) {
        if (token[key].length == length && memcmp(text + token[key].text, name, length) == 0) {
            return (struct js_value){object.doc, token[key].next};
        }
    }
    return nothing();
}

struct js_value orr_js_item(struct js_value list, uint32_t index)
{
    struct js_value item = orr_js_kind_of(list) == JS_LIST ? orr_js_first(list) : nothing();
    for (; index > 0 && orr_js_kind_of(item) != JS_NONE; index--) {
        item = orr_js_next(list, item);
    }
    return item;
}

uint32_t orr_js_count(struct js_value list)
{
    uint32_t count = 0;
    struct js_value item = orr_js_kind_of(list) == JS_LIST ? orr_js_first(list) : nothing();
    for (; orr_js_kind_of(item) != JS_NONE; item = orr_js_next(list, item)) {
        count++;
    }
    return count;
}

const char *orr_js_text(struct js_value value)
{
    const struct js_token *token = token_of(value);
    const bool has = token != NULL && (token->kind == JS_TEXT || token->kind == JS_NUMBER);
    return has ? value.doc->text + token->text : NULL;
}

bool orr_js_integer(struct js_value value, int64_t *out)
{
    const char *text = orr_js_text(value);
    if (text == NULL || *text == '\0') {
        return false;
    }
    char *end;
    errno = 0;
    const int64_t integer = strtoll(text, &end, 10);
    if (*end == '\0' && errno == 0) {
        *out = integer;
        return true;
    }
    const double real = strtod(text, &end);
    const bool fits = *end == '\0' && real >= -0x1p63 && real < 0x1p63;
    if (fits) {
        *out = (int64_t)real;
    }
    return fits;
}

bool orr_js_real(struct js_value value, double *out)
{
    const char *text = orr_js_text(value);
    if (text == NULL || *text == '\0') {
        return false;
    }
    char *end;
    *out = strtod(text, &end);
    return *end == '\0';
}

/* ---- building ---- */

bool orr_js_grow_text(struct js_doc *doc, size_t bytes)
{
    return doc->text_bytes + bytes <= MAX_TEXT_BYTES &&
           orr_heap_reserve(&doc->text, &doc->text_capacity, doc->text_bytes + bytes, 1);
}

uint32_t orr_js_add_token(struct js_doc *doc, enum js_kind kind)
{
    if (doc->tokens >= UINT32_MAX - 1 || (doc->tokens == doc->token_capacity &&
                                          !orr_heap_reserve(&doc->token, &doc->token_capacity,
                                                            doc->tokens + 1, sizeof *doc->token))) {
        return UINT32_MAX;
    }
    doc->token[doc->tokens] = (struct js_token){.text = (uint32_t)doc->text_bytes,
                                                .next = (uint32_t)doc->tokens + 1,
                                                .kind = (uint8_t)kind};
    return (uint32_t)doc->tokens++;
}

void orr_js_add_utf8(struct js_doc *doc, int32_t code)
{
    char *out = doc->text + doc->text_bytes;
    const uint32_t c = code == 0 || (code >= 0xD800 && code < 0xE000) ? 0xFFFD : (uint32_t)code;
    if (c < 0x80) {
        out[0] = (char)c;
        doc->text_bytes += 1;
    } else if (c < 0x800) {
        out[0] = (char)(0xC0 | c >> 6);
        out[1] = (char)(0x80 | (c & 0x3F));
        doc->text_bytes += 2;
    } else {
        out[0] = (char)(0xE0 | c >> 12);
        out[1] = (char)(0x80 | (c >> 6 & 0x3F));
        out[2] = (char)(0x80 | (c & 0x3F));
        doc->text_bytes += 3;
    }
}

void orr_js_doc_free(struct js_doc *doc)
{
    orr_heap_free(doc->token);
    orr_heap_free(doc->text);
    *doc = (struct js_doc){0};
}
