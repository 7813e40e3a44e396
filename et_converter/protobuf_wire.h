/* Protocol Buffers on the wire, field by field: for layouts that must be told apart by their
 * fields, and for errors with the byte where they are. */
#ifndef ORR_ET_CONVERTER_PROTOBUF_WIRE_H
#define ORR_ET_CONVERTER_PROTOBUF_WIRE_H

#include "core/core.h"

enum conv_wire_type { CONV_VARINT = 0, CONV_FIXED64 = 1, CONV_BYTES = 2, CONV_FIXED32 = 5 };

/* A message, or what is left of it. */
struct conv_wire {
    const char *name; /* of the file, for reports */
    const unsigned char *data;
    size_t at, end;
    uint64_t record; /* number of the record it is in */
};

struct conv_field {
    uint32_t number;
    enum conv_wire_type type;
    uint64_t value;          /* VARINT, FIXED64, FIXED32 */
    struct conv_wire inside; /* BYTES: what it holds */
    size_t offset;           /* where it begins */
};

/* The next record of a file: a length and so many bytes. *ended at the end. */
enum orr_status orr_convert_wire_record(struct conv_wire *file, struct conv_wire *record,
                                        bool *ended, struct orr_diag *diag);

/* The next field of a message. *ended at its end. Errors: truncated numbers and lengths, unknown
 * wire types, field 0. */
enum orr_status orr_convert_wire_next(struct conv_wire *message, struct conv_field *field,
                                      bool *ended, struct orr_diag *diag);

/* The next number of a repeated one, written packed or not: call it until false. */
struct conv_numbers {
    struct conv_field field;
    bool begun;
};
bool orr_convert_wire_number(struct conv_numbers *numbers, uint64_t *value);

/* Fails unless the field has the wire type. `what` is what it is to people. */
enum orr_status orr_convert_wire_expect(const struct conv_wire *message,
                                        const struct conv_field *field, enum conv_wire_type type,
                                        const char *what, struct orr_diag *diag);

/* An error at a byte of the file. */
enum orr_status orr_convert_wire_fail(const struct conv_wire *message, size_t offset,
                                      struct orr_diag *diag, const char *format, ...)
    ORR_PRINTF(4, 5);

#endif
