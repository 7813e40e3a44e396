/* Streaming JSON reader for the files that PyTorch writes: one object whose large members are lists
 * ("nodes", "traceEvents"). It holds one item of a list at a time, so memory is that of the largest
 * item, whatever the size of the file.
 *
 * Real files are not always valid JSON. Accepted: bytes before the first brace (archives of macOS)
 * and behind the last one (sources of kernels), NaN and inf as numbers, control characters in text.
 * Plain or gzip, detected by content. */
#ifndef ORR_ET_CONVERTER_PYTORCH_JSON_SCAN_H
#define ORR_ET_CONVERTER_PYTORCH_JSON_SCAN_H

#include <stdbool.h>
#include <stdint.h>

#include "et_converter/converter.h"

struct orr_diag;

enum js_kind { JS_NONE, JS_NULL, JS_FALSE, JS_TRUE, JS_NUMBER, JS_TEXT, JS_LIST, JS_OBJECT };

struct js_token {
    uint32_t text;   /* of JS_NUMBER and JS_TEXT: offset in the document's text */
    uint32_t length; /* of the text, which is terminated */
    uint32_t next;   /* the token behind this one and its content */
    uint8_t kind;    /* enum js_kind */
};

/* A value with its content. In an object, names (JS_TEXT) and values alternate. */
struct js_doc {
    struct js_token *token;
    char *text;
    size_t tokens, token_capacity, text_bytes, text_capacity;
};

/* A value's index in a document; at >= tokens: no value. */
struct js_value {
    const struct js_doc *doc;
    uint32_t at;
};

enum js_kind orr_js_kind_of(struct js_value value);

/* The first value in a list or object, and the one behind `value` in `in`; of kind JS_NONE behind
 * the last. */
struct js_value orr_js_first(struct js_value in);
struct js_value orr_js_next(struct js_value in, struct js_value value);

/* A member of an object by name, an item of a list by index; of kind JS_NONE if there is none.
 * O(values before it). */
struct js_value orr_js_member(struct js_value object, const char *name);
struct js_value orr_js_item(struct js_value list, uint32_t index);
uint32_t orr_js_count(struct js_value list);

/* The text of JS_TEXT or the digits of JS_NUMBER, else NULL. Valid as long as the document holds
 * the value. */
const char *orr_js_text(struct js_value value);

/* Reads a number or the text of one into *out; false if the value is neither. */
bool orr_js_integer(struct js_value value, int64_t *out);
bool orr_js_real(struct js_value value, double *out);

/* Parses a JSON text into the document, which is cleared before; false if it is not JSON. */
bool orr_js_parse(struct js_doc *doc, const char *text, size_t bytes);
void orr_js_doc_free(struct js_doc *doc);

/* A file, or bytes in memory that messages call `path`. Borrowed. */
struct js_source {
    const char *path;
    const void *data; /* NULL: the file at the path */
    size_t bytes;
    const struct conv_progress *progress; /* NULL: no progress is reported */
};

struct js_visitor {
    /* Callbacks for a member of the outermost object that is not a list, and for an item of a
     * list. */
    enum orr_status (*member)(void *user, const char *name, struct js_value value,
                              struct orr_diag *diag);
    enum orr_status (*item)(void *user, const char *name, uint64_t index, struct js_value value,
                            struct orr_diag *diag);
    void *user;
    /* out: location of the value passed to the callback; bytes around the object; whether the text
     * ended too early, which is an error */
    unsigned line, column;
    uint64_t ignored_before, ignored_behind;
    bool ended_early;
};

/* Reads a source. Errors have line and column of the decompressed text and, if the text ends too
 * early, the item. O(bytes), about 300 MB/s; memory: the largest item. */
enum orr_status orr_js_read(const struct js_source *source, struct js_visitor *visitor,
                            struct orr_diag *diag);

#endif
