/* The most circles through a few members that use no bond twice: of all circles in order, each set
 * once, until one has as many as there can be. */
#include <string.h>

#include "system/embedding/embed_search.h"

enum { MEMBERS = EMBED_EXACT_MEMBERS, MAX_STEPS = 1 << 22 };

struct circle {
    uint8_t at[MEMBERS];
};

struct all {
    struct embed_cycles *circles;
    uint32_t n;
    uint32_t left[MEMBERS][MEMBERS]; /* bonds of a pair */
    struct circle *circle;
    size_t count, room;
    size_t chosen[SYS_MAX_TREES];
    uint32_t steps;
    bool failed;
};

static void add_circle(struct all *all, const struct circle *circle)
{
    struct circle *grown =
        orr_arena_grow(all->circles->arena, all->circle, &all->room, all->count + 1, sizeof *grown);
    all->failed = grown == NULL;
    if (grown != NULL) {
        all->circle = grown;
        grown[all->count++] = *circle;
    }
}

/* From member 0 on; the second member is below the last, so that each circle appears once. */
static void go_on(struct all *all, struct circle *circle, uint32_t length, uint32_t taken)
{
    const uint8_t last = circle->at[length - 1];
    if (length == all->n) {
        if (circle->at[1] < last && all->left[last][0] > 0) {
            add_circle(all, circle);
        }
        return;
    }
    for (uint32_t i = 1; i < all->n && !all->failed; i++) {
        if ((taken >> i & 1) == 0 && all->left[last][i] > 0) {
            circle->at[length] = (uint8_t)i;
            go_on(all, circle, length + 1, taken | 1u << i);
        }
    }
}

/* ---- sets ---- */

static bool is_left(const struct all *all, const struct circle *circle)
{
    for (uint32_t i = 0; i < all->n; i++) {
        if (all->left[circle->at[i]][circle->at[(i + 1) % all->n]] == 0) {
            return false;
        }
    }
    return true;
}

static void take(struct all *all, const struct circle *circle, uint32_t bonds)
{
    for (uint32_t i = 0; i < all->n; i++) {
        const uint8_t from = circle->at[i], to = circle->at[(i + 1) % all->n];
        all->left[from][to] -= bonds;
        all->left[to][from] -= bonds;
    }
}

static void keep(struct all *all, uint32_t chosen)
{
    struct embed_cycles *circles = all->circles;
    circles->circles = chosen;
    for (uint32_t c = 0; c < chosen; c++) {
        for (uint32_t i = 0; i < all->n; i++) {
            circles->order[c * all->n + i] = all->circle[all->chosen[c]].at[i];
        }
    }
}

/* How many more circles the bonds that are left allow at most. */
static uint32_t room_left(const struct all *all)
{
    uint32_t min = UINT32_MAX;
    for (uint32_t i = 0; i < all->n; i++) {
        uint32_t degree = 0;
        for (uint32_t j = 0; j < all->n; j++) {
            degree += all->left[i][j];
        }
        min = degree / 2 < min ? degree / 2 : min;
    }
    return min;
}

static void choose(struct all *all, uint32_t chosen, size_t from)
{
    struct embed_cycles *circles = all->circles;
    if (chosen > circles->circles) {
        keep(all, chosen);
    }
    if (circles->circles == circles->max || chosen + room_left(all) <= circles->circles) {
        return;
    }
    for (size_t i = from; i < all->count && all->steps > 0; i++) {
        all->steps--;
        if (is_left(all, &all->circle[i])) {
            all->chosen[chosen] = i;
            take(all, &all->circle[i], 1);
            choose(all, chosen + 1, i);
            take(all, &all->circle[i], UINT32_MAX); /* gives back */
        }
        if (circles->circles == circles->max) {
            return;
        }
    }
}

bool orr_embed_cycles_exact(struct embed_cycles *circles)
{
    struct all all = {.circles = circles, .n = circles->bonds.n, .steps = MAX_STEPS};
    struct circle circle = {.at = {0}};
    for (uint32_t i = 0; i < circles->bonds.bonds; i++) {
        const struct embed_duplex_link *bond = &circles->bonds.bond[i];
        all.left[bond->a][bond->b]++;
        all.left[bond->b][bond->a]++;
    }
    go_on(&all, &circle, 1, 1);
    choose(&all, 0, 0);
    circles->complete = all.steps > 0;
    return !all.failed;
}
