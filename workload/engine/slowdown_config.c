/* Reading `compute.slowdown`; see slowdown.h. */
#include "core/conf/conf.h"
#include "core/conf/conf_read.h"
#include "core/conf/keys.h"
#include "core/units.h"
#include "workload/engine/slowdown.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define COUNT(keys) (sizeof(keys) / sizeof *(keys))

struct section {
    const struct orr_conf *stragglers, *jitter;
    int64_t seed;
};

struct straggler {
    const struct orr_conf *ranks;
    double factor;
};

struct jitter {
    unsigned distribution;
    const char *spread;
};

static const struct orr_key section_keys[] = {
    {.name = "stragglers",
     .type = ORR_KEY_NODE,
     .offset = offsetof(struct section, stragglers),
     .example = "stragglers: [{ranks: \"0-7,12\", factor: 1.3}]",
     .doc = "NPUs whose compute nodes take longer"},
    {.name = "jitter",
     .type = ORR_KEY_NODE,
     .offset = offsetof(struct section, jitter),
     .example = "jitter: {distribution: normal, spread: 5 %}",
     .doc = "every compute node of every NPU takes a random share longer or shorter"},
    {.name = "seed",
     .type = ORR_KEY_INTEGER,
     .offset = offsetof(struct section, seed),
     .default_text = "0",
     .doc = "seed of the jitter"},
};

static const struct orr_key straggler_keys[] = {
    {.name = "ranks",
     .type = ORR_KEY_NODE,
     .offset = offsetof(struct straggler, ranks),
     .required = true,
     .example = "ranks: \"0-7,12\"",
     .doc = "which NPUs"},
    {.name = "factor",
     .type = ORR_KEY_NUMBER,
     .offset = offsetof(struct straggler, factor),
     .required = true,
     .low = 0.001,
     .high = 1e6,
     .example = "factor: 1.3",
     .doc = "how many times the duration"},
};

static const char *const distributions[] = {"uniform", "normal", "lognormal", NULL};

/* Above these bounds a uniform or normal factor would be negative: at 1 / sqrt(3), and for a normal
 * in one of 3.5 million draws (5 standard deviations). */
static const struct {
    double max;
    const char *text;
} spreads[] = {{0.5, "50 %"}, {0.2, "20 %"}, {3, "300 %"}};

static const struct orr_key jitter_keys[] = {
    {.name = "distribution",
     .type = ORR_KEY_CHOICE,
     .offset = offsetof(struct jitter, distribution),
     .choices = distributions,
     .default_text = "normal",
     .doc = "of the factor, whose mean is 1"},
    {.name = "spread",
     .type = ORR_KEY_TEXT,
     .offset = offsetof(struct jitter, spread),
     .required = true,
     .example = "spread: 5 %",
     .doc = "its standard deviation; at most 50 % (uniform), 20 % (normal), 300 % (lognormal)"},
};

/* ---- lists of ranks ---- */

struct marking {
    double *factor; /* [npus], 0: not listed so far */
    uint32_t npus;
    double value;
    struct orr_diag *diag;
};

static const char *skip_space(const char *text)
{
    while (*text == ' ') {
        text++;
    }
    return text;
}

/* Reads digits; UINT64_MAX when there are none. Stops growing far above any rank. */
static uint64_t read_rank(const char **text)
{
    const char *at = skip_space(*text);
    uint64_t rank = *at >= '0' && *at <= '9' ? 0 : UINT64_MAX;
    for (; *at >= '0' && *at <= '9'; at++) {
        rank = rank > UINT32_MAX ? rank : rank * 10 + (uint64_t)(*at - '0');
    }
    *text = skip_space(at);
    return rank;
}

static enum orr_status mark(const struct marking *marking, const struct orr_conf *node,
                            uint64_t first, uint64_t last)
{
    if (last >= marking->npus) {
        char what[64];
        (void)snprintf(what, sizeof what, "ranks from 0 to %u", marking->npus - 1);
        return orr_conf_expected(node, what, marking->diag);
    }
    for (uint64_t rank = first; rank <= last; rank++) {
        if (marking->factor[rank] != 0) {
            const struct orr_location location = orr_conf_location(node);
            return orr_diag_fail(marking->diag, ORR_ERR_INPUT, &location,
                                 "%s: rank %u has a factor already", node->path, (unsigned)rank);
        }
        marking->factor[rank] = marking->value;
    }
    return ORR_OK;
}

/* "0-7,12" */
static enum orr_status mark_text(const struct marking *marking, const struct orr_conf *node)
{
    const char *at = node->kind == ORR_CONF_SCALAR ? node->text : "";
    enum orr_status status = ORR_OK;
    bool more = true;
    while (more && status == ORR_OK) {
        const uint64_t first = read_rank(&at);
        uint64_t last = first;
        if (*at == '-') {
            at++;
            last = read_rank(&at);
        }
        more = *at == ',';
        if (first == UINT64_MAX || last == UINT64_MAX || first > last || (*at != '\0' && !more)) {
            return orr_conf_expected(node, "ranks such as \"0-7,12\"", marking->diag);
        }
        at += more ? 1 : 0;
        status = mark(marking, node, first, last);
    }
    return status;
}

static enum orr_status mark_ranks(const struct marking *marking, const struct orr_conf *node)
{
    if (node->kind != ORR_CONF_LIST || node->count == 0) {
        return mark_text(marking, node);
    }
    enum orr_status status = ORR_OK;
    for (size_t i = 0; i < node->count && status == ORR_OK; i++) {
        status = mark_text(marking, node->item[i]);
    }
    return status;
}

static enum orr_status read_stragglers(struct orr_arena *arena, const struct orr_conf *list,
                                       uint32_t npus, struct wl_slowdown *out,
                                       struct orr_diag *diag)
{
    if (list->kind != ORR_CONF_LIST) {
        return orr_conf_expected(list, "a list such as [{ranks: \"0-7,12\", factor: 1.3}]", diag);
    }
    double *factor = orr_arena_array(arena, npus, sizeof *factor);
    if (factor == NULL) {
        return orr_diag_no_memory(diag, "the stragglers");
    }
    for (size_t i = 0; i < list->count; i++) {
        struct straggler straggler = {0};
        enum orr_status status = orr_conf_read(list->item[i], "a straggler", straggler_keys,
                                               COUNT(straggler_keys), &straggler, diag);
        if (status == ORR_OK) {
            const struct marking marking = {factor, npus, straggler.factor, diag};
            status = mark_ranks(&marking, straggler.ranks);
        }
        if (status != ORR_OK) {
            return status;
        }
    }
    for (uint32_t rank = 0; rank < npus; rank++) {
        factor[rank] = factor[rank] != 0 ? factor[rank] : 1;
    }
    out->factor = list->count != 0 ? factor : NULL;
    return ORR_OK;
}

/* ---- jitter ---- */

/* "5 %" or 0.05 */
static bool parse_share(const char *text, double *out)
{
    char number[64];
    const size_t length = strlen(text);
    const bool percent = length > 0 && text[length - 1] == '%';
    if (length >= sizeof number) {
        return false;
    }
    (void)snprintf(number, sizeof number, "%.*s", (int)(length - (percent ? 1 : 0)), text);
    for (size_t end = strlen(number); end > 0 && number[end - 1] == ' '; end--) {
        number[end - 1] = '\0';
    }
    if (!orr_parse_number(number, out)) {
        return false;
    }
    *out = percent ? *out / 100 : *out;
    return true;
}

static enum orr_status read_jitter(const struct orr_conf *map, struct wl_slowdown *out,
                                   struct orr_diag *diag)
{
    struct jitter jitter = {0};
    const enum orr_status status =
        orr_conf_read(map, "the jitter", jitter_keys, COUNT(jitter_keys), &jitter, diag);
    if (status != ORR_OK) {
        return status;
    }
    if (!parse_share(jitter.spread, &out->spread) || out->spread < 0 ||
        out->spread > spreads[jitter.distribution].max) {
        char what[128];
        (void)snprintf(what, sizeof what,
                       "a share such as \"5 %%\" or 0.05, for a %s distribution at most %s",
                       distributions[jitter.distribution], spreads[jitter.distribution].text);
        return orr_conf_expected(orr_conf_get(map, "spread"), what, diag);
    }
    out->jitter = out->spread > 0 ? WL_JITTER_UNIFORM + jitter.distribution : WL_JITTER_NONE;
    return ORR_OK;
}

/* ---- the section ---- */

static enum orr_status read_section(const struct orr_conf *node, struct section *section,
                                    struct orr_diag *diag)
{
    if (node->kind == ORR_CONF_LIST) { /* stragglers only */
        section->stragglers = node;
        return ORR_OK;
    }
    return orr_conf_read(node, "the slowdown", section_keys, COUNT(section_keys), section, diag);
}

enum orr_status orr_wl_slowdown_read(struct orr_arena *arena, const struct orr_conf *node,
                                     uint32_t npus, const struct wl_slowdown **out,
                                     struct orr_diag *diag)
{
    *out = NULL;
    struct section section = {0};
    enum orr_status status = node != NULL ? read_section(node, &section, diag) : ORR_OK;
    if (status != ORR_OK || (section.stragglers == NULL && section.jitter == NULL)) {
        return status;
    }
    struct wl_slowdown *slowdown = orr_arena_alloc(arena, sizeof *slowdown);
    if (slowdown == NULL) {
        return orr_diag_no_memory(diag, "the slowdown");
    }
    slowdown->seed = (uint64_t)section.seed;
    if (section.stragglers != NULL) {
        status = read_stragglers(arena, section.stragglers, npus, slowdown, diag);
    }
    if (status == ORR_OK && section.jitter != NULL) {
        status = read_jitter(section.jitter, slowdown, diag);
    }
    *out = slowdown->factor != NULL || slowdown->jitter != WL_JITTER_NONE ? slowdown : NULL;
    return status;
}
