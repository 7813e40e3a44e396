/* The JSON files that PyTorch writes, item by item: one object whose large members are lists
 * ("nodes", "traceEvents"). An item of a list is in memory at a time, so that files of any size are
 * read in the memory of their largest item.
 *
 * Real files are not always JSON, and what there is no doubt about is taken: bytes before the first
 * brace (archives of macOS) and behind the last one (sources of kernels), NaN and inf for numbers,
 * control characters in text. Plain or gzip, by content. */
#ifndef ORR_ET_CONVERTER_PYTORCH_JSON_SCAN_H
#define ORR_ET_CONVERTER_PYTORCH_JSON_SCAN_H

#include <stdbool.h>
#include <stdint.h>

#include "core/core.h"
#include "et_converter/converter.h"

enum js_kind { JS_NONE, JS_NULL, JS_FALSE, JS_TRUE, JS_NUMBER, JS_TEXT, JS_LIST, JS_OBJECT };

struct js_token {
    uint32_t text;   /* of JS_NUMBER and JS_TEXT: where in the document's text it begins */
    uint32_t length; /* of the text, which is terminated */
    uint32_t next;   /* the token behind this one and all in it */
    uint8_t kind;    /* enum js_kind */
};

/* A value with all that is in it. In an object, names (JS_TEXT) and values take turns. */
struct js_doc {
    struct js_token *token;
    char *text;
    size_t tokens, token_capacity, text_bytes, text_capacity;
};

/* A place in a document; at >= tokens: there is no such value. */
struct js_value {
    const struct js_doc *doc;
    uint32_t at;
};

enum js_kind orr_js_kind_of(struct js_value value);

/* The first value in a list or object, and the one behind a value in `in`; orr_js_kind_of is
 * JS_NONE behind the last. */
struct js_value orr_js_first(struct js_value in);
struct js_value orr_js_next(struct js_value in, struct js_value value);

/* Of an object; of a list by index. JS_NONE when there is no such value. O(values before it). */
struct js_value orr_js_member(struct js_value object, const char *name);
struct js_value orr_js_item(struct js_value list, uint32_t index);
uint32_t orr_js_count(struct js_value list);

/* The text of JS_TEXT (or digits of JS_NUMBER), else NULL. Lives as long as the document's value.
 */
const char *orr_js_text(struct js_value value);

/* Whether the value is a number (or the text of one), and the number. */
bool orr_js_integer(struct js_value value, int64_t *out);
bool orr_js_real(struct js_value value, double *out);

/* Reads the value of a JSON text into the document, which is emptied before; false when it is not
 * JSON. */
bool orr_js_parse(struct js_doc *doc, const char *text, size_t bytes);
void orr_js_doc_free(struct js_doc *doc);

/* A file, or bytes in memory, which `path` stands for in reports. Borrowed. */
struct js_source {
    const char *path;
    const void *data; /* NULL: the file at the path */
    size_t bytes;
    const struct conv_progress *progress; /* NULL: nobody wants to know */
};

struct js_visitor {
    /* A member of the outermost object that is no list, or an item of one that is. */
    enum orr_status (*member)(void *user, const char *name, struct js_value value,
                              struct orr_diag *diag);
    enum orr_status (*item)(void *user, const char *name, uint64_t index, struct js_value value,
                            struct orr_diag *diag);
    void *user;
    /* out: where the value of the call begins, of a list's item or another member; bytes around the
     * object; whether the text ended too early, which is an error */
    unsigned line, column;
    uint64_t ignored_before, ignored_behind;
    bool ended_early;
};

/* Reads a source. Errors have the line and column in the decompressed text, and of a text that ends
 * too early in which item. O(bytes), about 300 MB/s; memory: the largest item. */
enum orr_status orr_js_read(const struct js_source *source, struct js_visitor *visitor,
                            struct orr_diag *diag);

#endif
