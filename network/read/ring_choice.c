/* Which rings a graph has, said in a word: see graph.h. */
#include <string.h>

#include "core/units.h"
#include "network/graph.h"
#include "network/permutations/permutations.h"

bool orr_net_graph_choose_rings(struct net_graph *graph, const char *text)
{
    static const char all[] = "auto:";
    int64_t number = 0;
    if (strncmp(text, all, sizeof all - 1) == 0) {
        if (!orr_parse_integer(text + sizeof all - 1, &number) || number < 1 ||
            number > NET_MAX_TOTIENT_RINGS) {
            return false;
        }
        graph->ring_choice = NET_RINGS_AUTO;
        graph->asked_rings = (uint32_t)number;
        return true;
    }
    if (strcmp(text, "auto") == 0) {
        graph->ring_choice = NET_RINGS_AUTO;
        return true;
    }
    if (strcmp(text, "own") == 0) {
        graph->ring_choice = NET_RINGS_OWN;
        graph->rings = 0;
        return true;
    }
    return orr_net_totient_parse(text, &graph->totient);
}
