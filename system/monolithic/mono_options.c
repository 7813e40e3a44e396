/* Options after the number: levels of a hierarchical all-reduce; jump of the labels of trees
 * (TopoOpt, NSDI'23, appendix A). */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/units.h"
#include "system/monolithic/mono_private.h"
#include "system/sys_mono.h"

struct level_name {
    const char *name;
    enum sys_mono_level level;
};

static const struct level_name inside[] = {{orr_sys_mono_default_name, SYS_MONO_RING},
                                           {"sharded_parameter_server", SYS_MONO_SHARDED},
                                           {NULL, SYS_MONO_RING}};
static const struct level_name across[] = {{orr_sys_mono_default_name, SYS_MONO_RING},
                                           {"ring_stream", SYS_MONO_STREAM},
                                           {NULL, SYS_MONO_RING}};

static bool find(const struct level_name *names, const char *text, enum sys_mono_level *out)
{
    for (; names->name != NULL; names++) {
        if (strcmp(names->name, text) == 0) {
            *out = names->level;
            return true;
        }
    }
    return false;
}

enum { INSIDE = 1, ACROSS = 2, INNER = 4 };

/* Reads one "KEY=VALUE" and sets its bit in `given`. */
static bool read_option(const char *option, struct sys_mono *out, unsigned *given)
{
    unsigned bit = 0;
    bool known = false;
    if (strncmp(option, "inside=", 7) == 0) {
        bit = INSIDE;
        known = find(inside, option + 7, &out->inside);
    } else if (strncmp(option, "across=", 7) == 0) {
        bit = ACROSS;
        known = find(across, option + 7, &out->across);
    } else if (strncmp(option, "inner=", 6) == 0) {
        bit = INNER;
        known = orr_parse_bandwidth(option + 6, &out->inner_bytes_per_s);
    }
    known = known && (*given & bit) == 0;
    *given |= bit;
    return known;
}

enum { MAX_JUMP = 1 << 24 };

static enum orr_status read_jump(const char *option, const char *text, struct sys_mono *out,
                                 struct orr_diag *diag)
{
    int64_t jump = 0;
    if (strncmp(option, "jump=", 5) == 0 && orr_parse_integer(option + 5, &jump) && jump >= 1 &&
        jump <= MAX_JUMP) {
        out->jump = (uint32_t)jump;
        return ORR_OK;
    }
    return orr_diag_fail(
        diag, ORR_ERR_INPUT, NULL,
        "all-reduce: expected jump=JUMP from 1 to %d after the chunks, once; got \"%s\"", MAX_JUMP,
        text);
}

enum orr_status orr_mono_options_read(char *options, const char *text, struct sys_mono *out,
                                      struct orr_diag *diag)
{
    unsigned given = 0;
    bool known = true;
    if (out->kind->jumps) {
        return read_jump(options, text, out, diag);
    }
    while (options != NULL && known) {
        char *comma = strchr(options, ',');
        if (comma != NULL) {
            *comma++ = '\0';
        }
        known = read_option(options, out, &given);
        options = comma;
    }
    if (known && (given & (INSIDE | INNER)) != (INSIDE | INNER)) {
        return ORR_OK;
    }
    return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                         known ? "all-reduce: expected inside=KIND, of members that are GPUs, or "
                                 "inner=BANDWIDTH, of members that are servers; got both in \"%s\""
                               : "all-reduce: expected inside=ring or sharded_parameter_server, "
                                 "across=ring or ring_stream, inner=BANDWIDTH such as 25GB/s, each "
                                 "once at most; got \"%s\"",
                         text);
}

void orr_mono_options_format(const struct sys_mono *choice, char *text, size_t bytes)
{
    size_t used = strlen(text);
    if (choice->inside == SYS_MONO_SHARDED) {
        (void)snprintf(text + used, bytes - used, ",inside=%s", inside[1].name);
        used = strlen(text);
    }
    if (choice->across == SYS_MONO_STREAM) {
        (void)snprintf(text + used, bytes - used, ",across=%s", across[1].name);
        used = strlen(text);
    }
    if (choice->inner_bytes_per_s > 0) {
        (void)snprintf(text + used, bytes - used, ",inner=%.9gGB/s",
                       choice->inner_bytes_per_s / 1e9);
    }
    if (choice->jump > 1) {
        (void)snprintf(text + used, bytes - used, ",jump=%" PRIu32, choice->jump);
    }
}
