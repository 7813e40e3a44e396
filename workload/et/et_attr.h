/* Attributes of a trace's nodes: whatever the kind of number, a value of the kind that is wanted.
 */
#ifndef ORR_WORKLOAD_ET_ET_ATTR_H
#define ORR_WORKLOAD_ET_ET_ATTR_H

#include "chakra_et.pb-c.h"
#include "core/core.h"

/* False when the attribute holds no number (a text of digits is one), or one out of range:
 * negative, a fraction, above `most`. */
bool et_attr_unsigned(const ChakraEt__Attribute *attr, uint64_t most, uint64_t *out);

/* The value as text: texts as they are, numbers printed into `buffer`; NULL otherwise. */
const char *et_attr_text(const ChakraEt__Attribute *attr, char *buffer, size_t bytes);

/* What the attribute holds, for messages: "-5", "2.5", "a list". */
const char *et_attr_found(const ChakraEt__Attribute *attr, char *buffer, size_t bytes);

#endif
