/* Candidate paths of a tree edge: a path up and a path down, which is the reverse if the graph has
 * it. */
#include <string.h>

#include "core/arena.h"
#include "core/diag.h"
#include "network/graph.h"
#include "system/embedding/embed_private.h"

/* Reverses a path; `link` NULL: a reverse link is missing. False: no memory. */
static bool reverse_path(const struct net_graph *graph, const struct embed_path *path,
                         struct orr_arena *arena, struct embed_path *out)
{
    uint32_t *link = orr_arena_array(arena, path->hops, sizeof *link);
    *out = *path;
    out->link = link;
    for (uint32_t i = 0; i < path->hops && link != NULL; i++) {
        const struct net_link *forward = &graph->link[path->link[path->hops - 1 - i]];
        link[i] = orr_net_graph_find(graph, forward->to, forward->from);
        if (link[i] == NET_NO_LINK) {
            out->link = NULL;
            break;
        }
    }
    return link != NULL;
}

static enum orr_status use_user_path(struct embed_finder *finder, uint32_t from, uint32_t to,
                                     struct embed_edge *out, struct orr_diag *diag)
{
    struct embed_choice *choice = orr_arena_array(finder->arena, 1, sizeof *choice);
    if (choice == NULL ||
        !orr_embed_resolve_user_path(finder->embed, from, to, finder->arena, &choice->up) ||
        !orr_embed_resolve_user_path(finder->embed, to, from, finder->arena, &choice->down)) {
        return orr_diag_no_memory(diag, "paths of trees");
    }
    out->choice = choice;
    out->choices = 1;
    return ORR_OK;
}

/* Each path up with its reverse. */
static bool pair_with_reverse(struct embed_finder *finder, const struct embed_paths *ups,
                              struct embed_choice *choice, uint32_t *choices)
{
    for (uint32_t i = 0; i < ups->count; i++) {
        struct embed_path down;
        if (!reverse_path(finder->embed->graph, &ups->path[i], finder->arena, &down)) {
            return false;
        }
        if (down.link != NULL) {
            choice[(*choices)++] = (struct embed_choice){.up = ups->path[i], .down = down};
        }
    }
    return true;
}

/* One-way links: each path up with each path down. */
static void pair_all(const struct embed_paths *ups, const struct embed_paths *downs,
                     struct embed_choice *choice, uint32_t *choices)
{
    for (uint32_t i = 0; i < ups->count; i++) {
        for (uint32_t j = 0; j < downs->count && *choices < EMBED_MAX_PATHS; j++) {
            choice[(*choices)++] =
                (struct embed_choice){.up = ups->path[i], .down = downs->path[j]};
        }
    }
}

static enum orr_status find_choices(struct embed_finder *finder, uint32_t child, uint32_t parent,
                                    struct embed_edge *out, struct orr_diag *diag)
{
    const uint32_t from = embed_npu(finder->embed, child), to = embed_npu(finder->embed, parent);
    bool backwards = false;
    if (orr_embed_user_path(finder->embed, from, to, &backwards) != NULL) {
        return use_user_path(finder, from, to, out, diag);
    }
    struct embed_paths ups, downs;
    struct embed_choice storage[EMBED_MAX_PATHS];
    enum orr_status status = orr_embed_find_paths(finder, child, parent, &ups, diag);
    out->choices = 0;
    if (status == ORR_OK && !pair_with_reverse(finder, &ups, storage, &out->choices)) {
        status = orr_diag_no_memory(diag, "paths of trees");
    }
    if (status == ORR_OK && out->choices == 0 && ups.count > 0) {
        status = orr_embed_find_paths(finder, parent, child, &downs, diag);
        if (status == ORR_OK) {
            pair_all(&ups, &downs, storage, &out->choices);
        }
    }
    struct embed_choice *kept =
        orr_arena_array(finder->arena, (size_t)out->choices + 1, sizeof *kept);
    if (status != ORR_OK || kept == NULL) {
        return status != ORR_OK ? status : orr_diag_no_memory(diag, "paths of trees");
    }
    memcpy(kept, storage, out->choices * sizeof *kept);
    out->choice = kept;
    return ORR_OK;
}

enum orr_status orr_embed_choices(struct embed_finder *finder, uint32_t child, uint32_t parent,
                                  struct embed_edge *out, struct orr_diag *diag)
{
    struct embed_edge *kept =
        finder->of_pair != NULL ? &finder->of_pair[(size_t)child * finder->embed->n + parent] : out;
    enum orr_status status = ORR_OK;
    if (kept == out || kept->choice == NULL) {
        status = find_choices(finder, child, parent, kept, diag);
    }
    out->choice = kept->choice;
    out->choices = kept->choices;
    return status;
}
