/* The bound of an all-to-all: even splits first, then the program; see exchange_bound.h. */
#include "network/bounds/exchange_bound.h"

#include "core/arena.h"
#include "core/diag.h"
#include "network/bounds/exchange_private.h"
#include "network/graph.h"

static const double tolerance = 1e-9;

bool orr_exchange_is_solved(const struct exchange *exchange)
{
    return exchange->least >= exchange->most * (1 - tolerance);
}

void orr_exchange_try_lengths(struct exchange *exchange, double distances)
{
    const struct cap_graph *graph = &exchange->graph;
    double volume = 0;
    for (uint32_t i = 0; i < graph->arcs; i++) {
        volume += (double)graph->arc[i].capacity * exchange->length[i];
    }
    if (volume > 0 && distances / volume > exchange->least) {
        exchange->least = distances / volume;
        for (uint32_t i = 0; i < graph->arcs; i++) {
            exchange->best[i] = exchange->length[i];
        }
    }
}

/* Even splits from every NPU by the lengths: their fullest link, and the lengths' bound. */
static void try_even_splits(struct exchange *exchange)
{
    const struct cap_graph *graph = &exchange->graph;
    double distances = 0, most = 0;
    for (uint32_t i = 0; i < graph->arcs; i++) {
        exchange->load[i] = 0;
    }
    for (uint32_t s = 0; s < graph->npus; s++) {
        distances += orr_even_paths_search(&exchange->paths, s, exchange->length);
        orr_even_paths_add_load(&exchange->paths, exchange->length, exchange->load);
    }
    for (uint32_t i = 0; i < graph->arcs; i++) {
        most = fmax(most, exchange->load[i] / (double)graph->arc[i].capacity);
    }
    exchange->most = fmin(exchange->most, most);
    orr_exchange_try_lengths(exchange, distances);
}

/* What leaves or enters one NPU: lengths of 1 at its links, and 0 elsewhere. */
static void try_single_npus(struct exchange *exchange)
{
    const struct cap_graph *graph = &exchange->graph;
    double *sum = exchange->load; /* of arcs, of which there are as many as nodes at least */
    for (int back = 0; back < 2; back++) {
        uint32_t worst = 0;
        for (uint32_t v = 0; v < graph->npus; v++) {
            sum[v] = 0;
        }
        for (uint32_t i = 0; i < graph->arcs; i++) {
            const uint32_t at = back != 0 ? graph->arc[i].to : graph->arc[i].from;
            sum[at < graph->npus ? at : graph->npus] +=
                at < graph->npus ? (double)graph->arc[i].capacity : 0;
        }
        for (uint32_t v = 1; v < graph->npus; v++) {
            worst = sum[v] < sum[worst] ? v : worst;
        }
        for (uint32_t i = 0; i < graph->arcs; i++) {
            const uint32_t at = back != 0 ? graph->arc[i].to : graph->arc[i].from;
            exchange->length[i] = at == worst ? 1 : 0;
        }
        orr_exchange_try_lengths(exchange, graph->npus - 1.0);
    }
}

/* Lengths of a link: 1, then the inverse of its bandwidth. */
static void try_simple_lengths(struct exchange *exchange)
{
    const struct cap_graph *graph = &exchange->graph;
    for (int inverse = 0; inverse < 2 && !orr_exchange_is_solved(exchange); inverse++) {
        for (uint32_t i = 0; i < graph->arcs; i++) {
            exchange->length[i] = inverse != 0 ? 1.0 / (double)graph->arc[i].capacity : 1.0;
        }
        try_even_splits(exchange);
    }
}

/* The simplest fraction within a billionth of the value, by the Stern-Brocot tree (continued
 * fractions); false: its parts exceed 2^20. */
static bool find_fraction(double value, uint32_t *parts, uint32_t *divisor)
{
    const double most = 1048576.0;
    double p0 = 0, q0 = 1, p1 = 1, q1 = 0, rest = value;
    for (int i = 0; i < 40; i++) {
        const double whole = floor(rest + 1e-7 < ceil(rest) ? rest : ceil(rest));
        const double p = whole * p1 + p0, q = whole * q1 + q0;
        if (!(p < most) || !(q < most)) {
            return false;
        }
        if (fabs(p / q - value) <= tolerance * value) {
            *parts = (uint32_t)p;
            *divisor = (uint32_t)q;
            return true;
        }
        p0 = p1, q0 = q1, p1 = p, q1 = q;
        rest = 1 / (rest - whole);
    }
    return false;
}

static enum orr_status allocate(struct exchange *exchange)
{
    const size_t arcs = (size_t)exchange->graph.arcs + exchange->graph.nodes + 1;
    exchange->length = orr_arena_array(exchange->arena, arcs, sizeof(double));
    exchange->load = orr_arena_array(exchange->arena, arcs, sizeof(double));
    exchange->best = orr_arena_array(exchange->arena, arcs, sizeof(double));
    return exchange->length != NULL && exchange->load != NULL && exchange->best != NULL &&
                   orr_even_paths_make(&exchange->paths, &exchange->graph, exchange->arena) ==
                       ORR_OK
               ? ORR_OK
               : orr_diag_no_memory(exchange->diag, "the flows of an all-to-all");
}

static enum orr_status solve(struct exchange *exchange)
{
    enum orr_status status = allocate(exchange);
    if (status != ORR_OK) {
        return status;
    }
    try_single_npus(exchange);
    try_simple_lengths(exchange);
    if (orr_exchange_is_solved(exchange)) {
        return ORR_OK;
    }
    if (orr_link_classes(&exchange->paths, exchange->arena, &exchange->classes) != ORR_OK) {
        return orr_diag_no_memory(exchange->diag, "the flows of an all-to-all");
    }
    return exchange->classes.classes + exchange->classes.sources > EXCHANGE_MAX_ROWS
               ? orr_exchange_descend(exchange)
               : orr_exchange_solve(exchange);
}

enum orr_status orr_net_exchange_bound(const struct net_graph *graph, struct orr_arena *arena,
                                       struct net_exchange *out, struct orr_diag *diag)
{
    struct exchange exchange = {.network = graph, .most = INFINITY, .arena = arena, .diag = diag};
    *out = (struct net_exchange){.is_optimal = true, .divisor = 1};
    if (graph->npus < 2) {
        return ORR_OK;
    }
    enum orr_status status = orr_cap_graph_make(graph, false, arena, &exchange.graph, diag);
    status = status == ORR_OK ? solve(&exchange) : status;
    if (status != ORR_OK) {
        return status;
    }
    *out = (struct net_exchange){.unit_bytes_per_s = exchange.graph.unit_bytes_per_s,
                                 .least = exchange.least,
                                 .most = exchange.most,
                                 .is_optimal = orr_exchange_is_solved(&exchange),
                                 .classes = exchange.classes.classes,
                                 .sources = exchange.classes.sources};
    if (!out->is_optimal || !find_fraction(out->least, &out->parts, &out->divisor)) {
        out->parts = out->divisor = 0;
    }
    return orr_exchange_find_cut(&exchange, &out->cut);
}

sim_time orr_net_exchange_time(const struct net_exchange *exchange, uint32_t npus, uint64_t bytes)
{
    if (npus < 2) {
        return 0;
    }
    if (exchange->divisor != 0 && (uint64_t)exchange->divisor * npus <= UINT32_MAX) {
        return orr_net_cut_time(&(struct net_cut_load){.bytes = bytes,
                                                       .parts = exchange->parts,
                                                       .divisor = exchange->divisor * npus,
                                                       .bytes_per_s = exchange->unit_bytes_per_s});
    }
    const double seconds = (double)bytes / npus * exchange->least / exchange->unit_bytes_per_s;
    const double ps = floor(seconds * (1 - 1e-12) * (double)ORR_PS_PER_S);
    return ps < (double)ORR_TIME_MAX ? (sim_time)ps : ORR_TIME_MAX;
}
