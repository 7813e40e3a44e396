/* Legacy Chakra execution traces: layouts 0.0.1 and 0.0.3, whose files have no GlobalMetadata
 * record in front. Their fields are listed in docs/file-formats.md. */
#ifndef ORR_ET_CONVERTER_CHAKRA_CHAKRA_LEGACY_H
#define ORR_ET_CONVERTER_CHAKRA_CHAKRA_LEGACY_H

#include "et_converter/converter.h"
#include "workload/trace/et/et.h"

struct orr_arena;
struct orr_diag;
struct orr_trace;

enum chakra_layout {
    CHAKRA_CURRENT,        /* a GlobalMetadata in front, or JSON */
    CHAKRA_0_0_1,          /* flat fields */
    CHAKRA_0_0_3,          /* typed attributes */
    CHAKRA_0_0_3_SUPPOSED, /* no field of the nodes distinguishes 0.0.1 and 0.0.3 */
    CHAKRA_LAYOUTS
};

const char *orr_chakra_layout_name(enum chakra_layout layout);

/* Whether the first bytes of a file are a node, not metadata or JSON: the field number of a node
 * follows the length of the first record. `count`: bytes in `data`, up to CHAKRA_PEEK_BYTES. */
enum { CHAKRA_PEEK_BYTES = 12 };
bool orr_chakra_is_legacy(const unsigned char *data, size_t count);

/* The layout of a file's decompressed bytes. Reads fields up to the first malformed one.
 * O(bytes). */
enum chakra_layout orr_chakra_layout_of(const struct orr_et_bytes *bytes);

/* Reads a trace of a legacy layout into the arena. Errors name record, byte and node. O(bytes). */
enum orr_status orr_chakra_legacy_read(struct orr_arena *arena, const struct orr_et_bytes *bytes,
                                       enum chakra_layout layout, const struct orr_trace **trace,
                                       struct orr_diag *diag);

#endif
