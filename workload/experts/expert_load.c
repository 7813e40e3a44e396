/* Loads of experts; see expert_load.h. */
#include "workload/experts/expert_load.h"

#include "core/conf/conf.h"
#include "core/conf/conf_read.h"
#include "core/conf/keys.h"
#include "core/units.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#define ZIPF "zipf:"

static enum orr_status fail_word(const struct orr_conf *node, const char *found,
                                 struct orr_diag *diag)
{
    const struct orr_location location = orr_conf_location(node);
    return orr_diag_fail(diag, ORR_ERR_INPUT, &location,
                         "%s: expected even, zipf:EXPONENT such as zipf:0.8, or a list with the "
                         "relative load of each expert, got \"%s\"",
                         node->path, found);
}

/* Fills the shares from loads, or if these are NULL by Zipf's law. */
static enum orr_status fill_shares(struct orr_arena *arena, const double *loads, double exponent,
                                   struct gen_expert_load *load, struct orr_diag *diag)
{
    double *before = orr_arena_array(arena, load->experts + 1, sizeof *before);
    if (before == NULL) {
        return orr_diag_no_memory(diag, "the loads of experts");
    }
    for (uint64_t i = 0; i < load->experts; i++) {
        before[i + 1] = before[i] + (loads != NULL ? loads[i] : pow((double)(i + 1), -exponent));
    }
    const double sum = before[load->experts];
    for (uint64_t i = 0; i <= load->experts; i++) {
        before[i] /= sum;
    }
    load->before = before;
    return ORR_OK;
}

static enum orr_status read_list(struct orr_arena *arena, const struct orr_conf *node,
                                 struct gen_expert_load *load, struct orr_diag *diag)
{
    static const struct orr_key numbers = {
        .name = "expert_load", .type = ORR_KEY_NUMBER, .list = true, .min = 1, .high = 1e12};
    struct orr_conf_list listed = {0, NULL};
    const enum orr_status status = orr_conf_value(node, &numbers, &listed, diag);
    const struct orr_location location = orr_conf_location(node);
    if (status != ORR_OK) {
        return status;
    }
    if (listed.count != load->experts) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, &location,
                             "%s: expected a load for each of the %" PRIu64 " experts, got %zu",
                             node->path, load->experts, listed.count);
    }
    const double *values = listed.values;
    double sum = 0;
    for (size_t i = 0; i < listed.count; i++) {
        sum += values[i];
    }
    if (sum <= 0) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, &location,
                             "%s: expected a load above 0, got a list of zeros", node->path);
    }
    return fill_shares(arena, values, 0, load, diag);
}

enum orr_status orr_gen_expert_load_read(struct orr_arena *arena, const struct orr_conf *section,
                                         const struct orr_conf_list *words, uint64_t experts,
                                         struct gen_expert_load *load, struct orr_diag *diag)
{
    const struct orr_conf *node = orr_conf_get(section, "expert_load");
    *load = (struct gen_expert_load){.experts = experts};
    if (node == NULL) {
        return ORR_OK;
    }
    if (node->kind != ORR_CONF_SCALAR) {
        return read_list(arena, node, load, diag);
    }
    const char *word = ((const char *const *)words->values)[0];
    if (strcmp(word, "even") == 0) {
        return ORR_OK;
    }
    const size_t prefix = strlen(ZIPF);
    double exponent;
    if (strncmp(word, ZIPF, prefix) != 0 || !orr_parse_number(word + prefix, &exponent) ||
        exponent < 0 || exponent > 100) {
        return fail_word(node, word, diag);
    }
    return fill_shares(arena, NULL, exponent, load, diag);
}
