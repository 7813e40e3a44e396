/* The circuits of a plan of SiP-ML, for people, for programs, and as CSV: see sipml_report.h. */
#include <inttypes.h>
#include <jansson.h>
#include <string.h>

#include "planner/sipml_file/sipml_report.h"
#include "report/report.h"

enum { MAX_PAIRS = 64 };

static const struct net_circuits *network_of(const struct sipml_result *answer)
{
    return answer->on.graph->circuits;
}

/* Ports of a group's devices that no circuit leaves. */
static uint64_t left_over(const struct sipml_result *answer)
{
    uint64_t left =
        (uint64_t)answer->traffic.group * network_of(answer)->ports * answer->circuits.turns;
    for (uint32_t i = 0; i < answer->traffic.rows; i++) {
        left -= answer->circuits.set.circuits[i];
    }
    return left;
}

static bool reaches_bound(const struct net_allocation *set)
{
    return (orr_wide)set->rate.circuits * set->bound.bytes ==
           (orr_wide)set->bound.circuits * set->rate.bytes;
}

/* ---- places ---- */

/* Visits runs of switches, or wavelengths, that follow each other. */
static void visit_runs(const struct sipml_map *map, uint32_t row,
                       void (*visit)(void *context, uint32_t first, uint32_t last), void *context)
{
    uint32_t at = map->known ? map->first[row] : 0;
    const uint32_t end = map->known ? map->first[row + 1] : 0;
    while (at < end) {
        uint32_t last = at;
        while (last + 1 < end && map->place[last + 1] == map->place[last] + 1) {
            last++;
        }
        visit(context, map->place[at], map->place[last]);
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

static void print_places(FILE *out, const struct sipml_map *map, uint32_t row)
{
    struct runs runs = {out, ""};
    visit_runs(map, row, print_run, &runs);
}

static void append_run(void *context, uint32_t first, uint32_t last)
{
    (void)json_array_append_new(context, json_pack("[I, I]", (json_int_t)first, (json_int_t)last));
}

static const char *way_of(const struct sipml_map *map, uint32_t row)
{
    return map->down[row] ? "down" : "up";
}

/* ---- for people ---- */

static void print_head(FILE *out, const struct sipml_result *answer)
{
    const struct net_circuits *network = network_of(answer);
    const struct sipml_circuits *circuits = &answer->circuits;
    char text[ORR_FORMAT_BYTES];
    orr_print(out, "\ncircuits           of one group, set once, for the bytes of an iteration");
    if (circuits->weight < 1 || circuits->weight > 1) {
        orr_print(out, ", those in a group counted %g x", circuits->weight);
    }
    if (network->allocated->hold_ps != ORR_TIME_MAX) {
        orr_print(out, "; a run sets them anew after %s",
                  orr_format_time(network->allocated->hold_ps, text, sizeof text));
    }
    orr_print(out, "\n");
}

static void print_rates(FILE *out, const struct sipml_result *answer)
{
    const struct net_allocation *set = &answer->circuits.set;
    char rate[ORR_FORMAT_BYTES], bound[ORR_FORMAT_BYTES];
    if (set->rate.bytes == 0) {
        orr_print(out, "  %-16s nobody sends anything\n", "least rate");
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

static void print_left(FILE *out, const struct sipml_result *answer)
{
    const uint32_t turns = answer->circuits.turns;
    const uint32_t ports = network_of(answer)->ports * turns;
    const char *what = answer->map.ring ? "wavelength" : "port";
    if (turns > 1) {
        orr_print(out,
                  "  %-16s there are more pairs than circuits in a place: each circuit is counted "
                  "as %" PRIu32 " of a part of its time\n",
                  "in turns", turns);
    }
    orr_print(out, "  %-16s %" PRIu64 " of the %" PRIu64 " %s%s of a group that send\n",
              "left over", left_over(answer), (uint64_t)answer->traffic.group * ports, what,
              orr_plural((uint64_t)answer->traffic.group * ports));
}

static void print_pair(FILE *out, const struct sipml_result *answer, uint32_t row)
{
    const struct sipml_row *of = &answer->traffic.row[row];
    const uint32_t circuits = answer->circuits.set.circuits[row];
    char bytes[ORR_FORMAT_BYTES];
    orr_print(out, "  %4" PRIu32 " %4" PRIu32 " %12s %8" PRIu32 " %10.6g", of->from, of->to,
              orr_format_bytes(sat_plus(of->parallel, of->ring), bytes, sizeof bytes), circuits,
              circuits * network_of(answer)->bytes_per_s / answer->circuits.turns * 8e-9);
    if (answer->map.known) {
        orr_print(out, "  ");
        if (answer->map.ring) {
            orr_print(out, "%-5s", way_of(&answer->map, row));
        }
        print_places(out, &answer->map, row);
    }
    orr_print(out, "\n");
}

void orr_sipml_print_circuits(FILE *out, const struct sipml_result *answer)
{
    const uint32_t rows = answer->traffic.rows;
    if (!answer->on_circuits) {
        return;
    }
    print_head(out, answer);
    print_rates(out, answer);
    print_left(out, answer);
    orr_print(out, "\n  %4s %4s %12s %8s %10s%s\n", "from", "to", "bytes", "circuits", "Gb/s",
              !answer->map.known ? ""
              : answer->map.ring ? "  way  wavelengths"
                                 : "  switches");
    for (uint32_t i = 0; i < rows && i < MAX_PAIRS; i++) {
        print_pair(out, answer, i);
    }
    if (rows > MAX_PAIRS) {
        orr_print(out, "  ... and %" PRIu32 " more: circuits.csv\n", rows - MAX_PAIRS);
    }
}

/* ---- for programs ---- */

static json_t *pair_json(const struct sipml_result *answer, uint32_t row)
{
    const struct sipml_row *of = &answer->traffic.row[row];
    const struct sipml_map *map = &answer->map;
    const uint32_t circuits = answer->circuits.set.circuits[row];
    json_t *told = json_pack(
        "{s:I, s:I, s:I, s:I, s:I, s:f}", "from", (json_int_t)of->from, "to", (json_int_t)of->to,
        "bytes", (json_int_t)sat_plus(of->parallel, of->ring), "counted_bytes",
        (json_int_t)answer->circuits.bytes[row], "circuits", (json_int_t)circuits, "bytes_per_s",
        circuits * network_of(answer)->bytes_per_s / answer->circuits.turns);
    if (map->known) {
        json_t *runs = json_array();
        visit_runs(map, row, append_run, runs);
        if (map->ring) {
            (void)json_object_set_new(told, "way", json_string(way_of(map, row)));
        }
        (void)json_object_set_new(told, map->ring ? "wavelengths" : "switches", runs);
    }
    return told;
}

static json_t *rate_json(struct wave_rate rate)
{
    return rate.bytes == 0 ? json_null()
                           : json_pack("{s:I, s:I}", "circuits", (json_int_t)rate.circuits, "bytes",
                                       (json_int_t)rate.bytes);
}

json_t *orr_sipml_circuits_json(const struct sipml_result *answer)
{
    const struct net_circuits *network = network_of(answer);
    const struct net_allocation *set = &answer->circuits.set;
    const sim_time hold_ps = network->allocated->hold_ps;
    json_t *pairs = json_array();
    for (uint32_t i = 0; i < answer->traffic.rows; i++) {
        (void)json_array_append_new(pairs, pair_json(answer, i));
    }
    return json_pack("{s:s, s:I, s:f, s:o, s:f, s:o, s:o, s:I, s:f, s:I, s:I, s:o}", "controller",
                     answer->map.ring ? "sip_ring" : "sip_ocs", "ports", (json_int_t)network->ports,
                     "circuit_bytes_per_s", network->bytes_per_s, "hold_ps",
                     hold_ps == ORR_TIME_MAX ? json_null() : json_integer(hold_ps), "weight",
                     answer->circuits.weight, "rate", rate_json(set->rate), "bound",
                     rate_json(set->bound), "deficit", (json_int_t)set->deficit, "gap", set->gap,
                     "turns", (json_int_t)answer->circuits.turns, "left_over",
                     (json_int_t)left_over(answer), "pairs", pairs);
}

/* ---- CSV ---- */

static void write_switches(FILE *out, const struct sipml_result *answer)
{
    const uint32_t n = answer->traffic.devices, k = answer->traffic.group;
    (void)fputs("switch,from,to\n", out);
    for (uint32_t s = 0; s < network_of(answer)->ports; s++) {
        for (uint32_t i = 0; i < n; i++) {
            const uint32_t to = answer->map.peer[(size_t)s * k + i % k];
            (void)fprintf(out, "%" PRIu32 ",%" PRIu32 ",", s, i);
            if (to != WAVE_NONE) {
                (void)fprintf(out, "%" PRIu32, (to + i / k * k) % n);
            }
            (void)fputc('\n', out);
        }
    }
}

static void write_pairs(FILE *out, const struct sipml_result *answer)
{
    (void)fputs("from,to,bytes,circuits,way,which\n", out);
    for (uint32_t i = 0; i < answer->traffic.rows; i++) {
        const struct sipml_row *row = &answer->traffic.row[i];
        (void)fprintf(out, "%" PRIu32 ",%" PRIu32 ",%" PRIu64 ",%" PRIu32 ",", row->from, row->to,
                      sat_plus(row->parallel, row->ring), answer->circuits.set.circuits[i]);
        (void)fprintf(out, "%s,", answer->map.known ? way_of(&answer->map, i) : "");
        print_places(out, &answer->map, i);
        (void)fputc('\n', out);
    }
}

int orr_sipml_circuits_csv(FILE *out, const struct sipml_result *answer)
{
    if (answer->map.known && !answer->map.ring) {
        write_switches(out, answer);
    } else {
        write_pairs(out, answer);
    }
    return ferror(out) != 0 ? 1 : 0;
}
