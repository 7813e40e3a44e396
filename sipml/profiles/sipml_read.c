/* Reader of SiP-ML profiles; see sipml.h. The message:
 *
 * Profile{1 nodes: Op{1 name, 2 comp_time_us, 3 num_bytes, 4 op_type, 5 mem_type, 6 output_bytes},
 *         2 graph: Adjacents{1 node, 2 succs}}, both repeated, adjacents by name. */
#include <inttypes.h>
#include <string.h>

#include "et_converter/protobuf_wire.h"
#include "sipml/profiles/sipml.h"

enum { SHOWN = 64 };

struct sipml_reader {
    struct orr_arena *arena;
    struct sipml_profile *profile;
    size_t op_capacity, edge_capacity;
    struct orr_diag *diag;
};

static const char *text_of(const struct conv_field *field)
{
    return (const char *)field->inside.data + field->inside.at;
}

static int length_of(const struct conv_field *field)
{
    const size_t length = field->inside.end - field->inside.at;
    return length < SHOWN ? (int)length : SHOWN;
}

static uint32_t add_name(struct sipml_reader *reader, const struct conv_field *field)
{
    return orr_strings_add(&reader->profile->names, text_of(field),
                           field->inside.end - field->inside.at);
}

/* ---- operators ---- */

struct op_fields {
    struct conv_field name;
    uint64_t number[7]; /* by field */
};

static enum orr_status read_op_fields(struct sipml_reader *reader, struct conv_wire message,
                                      struct op_fields *fields)
{
    static const char *const names[] = {"",        "name",     "comp_time_us", "num_bytes",
                                        "op_type", "mem_type", "output_bytes"};
    struct conv_field field;
    bool ended = false;
    enum orr_status status = orr_convert_wire_next(&message, &field, &ended, reader->diag);
    while (status == ORR_OK && !ended) {
        if (field.number <= 6) {
            status = orr_convert_wire_expect(&message, &field,
                                             field.number == 1 ? CONV_BYTES : CONV_VARINT,
                                             names[field.number], reader->diag);
            fields->number[field.number] = field.value;
        }
        if (field.number == 1) {
            fields->name = field;
        }
        if (status == ORR_OK) {
            status = orr_convert_wire_next(&message, &field, &ended, reader->diag);
        }
    }
    return status;
}

static enum orr_status check_op(struct sipml_reader *reader, const struct conv_wire *message,
                                const struct op_fields *fields)
{
    const int length = length_of(&fields->name);
    if (length == 0) {
        return orr_convert_wire_fail(message, message->at, reader->diag,
                                     "operator %" PRIu32 " has no name", reader->profile->ops);
    }
    const char *name = text_of(&fields->name);
    if (fields->number[4] >= SIPML_OP_TYPES) {
        return orr_convert_wire_fail(
            message, message->at, reader->diag,
            "operator \"%.*s\": op_type: expected 0 (compute), 1 (memory) or 2 "
            "(control dependency), got %" PRIu64,
            length, name, fields->number[4]);
    }
    if (fields->number[5] >= SIPML_MEM_TYPES) {
        return orr_convert_wire_fail(
            message, message->at, reader->diag,
            "operator \"%.*s\": mem_type: expected 0 (tensor) to 3 (constant), "
            "got %" PRIu64,
            length, name, fields->number[5]);
    }
    for (unsigned i = 2; i <= 6; i++) {
        if (fields->number[i] > UINT32_MAX) {
            return orr_convert_wire_fail(message, message->at, reader->diag,
                                         "operator \"%.*s\": field %u: expected at most %" PRIu32
                                         ", got %" PRIu64,
                                         length, name, i, UINT32_MAX, fields->number[i]);
        }
    }
    return ORR_OK;
}

static enum orr_status read_op(struct sipml_reader *reader, const struct conv_wire *message)
{
    struct sipml_profile *profile = reader->profile;
    struct op_fields fields = {.name.number = 0};
    enum orr_status status = read_op_fields(reader, *message, &fields);
    if (status == ORR_OK) {
        status = check_op(reader, message, &fields);
    }
    if (status != ORR_OK) {
        return status;
    }
    const uint32_t index = add_name(reader, &fields.name);
    struct sipml_op *grown = orr_arena_grow(reader->arena, profile->op, &reader->op_capacity,
                                            (size_t)profile->ops + 1, sizeof *grown);
    if (index == UINT32_MAX || grown == NULL) {
        return orr_diag_no_memory(reader->diag, "a profile");
    }
    if (index < profile->ops) {
        return orr_convert_wire_fail(message, message->at, reader->diag,
                                     "two operators are called \"%.*s\"", length_of(&fields.name),
                                     text_of(&fields.name));
    }
    profile->op = grown;
    grown[profile->ops++] = (struct sipml_op){.time_us = fields.number[2],
                                              .bytes = fields.number[3],
                                              .type = (uint8_t)fields.number[4],
                                              .memory = (uint8_t)fields.number[5],
                                              .output_bytes = fields.number[6]};
    return ORR_OK;
}

/* ---- dependencies ---- */

static enum orr_status find_op(struct sipml_reader *reader, const struct conv_wire *message,
                               const struct conv_field *field, uint32_t *index)
{
    const enum orr_status status = orr_convert_wire_expect(message, field, CONV_BYTES,
                                                           "the name of an operator", reader->diag);
    if (status != ORR_OK) {
        return status;
    }
    *index = add_name(reader, field);
    return *index < reader->profile->ops
               ? ORR_OK
               : orr_convert_wire_fail(
                     message, field->offset, reader->diag,
                     "the graph names \"%.*s\", which is no operator of the profile",
                     length_of(field), text_of(field));
}

static enum orr_status add_edge(struct sipml_reader *reader, uint32_t from, uint32_t to)
{
    struct sipml_profile *profile = reader->profile;
    struct sipml_edge *grown = orr_arena_grow(reader->arena, profile->edge, &reader->edge_capacity,
                                              profile->edges + 1, sizeof *grown);
    if (grown == NULL) {
        return orr_diag_no_memory(reader->diag, "a profile");
    }
    profile->edge = grown;
    grown[profile->edges++] = (struct sipml_edge){from, to};
    return ORR_OK;
}

/* Reads in two passes, because the name may follow its successors. */
static enum orr_status read_adjacents(struct sipml_reader *reader, const struct conv_wire *message)
{
    uint32_t from = UINT32_MAX, to = 0;
    enum orr_status status = ORR_OK;
    for (uint32_t wanted = 1; wanted <= 2 && status == ORR_OK; wanted++) {
        struct conv_wire fields = *message;
        struct conv_field field;
        bool ended = false;
        while (status == ORR_OK &&
               (status = orr_convert_wire_next(&fields, &field, &ended, reader->diag)) == ORR_OK &&
               !ended) {
            if (field.number == wanted) {
                status = find_op(reader, &fields, &field, wanted == 1 ? &from : &to);
            }
            if (field.number == wanted && wanted == 2 && status == ORR_OK) {
                status = add_edge(reader, from, to);
            }
        }
        if (status == ORR_OK && from == UINT32_MAX) {
            status = orr_convert_wire_fail(message, message->at, reader->diag,
                                           "adjacents without the name of their operator");
        }
    }
    return status;
}

/* ---- the profile ---- */

/* Reads one part of the profile; operators come first, because the graph names them. */
static enum orr_status read_part(struct sipml_reader *reader, struct conv_wire file,
                                 uint32_t number)
{
    struct conv_field field;
    bool ended = false;
    enum orr_status status = orr_convert_wire_next(&file, &field, &ended, reader->diag);
    while (status == ORR_OK && !ended) {
        if (field.number == number) {
            status = orr_convert_wire_expect(&file, &field, CONV_BYTES,
                                             number == 1 ? "nodes" : "graph", reader->diag);
        }
        if (status == ORR_OK && field.number == number) {
            status = number == 1 ? read_op(reader, &field.inside)
                                 : read_adjacents(reader, &field.inside);
        }
        if (status == ORR_OK) {
            status = orr_convert_wire_next(&file, &field, &ended, reader->diag);
        }
    }
    return status;
}

enum orr_status orr_sipml_read(struct orr_arena *arena, const struct orr_et_bytes *bytes,
                               struct sipml_profile *profile, struct orr_diag *diag)
{
    struct sipml_reader reader = {.arena = arena, .profile = profile, .diag = diag};
    const struct conv_wire file = {.name = bytes->name, .data = bytes->data, .end = bytes->count};
    *profile = (struct sipml_profile){.name = bytes->name};
    orr_strings_init(&profile->names, arena);
    enum orr_status status = read_part(&reader, file, 1);
    if (status == ORR_OK && profile->ops == 0) {
        const struct orr_location place = orr_location_file(bytes->name);
        return orr_diag_fail(diag, ORR_ERR_INPUT, &place,
                             "the file has no operators; a SiP-ML profile has them in field 1");
    }
    return status == ORR_OK ? read_part(&reader, file, 2) : status;
}
