/* Groups by name, and by (name, rank): two hash tables with open addressing. Most names have one
 * group and no entries by rank; these are inserted when the name gets its second group. */
#include <string.h>

#include "system/groups/group.h"
#include "system/sys_groups.h"

static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * UINT64_C(0x9E3779B97F4A7C15);
    return hash ^ hash >> 32;
}

static uint64_t name_hash(const char *name)
{
    uint64_t hash = 1;
    for (; *name != '\0'; name++) {
        hash = mix(hash, (unsigned char)*name);
    }
    return hash;
}

static uint64_t member_hash(uint32_t family, struct orr_rank rank)
{
    return mix(mix(1, family), rank.rank);
}

static void insert(struct sys_group_table *table, uint64_t hash, uint32_t group)
{
    size_t at = hash & table->mask;
    while (table->group[at] != 0) {
        at = (at + 1) & table->mask;
    }
    table->group[at] = group;
    table->used++;
}

/* Makes room for `more` entries at a load of at most 1/2; false: no memory, and the table is
 * unchanged. *is_new: the table is empty, and the caller inserts all entries again. */
static bool reserve_slots(struct sys *sys, struct sys_group_table *table, size_t more, bool *is_new)
{
    size_t slots = table->group != NULL ? table->mask + 1 : 16;
    *is_new = table->group == NULL || (table->used + more) * 2 > slots;
    if (!*is_new) {
        return true;
    }
    while ((table->used + more) * 2 > slots) {
        slots *= 2;
    }
    uint32_t *group = orr_arena_array(sys->arena, slots, sizeof *group);
    if (group == NULL) {
        return false;
    }
    *table = (struct sys_group_table){.group = group, .mask = slots - 1};
    return true;
}

/* ---- names ---- */

static uint32_t first_of(const struct sys *sys, const char *name)
{
    const struct sys_group_table *table = &sys->all.names;
    if (table->group == NULL) {
        return SYS_NONE;
    }
    size_t at = name_hash(name) & table->mask;
    while (table->group[at] != 0 && strcmp(sys->all.groups[table->group[at]]->name, name) != 0) {
        at = (at + 1) & table->mask;
    }
    return table->group[at] != 0 ? table->group[at] : SYS_NONE;
}

static bool file_name(struct sys *sys, uint32_t group)
{
    bool is_new;
    if (!reserve_slots(sys, &sys->all.names, 1, &is_new)) {
        return false;
    }
    for (uint32_t g = 1; is_new && g < group; g++) {
        if (sys->all.groups[g]->first_of_name == g) {
            insert(&sys->all.names, name_hash(sys->all.groups[g]->name), g);
        }
    }
    insert(&sys->all.names, name_hash(sys->all.groups[group]->name), group);
    return true;
}

/* ---- members ---- */

static void insert_members(struct sys *sys, uint32_t group)
{
    const struct sys_group *of = sys->all.groups[group];
    for (uint32_t i = 0; i < of->size; i++) {
        insert(&sys->all.shared, member_hash(of->family, sys_rank_at(of, sys_position(i))), group);
    }
}

/* Inserts the ranks of a group whose name is not new, and with the second group those of the first.
 */
static bool file_members(struct sys *sys, uint32_t group)
{
    struct sys_group *first = sys->all.groups[sys->all.groups[group]->first_of_name];
    const bool second = !first->shares_name;
    bool is_new;
    const size_t more = (size_t)sys->all.groups[group]->size + (second ? first->size : 0);
    if (!reserve_slots(sys, &sys->all.shared, more, &is_new)) {
        return false;
    }
    for (uint32_t g = 1; is_new && g < group; g++) {
        if (sys->all.groups[g]->shares_name) {
            insert_members(sys, g);
        }
    }
    if (second) {
        first->shares_name = true;
        insert_members(sys, sys->all.groups[group]->first_of_name);
    }
    sys->all.groups[group]->shares_name = true;
    insert_members(sys, group);
    return true;
}

/* ---- interface ---- */

void orr_sys_group_number(struct sys *sys, struct sys_group *group, uint32_t index)
{
    const uint32_t first = first_of(sys, group->name);
    group->first_of_name = first != SYS_NONE ? first : index;
    group->family = first != SYS_NONE ? sys->all.groups[first]->family : sys->all.families + 1;
}

bool orr_sys_group_file(struct sys *sys, uint32_t group)
{
    if (sys->all.groups[group]->first_of_name != group) {
        return file_members(sys, group);
    }
    sys->all.families++;
    return file_name(sys, group);
}

bool orr_sys_group_known(const struct sys *sys, const char *name)
{
    return first_of(sys, name) != SYS_NONE;
}

uint32_t orr_sys_group_named(const struct sys *sys, const char *name, struct orr_rank rank)
{
    const bool all = name[0] == '\0' || (strcmp(name, "0") == 0 && !orr_sys_group_known(sys, name));
    return all ? 0 : orr_sys_group_find(sys, name, rank);
}

uint32_t orr_sys_group_find(const struct sys *sys, const char *name, struct orr_rank rank)
{
    const uint32_t first = first_of(sys, name);
    if (first == SYS_NONE || !sys->all.groups[first]->shares_name) {
        return first != SYS_NONE && sys_in_group(orr_sys_group_position(sys, first, rank))
                   ? first
                   : SYS_NONE;
    }
    const uint32_t family = sys->all.groups[first]->family;
    const struct sys_group_table *table = &sys->all.shared;
    for (size_t at = member_hash(family, rank) & table->mask; table->group[at] != 0;
         at = (at + 1) & table->mask) {
        const uint32_t group = table->group[at];
        if (sys->all.groups[group]->family == family &&
            sys_in_group(orr_sys_group_position(sys, group, rank))) {
            return group;
        }
    }
    return SYS_NONE;
}
