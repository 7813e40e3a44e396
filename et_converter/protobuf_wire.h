/* Protocol Buffers wire format, field by field: to distinguish layouts by their fields, and for
 * errors with byte offsets. */
#ifndef ORR_ET_CONVERTER_PROTOBUF_WIRE_H
#define ORR_ET_CONVERTER_PROTOBUF_WIRE_H

#include "core/diag.h"

enum conv_wire_type { CONV_VARINT = 0, CONV_FIXED64 = 1, CONV_BYTES = 2, CONV_FIXED32 = 5 };

/* A message, or its unread rest. */
struct conv_wire {
    const char *name; /* of the file, for messages */
    const unsigned char *data;
    size_t at, end;
    uint64_t record; /* index of its record */
};

struct conv_field {
    uint32_t number;
    enum conv_wire_type type;
    uint64_t value;          /* VARINT, FIXED64, FIXED32 */
    struct conv_wire inside; /* BYTES: its content */
    size_t offset;           /* position of its first byte */
};

/* Reads the next record of a file: a length and as many bytes. Sets *ended at the end. */
enum orr_status orr_convert_wire_record(struct conv_wire *file, struct conv_wire *record,
                                        bool *ended, struct orr_diag *diag);

/* Reads the next field of a message; sets *ended at its end. Errors: truncated numbers and lengths,
 * unknown wire types, field 0. */
enum orr_status orr_convert_wire_next(struct conv_wire *message, struct conv_field *field,
                                      bool *ended, struct orr_diag *diag);

/* Reads the next number of a repeated field, packed or not; false at the end. */
struct conv_numbers {
    struct conv_field field;
    bool begun;
};
bool orr_convert_wire_number(struct conv_numbers *numbers, uint64_t *value);

/* Fails unless the field has the wire type. `what`: the field's name in the message. */
enum orr_status orr_convert_wire_expect(const struct conv_wire *message,
                                        const struct conv_field *field, enum conv_wire_type type,
                                        const char *what, struct orr_diag *diag);

/* Fails with the byte offset in the file. */
enum orr_status orr_convert_wire_fail(const struct conv_wire *message, size_t offset,
                                      struct orr_diag *diag, const char *format, ...)
    ORR_PRINTF(4, 5);

#endif
