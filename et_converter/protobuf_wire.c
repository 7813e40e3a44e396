/* Protocol Buffers wire format; see protobuf_wire.h. */
#include "et_converter/protobuf_wire.h"

#include <stdarg.h>
#include <stdio.h>

enum { MESSAGE_BYTES = 512, VARINT_BYTES = 10 };

enum orr_status orr_convert_wire_fail(const struct conv_wire *message, size_t offset,
                                      struct orr_diag *diag, const char *format, ...)
{
    char text[MESSAGE_BYTES];
    const struct orr_location place = orr_location_binary(message->name, message->record, offset);
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return orr_diag_fail(diag, ORR_ERR_INPUT, &place, "%s", text);
}

static bool read_varint(struct conv_wire *message, uint64_t *out)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < VARINT_BYTES && message->at < message->end; i++) {
        const unsigned char byte = message->data[message->at++];
        value |= (uint64_t)(byte & 0x7F) << (7 * i);
        if (byte < 0x80) {
            *out = value;
            return true;
        }
    }
    return false;
}

static bool read_fixed(struct conv_wire *message, unsigned bytes, uint64_t *out)
{
    if (message->end - message->at < bytes) {
        return false;
    }
    *out = 0;
    for (unsigned i = 0; i < bytes; i++) {
        *out |= (uint64_t)message->data[message->at++] << (8 * i);
    }
    return true;
}

static bool read_bytes(struct conv_wire *message, struct conv_wire *inside)
{
    uint64_t count;
    if (!read_varint(message, &count) || count > message->end - message->at) {
        return false;
    }
    *inside = *message;
    inside->end = message->at + (size_t)count;
    message->at = inside->end;
    return true;
}

enum orr_status orr_convert_wire_record(struct conv_wire *file, struct conv_wire *record,
                                        bool *ended, struct orr_diag *diag)
{
    const size_t begin = file->at;
    *ended = file->at == file->end;
    if (*ended || read_bytes(file, record)) {
        file->record += *ended ? 0 : 1;
        return ORR_OK;
    }
    return orr_convert_wire_fail(file, begin, diag,
                                 "the file ends inside of a record (%zu bytes are left)",
                                 file->end - begin);
}

enum orr_status orr_convert_wire_next(struct conv_wire *message, struct conv_field *field,
                                      bool *ended, struct orr_diag *diag)
{
    uint64_t tag;
    *ended = message->at == message->end;
    if (*ended) {
        return ORR_OK;
    }
    *field = (struct conv_field){.offset = message->at};
    if (!read_varint(message, &tag) || tag >> 3 == 0 || tag >> 3 > UINT32_MAX) {
        return orr_convert_wire_fail(message, field->offset, diag,
                                     "expected the number of a field");
    }
    field->number = (uint32_t)(tag >> 3);
    field->type = (enum conv_wire_type)(tag & 7);
    bool done = false;
    switch (field->type) {
    case CONV_VARINT:
        done = read_varint(message, &field->value);
        break;
    case CONV_FIXED64:
    case CONV_FIXED32:
        done = read_fixed(message, field->type == CONV_FIXED64 ? 8 : 4, &field->value);
        break;
    case CONV_BYTES:
        done = read_bytes(message, &field->inside);
        break;
    default:
        return orr_convert_wire_fail(message, field->offset, diag,
                                     "field %u has the unknown wire type %d", field->number,
                                     (int)(tag & 7));
    }
    return done ? ORR_OK
                : orr_convert_wire_fail(message, field->offset, diag,
                                        "field %u goes beyond the message it is in", field->number);
}

bool orr_convert_wire_number(struct conv_numbers *numbers, uint64_t *value)
{
    if (numbers->field.type == CONV_BYTES) {
        return read_varint(&numbers->field.inside, value);
    }
    const bool first = !numbers->begun && numbers->field.type == CONV_VARINT;
    numbers->begun = true;
    *value = numbers->field.value;
    return first;
}

enum orr_status orr_convert_wire_expect(const struct conv_wire *message,
                                        const struct conv_field *field, enum conv_wire_type type,
                                        const char *what, struct orr_diag *diag)
{
    static const char *const names[] = {"a number", "a 64-bit number", "text or a message", "",
                                        "",         "a 32-bit number"};
    return field->type == type
               ? ORR_OK
               : orr_convert_wire_fail(message, field->offset, diag,
                                       "field %u, %s: expected %s, got %s", field->number, what,
                                       names[type], names[field->type]);
}
