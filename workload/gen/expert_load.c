/* Loads of experts; see expert_load.h. */
#include "workload/gen/expert_load.h"

#include <inttypes.h>
#include <math.h>
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

static enum orr_status read_list(const struct orr_conf *node, uint64_t experts,
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
    if (listed.count != experts) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, &location,
                             "%s: expected a load for each of the %" PRIu64 " experts, got %zu",
                             node->path, experts, listed.count);
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
    load->listed = values;
    load->is_set = true;
    return ORR_OK;
}

enum orr_status orr_gen_expert_load_read(const struct orr_conf *section,
                                         const struct orr_conf_list *words, uint64_t experts,
                                         struct gen_expert_load *load, struct orr_diag *diag)
{
    const struct orr_conf *node = orr_conf_get(section, "expert_load");
    *load = (struct gen_expert_load){.is_set = false};
    if (node == NULL) {
        return ORR_OK;
    }
    if (node->kind != ORR_CONF_SCALAR) {
        return read_list(node, experts, load, diag);
    }
    const char *word = ((const char *const *)words->values)[0];
    if (strcmp(word, "even") == 0) {
        return ORR_OK;
    }
    const size_t prefix = strlen(ZIPF);
    if (strncmp(word, ZIPF, prefix) != 0 || !orr_parse_number(word + prefix, &load->exponent) ||
        load->exponent < 0 || load->exponent > 100) {
        return fail_word(node, word, diag);
    }
    load->is_set = true;
    return ORR_OK;
}

uint64_t orr_gen_expert_tokens(const struct gen_expert_load *load, uint64_t experts,
                               uint64_t before, uint64_t tokens)
{
    double sum = 0, first = 0;
    for (uint64_t i = 0; i < experts; i++) {
        first = i == before ? sum : first;
        sum += load->listed != NULL ? load->listed[i] : pow((double)(i + 1), -load->exponent);
    }
    return before >= experts ? tokens : (uint64_t)(first / sum * (double)tokens + 0.5);
}
