/* Which all-reduces of a group are the same but for a shift of its members, so that some of them
 * stand for all: see orr_sys_mono_fold_check and orr_sys_mono_turns in system/system.h.
 *
 * Around a ring each member sends to the next. Where the group lists first those of its members
 * that stand for their classes, and then those of one place along the folded digits after the
 * other, all in the same order, shifting along the digits is shifting around the ring; so the first
 * ones do what all do: as many messages, to the class of the next, and a round is over for all when
 * it is for them. Around a ring of the network each sends to a member some places on; that this is
 * the same for all is looked at ring by ring, with the links that its steps name. What goes to the
 * member before shifts likewise. */
#include "system/monolithic/mono_private.h"

/* The rank of the group's member at a place. */
static uint32_t rank_at(const struct sys_group *group, uint32_t place)
{
    return group->given != NULL ? group->given[place] : place;
}

static const struct sys_mono_kind *kind_of(const struct sys_mono *choice, uint32_t members)
{
    const bool chosen = choice->kind != NULL && orr_sys_mono_fits(choice, members);
    return chosen ? choice->kind : orr_sys_mono_default();
}

static bool goes_around(const struct sys_mono *choice, uint32_t members)
{
    return kind_of(choice, members)->shifts;
}

/* The same among whole servers, each a member. */
static bool goes_around_servers(const struct sys_mono *choice, uint32_t members)
{
    return choice->kind != NULL && orr_sys_mono_fits(choice, members) &&
           choice->inner_bytes_per_s > 0;
}

/* ---- members that stand for their classes ---- */

static bool stands(const struct orr_fold *fold, uint32_t rank)
{
    return orr_fold_rank(fold, orr_fold_slot(fold, orr_rank(rank))).rank == rank;
}

/* How many members come first that stand for their classes. */
static uint32_t first_members(const struct sys_group *group, const struct orr_fold *fold)
{
    uint32_t i = 0;
    while (i < group->size && stands(fold, rank_at(group, i))) {
        i++;
    }
    return i;
}

/* A rank, shifted along the folded digits as far as `by` is from the rank that stands for it. */
static uint32_t shifted(const struct orr_fold *fold, uint32_t rank, uint32_t by)
{
    for (unsigned i = 0; i < fold->digits; i++) {
        const struct orr_fold_digit *digit = &fold->digit[i];
        const struct net_rotation turn = {
            .stride = digit->stride, .size = digit->size, .step = by / digit->stride % digit->size};
        rank = digit->folded ? net_rotated(&turn, rank) : rank;
    }
    return rank;
}

/* Whether each is the one `first` before it, always as much further along the folded digits. */
static bool shifts_along(const struct sys_group *group, uint32_t first, const struct orr_fold *fold)
{
    if (first == 0 || group->size % first != 0) {
        return false;
    }
    for (uint32_t i = 0; i < group->size; i++) {
        const uint32_t next =
            rank_at(group, i + first < group->size ? i + first : i + first - group->size);
        if (shifted(fold, rank_at(group, i), rank_at(group, first)) != next) {
            return false;
        }
    }
    return true;
}

const char *orr_sys_mono_fold_check(const struct sys *sys, uint32_t index,
                                    const struct sys_mono *choice, const struct orr_fold *fold)
{
    const struct sys_group *group = sys->groups[index];
    const uint32_t first = first_members(group, fold);
    if (first == group->size) {
        return NULL; /* inside of one place: all of it is done */
    }
    if (!goes_around(choice, group->size) && !goes_around_servers(choice, group->size)) {
        return "is done in a way that tells its members apart";
    }
    return shifts_along(group, first, fold) ? NULL : "lists its members in another order";
}

/* ---- turns ---- */

/* Two groups, the second of which has in each place, `ahead` places on, what a turn takes the
 * member in that place of the first to. */
struct pair {
    const struct sys_mono_turn *turn;
    const struct sys_group *group, *image;
    uint32_t ahead;
    bool back; /* messages go to the member before as well */
    const struct net_graph *network;
};

static uint32_t image_of(const struct pair *pair, uint32_t place)
{
    const uint64_t at = (uint64_t)place + pair->ahead;
    return (uint32_t)(at < pair->image->size ? at : at - pair->image->size);
}

static uint32_t place_of(const struct sys_group *group, struct orr_rank rank)
{
    uint32_t place = 0;
    while (place < group->size && rank_at(group, place) != rank.rank) {
        place++;
    }
    return place;
}

static bool members_turn(const struct pair *pair)
{
    const struct sys_mono_turn *turn = pair->turn;
    for (uint32_t i = 0; i < pair->group->size; i++) {
        if (net_rotated(turn->turn, rank_at(pair->group, i)) !=
            rank_at(pair->image, image_of(pair, i))) {
            return false;
        }
    }
    return true;
}

/* The links that the step of a ring names as its way. */
static bool named_way_turns(const struct pair *pair, const struct net_ring *ring,
                            const struct net_ring *image, uint32_t member)
{
    const struct net_route_links *way = &pair->network->way[ring->way - 1 + ring->at[member]];
    const struct net_route_links *to =
        &pair->network->way[image->way - 1 + image->at[image_of(pair, member)]];
    bool same = way->hops == to->hops;
    for (uint32_t h = 0; h < way->hops && same; h++) {
        same = pair->turn->link_image[way->link[h]] == to->link[h];
    }
    return same;
}

static bool route_turns(const struct pair *pair, const struct net_ring *ring, uint32_t from,
                        uint32_t to)
{
    return pair->turn->way_turns(pair->turn->context, orr_rank(rank_at(pair->group, from)),
                                 orr_rank(rank_at(pair->group, to)), ring != NULL);
}

static const char *ring_turns(const struct pair *pair, const struct net_ring *ring,
                              const struct net_ring *image)
{
    const uint32_t size = pair->group->size;
    const bool named = ring != NULL && ring->way != 0;
    if ((ring == NULL) != (image == NULL) || named != (image != NULL && image->way != 0)) {
        return "goes around other rings";
    }
    for (uint32_t i = 0; i < size; i++) {
        const uint32_t next = mono_next(ring, size, i);
        if (mono_next(image, size, image_of(pair, i)) != image_of(pair, next)) {
            return "goes around rings that tell its members apart";
        }
        const bool turns =
            named ? named_way_turns(pair, ring, image, i) : route_turns(pair, ring, i, next);
        if (!turns || (pair->back && !route_turns(pair, ring, next, i))) {
            return "takes routes that are not the same for all";
        }
    }
    return NULL;
}

const char *orr_sys_mono_turns(struct sys *sys, const struct sys_mono_turn *turn)
{
    struct pair pair = {.turn = turn,
                        .group = sys->groups[turn->group],
                        .image = sys->groups[turn->image],
                        .network = sys->net->config->graph};
    const uint32_t size = pair.group->size;
    if (pair.image->size != size || !goes_around(turn->choice, size)) {
        return pair.image->size != size ? "has another size"
                                        : "is done in a way that tells its members apart";
    }
    pair.back = kind_of(turn->choice, size)->ops == &orr_mono_both_ways && size > 2;
    const uint32_t to = place_of(pair.image, orr_rank(net_rotated(turn->turn, turn->member.rank)));
    const uint32_t from = place_of(pair.group, turn->member);
    pair.ahead = to >= from ? to - from : size - (from - to);
    if (from == size || to == size || !members_turn(&pair)) {
        return "has other members, or lists them in another order";
    }
    const struct mono_rings *rings = orr_mono_rings_of_group(sys, sys->groups[turn->group]);
    const struct mono_rings *images = orr_mono_rings_of_group(sys, sys->groups[turn->image]);
    const char *why = rings == NULL || images == NULL || rings->count != images->count
                          ? "goes around other rings"
                          : NULL;
    for (uint32_t i = 0; why == NULL && i < rings->count; i++) {
        why = ring_turns(&pair, rings->ring[i], images->ring[i]);
    }
    return why;
}
