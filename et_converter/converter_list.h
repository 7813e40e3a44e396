/* The converters in the order of listing, one line each: ORR_CONVERTER(orr_converter_NAME). X-macro
 * list: converters.c includes it twice. Those of wings follow. */
ORR_CONVERTER(orr_converter_pytorch)
ORR_CONVERTER(orr_converter_flexflow)
ORR_CONVERTER(orr_converter_text)
ORR_CONVERTER(orr_converter_chakra)
#include "wings/converters.def"
