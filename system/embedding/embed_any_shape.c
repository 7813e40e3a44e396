/* Trees of any shape over direct links: the best of many attempts from random roots. */
#include "core/diag.h"
#include "system/embedding/embed_search.h"

enum { WORK = 1 << 19, MAX_ATTEMPTS = 64, STEPS = 0 };

enum orr_status orr_embed_search_any_shape(struct embed_tree_search *search)
{
    struct embed_forest forest;
    struct orr_rng rng;
    enum orr_status status = ORR_OK;
    if (!orr_embed_forest_open(&forest, search->finder.embed, search->options->trees,
                               search->arena)) {
        return orr_diag_no_memory(search->diag, "a search of trees");
    }
    if (!orr_embed_forest_joins(&forest)) {
        return ORR_OK;
    }
    const uint64_t work = (uint64_t)forest.n * ((uint64_t)forest.edges + 1);
    const uint64_t max = WORK / work < MAX_ATTEMPTS ? WORK / work + 2 : MAX_ATTEMPTS;
    orr_rng_init(&rng, search->options->seed, 1);
    for (uint64_t i = 0; i < max && status == ORR_OK; i++) {
        orr_embed_forest_grow(&forest, &rng);
        orr_embed_forest_flatten(&forest);
        status = orr_embed_try(search, forest.parent, STEPS);
    }
    return status;
}
