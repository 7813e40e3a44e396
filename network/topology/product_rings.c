/* Rings of products of rings and full meshes, such as tori and hypercubes: see graph.h.
 *
 * A full mesh of n falls into (n - 1) / 2 circles through all of it, and of an even n a matching
 * (Walecki). A product of such graphs falls into layers of them, one colour for each circle of each
 * factor; matchings of two factors make a colour of rings of four, and one may be left over. Any
 * square whose opposite sides have the same colour may exchange its two colours: all nodes keep
 * their links of each. Where the two sides are of two circles these become one. So the circles of
 * every colour are joined until each is one through all nodes. */
#include <string.h>

#include "core/arena.h"
#include "core/rng.h"
#include "network/product_cycles.h"

enum { STEPS_PER_NODE = 4000 };
#define NO_NODE UINT32_MAX

struct colouring {
    struct orr_arena *arena;
    uint32_t n, colours;
    bool spare;      /* the last colour is a matching, which need not be joined */
    uint32_t *near;  /* [colours * n * 2]: the two neighbours of a node in a colour */
    uint32_t *label; /* [colours * n]: a node of the circle that the node is in */
    uint32_t *size;  /* [colours * n]: of the circle with this label */
    uint32_t excess; /* circles beyond one of each colour */
    uint64_t steps;  /* that may still be gone around circles */
    struct orr_rng rng;
};

static uint32_t *near_of(const struct colouring *colouring, uint32_t colour, uint32_t node)
{
    return &colouring->near[2 * ((size_t)colour * colouring->n + node)];
}

static uint32_t *label_of(const struct colouring *colouring, uint32_t colour, uint32_t node)
{
    return &colouring->label[(size_t)colour * colouring->n + node];
}

static uint32_t *size_of(const struct colouring *colouring, uint32_t colour, uint32_t label)
{
    return &colouring->size[(size_t)colour * colouring->n + label];
}

static bool is_spare(const struct colouring *colouring, uint32_t colour)
{
    return colouring->spare && colour + 1 == colouring->colours;
}

/* ---- circles of a factor ---- */

/* Of a full mesh: all but the last on a circle, of which the last is the centre. Matching i joins
 * those that add up to 2 i, and i to the centre; two in a row make a circle through all. An odd
 * number has the zigzags across the circle, closed over the centre. */
static uint32_t clique_member(uint32_t size, uint32_t cycle, uint32_t place)
{
    const uint32_t around = size - 1;
    if (place == 0) {
        return around;
    }
    const uint32_t start = size % 2 == 0 ? 2 * cycle : cycle, step = size % 2 == 0 ? 2 : 1;
    const uint32_t across = place / 2 * step % around;
    return (start + (place % 2 == 0 ? across : around - across)) % around;
}

/* The node in the same place of the matching that an even number leaves. */
static uint32_t matched(uint32_t size, uint32_t place)
{
    const uint32_t around = size - 1, last = size - 2;
    if (place == around || place == last) {
        return place == around ? last : around;
    }
    return (2 * last + around - place) % around;
}

static uint32_t cycles_of(const struct net_factor *factor)
{
    return factor->clique ? (factor->size - 1) / 2 : 1;
}

static bool has_matching(const struct net_factor *factor)
{
    return factor->clique && factor->size % 2 == 0;
}

/* A factor among the others: nodes a stride apart differ by one place in it. */
struct layer {
    const struct net_factor *factor;
    uint32_t stride;
};

static uint32_t at_place(const struct layer *layer, uint32_t node, uint32_t place)
{
    const uint32_t own = node / layer->stride % layer->factor->size;
    return node - own * layer->stride + place * layer->stride;
}

/* false: no memory. */
static bool paint_cycle(struct colouring *colouring, const struct layer *layer, uint32_t cycle)
{
    const uint32_t size = layer->factor->size, colour = colouring->colours++;
    uint32_t *around = orr_arena_array(colouring->arena, size, 2 * sizeof *around);
    if (around == NULL) {
        return false;
    }
    uint32_t *place = around + size;
    for (uint32_t i = 0; i < size; i++) {
        around[i] = layer->factor->clique ? clique_member(size, cycle, i) : i;
        place[around[i]] = i;
    }
    for (uint32_t node = 0; node < colouring->n; node++) {
        const uint32_t at = place[node / layer->stride % size];
        uint32_t *near = near_of(colouring, colour, node);
        near[0] = at_place(layer, node, around[(at + 1) % size]);
        near[1] = at_place(layer, node, around[(at + size - 1) % size]);
    }
    return true;
}

/* The second of two matchings makes rings of the first; else it may be left over. */
static void paint_matching(struct colouring *colouring, const struct layer *layer)
{
    const bool second = colouring->spare;
    const uint32_t colour = second ? colouring->colours - 1 : colouring->colours;
    for (uint32_t node = 0; node < colouring->n; node++) {
        const uint32_t own = node / layer->stride % layer->factor->size;
        uint32_t *near = near_of(colouring, colour, node);
        near[second] = at_place(layer, node, matched(layer->factor->size, own));
        near[1] = second ? near[1] : NO_NODE;
    }
    colouring->colours = colour + 1;
    colouring->spare = !second;
}

/* Those of the circles first, so that a matching that is left over is the last. */
static bool paint(struct colouring *colouring, const struct net_factor *factor, uint32_t factors)
{
    bool done = true;
    struct layer layer = {.stride = 1};
    for (uint32_t f = 0; f < factors; f++, layer.stride *= layer.factor->size) {
        layer.factor = &factor[f];
        for (uint32_t c = 0; done && c < cycles_of(&factor[f]); c++) {
            done = paint_cycle(colouring, &layer, c);
        }
    }
    layer.stride = 1;
    for (uint32_t f = 0; f < factors && done; f++, layer.stride *= layer.factor->size) {
        layer.factor = &factor[f];
        if (has_matching(&factor[f])) {
            paint_matching(colouring, &layer);
        }
    }
    return done;
}

/* ---- going around ---- */

static uint32_t behind(const struct colouring *colouring, uint32_t colour, uint32_t before,
                       uint32_t node)
{
    const uint32_t *near = near_of(colouring, colour, node);
    return near[0] == before ? near[1] : near[0];
}

/* Labels the node's circle, whose nodes it counts. */
static uint32_t relabel(struct colouring *colouring, uint32_t colour, uint32_t start,
                        uint32_t label)
{
    uint32_t count = 0, before = near_of(colouring, colour, start)[0], at = start;
    do {
        const uint32_t next = behind(colouring, colour, before, at);
        *label_of(colouring, colour, at) = label;
        before = at;
        at = next;
        count++;
    } while (at != start);
    colouring->steps -= count < colouring->steps ? count : colouring->steps;
    return count;
}

static void label_all(struct colouring *colouring)
{
    memset(colouring->label, 0xff,
           (size_t)colouring->colours * colouring->n * sizeof *colouring->label);
    for (uint32_t c = 0; c < colouring->colours && !is_spare(colouring, c); c++) {
        uint32_t circles = 0;
        for (uint32_t node = 0; node < colouring->n; node++) {
            if (*label_of(colouring, c, node) == NO_NODE) {
                *size_of(colouring, c, node) = relabel(colouring, c, node, node);
                circles++;
            }
        }
        colouring->excess += circles - 1;
    }
}

/* ---- exchanges ---- */

/* What a colour loses, (a, b) and (e, f), for (a, e) and (b, f). */
struct exchange {
    uint32_t colour, a, b, e, f;
};

/* How many circles more it has then: -1, 0 or 1. */
static int effect_of(struct colouring *colouring, const struct exchange *exchange)
{
    const uint32_t colour = exchange->colour;
    if (is_spare(colouring, colour)) {
        return 0;
    }
    if (*label_of(colouring, colour, exchange->a) != *label_of(colouring, colour, exchange->e)) {
        return -1;
    }
    uint32_t before = exchange->a, at = exchange->b;
    while (at != exchange->e && at != exchange->f) {
        const uint32_t next = behind(colouring, colour, before, at);
        before = at;
        at = next;
        colouring->steps -= colouring->steps != 0;
    }
    return at == exchange->e ? 0 : 1;
}

static void replace(const struct colouring *colouring, uint32_t colour, uint32_t node,
                    const uint32_t from_to[2])
{
    uint32_t *near = near_of(colouring, colour, node);
    near[near[0] == from_to[0] ? 0 : 1] = from_to[1];
}

static void rewire(const struct colouring *colouring, const struct exchange *x)
{
    replace(colouring, x->colour, x->a, (const uint32_t[2]){x->b, x->e});
    replace(colouring, x->colour, x->b, (const uint32_t[2]){x->a, x->f});
    replace(colouring, x->colour, x->e, (const uint32_t[2]){x->f, x->a});
    replace(colouring, x->colour, x->f, (const uint32_t[2]){x->e, x->b});
}

/* The label stays with the part that has its node. */
static void split(struct colouring *colouring, const struct exchange *x)
{
    const uint32_t old = *label_of(colouring, x->colour, x->a);
    const uint32_t all = *size_of(colouring, x->colour, old);
    uint32_t start = x->a, count = relabel(colouring, x->colour, x->a, x->a);
    if (*label_of(colouring, x->colour, old) == x->a) { /* it was in this part */
        (void)relabel(colouring, x->colour, x->a, old);
        start = x->b;
        count = relabel(colouring, x->colour, x->b, x->b);
    }
    *size_of(colouring, x->colour, start) = count;
    *size_of(colouring, x->colour, old) = all - count;
}

static void apply(struct colouring *colouring, const struct exchange *x, int effect)
{
    if (effect < 0) {
        const uint32_t one = *label_of(colouring, x->colour, x->a);
        const uint32_t two = *label_of(colouring, x->colour, x->e);
        const uint32_t one_size = *size_of(colouring, x->colour, one);
        const uint32_t two_size = *size_of(colouring, x->colour, two);
        const bool first = one_size >= two_size;
        (void)relabel(colouring, x->colour, first ? x->e : x->a, first ? one : two);
        *size_of(colouring, x->colour, first ? one : two) = one_size + two_size;
    }
    rewire(colouring, x);
    if (effect > 0) {
        split(colouring, x);
    }
}

/* A corner of a square, with the neighbours in two colours. */
struct corner {
    uint32_t node;
    uint32_t colour[2];
    bool side[2];
};

/* The corner across, or NO_NODE. */
static uint32_t across(const struct colouring *colouring, const uint32_t colour[2],
                       const uint32_t at[3])
{
    const uint32_t *beside = near_of(colouring, colour[1], at[1]);
    const uint32_t *other = near_of(colouring, colour[0], at[2]);
    for (unsigned i = 0; i < 2; i++) {
        const uint32_t node = beside[i];
        if (node != NO_NODE && node != at[0] && (node == other[0] || node == other[1])) {
            return node;
        }
    }
    return NO_NODE;
}

/* Exchanges the colours of a square if there are so many circles fewer. */
static bool try_square(struct colouring *colouring, const struct corner *corner, int fewer)
{
    const uint32_t one = corner->colour[0], two = corner->colour[1];
    const uint32_t at[3] = {corner->node, near_of(colouring, one, corner->node)[corner->side[0]],
                            near_of(colouring, two, corner->node)[corner->side[1]]};
    if (at[1] == NO_NODE || at[2] == NO_NODE || at[1] == at[2]) {
        return false;
    }
    const uint32_t last = across(colouring, corner->colour, at);
    if (last == NO_NODE) {
        return false;
    }
    const struct exchange first = {one, at[0], at[1], at[2], last};
    const struct exchange second = {two, at[0], at[2], at[1], last};
    const bool merges = !is_spare(colouring, one) &&
                        *label_of(colouring, one, at[0]) != *label_of(colouring, one, at[2]) &&
                        (is_spare(colouring, two) ||
                         *label_of(colouring, two, at[0]) != *label_of(colouring, two, at[1]));
    if (fewer == 2 && !merges) {
        return false;
    }
    const int of_first = effect_of(colouring, &first), of_second = effect_of(colouring, &second);
    if (fewer < 2 && of_first + of_second > -fewer) {
        return false;
    }
    apply(colouring, &first, of_first);
    apply(colouring, &second, of_second);
    colouring->excess = (uint32_t)((int64_t)colouring->excess + of_first + of_second);
    return true;
}

/* All squares at a node. */
static void try_node(struct colouring *colouring, uint32_t node, int fewer)
{
    struct corner corner = {.node = node};
    for (uint32_t one = 0; one < colouring->colours; one++) {
        for (uint32_t two = one + 1; two < colouring->colours; two++) {
            corner.colour[0] = one;
            corner.colour[1] = two;
            for (unsigned sides = 0; sides < 4 && colouring->excess != 0; sides++) {
                corner.side[0] = (sides & 1) != 0;
                corner.side[1] = (sides & 2) != 0;
                (void)try_square(colouring, &corner, fewer);
            }
        }
    }
}

/* First where both colours become one circle fewer, then where there is one fewer in all, then by
 * chance where there are no more. */
static void join(struct colouring *colouring)
{
    for (int fewer = 2; fewer > 0; fewer--) {
        for (uint32_t node = 0; node < colouring->n && colouring->excess != 0; node++) {
            try_node(colouring, node, fewer);
        }
    }
    while (colouring->excess != 0 && colouring->steps != 0 && colouring->colours > 1) {
        const uint32_t one = (uint32_t)orr_rng_below(&colouring->rng, colouring->colours);
        const uint32_t ahead = 1 + (uint32_t)orr_rng_below(&colouring->rng, colouring->colours - 1);
        const uint32_t node = (uint32_t)orr_rng_below(&colouring->rng, colouring->n);
        const bool first = orr_rng_below(&colouring->rng, 2) != 0;
        const bool second = orr_rng_below(&colouring->rng, 2) != 0;
        const struct corner corner = {.node = node,
                                      .colour = {one, (one + ahead) % colouring->colours},
                                      .side = {first, second}};
        (void)try_square(colouring, &corner, 0);
        colouring->steps -= colouring->steps != 0;
    }
}

/* ---- the result ---- */

static bool store(const struct colouring *colouring, struct net_cycles *out)
{
    const uint32_t n = colouring->n;
    uint32_t *order =
        orr_arena_array(colouring->arena, (size_t)colouring->colours * n + 1, sizeof *order);
    if (order == NULL) {
        return false;
    }
    *out = (struct net_cycles){.n = n, .order = order};
    for (uint32_t c = 0; c < colouring->colours && !is_spare(colouring, c); c++) {
        if (*size_of(colouring, c, *label_of(colouring, c, 0)) != n) {
            continue; /* not joined */
        }
        const uint32_t *near = near_of(colouring, c, 0);
        uint32_t before = near[0] < near[1] ? near[1] : near[0], at = 0;
        for (uint32_t i = 0; i < n; i++) {
            const uint32_t next = behind(colouring, c, before, at);
            order[(size_t)out->cycles * n + i] = at;
            before = at;
            at = next;
        }
        out->cycles++;
    }
    return true;
}

/* Colours that the factors have, a matching that is left over too. */
static uint32_t colours_of(const struct net_factor *factor, uint32_t factors)
{
    uint32_t colours = 0, matchings = 0;
    for (uint32_t f = 0; f < factors; f++) {
        colours += cycles_of(&factor[f]);
        matchings += has_matching(&factor[f]);
    }
    return colours + (matchings + 1) / 2;
}

bool orr_net_product_cycles(struct orr_arena *arena, const struct net_factor *factor,
                            uint32_t factors, struct net_cycles *out)
{
    struct colouring colouring = {.arena = arena, .n = 1};
    for (uint32_t f = 0; f < factors; f++) {
        colouring.n *= factor[f].size;
    }
    const size_t entries = (size_t)colours_of(factor, factors) * colouring.n;
    colouring.steps = (uint64_t)STEPS_PER_NODE * colouring.n;
    colouring.near = orr_arena_array(arena, entries + 1, 2 * sizeof *colouring.near);
    colouring.label = orr_arena_array(arena, entries + 1, sizeof *colouring.label);
    colouring.size = orr_arena_array(arena, entries + 1, sizeof *colouring.size);
    orr_rng_init(&colouring.rng, 1, 0);
    if (colouring.near == NULL || colouring.label == NULL || colouring.size == NULL ||
        !paint(&colouring, factor, factors)) {
        return false;
    }
    label_all(&colouring);
    join(&colouring);
    return store(&colouring, out);
}
