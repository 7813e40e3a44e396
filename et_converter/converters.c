/* The table of converters. */
#include <string.h>

#include "et_converter/converter.h"

static const struct orr_converter converters[] = {
    {"chakra", "execution traces of Chakra: current, JSON, and versions 0.0.1 and 0.0.3", 0,
     SIZE_MAX, orr_convert_chakra},
};

enum { CONVERTER_COUNT = sizeof converters / sizeof converters[0] };

const struct orr_converter *orr_converters(size_t *count)
{
    *count = CONVERTER_COUNT;
    return converters;
}

const struct orr_converter *orr_converter_find(const char *name)
{
    for (size_t i = 0; i < CONVERTER_COUNT; i++) {
        if (strcmp(converters[i].name, name) == 0) {
            return &converters[i];
        }
    }
    return NULL;
}
