/* Cost and power of a graph's hardware, as a table and as JSON; see topo_cost.h. */
#include "report/topology/topo_cost.h"

#include <inttypes.h>

#include "report/table_text.h"

static bool has_price(const struct net_cost *cost, size_t part)
{
    return cost->unpriced == NULL || part != NET_PART_OCS_PORT;
}

/* ---- as a table ---- */

static void print_line(FILE *out, const char *name, const char *number, const char *dollars,
                       const char *watts)
{
    orr_print(out, "%-21s %12s %14s%s%s\n", name, number, dollars, watts[0] != '\0' ? " " : "",
              watts);
}

struct cost_row {
    char number[24], dollars[32], watts[32];
};

/* Fills a row; watts only if the rules have them. */
static void fill(struct cost_row *cost_row, const struct orr_graph_view *view, bool priced,
                 double dollars, double watts)
{
    (void)snprintf(cost_row->dollars, sizeof cost_row->dollars, priced ? "%.0f" : "-", dollars);
    cost_row->watts[0] = '\0';
    if (view->rules.has_watts) {
        (void)snprintf(cost_row->watts, sizeof cost_row->watts, "%14.0f", watts);
    }
}

static void print_optics(FILE *out, const struct orr_graph_view *view, const struct net_cost *cost)
{
    const struct net_cost_rules *rules = &view->rules;
    const struct net_technology *technology = orr_net_technology(rules->optical);
    if (cost->unpriced != NULL) {
        orr_print(out, "No price: %s%s\n", cost->unpriced,
                  rules->optical == NET_OPTICAL_NONE ? "" : ", which is not commercial");
    }
    if (rules->has_loss_budget && rules->optical != NET_OPTICAL_NONE && cost->joined > 0) {
        orr_print(out, "A circuit through %s %s loses at most %g dB of %g dB.\n",
                  rules->optical == NET_OPTICAL_OCS ? "an" : "a", technology->title,
                  orr_net_circuit_loss_db(rules->optical), rules->loss_budget_db);
    }
}

void orr_graph_print_cost(FILE *out, const struct orr_graph_view *view,
                          const struct orr_graph_known *known)
{
    const struct net_cost *cost = &known->cost;
    struct cost_row cost_row;
    if (!known->has_cost) {
        orr_print(out, "%-21s - (of links with a --bandwidth)\n", "cost of hardware");
        return;
    }
    orr_print(out, "\n");
    print_line(out, "cost of hardware", "number", "dollars",
               view->rules.has_watts ? "         watts" : "");
    for (size_t i = 0; i < NET_PARTS; i++) {
        if (cost->count[i] > 0) {
            (void)snprintf(cost_row.number, sizeof cost_row.number, "%" PRIu64, cost->count[i]);
            fill(&cost_row, view, has_price(cost, i), cost->dollars[i], cost->watts[i]);
            print_line(out, orr_net_part_name(i), cost_row.number, cost_row.dollars,
                       cost_row.watts);
        }
    }
    fill(&cost_row, view, cost->unpriced == NULL, cost->total_dollars, cost->total_watts);
    print_line(out, "all", "", cost_row.dollars, cost_row.watts);
    print_optics(out, view, cost);
    if (view->graph.servers > 0) {
        orr_print(out, "The insides of the %" PRIu32 " servers are not counted.\n",
                  view->graph.servers);
    }
}

/* ---- as JSON ---- */

static json_t *known_real(bool is, double value)
{
    return is ? json_real(value) : json_null();
}

static json_t *parts_json(const struct net_cost_rules *rules, const struct net_cost *cost)
{
    json_t *parts = json_array();
    for (size_t i = 0; i < NET_PARTS; i++) {
        json_t *part = json_pack("{s:s, s:I, s:o}", "part", orr_net_part_name(i), "number",
                                 (json_int_t)cost->count[i], "dollars",
                                 known_real(has_price(cost, i), cost->dollars[i]));
        if (part != NULL && rules->has_watts) {
            (void)json_object_set_new(part, "watts", json_real(cost->watts[i]));
        }
        (void)json_array_append_new(parts, part);
    }
    return parts;
}

/* The technology that switches links (TopoOpt, Table 1). */
static json_t *optics_json(const struct net_cost_rules *rules, const struct net_cost *cost)
{
    const struct net_technology *technology = orr_net_technology(rules->optical);
    const double part =
        orr_net_price_of(technology->part) * (1 - rules->discount[technology->part]);
    return json_pack(
        "{s:s, s:I, s:I, s:s, s:f, s:f, s:f, s:f, s:f, s:o}", "title", technology->title, "ports",
        (json_int_t)(rules->optical_ports != 0 ? rules->optical_ports : technology->ports),
        "joined", (json_int_t)cost->joined, "reconfiguration", technology->latency, "min_loss_db",
        technology->min_db, "max_loss_db", technology->max_db, /* and by deprecated names: */
        "least_loss_db", technology->min_db, "most_loss_db", technology->max_db, "circuit_loss_db",
        orr_net_circuit_loss_db(rules->optical), "dollars_per_port",
        known_real(technology->priced, part));
}

/* Adds the rules that differ from the defaults. */
static void add_rules(json_t *object, const struct net_cost_rules *rules,
                      const struct net_cost *cost)
{
    if (rules->cards != NET_CARDS_PAIRED) {
        (void)json_object_set_new(object, "cards", json_string(orr_net_cards_name(rules->cards)));
    }
    if (rules->ideal != NET_IDEAL_FULL_TREE) {
        (void)json_object_set_new(object, "ideal_switch",
                                  json_string(orr_net_ideal_name(rules->ideal)));
    }
    if (rules->without_fibres) {
        (void)json_object_set_new(object, "fibres", json_false());
    }
    if (rules->has_watts) {
        (void)json_object_set_new(object, "watts", json_real(cost->total_watts));
    }
    if (rules->optical != NET_OPTICAL_NONE) {
        (void)json_object_set_new(object, "optics", optics_json(rules, cost));
    }
}

json_t *orr_graph_cost_json(const struct orr_graph_view *view, const struct orr_graph_known *known)
{
    const struct net_cost_rules *rules = &view->rules;
    const struct net_cost *cost = &known->cost;
    json_t *object =
        json_pack("{s:s, s:o, s:o, s:I}", "optical", orr_net_optical_name(rules->optical),
                  "dollars", known_real(cost->unpriced == NULL, cost->total_dollars), "parts",
                  parts_json(rules, cost), "servers", (json_int_t)view->graph.servers);
    if (object != NULL) {
        add_rules(object, rules, cost);
    }
    return object;
}
