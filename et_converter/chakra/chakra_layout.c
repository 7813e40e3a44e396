/* Layout detection of Chakra traces by their fields; see chakra_legacy.h. */
#include "et_converter/chakra/chakra_legacy.h"
#include "et_converter/protobuf_wire.h"

const char *orr_chakra_layout_name(enum chakra_layout layout)
{
    static const char *const names[CHAKRA_LAYOUTS] = {"current", "0.0.1", "0.0.3",
                                                      "0.0.3 (supposed)"};
    return names[layout];
}

static enum chakra_layout layout_of_field(const struct conv_field *field)
{
    if (field->number >= 12 || (field->number >= 5 && field->type == CONV_VARINT)) {
        return CHAKRA_0_0_1;
    }
    return field->number >= 5 ? CHAKRA_0_0_3 : CHAKRA_0_0_3_SUPPOSED;
}

bool orr_chakra_is_legacy(const unsigned char *data, size_t count)
{
    size_t at = 0;
    while (at < count && at < CHAKRA_PEEK_BYTES - 2 && data[at] >= 0x80) {
        at++;
    }
    return at + 1 < count && data[at] != 0 && data[at + 1] == (1 << 3 | CONV_VARINT);
}

enum chakra_layout orr_chakra_layout_of(const struct orr_et_bytes *bytes)
{
    struct conv_wire file = {.name = bytes->name, .data = bytes->data, .end = bytes->count}, record;
    struct conv_field field;
    enum chakra_layout layout = CHAKRA_0_0_3_SUPPOSED;
    bool ended = !orr_chakra_is_legacy(bytes->data, bytes->count), done = false;
    if (ended) {
        return CHAKRA_CURRENT;
    }
    while (layout == CHAKRA_0_0_3_SUPPOSED &&
           orr_convert_wire_record(&file, &record, &ended, NULL) == ORR_OK && !ended) {
        while (layout == CHAKRA_0_0_3_SUPPOSED &&
               orr_convert_wire_next(&record, &field, &done, NULL) == ORR_OK && !done) {
            layout = layout_of_field(&field);
        }
    }
    return layout;
}
