/* Cables of a graph, their classes, and which of them fail; see failures.h. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/arena.h"
#include "core/diag.h"
#include "core/rng.h"
#include "network/graph.h"
#include "network/graph_rotation.h"
#include "study/failures/failures.h"

enum { NAME_BYTES = 256 };

/* ---- cables ---- */

static char *name_of(const struct net_graph *graph, uint32_t from, uint32_t to)
{
    char one[NET_NODE_BYTES], two[NET_NODE_BYTES], name[NAME_BYTES];
    (void)snprintf(name, sizeof name, "%s-%s", orr_net_node_name(graph, from, one),
                   orr_net_node_name(graph, to, two));
    return orr_heap_strdup(name);
}

/* Whether the link names its cable: the lower node is the source, or there is no reverse link. */
static bool is_cable_end(const struct net_graph *graph, const struct net_link *link)
{
    return link->from < link->to || orr_net_graph_find(graph, link->to, link->from) == NET_NO_LINK;
}

static bool list_cables(struct orr_failures *failures, const struct net_graph *graph)
{
    failures->cable = orr_heap_calloc((size_t)graph->links + 1, sizeof *failures->cable);
    for (uint32_t i = 0; failures->cable != NULL && i < graph->links; i++) {
        const struct net_link *link = &graph->link[i];
        if (is_cable_end(graph, link)) {
            struct orr_failures_cable *cable = &failures->cable[failures->cables++];
            *cable = (struct orr_failures_cable){.from = link->from,
                                                 .to = link->to,
                                                 .count = link->count,
                                                 .name = name_of(graph, link->from, link->to)};
            if (cable->name == NULL) {
                return false;
            }
        }
    }
    return failures->cable != NULL;
}

/* Whether the graph is a circulant: rotating all NPUs by one maps it to itself; false also without
 * memory. */
static bool is_circulant(const struct net_graph *graph)
{
    struct net_images images;
    struct orr_arena *arena = orr_arena_create();
    const bool good =
        arena != NULL && graph->nodes == graph->npus &&
        orr_net_graph_rotate(graph,
                             &(struct net_rotation){.stride = 1, .size = graph->npus, .step = 1},
                             arena, &images);
    orr_arena_destroy(arena);
    return good;
}

static void name_class(const struct net_graph *graph, const struct orr_failures_cable *cable,
                       bool circulant, char *name, size_t bytes)
{
    const uint32_t ahead = (cable->to + graph->npus - cable->from) % graph->npus;
    const bool back = orr_net_graph_find(graph, cable->to, cable->from) != NET_NO_LINK;
    const uint32_t jump = back && 2 * ahead > graph->npus ? graph->npus - ahead : ahead;
    const bool npus = cable->from < graph->npus && cable->to < graph->npus;
    const bool switches = cable->from >= graph->npus && cable->to >= graph->npus;
    if (circulant) {
        (void)snprintf(name, bytes, "jump %" PRIu32, jump);
    } else {
        (void)snprintf(name, bytes, "%s",
                       npus       ? "between NPUs"
                       : switches ? "between switches"
                                  : "NPU to switch");
    }
}

static bool list_classes(struct orr_failures *failures, const struct net_graph *graph)
{
    const bool circulant = is_circulant(graph);
    failures->class = orr_heap_calloc((size_t)failures->cables + 1, sizeof *failures->class);
    for (uint32_t i = 0; failures->class != NULL && i < failures->cables; i++) {
        struct orr_failures_class class = {.cables = 0};
        uint32_t number = 0;
        name_class(graph, &failures->cable[i], circulant, class.name, sizeof class.name);
        while (number < failures->classes &&
               strcmp(failures->class[number].name, class.name) != 0) {
            number++;
        }
        if (number == failures->classes) {
            failures->class[failures->classes++] = class;
        }
        failures->cable[i].class = number;
        failures->class[number].cables += failures->cable[i].count;
    }
    return failures->class != NULL;
}

enum orr_status orr_failures_list(struct orr_failures *failures, const struct net_graph *graph,
                                  struct orr_diag *diag)
{
    return list_cables(failures, graph) && list_classes(failures, graph)
               ? ORR_OK
               : orr_diag_no_memory(diag, "the links of the network");
}

/* ---- which of them fail ---- */

static bool is_called(const struct orr_failures *failures, const struct net_graph *graph,
                      const struct orr_failures_cable *cable, const char *text)
{
    char numbers[NAME_BYTES];
    (void)failures;
    for (int direction = 0; direction < 2; direction++) {
        const uint32_t from = direction == 0 ? cable->from : cable->to;
        const uint32_t to = direction == 0 ? cable->to : cable->from;
        char *name = name_of(graph, from, to);
        (void)snprintf(numbers, sizeof numbers, "%" PRIu32 "-%" PRIu32, from, to);
        const bool same = strcmp(text, numbers) == 0 || (name != NULL && strcmp(text, name) == 0);
        orr_heap_free(name);
        if (same) {
            return true;
        }
    }
    return false;
}

static enum orr_status fail_unknown_link(const struct orr_failures *failures, const char *text,
                                         struct orr_diag *diag)
{
    return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                         "there is no link \"%s\"; expected one of the network's %" PRIu32
                         " links, such as %s or %s",
                         text, failures->cables, failures->cable[0].name,
                         failures->cable[failures->cables - 1].name);
}

static enum orr_status list_user_links(struct orr_failures *failures, const struct net_graph *graph,
                                       struct orr_diag *diag)
{
    for (unsigned i = 0; i < failures->links; i++) {
        uint32_t number = 0;
        while (number < failures->cables &&
               !is_called(failures, graph, &failures->cable[number], failures->link[i])) {
            number++;
        }
        if (number == failures->cables) {
            return fail_unknown_link(failures, failures->link[i], diag);
        }
        for (uint32_t k = 0; k < failures->failures; k++) {
            if (failures->failure[k].cable[0] == number) {
                return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                                     "--link: expected each link once, got %s twice",
                                     failures->cable[number].name);
            }
        }
        failures->failure[failures->failures++].cable[0] = number;
    }
    return ORR_OK;
}

static void shuffle(struct orr_rng *rng, uint32_t *order, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        order[i] = i;
    }
    for (uint32_t i = count; i > 1; i--) {
        const uint32_t other = (uint32_t)orr_rng_below(rng, i);
        const uint32_t kept = order[i - 1];
        order[i - 1] = order[other];
        order[other] = kept;
    }
}

/* Moves one cable of each class to the front of the order. */
static void order_by_class(const struct orr_failures *failures, uint32_t *order)
{
    uint32_t placed = 0;
    for (uint32_t class = 0; class < failures->classes; class ++) {
        uint32_t at = placed;
        while (failures->cable[order[at]].class != class) {
            at++;
        }
        const uint32_t first = order[at];
        memmove(&order[placed + 1], &order[placed], (at - placed) * sizeof *order);
        order[placed++] = first;
    }
}

static enum orr_status draw(struct orr_failures *failures, uint32_t count, struct orr_diag *diag)
{
    struct orr_rng rng;
    uint32_t *order = orr_heap_calloc((size_t)failures->cables + 1, sizeof *order);
    if (order == NULL) {
        return orr_diag_no_memory(diag, "a sample of links");
    }
    orr_rng_init(&rng, failures->seed, 0);
    shuffle(&rng, order, failures->cables);
    order_by_class(failures, order);
    for (uint32_t i = 0; i < count; i++) {
        struct orr_failure *failure = &failures->failure[failures->failures++];
        if (failures->together > 1) {
            shuffle(&rng, order, failures->cables);
        }
        for (unsigned k = 0; k < failures->together; k++) {
            failure->cable[k] = failures->together > 1 ? order[k] : order[i];
        }
    }
    orr_heap_free(order);
    return ORR_OK;
}

static bool name_failures(struct orr_failures *failures)
{
    for (uint32_t i = 0; i < failures->failures; i++) {
        struct orr_failure *failure = &failures->failure[i];
        char name[NAME_BYTES] = "";
        for (unsigned k = 0; k < failures->together; k++) {
            const size_t used = strlen(name);
            (void)snprintf(name + used, sizeof name - used, "%s%s", k != 0 ? " " : "",
                           failures->cable[failure->cable[k]].name);
        }
        failure->name = orr_heap_strdup(name);
        if (failure->name == NULL) {
            return false;
        }
    }
    return true;
}

enum orr_status orr_failures_choose(struct orr_failures *failures, const struct net_graph *graph,
                                    struct orr_diag *diag)
{
    const bool all = failures->links == 0 && failures->sample == 0;
    uint32_t count = all                    ? failures->cables
                     : failures->links != 0 ? failures->links
                                            : failures->sample;
    failures->together = failures->together != 0 ? failures->together : 1;
    if (failures->together > failures->cables) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                             "%u links cannot fail at once: the network has %" PRIu32,
                             failures->together, failures->cables);
    }
    if (failures->sample != 0 && failures->together == 1) {
        count = count < failures->classes ? failures->classes : count;
        count = count > failures->cables ? failures->cables : count;
    }
    failures->failure = orr_heap_calloc((size_t)count + 1, sizeof *failures->failure);
    if (failures->failure == NULL) {
        return orr_diag_no_memory(diag, "the failures");
    }
    enum orr_status status = ORR_OK;
    for (uint32_t i = 0; all && i < count; i++) {
        failures->failure[failures->failures++].cable[0] = i;
    }
    if (failures->links != 0) {
        status = list_user_links(failures, graph, diag);
    } else if (!all) {
        status = draw(failures, count, diag);
    }
    if (status == ORR_OK && !name_failures(failures)) {
        status = orr_diag_no_memory(diag, "the failures");
    }
    return status;
}

/* ---- connectivity ---- */

static bool has_failed(const struct orr_failures *failures, const struct orr_failure *failure,
                       const struct net_link *link)
{
    bool gone = false;
    for (unsigned k = 0; k < failures->together; k++) {
        const struct orr_failures_cable *cable = &failures->cable[failure->cable[k]];
        gone = gone || (link->count == 1 && ((cable->from == link->from && cable->to == link->to) ||
                                             (cable->from == link->to && cable->to == link->from)));
    }
    return gone;
}

/* Whether node 0 reaches all NPUs without the failed links or, with `back`, all NPUs reach it. */
static bool reaches(const struct orr_failures *failures, const struct net_graph *graph,
                    const struct orr_failure *failure, bool back, bool *visited)
{
    bool more = true;
    memset(visited, 0, graph->nodes * sizeof *visited);
    visited[0] = true;
    while (more) {
        more = false;
        for (uint32_t i = 0; i < graph->links; i++) {
            const struct net_link *link = &graph->link[i];
            const uint32_t from = back ? link->to : link->from, to = back ? link->from : link->to;
            if (visited[from] && !visited[to] && !has_failed(failures, failure, link)) {
                visited[to] = more = true;
            }
        }
    }
    bool all = true;
    for (uint32_t n = 0; n < graph->npus; n++) {
        all = all && visited[n];
    }
    return all;
}

bool orr_failures_disconnects(const struct orr_failures *failures, const struct net_graph *graph,
                              const struct orr_failure *failure, bool *no_memory)
{
    bool *visited = orr_heap_calloc((size_t)graph->nodes + 1, sizeof *visited);
    *no_memory = visited == NULL;
    const bool disconnected =
        visited != NULL && !(reaches(failures, graph, failure, false, visited) &&
                             reaches(failures, graph, failure, true, visited));
    orr_heap_free(visited);
    return disconnected;
}
