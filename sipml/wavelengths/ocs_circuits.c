/* Circuits on Q switches that are set once (SiP-ML, section 3.3, appendix A.2): see wavelengths.h.
 *
 * The paper's integer program chooses a permutation for each switch. Integer numbers of circuits
 * fit on Q permutations if and only if no node has more than Q of them in each direction (a
 * bipartite multigraph of degree Q is a union of Q matchings, König). So the numbers can be found
 * first, and the maximal rate of all allocations is a threshold of one node (rates.h).
 *
 * A folded problem is solved as its quotient: positions in a group instead of nodes. Each node of
 * the original problem has the demands of its position, so the thresholds are equal. A matching of
 * positions, copied to all groups, is one of nodes, because receivers of one position differ in
 * their groups. */
#include <inttypes.h>
#include <stddef.h>

#include "core/arena.h"
#include "core/diag.h"
#include "network/wavelengths/edge_colors.h"
#include "sipml/wavelengths/rates.h"
#include "sipml/wavelengths/wavelengths.h"

/* The number of senders, and of receivers: of one group if the problem is folded. */
static uint32_t quotient_nodes(const struct ocs_problem *problem)
{
    return problem->group != 0 ? problem->group : problem->nodes;
}

/* The receiver of a demand. */
static uint32_t receiver_of(const struct ocs_problem *problem, const struct ocs_demand *demand)
{
    return problem->group != 0 ? demand->to % problem->group : demand->to;
}

static bool comes_after(const struct ocs_demand *a, const struct ocs_demand *b)
{
    return a->from != b->from ? a->from > b->from : a->to > b->to;
}

static enum orr_status check(const struct ocs_problem *problem, struct orr_diag *diag)
{
    if (problem->switches == 0 || problem->nodes > WAVE_MAX_NODES) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                             "circuits: expected at least one switch and at most %d nodes, got "
                             "%" PRIu32 " and %" PRIu32,
                             WAVE_MAX_NODES, problem->switches, problem->nodes);
    }
    if (problem->group != 0 && problem->nodes % problem->group != 0) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                             "circuits: expected groups that divide %" PRIu32 " nodes, got %" PRIu32
                             " in each",
                             problem->nodes, problem->group);
    }
    for (uint32_t i = 0; i < problem->demands; i++) {
        const struct ocs_demand *demand = &problem->demand[i];
        if (demand->from >= problem->nodes || demand->to >= problem->nodes ||
            demand->from == demand->to) {
            return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                                 "circuits: demand %" PRIu32 ": expected two different nodes of "
                                 "%" PRIu32 ", got %" PRIu32 " and %" PRIu32,
                                 i, problem->nodes, demand->from, demand->to);
        }
        if (demand->from >= quotient_nodes(problem)) {
            return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                                 "circuits: demand %" PRIu32 ": expected a sender in the first "
                                 "group of %" PRIu32 ", got %" PRIu32,
                                 i, problem->group, demand->from);
        }
        if (i > 0 && !comes_after(demand, &problem->demand[i - 1])) {
            return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                                 "circuits: demand %" PRIu32 ": expected demands by rising sender "
                                 "and receiver, each pair once",
                                 i);
        }
    }
    return ORR_OK;
}

/* Sorts the demands into sets: those that each node sends, then those that each receives. */
static bool sort_out(struct orr_arena *arena, const struct ocs_problem *problem,
                     struct wave_sets *sets)
{
    const uint32_t group_nodes = quotient_nodes(problem);
    uint32_t *begin = orr_arena_array(arena, 2 * (size_t)group_nodes + 2, sizeof *begin);
    uint32_t *member = orr_arena_array(arena, 2 * (size_t)problem->demands, sizeof *member);
    if (begin == NULL || member == NULL) {
        return false;
    }
    /* begin[i + 2] counts; then begin[i + 1] is the next free entry of set i. */
    for (uint32_t i = 0; i < problem->demands; i++) {
        begin[problem->demand[i].from + 2]++;
        begin[group_nodes + receiver_of(problem, &problem->demand[i]) + 2]++;
    }
    for (size_t i = 2; i < 2 * (size_t)group_nodes + 2; i++) {
        begin[i] += begin[i - 1];
    }
    for (uint32_t i = 0; i < problem->demands; i++) {
        member[begin[problem->demand[i].from + 1]++] = i;
        member[begin[group_nodes + receiver_of(problem, &problem->demand[i]) + 1]++] = i;
    }
    *sets = (struct wave_sets){
        .sets = 2 * group_nodes, .max = problem->switches, .begin = begin, .member = member};
    return true;
}

struct ports {
    const struct ocs_problem *problem;
    uint32_t *sends, *receives; /* [group_nodes] free ports */
    uint32_t *heap;             /* [demands] scratch */
};

static bool take(void *self, uint32_t demand)
{
    const struct ports *ports = self;
    const struct ocs_demand *of = &ports->problem->demand[demand];
    uint32_t *sends = &ports->sends[of->from];
    uint32_t *receives = &ports->receives[receiver_of(ports->problem, of)];
    if (*sends == 0 || *receives == 0) {
        return false;
    }
    --*sends;
    --*receives;
    return true;
}

/* Assigns the circuits needed for the rate, then the remaining ones. */
static void assign_circuits(const struct ocs_problem *problem, const uint64_t *bytes,
                            struct ports *ports, struct ocs_circuits *out)
{
    for (uint32_t i = 0; i < quotient_nodes(problem); i++) {
        ports->sends[i] = ports->receives[i] = problem->switches;
    }
    for (uint32_t i = 0; i < problem->demands; i++) {
        out->count[i] = orr_wave_needed(out->bound, bytes[i]);
        ports->sends[problem->demand[i].from] -= out->count[i];
        ports->receives[receiver_of(problem, &problem->demand[i])] -= out->count[i];
    }
    const struct wave_fill fill = {.demands = problem->demands,
                                   .bytes = bytes,
                                   .count = out->count,
                                   .heap = ports->heap,
                                   .take = take,
                                   .self = ports};
    orr_wave_fill(&fill);
    out->rate = orr_wave_min(problem->demands, bytes, out->count);
}

enum orr_status orr_ocs_circuits(struct orr_arena *arena, const struct ocs_problem *problem,
                                 struct ocs_circuits *out, struct orr_diag *diag)
{
    struct wave_sets sets;
    struct wave_threshold threshold;
    enum orr_status status = check(problem, diag);
    if (status != ORR_OK) {
        return status;
    }
    *out = (struct ocs_circuits){.count =
                                     orr_arena_array(arena, problem->demands, sizeof *out->count)};
    uint64_t *bytes = orr_arena_array(arena, problem->demands, sizeof *bytes);
    const uint32_t group_nodes = quotient_nodes(problem);
    struct ports ports = {.problem = problem,
                          .sends = orr_arena_array(arena, group_nodes, sizeof *ports.sends),
                          .receives = orr_arena_array(arena, group_nodes, sizeof *ports.receives),
                          .heap = orr_arena_array(arena, problem->demands, sizeof *ports.heap)};
    if (out->count == NULL || bytes == NULL || ports.sends == NULL || ports.receives == NULL ||
        ports.heap == NULL || !sort_out(arena, problem, &sets)) {
        return orr_diag_no_memory(diag, "circuits");
    }
    for (uint32_t i = 0; i < problem->demands; i++) {
        bytes[i] = problem->demand[i].bytes;
    }
    status = orr_wave_threshold(arena, bytes, &sets, &threshold, diag);
    if (status == ORR_OK) {
        out->bound = threshold.rate;
        out->overload = threshold.overload;
        assign_circuits(problem, bytes, &ports, out);
    }
    return status;
}

/* Lists an edge for each circuit, from sender to receiver, in the order of demands. */
static uint32_t list_edges(const struct ocs_problem *problem, const uint32_t *count,
                           struct edge_ends *edge)
{
    uint32_t edges = 0;
    for (uint32_t i = 0; i < problem->demands; i++) {
        for (uint32_t circuit = 0; circuit < count[i]; circuit++) {
            edge[edges++] = (struct edge_ends){.a = problem->demand[i].from,
                                               .b = quotient_nodes(problem) +
                                                    receiver_of(problem, &problem->demand[i])};
        }
    }
    return edges;
}

/* Whether no node has more circuits than switches; `*circuits` gets the sum. */
static bool fits(const struct ocs_problem *problem, const uint32_t *count, uint32_t *port,
                 size_t *circuits)
{
    *circuits = 0;
    for (uint32_t i = 0; i < problem->demands; i++) {
        const struct ocs_demand *demand = &problem->demand[i];
        uint32_t *sends = &port[demand->from];
        uint32_t *receives = &port[quotient_nodes(problem) + receiver_of(problem, demand)];
        if (count[i] > problem->switches - *sends || count[i] > problem->switches - *receives) {
            return false;
        }
        *sends += count[i];
        *receives += count[i];
        *circuits += count[i];
    }
    return *circuits < UINT32_MAX;
}

/* Fills peer[] from the colors of the circuits: the receiver of each node by each switch. */
static void list_peers(const struct ocs_problem *problem, const uint32_t *count,
                       const uint32_t *color, uint32_t *peer)
{
    const uint32_t group_nodes = quotient_nodes(problem);
    for (size_t i = 0; i < (size_t)group_nodes * problem->switches; i++) {
        peer[i] = WAVE_NONE;
    }
    for (uint32_t i = 0, edge = 0; i < problem->demands; i++) {
        const struct ocs_demand *demand = &problem->demand[i];
        for (uint32_t circuit = 0; circuit < count[i]; circuit++) {
            peer[(size_t)color[edge++] * group_nodes + demand->from] = demand->to;
        }
    }
}

enum orr_status orr_ocs_switches(struct orr_arena *arena, const struct ocs_problem *problem,
                                 const uint32_t *count, uint32_t **peer, struct orr_diag *diag)
{
    const uint32_t group_nodes = quotient_nodes(problem);
    size_t circuits = 0;
    uint32_t *port = orr_arena_array(arena, 2 * (size_t)group_nodes, sizeof *port);
    if (port == NULL || !fits(problem, count, port, &circuits)) {
        return port == NULL ? orr_diag_no_memory(diag, "circuits")
                            : orr_diag_fail(diag, ORR_ERR_INTERNAL, NULL,
                                            "circuits: a node has more of them than switches");
    }
    struct edge_ends *edge = orr_arena_array(arena, circuits, sizeof *edge);
    uint32_t *color = orr_arena_array(arena, circuits, sizeof *color);
    *peer = orr_arena_array(arena, (size_t)group_nodes * problem->switches, sizeof **peer);
    if (edge == NULL || color == NULL || *peer == NULL) {
        return orr_diag_no_memory(diag, "circuits");
    }
    const struct edge_colors graph = {.nodes = 2 * group_nodes,
                                      .colors = problem->switches,
                                      .edges = list_edges(problem, count, edge),
                                      .edge = edge};
    bool found;
    const enum orr_status status = orr_edge_colors(arena, &graph, color, &found, diag);
    ORR_ASSERT(status != ORR_OK || found);
    if (status == ORR_OK) {
        list_peers(problem, count, color, *peer);
    }
    return status;
}

void orr_ocs_describe_overload(const struct ocs_problem *problem,
                               const struct ocs_circuits *circuits, struct orr_diag *diag)
{
    const bool sends = circuits->overload.set < quotient_nodes(problem);
    orr_diag_append(
        diag, "GPU %" PRIu32 " %s %" PRIu32 " others, for which there %s %" PRIu32 " switch%s",
        sends ? circuits->overload.set : circuits->overload.set - quotient_nodes(problem),
        sends ? "sends to" : "receives from", circuits->overload.demands,
        problem->switches == 1 ? "is" : "are", problem->switches,
        problem->switches == 1 ? "" : "es");
}
