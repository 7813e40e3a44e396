/* Building of a document, for json_scan.c. */
#ifndef ORR_ET_CONVERTER_PYTORCH_JSON_PRIVATE_H
#define ORR_ET_CONVERTER_PYTORCH_JSON_PRIVATE_H

#include "et_converter/pytorch/json_scan.h"

/* Reserves memory for `bytes` more bytes of text; false if out of memory or if the text exceeds 1
 * GiB. */
bool orr_js_grow_text(struct js_doc *doc, size_t bytes);

/* The same; in most cases there is room. */
static inline bool orr_js_reserve_text(struct js_doc *doc, size_t bytes)
{
    return doc->text_capacity - doc->text_bytes >= bytes || orr_js_grow_text(doc, bytes);
}

/* Adds a token of the kind, whose text follows; UINT32_MAX if out of memory. */
uint32_t orr_js_add_token(struct js_doc *doc, enum js_kind kind);

/* Appends a code point as UTF-8 (at most 3 bytes, reserved before); each half of a surrogate pair
 * and zero become U+FFFD. */
void orr_js_add_utf8(struct js_doc *doc, int32_t code);

#endif
