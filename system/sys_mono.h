/* Monolithic all-reduces: those that start and end for all members at once (docs/models.md,
 * section 4). */
#ifndef ORR_SYSTEM_SYS_MONO_H
#define ORR_SYSTEM_SYS_MONO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/status.h"

struct coll_algorithm;
struct orr_diag;

struct sys_mono_kind;

/* How a level of a hierarchical all-reduce runs: in rounds of a ring; each member to all others,
 * which reduce a part each; as one message to the next. */
enum sys_mono_level { SYS_MONO_RING, SYS_MONO_SHARDED, SYS_MONO_STREAM };

/* A monolithic all-reduce algorithm. All zero: a ring. */
struct sys_mono {
    const struct sys_mono_kind *kind;
    const struct coll_algorithm *program; /* NULL: in rounds with barriers */
    uint32_t number; /* number after the colon: members of a group, or chunks */
    /* hierarchical: algorithms inside and across groups; or, if `inner_bytes_per_s` > 0, each
     * member is a server of `number` GPUs that reduce at this bandwidth first. */
    enum sys_mono_level inside, across;
    double inner_bytes_per_s;
    uint32_t jump; /* double_binary_tree: label v of the tree is member jump x v; 0: 1 */
};

/* Parses "NAME" or "NAME:NUMBER", such as "ring" or "hierarchical:4", with options ",inside=KIND",
 * ",across=KIND", ",inner=BANDWIDTH" and ",jump=JUMP" after the number. '_' equals '-'. Errors: an
 * unknown name, with the list of forms; a number that is missing, out of range or not allowed;
 * unknown options. */
enum orr_status orr_sys_mono_parse(const char *text, struct sys_mono *out, struct orr_diag *diag);

/* Name of the default algorithm. */
extern const char orr_sys_mono_default_name[];

/* Whether it is `ring_stream`; whether it is the default (also if none is set). */
bool orr_sys_mono_is_stream(const struct sys_mono *choice);
bool orr_sys_mono_is_default(const struct sys_mono *choice);

/* Writes the algorithm in the syntax of orr_sys_mono_parse; returns `text`. */
enum { SYS_MONO_BYTES = 128 };
char *orr_sys_mono_format(const struct sys_mono *choice, char *text, size_t bytes);

/* The index-th form, such as "tree[:CHUNKS]"; false past the end. `summary` is one line. */
bool orr_sys_mono_form(size_t index, char form[SYS_MONO_BYTES], const char **summary);

/* Whether it uses the rings of a graph. */
bool orr_sys_mono_is_ring(const struct sys_mono *choice);

/* Rounds of `ring` for an all-reduce of `bytes` among `members` >= 2, and the bytes that each
 * member sends per round around each of `rings`. */
struct sys_ring_rounds {
    uint32_t rounds;
    uint64_t bytes;
};
struct sys_ring_rounds orr_sys_ring_rounds(uint64_t bytes, uint64_t members, uint32_t rings);

/* The group runs the collective by the platform's CCL model. This kind has no name of its own. */
extern const struct sys_mono orr_sys_mono_by_ccl;
static inline bool sys_by_ccl(const struct sys_mono *choice)
{
    return choice == &orr_sys_mono_by_ccl;
}

/* Whether the algorithm supports `members`; if not, a ring runs (counted as a fallback). */
bool orr_sys_mono_fits(const struct sys_mono *choice, uint32_t members);

#endif
