/* All-reduce rings over several permutations, on any network (TopoOpt, NSDI'23, sections 4.3 and
 * 7). */
#include <string.h>

#include "core/units.h"
#include "network/permutations/permutations.h"

bool orr_net_totient_rings(struct orr_arena *arena, uint32_t k, uint32_t rings,
                           struct net_jumps *out)
{
    struct net_jumps all;
    const struct net_jump_choice choice = {.servers = k,
                                           .positions = k,
                                           .wanted = rings,
                                           .links = NET_ONE_WAY,
                                           .select = NET_GEOMETRIC};
    return orr_net_totient_perms(arena, k, NET_ONE_WAY, false, &all) &&
           orr_net_select(arena, &all, &choice, out);
}

bool orr_net_totient_parse(const char *text, uint32_t *rings)
{
    static const char name[] = "totient:";
    int64_t number = 0;
    if (strncmp(text, name, strlen(name)) != 0 ||
        !orr_parse_integer(text + strlen(name), &number) || number < 1 ||
        number > NET_MAX_TOTIENT_RINGS) {
        return false;
    }
    *rings = (uint32_t)number;
    return true;
}
