/* What an edge of a tree may choose: a way up, and one down, the same backwards where the graph has
 * it. */
#include <string.h>

#include "system/embedding/embed_private.h"

/* The way's links backwards; NULL in `link`: one of them is not there. False: memory is out. */
static bool turn(const struct net_graph *graph, const struct embed_path *way,
                 struct orr_arena *arena, struct embed_path *out)
{
    uint32_t *link = orr_arena_array(arena, way->hops, sizeof *link);
    *out = *way;
    out->link = link;
    for (uint32_t i = 0; i < way->hops && link != NULL; i++) {
        const struct net_link *there = &graph->link[way->link[way->hops - 1 - i]];
        link[i] = orr_net_graph_find(graph, there->to, there->from);
        if (link[i] == NET_NO_LINK) {
            out->link = NULL;
            break;
        }
    }
    return link != NULL;
}

static enum orr_status take_given(struct embed_finder *finder, uint32_t from, uint32_t to,
                                  struct embed_edge *out, struct orr_diag *diag)
{
    struct embed_choice *choice = orr_arena_array(finder->arena, 1, sizeof *choice);
    if (choice == NULL ||
        !orr_embed_given_way(finder->embed, from, to, finder->arena, &choice->up) ||
        !orr_embed_given_way(finder->embed, to, from, finder->arena, &choice->down)) {
        return orr_diag_no_memory(diag, "ways of trees");
    }
    out->choice = choice;
    out->choices = 1;
    return ORR_OK;
}

/* Each way up with itself backwards. */
static bool mirror(struct embed_finder *finder, const struct embed_paths *ups,
                   struct embed_choice *choice, uint32_t *choices)
{
    for (uint32_t i = 0; i < ups->count; i++) {
        struct embed_path down;
        if (!turn(finder->embed->graph, &ups->way[i], finder->arena, &down)) {
            return false;
        }
        if (down.link != NULL) {
            choice[(*choices)++] = (struct embed_choice){.up = ups->way[i], .down = down};
        }
    }
    return true;
}

/* Links that go one way only: each way up with each way down. */
static void pair_up(const struct embed_paths *ups, const struct embed_paths *downs,
                    struct embed_choice *choice, uint32_t *choices)
{
    for (uint32_t i = 0; i < ups->count; i++) {
        for (uint32_t j = 0; j < downs->count && *choices < EMBED_MAX_PATHS; j++) {
            choice[(*choices)++] = (struct embed_choice){.up = ups->way[i], .down = downs->way[j]};
        }
    }
}

static enum orr_status find_choices(struct embed_finder *finder, uint32_t child, uint32_t parent,
                                    struct embed_edge *out, struct orr_diag *diag)
{
    const uint32_t from = embed_npu(finder->embed, child), to = embed_npu(finder->embed, parent);
    bool backwards = false;
    if (orr_embed_given(finder->embed, from, to, &backwards) != NULL) {
        return take_given(finder, from, to, out, diag);
    }
    struct embed_paths ups, downs;
    struct embed_choice room[EMBED_MAX_PATHS];
    enum orr_status status = orr_embed_find_paths(finder, child, parent, &ups, diag);
    out->choices = 0;
    if (status == ORR_OK && !mirror(finder, &ups, room, &out->choices)) {
        status = orr_diag_no_memory(diag, "ways of trees");
    }
    if (status == ORR_OK && out->choices == 0 && ups.count > 0) {
        status = orr_embed_find_paths(finder, parent, child, &downs, diag);
        if (status == ORR_OK) {
            pair_up(&ups, &downs, room, &out->choices);
        }
    }
    struct embed_choice *kept =
        orr_arena_array(finder->arena, (size_t)out->choices + 1, sizeof *kept);
    if (status != ORR_OK || kept == NULL) {
        return status != ORR_OK ? status : orr_diag_no_memory(diag, "ways of trees");
    }
    memcpy(kept, room, out->choices * sizeof *kept);
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
