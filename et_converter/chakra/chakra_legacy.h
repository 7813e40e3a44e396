/* Chakra execution traces of the layouts 0.0.1 and 0.0.3: records without a GlobalMetadata in
 * front. Their fields are in docs/file-formats.md. */
#ifndef ORR_ET_CONVERTER_CHAKRA_CHAKRA_LEGACY_H
#define ORR_ET_CONVERTER_CHAKRA_CHAKRA_LEGACY_H

#include "et_converter/converter.h"

enum chakra_layout {
    CHAKRA_CURRENT,        /* a GlobalMetadata in front, or JSON */
    CHAKRA_0_0_1,          /* flat fields */
    CHAKRA_0_0_3,          /* typed attributes */
    CHAKRA_0_0_3_SUPPOSED, /* nodes have nothing that would tell the two apart */
    CHAKRA_LAYOUTS
};

const char *orr_chakra_layout_name(enum chakra_layout layout);

/* Whether the file's first bytes are those of a node, not of metadata or JSON: behind the first
 * length is the number of a node. */
enum { CHAKRA_PEEK_BYTES = 12 };
bool orr_chakra_is_legacy(const unsigned char *data, size_t count);

/* The layout of a file's (decompressed) bytes. Fields are looked at as far as they can be read.
 * O(bytes). */
enum chakra_layout orr_chakra_layout_of(const struct orr_et_bytes *bytes);

/* Reads a trace of an old layout; it lives in the arena. Errors name record, byte and node. */
enum orr_status orr_chakra_legacy_read(struct orr_arena *arena, const struct orr_et_bytes *bytes,
                                       enum chakra_layout layout, const struct orr_trace **trace,
                                       struct orr_diag *diag);

#endif
