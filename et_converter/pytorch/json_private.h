/* Filling a document, for json_scan.c. */
#ifndef ORR_ET_CONVERTER_PYTORCH_JSON_PRIVATE_H
#define ORR_ET_CONVERTER_PYTORCH_JSON_PRIVATE_H

#include "et_converter/pytorch/json_scan.h"

/* Makes room for more bytes of text; false when memory is out or the text is larger than 1 GiB. */
bool orr_js_reserve_text(struct js_doc *doc, size_t bytes);

/* A token of the kind whose text is to come; UINT32_MAX when memory is out. */
uint32_t orr_js_add_token(struct js_doc *doc, enum js_kind kind);

/* UTF-8 of a code point, for which there is room (3 bytes); each half of a surrogate pair and the
 * zero become U+FFFD. */
void orr_js_add_utf8(struct js_doc *doc, int32_t code);

#endif
