/* The circuits of a plan of SiP-ML as text, JSON and CSV: see sipml_report.h. */
#include <inttypes.h>
#include <jansson.h>
#include <string.h>

#include "core/divide.h"
#include "core/saturate.h"
#include "core/strings.h"
#include "core/units.h"
#include "report/table_text.h"
#include "sipml/plan/sipml_report.h"
#include "sipml/wavelengths/wavelengths.h"

enum { MAX_PAIRS = 64 };

static const struct net_circuits *network_of(const struct sipml_result *result)
{
    return result->on.graph->circuits;
}

/* Ports of a group's devices that no circuit leaves. */
static uint64_t unused_ports(const struct sipml_result *result)
{
    uint64_t left =
        (uint64_t)result->traffic.group * network_of(result)->ports * result->circuits.turns;
    for (uint32_t i = 0; i < result->traffic.rows; i++) {
        left -= result->circuits.set.circuits[i];
    }
    return left;
}

static bool reaches_bound(const struct net_allocation *set)
{
    return (orr_wide)set->rate.circuits * set->bound.bytes ==
           (orr_wide)set->bound.circuits * set->rate.bytes;
}

/* ---- channels ---- */

/* Visits ranges of consecutive switches or wavelengths. */
static void visit_runs(const struct sipml_map *map, uint32_t row,
                       void (*visit)(void *context, uint32_t first, uint32_t last), void *context)
{
    uint32_t at = map->known ? map->first[row] : 0;
    const uint32_t end = map->known ? map->first[row + 1] : 0;
    while (at < end) {
        uint32_t last = at;
        while (last + 1 < end && map->channel[last + 1] == map->channel[last] + 1) {
            last++;
        }
        visit(context, map->channel[at], map->channel[last]);
        at = last + 1;
    }
}

struct runs {
    FILE *out;
    const char *between;
};

static void print_run(void *context, uint32_t first, uint32_t last)
{
    struct runs *runs = context;
    (void)fprintf(runs->out, "%s%" PRIu32, runs->between, first);
    if (last != first) {
        (void)fprintf(runs->out, "-%" PRIu32, last);
    }
    runs->between = " ";
}

static void print_channels(FILE *out, const struct sipml_map *map, uint32_t row)
{
    struct runs runs = {out, ""};
    visit_runs(map, row, print_run, &runs);
}

static void append_run(void *context, uint32_t first, uint32_t last)
{
    (void)json_array_append_new(context, json_pack("[I, I]", (json_int_t)first, (json_int_t)last));
}

static const char *direction_of(const struct sipml_map *map, uint32_t row)
{
    return map->down[row] ? "down" : "up";
}

/* ---- text ---- */

static void print_head(FILE *out, const struct sipml_result *result)
{
    const struct net_circuits *network = network_of(result);
    const struct sipml_circuits *circuits = &result->circuits;
    char text[ORR_FORMAT_BYTES];
    orr_print(out, "\ncircuits           of one group, set once, for the bytes of an iteration");
    if (circuits->weight < 1 || circuits->weight > 1) {
        orr_print(out, ", those in a group counted %g x", circuits->weight);
    }
    if (network->allocated->hold_ps != ORR_TIME_MAX) {
        orr_print(out, "; a run sets them again after %s",
                  orr_format_time(network->allocated->hold_ps, text, sizeof text));
    }
    orr_print(out, "\n");
}

static void print_rates(FILE *out, const struct sipml_result *result)
{
    const struct net_allocation *set = &result->circuits.set;
    char rate[ORR_FORMAT_BYTES], bound[ORR_FORMAT_BYTES];
    if (set->rate.bytes == 0) {
        orr_print(out, "  %-16s no device sends anything\n", "least rate");
        return;
    }
    orr_print(out, "  %-16s a circuit for %s", "least rate",
              orr_format_bytes(set->rate.bytes / set->rate.circuits, rate, sizeof rate));
    if (reaches_bound(set)) {
        orr_print(out, ", the most that circuits can give\n");
    } else {
        orr_print(out, "; no circuits give more than one for %s\n",
                  orr_format_bytes(set->bound.bytes / set->bound.circuits, bound, sizeof bound));
    }
    if (set->deficit != 0) {
        orr_print(
            out, "  %-16s %" PRIu32 " wavelength%s %s missing at that rate, so it was lowered\n",
            "deficit", set->deficit, orr_plural(set->deficit), set->deficit == 1 ? "was" : "were");
    }
}

static void print_unused(FILE *out, const struct sipml_result *result)
{
    const uint32_t turns = result->circuits.turns;
    const uint32_t ports = network_of(result)->ports * turns;
    const char *what = result->map.ring ? "wavelength" : "port";
    if (turns > 1) {
        orr_print(out,
                  "  %-16s there are more pairs than circuits in a place: each circuit is counted "
                  "as %" PRIu32 " of a part of its time\n",
                  "in turns", turns);
    }
    orr_print(out, "  %-16s %" PRIu64 " of the %" PRIu64 " %s%s of a group that send\n",
              "left over", unused_ports(result), (uint64_t)result->traffic.group * ports, what,
              orr_plural((uint64_t)result->traffic.group * ports));
}

static void print_pair(FILE *out, const struct sipml_result *result, uint32_t row)
{
    const struct sipml_row *of = &result->traffic.row[row];
    const uint32_t circuits = result->circuits.set.circuits[row];
    char bytes[ORR_FORMAT_BYTES];
    orr_print(out, "  %4" PRIu32 " %4" PRIu32 " %12s %8" PRIu32 " %10.6g", of->from, of->to,
              orr_format_bytes(sat_plus(of->parallel, of->ring), bytes, sizeof bytes), circuits,
              circuits * network_of(result)->bytes_per_s / result->circuits.turns * 8e-9);
    if (result->map.known) {
        orr_print(out, "  ");
        if (result->map.ring) {
            orr_print(out, "%-5s", direction_of(&result->map, row));
        }
        print_channels(out, &result->map, row);
    }
    orr_print(out, "\n");
}

void orr_sipml_print_circuits(FILE *out, const struct sipml_result *result)
{
    const uint32_t rows = result->traffic.rows;
    if (!result->on_circuits) {
        return;
    }
    print_head(out, result);
    print_rates(out, result);
    print_unused(out, result);
    orr_print(out, "\n  %4s %4s %12s %8s %10s%s\n", "from", "to", "bytes", "circuits", "Gb/s",
              !result->map.known ? ""
              : result->map.ring ? "  way  wavelengths"
                                 : "  switches");
    for (uint32_t i = 0; i < rows && i < MAX_PAIRS; i++) {
        print_pair(out, result, i);
    }
    if (rows > MAX_PAIRS) {
        orr_print(out, "  ... and %" PRIu32 " more: circuits.csv\n", rows - MAX_PAIRS);
    }
}

/* ---- JSON ---- */

static json_t *pair_json(const struct sipml_result *result, uint32_t row)
{
    const struct sipml_row *of = &result->traffic.row[row];
    const struct sipml_map *map = &result->map;
    const uint32_t circuits = result->circuits.set.circuits[row];
    json_t *object = json_pack(
        "{s:I, s:I, s:I, s:I, s:I, s:f}", "from", (json_int_t)of->from, "to", (json_int_t)of->to,
        "bytes", (json_int_t)sat_plus(of->parallel, of->ring), "counted_bytes",
        (json_int_t)result->circuits.bytes[row], "circuits", (json_int_t)circuits, "bytes_per_s",
        circuits * network_of(result)->bytes_per_s / result->circuits.turns);
    if (map->known) {
        json_t *runs = json_array();
        visit_runs(map, row, append_run, runs);
        if (map->ring) {
            (void)json_object_set_new(object, "way", json_string(direction_of(map, row)));
        }
        (void)json_object_set_new(object, map->ring ? "wavelengths" : "switches", runs);
    }
    return object;
}

static json_t *rate_json(struct wave_rate rate)
{
    return rate.bytes == 0 ? json_null()
                           : json_pack("{s:I, s:I}", "circuits", (json_int_t)rate.circuits, "bytes",
                                       (json_int_t)rate.bytes);
}

json_t *orr_sipml_circuits_json(const struct sipml_result *result)
{
    const struct net_circuits *network = network_of(result);
    const struct net_allocation *set = &result->circuits.set;
    const sim_time hold_ps = network->allocated->hold_ps;
    json_t *pairs = json_array();
    for (uint32_t i = 0; i < result->traffic.rows; i++) {
        (void)json_array_append_new(pairs, pair_json(result, i));
    }
    return json_pack("{s:s, s:I, s:f, s:o, s:f, s:o, s:o, s:I, s:f, s:I, s:I, s:o}", "controller",
                     result->map.ring ? "sip_ring" : "sip_ocs", "ports", (json_int_t)network->ports,
                     "circuit_bytes_per_s", network->bytes_per_s, "hold_ps",
                     hold_ps == ORR_TIME_MAX ? json_null() : json_integer(hold_ps), "weight",
                     result->circuits.weight, "rate", rate_json(set->rate), "bound",
                     rate_json(set->bound), "deficit", (json_int_t)set->deficit, "gap", set->gap,
                     "turns", (json_int_t)result->circuits.turns, "left_over",
                     (json_int_t)unused_ports(result), "pairs", pairs);
}

/* ---- CSV ---- */

static void write_switches(FILE *out, const struct sipml_result *result)
{
    const uint32_t n = result->traffic.devices, k = result->traffic.group;
    (void)fputs("switch,from,to\n", out);
    for (uint32_t s = 0; s < network_of(result)->ports; s++) {
        for (uint32_t i = 0; i < n; i++) {
            const uint32_t to = result->map.peer[(size_t)s * k + i % k];
            (void)fprintf(out, "%" PRIu32 ",%" PRIu32 ",", s, i);
            if (to != WAVE_NONE) {
                (void)fprintf(out, "%" PRIu32, (to + i / k * k) % n);
            }
            (void)fputc('\n', out);
        }
    }
}

static void write_pairs(FILE *out, const struct sipml_result *result)
{
    (void)fputs("from,to,bytes,circuits,way,which\n", out);
    for (uint32_t i = 0; i < result->traffic.rows; i++) {
        const struct sipml_row *row = &result->traffic.row[i];
        (void)fprintf(out, "%" PRIu32 ",%" PRIu32 ",%" PRIu64 ",%" PRIu32 ",", row->from, row->to,
                      sat_plus(row->parallel, row->ring), result->circuits.set.circuits[i]);
        (void)fprintf(out, "%s,", result->map.known ? direction_of(&result->map, i) : "");
        print_channels(out, &result->map, i);
        (void)fputc('\n', out);
    }
}

int orr_sipml_circuits_csv(FILE *out, const struct sipml_result *result)
{
    if (result->map.known && !result->map.ring) {
        write_switches(out, result);
    } else {
        write_pairs(out, result);
    }
    return ferror(out) != 0 ? 1 : 0;
}
