/* Symmetry of monolithic all-reduces: which ones are equal up to a shift of their members, so that
 * some members represent all; see orr_sys_mono_fold_check and orr_sys_mono_check_rotation in
 * system/sys_fold.h.
 *
 * Around a ring each member sends to the next. Let the group list first the representatives of its
 * classes, and then, in the same order, their images at each position along the folded digits. Then
 * a shift along the digits is a shift around the ring, and the representatives behave as all
 * members do: the same number of messages, to the class of the next member, and a round ends for
 * all when it ends for them. Around a ring of the network each member sends to a member at some
 * distance; that this is the same for all is checked ring by ring, with the links that its steps
 * name. Messages to the previous member shift likewise. */
#include "network/graph_rotation.h"
#include "system/monolithic/mono_private.h"
#include "system/sys_fold.h"
#include "system/sys_mono.h"

/* Rank of the group's member at a position. */
static uint32_t rank_at(const struct sys_group *group, uint32_t position)
{
    return group->given != NULL ? group->given[position] : position;
}

static const struct sys_mono_kind *kind_of(const struct sys_mono *choice, uint32_t members)
{
    const bool chosen = choice->kind != NULL && orr_sys_mono_fits(choice, members);
    return chosen ? choice->kind : orr_sys_mono_default();
}

static bool is_ring_kind(const struct sys_mono *choice, uint32_t members)
{
    return kind_of(choice, members)->shifts;
}

/* The same if each member is a server. */
static bool is_ring_of_servers(const struct sys_mono *choice, uint32_t members)
{
    return choice->kind != NULL && orr_sys_mono_fits(choice, members) &&
           choice->inner_bytes_per_s > 0;
}

/* ---- representatives of classes ---- */

static bool is_representative(const struct orr_fold *fold, uint32_t rank)
{
    return orr_fold_rank(fold, orr_fold_slot(fold, orr_rank(rank))).rank == rank;
}

/* Number of leading members that are representatives. */
static uint32_t first_members(const struct sys_group *group, const struct orr_fold *fold)
{
    uint32_t i = 0;
    while (i < group->size && is_representative(fold, rank_at(group, i))) {
        i++;
    }
    return i;
}

/* A rank, shifted along the folded digits by the digits of `by`. */
static uint32_t shifted(const struct orr_fold *fold, uint32_t rank, uint32_t by)
{
    for (unsigned i = 0; i < fold->digits; i++) {
        const struct orr_fold_digit *digit = &fold->digit[i];
        const struct net_rotation rotation = {
            .stride = digit->stride, .size = digit->size, .step = by / digit->stride % digit->size};
        rank = digit->folded ? net_rotated(&rotation, rank) : rank;
    }
    return rank;
}

/* Whether each member is the one `first` positions before it, shifted always by the same amount
 * along the folded digits. */
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
    const struct sys_group *group = sys->all.groups[index];
    const uint32_t first = first_members(group, fold);
    if (first == group->size) {
        return NULL; /* only representatives: all members are simulated */
    }
    if (!is_ring_kind(choice, group->size) && !is_ring_of_servers(choice, group->size)) {
        return "uses an algorithm that distinguishes its members";
    }
    return shifts_along(group, first, fold) ? NULL : "lists its members in another order";
}

/* ---- rotations ---- */

/* Two groups: the rotation maps member i of `group` to member i + ahead of `image`. */
struct group_image {
    const struct sys_mono_rotation *rotation;
    const struct sys_group *group, *image;
    uint32_t ahead;
    bool back; /* messages also go to the previous member */
    const struct net_graph *network;
};

static uint32_t image_of(const struct group_image *group_image, uint32_t position)
{
    const uint64_t at = (uint64_t)position + group_image->ahead;
    return (uint32_t)(at < group_image->image->size ? at : at - group_image->image->size);
}

static uint32_t position_of(const struct sys_group *group, struct orr_rank rank)
{
    uint32_t position = 0;
    while (position < group->size && rank_at(group, position) != rank.rank) {
        position++;
    }
    return position;
}

static bool members_rotate(const struct group_image *group_image)
{
    const struct sys_mono_rotation *rotation = group_image->rotation;
    for (uint32_t i = 0; i < group_image->group->size; i++) {
        if (net_rotated(rotation->rotation, rank_at(group_image->group, i)) !=
            rank_at(group_image->image, image_of(group_image, i))) {
            return false;
        }
    }
    return true;
}

/* Whether the rotation maps the links of a ring step with a route of its own. */
static bool named_route_rotates(const struct group_image *group_image, const struct net_ring *ring,
                                const struct net_ring *image, uint32_t member)
{
    const struct net_route_links *way =
        &group_image->network->way[ring->way - 1 + ring->at[member]];
    const struct net_route_links *to =
        &group_image->network->way[image->way - 1 + image->at[image_of(group_image, member)]];
    bool same = way->hops == to->hops;
    for (uint32_t h = 0; h < way->hops && same; h++) {
        same = group_image->rotation->link_image[way->link[h]] == to->link[h];
    }
    return same;
}

static bool route_rotates(const struct group_image *group_image, const struct net_ring *ring,
                          uint32_t from, uint32_t to)
{
    return group_image->rotation->keeps_route(
        group_image->rotation->context, orr_rank(rank_at(group_image->group, from)),
        orr_rank(rank_at(group_image->group, to)), ring != NULL);
}

static const char *check_ring_rotation(const struct group_image *group_image,
                                       const struct net_ring *ring, const struct net_ring *image)
{
    const uint32_t size = group_image->group->size;
    const bool named = ring != NULL && ring->way != 0;
    if ((ring == NULL) != (image == NULL) || named != (image != NULL && image->way != 0)) {
        return "uses other rings";
    }
    for (uint32_t i = 0; i < size; i++) {
        const uint32_t next = mono_next(ring, size, i);
        if (mono_next(image, size, image_of(group_image, i)) != image_of(group_image, next)) {
            return "uses rings that distinguish its members";
        }
        const bool rotates = named ? named_route_rotates(group_image, ring, image, i)
                                   : route_rotates(group_image, ring, i, next);
        if (!rotates || (group_image->back && !route_rotates(group_image, ring, next, i))) {
            return "uses routes that are not equivalent";
        }
    }
    return NULL;
}

const char *orr_sys_mono_check_rotation(struct sys *sys, const struct sys_mono_rotation *rotation)
{
    struct group_image group_image = {.rotation = rotation,
                                      .group = sys->all.groups[rotation->group],
                                      .image = sys->all.groups[rotation->image],
                                      .network = sys->net->config->graph};
    const uint32_t size = group_image.group->size;
    if (group_image.image->size != size || !is_ring_kind(rotation->choice, size)) {
        return group_image.image->size != size ? "has another size"
                                               : "uses an algorithm that distinguishes its members";
    }
    group_image.back =
        kind_of(rotation->choice, size)->ops == &orr_mono_bidir_ring_stream && size > 2;
    const uint32_t to = position_of(
        group_image.image, orr_rank(net_rotated(rotation->rotation, rotation->member.rank)));
    const uint32_t from = position_of(group_image.group, rotation->member);
    group_image.ahead = to >= from ? to - from : size - (from - to);
    if (from == size || to == size || !members_rotate(&group_image)) {
        return "has other members, or lists them in another order";
    }
    const struct mono_rings *rings = orr_mono_rings_of_group(sys, sys->all.groups[rotation->group]);
    const struct mono_rings *images =
        orr_mono_rings_of_group(sys, sys->all.groups[rotation->image]);
    const char *why = rings == NULL || images == NULL || rings->count != images->count
                          ? "uses other rings"
                          : NULL;
    for (uint32_t i = 0; why == NULL && i < rings->count; i++) {
        why = check_ring_rotation(&group_image, rings->ring[i], images->ring[i]);
    }
    return why;
}
