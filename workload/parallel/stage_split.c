/* The split of layers over pipeline stages; see stage_split.h. */
#include "workload/parallel/stage_split.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/conf/conf.h"
#include "core/conf/conf_read.h"
#include "core/conf/keys.h"

/* ---- reading ---- */

static enum orr_status fail_word(const struct orr_conf *node, const char *found,
                                 struct orr_diag *diag)
{
    const struct orr_location location = orr_conf_location(node);
    return orr_diag_fail(diag, ORR_ERR_INPUT, &location,
                         "%s: expected even, uneven or a list with the layers of each stage, got "
                         "\"%s\"",
                         node->path, found);
}

static enum orr_status read_numbers(const struct orr_conf *node, struct gen_split *split,
                                    struct orr_diag *diag)
{
    static const struct orr_key numbers = {.name = "layers_per_stage",
                                           .type = ORR_KEY_INTEGER,
                                           .list = true,
                                           .scalar_as_list = true,
                                           .min = 1,
                                           .low = 1,
                                           .high = 1e6};
    split->spread = GEN_LISTED;
    return orr_conf_value(node, &numbers, &split->listed, diag);
}

enum orr_status orr_gen_split_read(const struct orr_conf *parallel,
                                   const struct orr_conf_list *words, struct gen_split *split,
                                   struct orr_diag *diag)
{
    static const char *const names[] = {[GEN_EVEN] = "even", [GEN_UNEVEN] = "uneven"};
    const struct orr_conf *node =
        parallel != NULL ? orr_conf_get(parallel, "layers_per_stage") : NULL;
    if (node == NULL) {
        return ORR_OK;
    }
    const char *const *text = words->values;
    for (unsigned i = 0; i < 2 && words->count == 1; i++) {
        if (strcmp(text[0], names[i]) == 0) {
            split->spread = (enum gen_spread)i;
            return ORR_OK;
        }
    }
    if (node->kind == ORR_CONF_SCALAR && strspn(text[0], "0123456789") != strlen(text[0])) {
        return fail_word(node, text[0], diag);
    }
    return read_numbers(node, split, diag);
}

/* ---- the row ---- */

/* Layers, including embedding and head if they count. */
static uint32_t row_of(const struct gen_plan *plan, const struct gen_row *row)
{
    const struct gen_split *split = &plan->split;
    return row->layers + split->embedding + split->head;
}

/* The first layer of a part in the row. The remainder goes, one layer each, to parts in the middle:
 * first the last part has one less, then the first, and so on (Llama 3, Dubey et al. 2024, section
 * 3.3.2). */
static uint32_t begin_of(const struct gen_plan *plan, const struct gen_row *row, uint32_t part)
{
    const struct gen_split *split = &plan->split;
    const uint32_t parts = orr_gen_pipeline_cut(&plan->pipeline), all = row_of(plan, row);
    if (split->spread == GEN_LISTED) {
        const int64_t *listed = split->listed.values;
        uint32_t begin = 0;
        for (uint32_t i = 0; i < part; i++) {
            begin += (uint32_t)listed[i];
        }
        return begin;
    }
    const uint32_t rest = all % parts, front = (parts - rest) / 2;
    const uint32_t longer = part < front ? 0 : part - front;
    return part * (all / parts) + (longer < rest ? longer : rest);
}

struct gen_range orr_gen_chunk_range(const struct gen_plan *plan, const struct gen_row *row,
                                     uint32_t stage, uint32_t chunk)
{
    const uint32_t parts = orr_gen_pipeline_cut(&plan->pipeline);
    return orr_gen_part_range(plan, row,
                              orr_gen_pipeline_part(&plan->pipeline, stage, chunk) % parts);
}

struct gen_range orr_gen_part_range(const struct gen_plan *plan, const struct gen_row *row,
                                    uint32_t part)
{
    const uint32_t parts = orr_gen_pipeline_cut(&plan->pipeline);
    const uint32_t layers = row->layers;
    const uint32_t ahead = plan->split.embedding ? 1 : 0;
    const uint32_t begin = begin_of(plan, row, part), end = begin_of(plan, row, part + 1);
    const uint32_t first = begin > ahead ? begin - ahead : 0;
    const uint32_t behind = end > ahead ? end - ahead : 0;
    return (struct gen_range){.first = first < layers ? first : layers,
                              .end = behind < layers ? behind : layers,
                              .embedding = part == 0 && row->embedding,
                              .head = part == parts - 1 && row->head};
}

uint32_t orr_gen_stage_layers(const struct gen_plan *plan, const struct gen_row *row,
                              uint32_t stage)
{
    uint32_t layers = 0;
    for (uint32_t c = 0; c < plan->pipeline.chunks; c++) {
        const struct gen_range range = orr_gen_chunk_range(plan, row, stage, c);
        layers += range.end - range.first;
    }
    return layers;
}

uint32_t orr_gen_max_layers(const struct gen_plan *plan, const struct gen_row *row)
{
    uint32_t max = 0;
    for (uint32_t stage = 0; stage < plan->pipeline.stages; stage++) {
        const uint32_t layers = orr_gen_stage_layers(plan, row, stage);
        max = layers > max ? layers : max;
    }
    return max;
}

/* ---- checks ---- */

/* "the 70 layers", "the 72 layers (2 are the embedding and the head)" */
static const char *describe_layers(const struct gen_plan *plan, const struct gen_row *row,
                                   char text[96])
{
    const struct gen_split *split = &plan->split;
    const char *ends = split->embedding && split->head ? " (2 are the embedding and the head)"
                       : split->embedding              ? " (1 is the embedding)"
                       : split->head                   ? " (1 is the head)"
                                                       : "";
    (void)snprintf(text, 96, "%u layers%s", row_of(plan, row), ends);
    return text;
}

static enum orr_status check_ends(const struct gen_plan *plan, const struct gen_row *row,
                                  struct orr_diag *diag)
{
    const struct gen_split *split = &plan->split;
    if ((row->embedding || !split->embedding) && (row->head || !split->head)) {
        return ORR_OK;
    }
    return orr_gen_fail(plan->parallel, split->embedding ? "embedding_as_layer" : "head_as_layer",
                        diag, "the model has neither embedding nor head (vocabulary: 0)");
}

static enum orr_status check_listed(const struct gen_plan *plan, const struct gen_row *row,
                                    struct orr_diag *diag)
{
    const struct gen_split *split = &plan->split;
    const struct gen_pipeline *pipeline = &plan->pipeline;
    const int64_t *listed = split->listed.values;
    char text[96];
    const uint64_t parts = (uint64_t)pipeline->stages * pipeline->chunks / pipeline->copies;
    int64_t sum = 0;
    if (split->listed.count != parts) {
        return orr_gen_fail(plan->parallel, "layers_per_stage", diag,
                            "%u stages x %u chunks need %" PRIu64 " numbers, in the order of the "
                            "model; got %zu",
                            pipeline->stages, pipeline->chunks / pipeline->copies, parts,
                            split->listed.count);
    }
    for (size_t i = 0; i < split->listed.count; i++) {
        sum += listed[i];
    }
    if (sum != (int64_t)row_of(plan, row)) {
        return orr_gen_fail(plan->parallel, "layers_per_stage", diag,
                            "the stages have %" PRId64 " layers together, but the model has %s",
                            sum, describe_layers(plan, row, text));
    }
    return ORR_OK;
}

enum orr_status orr_gen_check_split(const struct gen_plan *plan, const struct gen_row *row,
                                    struct orr_diag *diag)
{
    const struct gen_pipeline *pipeline = &plan->pipeline;
    const uint64_t parts = (uint64_t)pipeline->stages * pipeline->chunks / pipeline->copies;
    char text[96];
    const enum orr_status status = check_ends(plan, row, diag);
    if (status != ORR_OK) {
        return status;
    }
    if (plan->split.spread == GEN_LISTED) {
        return check_listed(plan, row, diag);
    }
    if (row_of(plan, row) < parts) {
        return orr_gen_fail(plan->parallel, "pipeline", diag,
                            "%u stages x %u chunks are more than the %s", pipeline->stages,
                            pipeline->chunks / pipeline->copies, describe_layers(plan, row, text));
    }
    if (row_of(plan, row) % parts != 0 && plan->split.spread == GEN_EVEN) {
        return orr_gen_fail(plan->parallel, "pipeline", diag,
                            "%u stages x %u chunks do not divide the %s; layers_per_stage: uneven "
                            "spreads the remainder, and a list sets the layers of each stage",
                            pipeline->stages, pipeline->chunks / pipeline->copies,
                            describe_layers(plan, row, text));
    }
    return ORR_OK;
}
