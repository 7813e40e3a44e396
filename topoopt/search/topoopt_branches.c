/* Branches of a model: chains of operators that do not depend on each other, those with the most
 * weights. */
#include <stdlib.h>

#include "core/arena.h"
#include "core/diag.h"
#include "topoopt/search/topoopt_private.h"

struct chains {
    const struct model_graph *model;
    uint32_t *of, *users; /* [ops] the chain of each; number of its users */
    uint32_t count;
    struct chain {
        uint32_t number;
        uint64_t bytes;
    } * chain;
};

/* A chain continues while an operator has one input and is its only user. */
static void find_chains(struct chains *chains)
{
    const struct model_graph *model = chains->model;
    for (uint32_t e = 0; e < model->edges; e++) {
        chains->users[model->edge[e].from]++;
    }
    for (uint32_t op = 0; op < model->ops; op++) {
        const struct model_op *at = &model->op[op];
        const uint32_t input = at->edges == 1 ? model->edge[at->first_edge].from : op;
        const bool goes_on = input != op && chains->users[input] == 1;
        chains->of[op] = goes_on ? chains->of[input] : chains->count++;
        struct chain *chain = &chains->chain[chains->of[op]];
        chain->number = chains->of[op];
        chain->bytes += at->table || at->owner != op ? 0 : at->weight_bytes;
    }
}

static int by_bytes(const void *a, const void *b)
{
    const struct chain *x = a, *y = b;
    if (x->bytes != y->bytes) {
        return x->bytes < y->bytes ? 1 : -1;
    }
    return (x->number > y->number) - (x->number < y->number);
}

/* Computes for each operator a bit set of the heaviest chains that it depends on, its own
 * included. */
static void find_waits(const struct chains *chains, const uint32_t *position, uint64_t *waits)
{
    const struct model_graph *model = chains->model;
    for (uint32_t op = 0; op < model->ops; op++) {
        const uint32_t at = position[chains->of[op]];
        for (uint32_t i = 0; i < model->op[op].edges; i++) {
            waits[op] |= waits[model->edge[model->op[op].first_edge + i].from];
        }
        waits[op] |= at < TOPOOPT_MAX_BRANCHES ? UINT64_C(1) << at : 0;
    }
}

/* Selects chains, the heaviest first, that are independent of all selected ones. */
static void take_branches(const struct chains *chains, const uint64_t *of_chain,
                          struct topoopt_branches *out)
{
    uint64_t taken = 0, waited = 0;
    uint32_t branch[TOPOOPT_MAX_BRANCHES];
    for (uint32_t i = 0; i < chains->count && i < TOPOOPT_MAX_BRANCHES; i++) {
        const uint64_t bit = UINT64_C(1) << i;
        const bool apart = (of_chain[i] & taken) == 0 && (waited & bit) == 0;
        branch[i] = TOPOOPT_NONE;
        if (apart && chains->chain[i].bytes > 0) {
            branch[i] = out->count;
            out->bytes[out->count++] = chains->chain[i].bytes;
            taken |= bit;
            waited |= of_chain[i];
        }
    }
    for (uint32_t op = 0; op < chains->model->ops; op++) {
        const uint32_t at = chains->users[chains->of[op]]; /* the rank by weight of its chain */
        out->of[op] = at < TOPOOPT_MAX_BRANCHES ? branch[at] : TOPOOPT_NONE;
    }
}

enum orr_status orr_topoopt_branches(struct orr_arena *arena, const struct model_graph *model,
                                     struct topoopt_branches *out, struct orr_diag *diag)
{
    const size_t ops = (size_t)model->ops + 1;
    struct chains chains = {.model = model,
                            .of = orr_arena_array(arena, ops, sizeof(uint32_t)),
                            .users = orr_arena_array(arena, ops, sizeof(uint32_t)),
                            .chain = orr_arena_array(arena, ops, sizeof *chains.chain)};
    uint64_t *waits = orr_arena_array(arena, ops, sizeof *waits);
    uint64_t of_chain[TOPOOPT_MAX_BRANCHES] = {0};
    *out = (struct topoopt_branches){.of = orr_arena_array(arena, ops, sizeof *out->of)};
    if (chains.of == NULL || chains.users == NULL || chains.chain == NULL || waits == NULL ||
        out->of == NULL) {
        return orr_diag_no_memory(diag, "branches of a model");
    }
    find_chains(&chains);
    qsort(chains.chain, chains.count, sizeof *chains.chain, by_bytes);
    for (uint32_t i = 0; i < chains.count; i++) {
        chains.users[chains.chain[i].number] = i;
    }
    find_waits(&chains, chains.users, waits);
    for (uint32_t op = 0; op < model->ops; op++) {
        const uint32_t at = chains.users[chains.of[op]];
        if (at < TOPOOPT_MAX_BRANCHES) {
            of_chain[at] |= waits[op];
        }
    }
    take_branches(&chains, of_chain, out);
    return ORR_OK;
}
