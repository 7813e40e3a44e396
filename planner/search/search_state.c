/* The state of a search, and its check against the search that continues it; see search_private.h
 * and search.h. */
#include <inttypes.h>
#include <string.h>

#include "core/conf/conf.h"
#include "network/graph.h"
#include "planner/search/search_private.h"
#include "planner/search/search_space.h"
#include "workload/model/op_graph.h"
#include "workload/strategy/strategy.h"

/* ---- creation ---- */

struct search_state *orr_search_state_new(struct orr_arena *arena, uint32_t ops, uint32_t chains)
{
    struct search_state *state = orr_arena_alloc(arena, sizeof *state);
    struct chain_state *chain = orr_arena_array(arena, chains, sizeof *chain);
    if (state == NULL || chain == NULL) {
        return NULL;
    }
    *state = (struct search_state){.ops = ops, .chains = chains, .chain = chain};
    for (uint32_t i = 0; i < chains; i++) {
        if (!orr_chain_state_init(&chain[i], arena, ops)) {
            return NULL;
        }
    }
    return state;
}

/* ---- hashes of the inputs ---- */

static void add(uint64_t *hash, uint64_t value)
{
    for (unsigned i = 0; i < 8; i++) {
        *hash = (*hash ^ (value >> 8 * i & 0xff)) * UINT64_C(1099511628211);
    }
}

static void add_double(uint64_t *hash, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    add(hash, bits);
}

static void add_text(uint64_t *hash, const char *text)
{
    for (; text != NULL && *text != '\0'; text++) {
        add(hash, (unsigned char)*text);
    }
    add(hash, 0);
}

/* Operators, edges, and the splits and times of the space, which all other inputs of the model
 * determine. */
static void add_model(uint64_t *hash, const struct search *search)
{
    const struct model_graph *model = search->problem->model;
    const struct space *space = &search->space;
    for (uint32_t op = 0; op < model->ops; op++) {
        const struct model_op *at = &model->op[op];
        add_text(hash, at->name);
        add(hash, space->class_of[op]);
        add(hash, at->owner);
        add(hash, at->weight_bytes);
        add(hash, at->output_bytes);
        for (uint32_t i = 0; i < at->edges; i++) {
            add(hash, model->edge[at->first_edge + i].from);
        }
        add(hash, at->edges);
    }
    for (size_t i = 0; i < space->splits; i++) {
        const struct space_split *split = &space->split[i];
        for (unsigned d = 0; d < MODEL_MAX_DIMS; d++) {
            add(hash, split->degree[d]);
        }
        add(hash, (uint64_t)split->forward_ps);
        add(hash, (uint64_t)split->backward_ps);
    }
}

static void add_links(uint64_t *hash, const struct net_route_links *links)
{
    add(hash, links->hops);
    for (uint32_t i = 0; i < links->hops; i++) {
        add(hash, links->link[i]);
    }
}

static void add_paths(uint64_t *hash, const struct net_graph *graph)
{
    for (uint32_t i = 0; i < graph->paths; i++) {
        const struct net_path *path = &graph->path[i];
        add(hash, path->from);
        add(hash, path->to);
        add_double(hash, path->chance);
        add_links(hash, &(struct net_route_links){.link = graph->path_link + path->first_link,
                                                  .hops = path->hops});
    }
}

static void add_rings(uint64_t *hash, const struct net_graph *graph)
{
    for (uint32_t i = 0; i < graph->rings; i++) {
        const struct net_ring *ring = &graph->ring[i];
        add(hash, ring->npus);
        add(hash, (uint64_t)(int64_t)ring->jump);
        add(hash, ring->way);
        for (uint32_t j = 0; j < ring->npus; j++) {
            add(hash, ring->order != NULL ? ring->order[j] : 0);
            add(hash, ring->member != NULL ? ring->member[j] : 0);
        }
    }
    for (uint32_t i = 0; i < graph->ways; i++) {
        add_links(hash, &graph->way[i]);
    }
}

static void add_network(uint64_t *hash, const struct eval_setup *network)
{
    const struct net_graph *graph = network->graph;
    const struct net_flow_model *model = &network->model;
    for (uint32_t i = 0; i < graph->links; i++) {
        add(hash, graph->link[i].from);
        add(hash, graph->link[i].to);
        add(hash, graph->link[i].count);
        add_double(hash, graph->link[i].bytes_per_s);
        add(hash, (uint64_t)graph->link[i].latency_ps);
    }
    add_paths(hash, graph);
    add_rings(hash, graph);
    add(hash, orr_net_routing_index(net_routing_of(&network->routes)));
    add(hash, network->routes.paths);
    add(hash, network->routes.seed);
    add(hash, model->packet_bytes);
    add(hash, model->start_bytes);
    add(hash, (uint64_t)model->start_ps);
    add(hash, (uint64_t)model->forward_ps);
    add(hash, (uint64_t)model->overhead_ps);
    if (network->stream) {
        add(hash, 1);
    }
    if (model->forward_bytes_per_s > 0) {
        add_double(hash, model->forward_bytes_per_s);
    }
}

static void add_starts(uint64_t *hash, const struct space *space)
{
    for (uint32_t s = 0; s < space->starts; s++) {
        const struct strategy *start = space->start[s];
        for (uint32_t op = 0; op < start->ops; op++) {
            const uint32_t *device = orr_strategy_devices(start, op);
            add(hash, orr_space_choice_of_start(space, s, op).split);
            for (uint32_t i = 0; i < start->op[op].parts; i++) {
                add(hash, device[i]);
            }
        }
    }
}

void orr_search_hashes(const struct search *search, uint64_t hash[STATE_HASHES])
{
    const struct search_problem *problem = search->problem;
    const struct search_options *options = search->options;
    for (unsigned i = 0; i < STATE_HASHES; i++) {
        hash[i] = UINT64_C(14695981039346656037);
    }
    add_model(&hash[STATE_OF_MODEL], search);
    add(&hash[STATE_OF_DEVICES], problem->devices);
    add(&hash[STATE_OF_DEVICES], problem->copies);
    add(&hash[STATE_OF_DEVICES], problem->memory_bytes);
    add(&hash[STATE_OF_DEVICES], problem->server.gpus);
    add_double(&hash[STATE_OF_DEVICES], problem->server.inside_bytes_per_s);
    add(&hash[STATE_OF_DEVICES], problem->server.optimizer_bytes);
    if (problem->server.reduce_at_end) { /* default: as in older states */
        add(&hash[STATE_OF_DEVICES], 1);
    }
    add_network(&hash[STATE_OF_NETWORK], &problem->network);
    add_starts(&hash[STATE_OF_STARTS], &search->space);
    add(&hash[STATE_OF_OPTIONS], options->budget);
    add_double(&hash[STATE_OF_OPTIONS], options->alpha);
    add(&hash[STATE_OF_OPTIONS], options->scale);
    add_double(&hash[STATE_OF_OPTIONS], options->propagation);
    add(&hash[STATE_OF_OPTIONS], options->chains);
    add(&hash[STATE_OF_OPTIONS], options->restarts);
    add(&hash[STATE_OF_OPTIONS], options->seed);
}

/* ---- resuming ---- */

static enum orr_status fail_foreign(const struct search_state *state, const char *what,
                                    struct orr_diag *diag)
{
    const struct orr_location place =
        state->read_from != NULL ? orr_conf_location(state->read_from) : orr_location_none();
    return orr_diag_fail(diag, ORR_ERR_INPUT, &place,
                         "the state of a search: expected that of this search, got one with %s",
                         what);
}

static bool is_choice(const struct space *space, uint32_t op, const struct search_choice *choice)
{
    const struct space_class *class = &space->class[space->class_of[op]];
    if (choice->split < class->first || choice->split >= class->first + class->splits) {
        return false;
    }
    if (choice->order >= CHOICE_FROM_START) {
        const uint32_t start = choice->order - CHOICE_FROM_START;
        return start < space->starts &&
               space->start[start]->op[op].parts == space->split[choice->split].parts;
    }
    return choice->first < space->group && choice->step <= space->group;
}

/* Whether all choices are in the space, and shared weights are sliced equally. */
static bool is_point(const struct space *space, const struct chain_point *point)
{
    const struct model_graph *model = space->problem->model;
    bool is = true;
    for (uint32_t op = 0; op < model->ops && is; op++) {
        const struct search_choice *owner = &point->choice[model->op[op].owner];
        is = is_choice(space, op, &point->choice[op]) &&
             space->split[point->choice[op].split].shards == space->split[owner->split].shards;
    }
    return is;
}

enum orr_status orr_search_state_copy(struct search *search, struct orr_diag *diag)
{
    static const char *const other[STATE_HASHES] = {"another model or other operator times",
                                                    "other devices", "another network",
                                                    "other starts", "other options"};
    const struct search_state *from = search->options->resume;
    const uint32_t ops = search->problem->model->ops;
    uint64_t hash[STATE_HASHES];
    orr_search_hashes(search, hash);
    for (unsigned i = 0; i < STATE_HASHES; i++) {
        if (hash[i] != from->hash[i]) {
            return fail_foreign(from, other[i], diag);
        }
    }
    if (from->ops != ops || from->chains != search->options->chains) {
        return fail_foreign(from, "another model", diag);
    }
    search->state = orr_search_state_new(search->arena, ops, from->chains);
    if (search->state == NULL) {
        return orr_diag_no_memory(diag, "a search");
    }
    search->state->slice = from->slice;
    for (uint32_t i = 0; i < from->chains; i++) {
        const struct chain_state *chain = &from->chain[i];
        struct chain_state *to = &search->state->chain[i];
        const struct chain_state made = *to;
        if (chain->begun > 0 &&
            !(is_point(&search->space, &chain->now) && is_point(&search->space, &chain->high) &&
              is_point(&search->space, &chain->best))) {
            return fail_foreign(from, "choices outside of its space", diag);
        }
        *to = *chain;
        to->now.choice = made.now.choice;
        to->high.choice = made.high.choice;
        to->best.choice = made.best.choice;
        orr_chain_copy(&to->now, &chain->now, ops);
        orr_chain_copy(&to->high, &chain->high, ops);
        orr_chain_copy(&to->best, &chain->best, ops);
    }
    return ORR_OK;
}
