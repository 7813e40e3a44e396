/* Streaming JSON scanner; see json_scan.h. */
#include "core/arena.h"
#include "et_converter/pytorch/json_private.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <zlib.h>

enum { WINDOW_BYTES = 256 * 1024, MAX_DEPTH = 200 };

struct scan {
    const char *path;
    gzFile file;  /* NULL: the window holds all of the text */
    char *buffer; /* buffer of the window */
    const char *window;
    size_t at, end;
    uint64_t before;     /* bytes of the text before the window */
    uint64_t line_start; /* offset of the line's first byte */
    unsigned line;
    struct js_doc *doc;
    const char *in;      /* name of the current list, or NULL */
    uint64_t index;      /* index of its current item */
    uint64_t file_bytes; /* compressed; for progress */
    const struct conv_progress *progress;
    bool ended; /* the text ended too early */
    struct orr_diag *diag;
};

/* ---- bytes ---- */

static unsigned column_of(const struct scan *scan)
{
    const uint64_t column = scan->before + scan->at - scan->line_start + 1;
    return column < UINT32_MAX ? (unsigned)column : UINT32_MAX;
}

static enum orr_status fail_at(struct scan *scan, const char *what)
{
    const struct orr_location place = orr_location_text(scan->path, scan->line, column_of(scan));
    if (scan->in != NULL) {
        return orr_diag_fail(scan->diag, ORR_ERR_INPUT, &place, "%s, in \"%s\", item %" PRIu64,
                             what, scan->in, scan->index);
    }
    return orr_diag_fail(scan->diag, ORR_ERR_INPUT, &place, "%s", what);
}

static enum orr_status fail_ended(struct scan *scan)
{
    int code = Z_OK;
    const char *text = scan->file != NULL ? gzerror(scan->file, &code) : "";
    if (code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR) {
        const struct orr_location place = orr_location_file(scan->path);
        return orr_diag_fail(scan->diag, ORR_ERR_INPUT, &place, "cannot be decompressed: %s", text);
    }
    scan->ended = true;
    return fail_at(scan, "the file ends too early: was the profiler stopped before the program "
                         "ended?");
}

/* Reads the next window; false at the end. */
static bool refill(struct scan *scan)
{
    if (scan->file == NULL) {
        return false;
    }
    scan->before += scan->end;
    scan->at = scan->end = 0;
    const int got = gzread(scan->file, scan->buffer, WINDOW_BYTES);
    scan->end = got > 0 ? (size_t)got : 0;
    if (scan->progress != NULL && scan->progress->show != NULL) {
        const z_off_t done = gzoffset(scan->file);
        scan->progress->show(scan->progress->user, done > 0 ? (uint64_t)done : 0, scan->file_bytes);
    }
    return scan->end > 0;
}

static inline bool has_byte(struct scan *scan)
{
    return scan->at < scan->end || refill(scan);
}

/* The next byte that is not white space; -1 at the end. */
static int peek(struct scan *scan)
{
    do {
        size_t at = scan->at;
        const size_t end = scan->end;
        for (; at < end; at++) {
            const unsigned char byte = (unsigned char)scan->window[at];
            if (byte > ' ' || (byte != ' ' && byte != '\n' && byte != '\t' && byte != '\r')) {
                scan->at = at;
                return byte;
            }
            if (byte == '\n') {
                scan->line++;
                scan->line_start = scan->before + at + 1;
            }
        }
        scan->at = at;
    } while (refill(scan));
    return -1;
}

/* ---- the document ---- */

static enum orr_status no_memory(struct scan *scan)
{
    return orr_diag_no_memory(scan->diag, "an item of a JSON file");
}

static enum orr_status end_text(struct scan *scan, uint32_t token)
{
    struct js_doc *doc = scan->doc;
    if (!orr_js_reserve_text(doc, 1)) {
        return no_memory(scan);
    }
    doc->token[token].length = (uint32_t)(doc->text_bytes - doc->token[token].text);
    doc->text[doc->text_bytes++] = '\0';
    return ORR_OK;
}

/* ---- text ---- */

static int hex_digit(char digit)
{
    static const char digits[] = "0123456789abcdef";
    const char lower = digit >= 'A' && digit <= 'F' ? (char)(digit - 'A' + 'a') : digit;
    const char *found = lower != '\0' ? strchr(digits, lower) : NULL;
    return found != NULL ? (int)(found - digits) : -1;
}

/* The four digits of a \u; -1 if they are missing. */
static int32_t hex_escape(struct scan *scan)
{
    int32_t code = 0;
    for (unsigned i = 0; i < 4; i++) {
        const int digit = has_byte(scan) ? hex_digit(scan->window[scan->at]) : -1;
        if (digit < 0) {
            return -1;
        }
        code = code * 16 + digit;
        scan->at++;
    }
    return code;
}

static enum orr_status scan_escape(struct scan *scan)
{
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    if (!has_byte(scan)) {
        return fail_ended(scan);
    }
    if (!orr_js_reserve_text(scan->doc, 4)) {
        return no_memory(scan);
    }
    const char byte = scan->window[scan->at];
    const char *found = byte != '\0' ? strchr(from, byte) : NULL;
    if (byte != 'u' && found == NULL) {
        return fail_at(scan, "expected one of \"\\/bfnrtu behind a backslash");
    }
    scan->at++;
    if (found != NULL) {
        scan->doc->text[scan->doc->text_bytes++] = to[found - from];
        return ORR_OK;
    }
    const int32_t code = hex_escape(scan);
    if (code < 0) {
        return has_byte(scan) ? fail_at(scan, "expected four hexadecimal digits behind \\u")
                              : fail_ended(scan);
    }
    orr_js_add_utf8(scan->doc, code);
    return ORR_OK;
}

/* Number of bytes from scan->at on that need no escape. */
static size_t plain_bytes(const struct scan *scan)
{
    const char *begin = scan->window + scan->at;
    const size_t max = scan->end - scan->at;
    const char *quote = max > 0 ? memchr(begin, '"', max) : NULL;
    const size_t text = quote != NULL ? (size_t)(quote - begin) : max;
    const char *escape = text > 0 ? memchr(begin, '\\', text) : NULL;
    return escape != NULL ? (size_t)(escape - begin) : text;
}

/* Scans a text; the opening quote is consumed. */
static enum orr_status scan_text(struct scan *scan)
{
    const uint32_t token = orr_js_add_token(scan->doc, JS_TEXT);
    enum orr_status status = token != UINT32_MAX ? ORR_OK : no_memory(scan);
    while (status == ORR_OK) {
        if (!has_byte(scan)) {
            return fail_ended(scan);
        }
        const size_t plain = plain_bytes(scan);
        if (!orr_js_reserve_text(scan->doc, plain)) {
            return no_memory(scan);
        }
        if (plain > 0) {
            memcpy(scan->doc->text + scan->doc->text_bytes, scan->window + scan->at, plain);
        }
        scan->doc->text_bytes += plain;
        scan->at += plain;
        if (scan->at == scan->end) {
            continue;
        }
        if (scan->window[scan->at++] == '"') {
            return end_text(scan, token);
        }
        status = scan_escape(scan);
    }
    return status;
}

/* ---- words and numbers ---- */

static bool in_word(char byte)
{
    const unsigned char letter = (unsigned char)byte | 0x20;
    return (byte >= '-' && byte <= '9' && byte != '/') || (letter >= 'a' && letter <= 'z') ||
           byte == '+';
}

static enum js_kind word_kind(const char *word)
{
    static const struct {
        const char *word;
        enum js_kind kind;
    } words[] = {{"null", JS_NULL},  {"false", JS_FALSE}, {"true", JS_TRUE},
                 {"nan", JS_NUMBER}, {"inf", JS_NUMBER},  {"infinity", JS_NUMBER}};
    const char *digits = *word == '-' ? word + 1 : word;
    if (*digits >= '0' && *digits <= '9') {
        return JS_NUMBER;
    }
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strcasecmp(words[i].kind == JS_NUMBER ? digits : word, words[i].word) == 0) {
            return words[i].kind;
        }
    }
    return JS_NONE;
}

static enum orr_status scan_word(struct scan *scan)
{
    const uint32_t token = orr_js_add_token(scan->doc, JS_NONE);
    if (token == UINT32_MAX) {
        return no_memory(scan);
    }
    while (has_byte(scan) && in_word(scan->window[scan->at])) {
        const char *begin = scan->window + scan->at;
        size_t bytes = 1;
        while (scan->at + bytes < scan->end && in_word(begin[bytes])) {
            bytes++;
        }
        if (!orr_js_reserve_text(scan->doc, bytes)) {
            return no_memory(scan);
        }
        memcpy(scan->doc->text + scan->doc->text_bytes, begin, bytes);
        scan->doc->text_bytes += bytes;
        scan->at += bytes;
    }
    enum orr_status status = end_text(scan, token);
    if (status == ORR_OK) {
        struct js_token *made = &scan->doc->token[token];
        made->kind = (uint8_t)word_kind(scan->doc->text + made->text);
        if (made->kind == JS_NONE) {
            status = fail_at(scan, "expected a value");
        }
    }
    return status;
}

/* ---- values ---- */

static enum orr_status scan_value(struct scan *scan, unsigned depth);

static enum orr_status expect(struct scan *scan, char byte, const char *what)
{
    const int next = peek(scan);
    if (next == byte) {
        scan->at++;
        return ORR_OK;
    }
    return next < 0 ? fail_ended(scan) : fail_at(scan, what);
}

static enum orr_status scan_name(struct scan *scan)
{
    enum orr_status status = expect(scan, '"', "expected the name of a member in quotes");
    if (status == ORR_OK) {
        status = scan_text(scan);
    }
    return status == ORR_OK ? expect(scan, ':', "expected a colon behind a member's name") : status;
}

/* Scans what follows an item: *more if a comma, else the closing bracket, which is consumed. */
static enum orr_status scan_comma(struct scan *scan, bool is_object, bool *more)
{
    const int next = peek(scan);
    *more = next == ',';
    if (next < 0) {
        return fail_ended(scan);
    }
    if (!*more && next != (is_object ? '}' : ']')) {
        return fail_at(scan, is_object ? "expected a comma or a closing brace"
                                       : "expected a comma or a closing bracket");
    }
    scan->at++;
    return ORR_OK;
}

/* Scans a list or object; the opening bracket is consumed. */
static enum orr_status scan_container(struct scan *scan, bool is_object, unsigned depth)
{
    const uint32_t token = orr_js_add_token(scan->doc, is_object ? JS_OBJECT : JS_LIST);
    if (token == UINT32_MAX) {
        return no_memory(scan);
    }
    if (depth == MAX_DEPTH) {
        return fail_at(scan, "values are nested deeper than 200 levels");
    }
    enum orr_status status = ORR_OK;
    bool more = peek(scan) != (is_object ? '}' : ']');
    scan->at += !more;
    while (more && status == ORR_OK) {
        status = is_object ? scan_name(scan) : ORR_OK;
        if (status == ORR_OK) {
            status = scan_value(scan, depth + 1);
        }
        if (status == ORR_OK) {
            status = scan_comma(scan, is_object, &more);
        }
    }
    scan->doc->token[token].next = (uint32_t)scan->doc->tokens;
    return status;
}

static enum orr_status scan_value(struct scan *scan, unsigned depth)
{
    const int next = peek(scan);
    if (next < 0) {
        return fail_ended(scan);
    }
    if (next != '"' && next != '{' && next != '[') {
        return scan_word(scan);
    }
    scan->at++;
    return next == '"' ? scan_text(scan) : scan_container(scan, next == '{', depth);
}

static enum orr_status scan_one(struct scan *scan, struct js_value *out)
{
    scan->doc->tokens = scan->doc->text_bytes = 0;
    *out = (struct js_value){scan->doc, 0};
    return scan_value(scan, 0);
}

/* ---- the file ---- */

/* Scans a value for the visitor, with its location. */
static enum orr_status scan_for(struct scan *scan, struct js_visitor *visitor, struct js_value *out)
{
    (void)peek(scan);
    visitor->line = scan->line;
    visitor->column = column_of(scan);
    return scan_one(scan, out);
}

static enum orr_status visit_list(struct scan *scan, const char *name, struct js_visitor *visitor)
{
    scan->at++;
    scan->in = name;
    bool more = peek(scan) != ']';
    scan->at += !more;
    enum orr_status status = ORR_OK;
    for (scan->index = 0; more && status == ORR_OK; scan->index++) {
        struct js_value value;
        status = scan_for(scan, visitor, &value);
        if (status == ORR_OK) {
            status = visitor->item(visitor->user, name, scan->index, value, scan->diag);
        }
        if (status == ORR_OK) {
            status = scan_comma(scan, false, &more);
        }
    }
    scan->in = NULL;
    return status;
}

static enum orr_status visit_member(struct scan *scan, struct js_visitor *visitor)
{
    char name[128];
    scan->doc->tokens = scan->doc->text_bytes = 0;
    enum orr_status status = scan_name(scan);
    if (status != ORR_OK) {
        return status;
    }
    (void)snprintf(name, sizeof name, "%s", scan->doc->text);
    if (peek(scan) == '[') {
        return visit_list(scan, name, visitor);
    }
    struct js_value value;
    status = scan_for(scan, visitor, &value);
    return status == ORR_OK ? visitor->member(visitor->user, name, value, scan->diag) : status;
}

static uint64_t skip_to_brace(struct scan *scan)
{
    uint64_t skipped = 0;
    for (int next = peek(scan); next >= 0 && next != '{'; next = peek(scan)) {
        scan->at++;
        skipped++;
    }
    return skipped;
}

static enum orr_status visit_object(struct scan *scan, struct js_visitor *visitor)
{
    visitor->ignored_before = skip_to_brace(scan);
    enum orr_status status = expect(scan, '{', "expected a brace");
    bool more = status == ORR_OK && peek(scan) != '}';
    scan->at += status == ORR_OK && !more;
    while (more && status == ORR_OK) {
        status = visit_member(scan, visitor);
        if (status == ORR_OK) {
            status = scan_comma(scan, true, &more);
        }
    }
    for (visitor->ignored_behind = 0; status == ORR_OK && peek(scan) >= 0; scan->at++) {
        visitor->ignored_behind++;
    }
    return status;
}

static uint64_t bytes_of(const char *path)
{
    FILE *file = fopen(path, "rb");
    long bytes = 0;
    if (file != NULL) {
        bytes = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : 0;
        (void)fclose(file);
    }
    return bytes > 0 ? (uint64_t)bytes : 0;
}

static enum orr_status read_file(const struct js_source *source, struct scan *scan,
                                 struct js_visitor *visitor)
{
    const struct orr_location place = orr_location_file(source->path);
    scan->file = gzopen(source->path, "rb");
    if (scan->file == NULL) {
        return orr_diag_fail(scan->diag, ORR_ERR_IO, &place, "cannot be opened");
    }
    (void)gzbuffer(scan->file, WINDOW_BYTES);
    scan->file_bytes = bytes_of(source->path);
    scan->progress = source->progress;
    scan->buffer = orr_heap_alloc(WINDOW_BYTES);
    scan->window = scan->buffer;
    const enum orr_status status =
        scan->buffer != NULL ? visit_object(scan, visitor) : no_memory(scan);
    (void)gzclose(scan->file);
    orr_heap_free(scan->buffer);
    return status;
}

enum orr_status orr_js_read(const struct js_source *source, struct js_visitor *visitor,
                            struct orr_diag *diag)
{
    struct js_doc doc = {0};
    struct scan scan = {.path = source->path,
                        .window = source->data,
                        .end = source->data != NULL ? source->bytes : 0,
                        .line = 1,
                        .doc = &doc,
                        .diag = diag};
    const enum orr_status status =
        source->data != NULL ? visit_object(&scan, visitor) : read_file(source, &scan, visitor);
    visitor->ended_early = scan.ended;
    orr_js_doc_free(&doc);
    return status;
}

bool orr_js_parse(struct js_doc *doc, const char *text, size_t bytes)
{
    struct scan scan = {.path = "", .window = text, .end = bytes, .line = 1, .doc = doc};
    struct js_value value;
    return scan_one(&scan, &value) == ORR_OK && peek(&scan) < 0;
}
