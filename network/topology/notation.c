/* Topology notation (ASTRA-sim 2.0, section IV-B): blocks with sizes, joined by underscores,
 * dimension 1 first: "Ring(4)_FC(2)_Switch(8)", or in short "R(4)_FC(2)_SW(8)". */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "core/diag.h"
#include "core/strings.h"
#include "network/fabric_build.h"
#include "network/net_config.h"
#include "network/net_dims.h"

static const struct {
    const char *name;
    enum net_block block;
} spellings[] = {{"ring", NET_RING},
                 {"r", NET_RING},
                 {"fullyconnected", NET_FULLY_CONNECTED},
                 {"fully_connected", NET_FULLY_CONNECTED},
                 {"fc", NET_FULLY_CONNECTED},
                 {"switch", NET_SWITCH},
                 {"sw", NET_SWITCH},
                 {"s", NET_SWITCH},
                 {"mesh", NET_MESH},
                 {"m", NET_MESH}};

struct scanner {
    const char *text, *at;
    struct orr_diag *diag;
    const struct orr_location *place;
};

/* The error shows the notation with a caret under the position. */
static enum orr_status fail(const struct scanner *scanner, const char *expected)
{
    return orr_diag_fail(scanner->diag, ORR_ERR_INPUT, scanner->place,
                         "topology: expected %s\n  %s\n  %*s^", expected, scanner->text,
                         (int)(scanner->at - scanner->text), "");
}

static bool is_spelled(const char *at, const char *name, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        if (tolower((unsigned char)at[i]) != name[i]) {
            return false;
        }
    }
    return true;
}

static enum orr_status unknown_block(const struct scanner *scanner)
{
    static const char *const names[] = {"Ring", "FC", "FullyConnected", "Switch", "Mesh"};
    char word[32], suggestion[ORR_SUGGESTION_BYTES], expected[256];
    const char *graph = orr_net_suggest_fabric(scanner->text);
    if (scanner->at == scanner->text && orr_net_fabric_named(scanner->text)) {
        return orr_diag_fail(scanner->diag, ORR_ERR_INPUT, scanner->place,
                             "topology: \"%s\" is a graph, which goes with a number of NPUs: "
                             "--npus N, or network: {graph: {fabric: \"%s\", npus: N}}",
                             scanner->text, scanner->text);
    }
    (void)snprintf(word, sizeof word, "%.*s", (int)strcspn(scanner->at, "(_0123456789"),
                   scanner->at);
    (void)orr_suggest_name(word, names, sizeof names / sizeof *names, suggestion,
                           sizeof suggestion);
    if (scanner->at == scanner->text && suggestion[0] == '\0' && graph != NULL) {
        return orr_diag_fail(
            scanner->diag, ORR_ERR_INPUT, scanner->place,
            "topology: there is no \"%s\"; did you mean the graph \"%s\": --npus N, "
            "or network: {graph: {fabric: \"%s\", npus: N}}?",
            scanner->text, graph, graph);
    }
    (void)snprintf(expected, sizeof expected,
                   "Ring, FC (FullyConnected), Switch or Mesh with a size, such as Ring(4)%s",
                   suggestion);
    return fail(scanner, expected);
}

static enum orr_status scan_block(struct scanner *scanner, enum net_block *block)
{
    const size_t length = strcspn(scanner->at, "(");
    for (size_t i = 0; i < sizeof spellings / sizeof *spellings; i++) {
        if (strlen(spellings[i].name) == length &&
            is_spelled(scanner->at, spellings[i].name, length)) {
            *block = spellings[i].block;
            scanner->at += length;
            return ORR_OK;
        }
    }
    return unknown_block(scanner);
}

static enum orr_status scan_size(struct scanner *scanner, enum net_block block, uint32_t *npus)
{
    if (*scanner->at != '(') {
        return fail(scanner, "a size in parentheses, such as (4)");
    }
    const char *digits = ++scanner->at;
    uint64_t value = 0;
    while (isdigit((unsigned char)*scanner->at) && value <= INT32_MAX) {
        value = value * 10 + (uint64_t)(*scanner->at++ - '0');
    }
    const uint64_t min = block == NET_MESH ? 2 : 1;
    if (scanner->at == digits || value < min || value > INT32_MAX) {
        scanner->at = digits;
        return fail(scanner, block == NET_MESH ? "a number of NPUs >= 2, as a mesh has links"
                                               : "a number of NPUs >= 1");
    }
    if (*scanner->at != ')') {
        return fail(scanner, "a closing parenthesis");
    }
    scanner->at++;
    *npus = (uint32_t)value;
    return ORR_OK;
}

enum orr_status orr_net_parse_notation(const char *text, struct net_dim *dim, unsigned *dims,
                                       const struct orr_location *place, struct orr_diag *diag)
{
    struct scanner scanner = {.text = text, .at = text, .diag = diag, .place = place};
    for (*dims = 0;; scanner.at++) {
        if (*dims == NET_MAX_DIMS) {
            return fail(&scanner, "at most 32 dimensions");
        }
        enum orr_status status = scan_block(&scanner, &dim[*dims].block);
        if (status == ORR_OK) {
            status = scan_size(&scanner, dim[*dims].block, &dim[*dims].npus);
        }
        if (status != ORR_OK) {
            return status;
        }
        ++*dims;
        if (*scanner.at == '\0') {
            return ORR_OK;
        }
        if (*scanner.at != '_') {
            return fail(&scanner, "an underscore and the next dimension, or the end");
        }
    }
}

char *orr_net_format_notation(const struct net_config *config, char *text, size_t bytes)
{
    static const char *const names[NET_BLOCKS] = {"Ring", "FC", "Switch", "Mesh"};
    size_t used = 0;
    text[0] = '\0';
    for (unsigned d = 0; d < config->dims && used < bytes; d++) {
        used += (size_t)snprintf(text + used, bytes - used, "%s%s(%u)", d != 0 ? "_" : "",
                                 names[config->dim[d].block], config->dim[d].npus);
    }
    return text;
}
