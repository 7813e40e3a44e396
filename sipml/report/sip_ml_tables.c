/* The tables of SiP-ML's hardware; see sip_ml_report.h. */
#include <inttypes.h>
#include <math.h>

#include "core/units.h"
#include "sipml/report/sip_ml_report.h"

/* Rows are filled cell by cell. */
struct table_cursor {
    struct orr_sip_table *table;
    size_t row, at;
};

static struct orr_sip_cell *next_cell(struct table_cursor *table_cursor)
{
    return &table_cursor->table->cell[table_cursor->row][table_cursor->at++];
}

static void number(struct table_cursor *table_cursor, double value)
{
    *next_cell(table_cursor) = (struct orr_sip_cell){.kind = ORR_SIP_NUMBER, .number = value};
}

static void none(struct table_cursor *table_cursor)
{
    *next_cell(table_cursor) = (struct orr_sip_cell){.kind = ORR_SIP_NONE};
}

static void word(struct table_cursor *table_cursor, const char *text)
{
    struct orr_sip_cell *cell = next_cell(table_cursor);
    cell->kind = ORR_SIP_WORD;
    (void)snprintf(cell->word, sizeof cell->word, "%s", text);
}

static void whether(struct table_cursor *table_cursor, bool is)
{
    *next_cell(table_cursor) = (struct orr_sip_cell){.kind = is ? ORR_SIP_YES : ORR_SIP_NO};
}

static void share(struct table_cursor *table_cursor, uint64_t part, uint64_t of)
{
    if (of == 0) {
        none(table_cursor);
    } else {
        number(table_cursor, (double)part / (double)of);
    }
}

static void end_row(struct table_cursor *table_cursor)
{
    table_cursor->row++;
    table_cursor->at = 0;
    table_cursor->table->rows = table_cursor->row;
}

static struct table_cursor begin(struct orr_sip_table *table, const char *key,
                                 const struct orr_sip_column *column, size_t columns)
{
    table->key = key;
    table->column = column;
    table->columns = columns;
    return (struct table_cursor){.table = table};
}

#define BEGIN(table, key, columns) begin(table, key, columns, sizeof(columns) / sizeof *(columns))

/* ---- time and light ---- */

static void fill_duty(const struct orr_sip_request *request, struct orr_sip_table *table)
{
    static const struct orr_sip_column columns[] = {{"hold_us", "us", -1},
                                                    {"dark_times", "x dark", -1},
                                                    {"duty", "held, then dark", 4},
                                                    {"slot_duty", "dark in the slot", 4}};
    struct table_cursor table_cursor = BEGIN(table, "duty_cycle", columns);
    const sim_time dark = request->rules.dark_ps;
    char text[ORR_FORMAT_BYTES], hold[ORR_FORMAT_BYTES], slot[ORR_FORMAT_BYTES];
    for (size_t i = 0; i < request->holds; i++) {
        const sim_time held = request->hold[i];
        number(&table_cursor, (double)held / (double)ORR_PS_PER_US);
        if (dark > 0) {
            number(&table_cursor, (double)held / (double)dark);
        } else {
            none(&table_cursor);
        }
        number(&table_cursor, orr_duty_of_hold(held, dark));
        number(&table_cursor, orr_duty_of_slot(held, dark));
        end_row(&table_cursor);
    }
    (void)snprintf(table->title, sizeof table->title,
                   "Duty cycle: a reconfiguration is dark for %s (3.1)",
                   orr_format_time(dark, text, sizeof text));
    (void)snprintf(table->note, sizeof table->note,
                   "90 %% of the time: circuits held for %s, or slots of %s.",
                   orr_format_time((sim_time)rint(orr_min_hold_ps(0.9, dark)), hold, sizeof hold),
                   orr_format_time((sim_time)rint(orr_min_slot_ps(0.9, dark)), slot, sizeof slot));
}

static void fill_light(const struct sip_rules *rules, const struct sip_hardware *all,
                       struct orr_sip_table *table)
{
    static const struct orr_sip_column columns[] = {{"budget_db", "budget, dB", -1},
                                                    {"node_db", "a node, dB", -1},
                                                    {"reach", "nodes in reach", 0},
                                                    {"ocs_db", "an OCS, dB", -1},
                                                    {"max_stages", "OCSs in a row", 0}};
    struct table_cursor table_cursor = BEGIN(table, "power_budget", columns);
    number(&table_cursor, rules->budget_db);
    number(&table_cursor, all->node_db);
    number(&table_cursor, all->reach);
    number(&table_cursor, rules->ocs_db);
    if (all->max_stages == UINT32_MAX) {
        none(&table_cursor);
    } else {
        number(&table_cursor, all->max_stages);
    }
    end_row(&table_cursor);
    (void)snprintf(table->title, sizeof table->title,
                   "Light: a node takes %g dB in and out, and %g dB at its micro-rings (5)",
                   rules->coupler_db, rules->ring_db);
}

/* ---- interfaces ---- */

static void fill_interfaces(const struct sip_rules *rules, const struct sip_hardware *all,
                            struct orr_sip_table *table)
{
    static const struct orr_sip_column columns[] = {{"fabric", "", 0},
                                                    {"circuits", "circuits", 0},
                                                    {"circuit_gbit_per_s", "Gb/s of one", -1},
                                                    {"gpu_gbit_per_s", "Gb/s of a GPU", -1},
                                                    {"micro_rings", "micro-rings", 0},
                                                    {"chips", "chips", 0},
                                                    {"all_chips", "of all GPUs", 0}};
    struct table_cursor table_cursor = BEGIN(table, "interfaces", columns);
    const struct sip_interfaces *own[] = {&all->ocs, &all->ring};
    for (size_t i = 0; i < 2; i++) {
        const double gbit_per_s = own[i]->bytes_per_s * 8 / 1e9;
        const uint32_t circuits = i == 0 ? rules->ocs : own[i]->wavelengths;
        word(&table_cursor, i == 0 ? "SiP-OCS" : "SiP-Ring");
        number(&table_cursor, circuits);
        number(&table_cursor, gbit_per_s / circuits);
        number(&table_cursor, gbit_per_s);
        number(&table_cursor, own[i]->wavelengths);
        number(&table_cursor, own[i]->of_gpu);
        number(&table_cursor, (double)own[i]->all);
        end_row(&table_cursor);
    }
    (void)snprintf(
        table->title, sizeof table->title,
        "Interfaces of %" PRIu32 " GPUs: chips of %" PRIu32 " micro-rings of %g Gb/s (3.1, 4.4)",
        rules->gpus, rules->interface_wavelengths, rules->wavelength_bytes_per_s * 8 / 1e9);
}

struct priced {
    const char *name, *unit;
    double each, ocs, ring;
};

static void fill_cost(const struct sip_rules *rules, const struct sip_hardware *all,
                      struct orr_sip_table *table)
{
    static const struct orr_sip_column columns[] = {
        {"interfaces", "", 0},
        {"dollars_each", "dollars", 2},
        {"each", "for a", 0},
        {"sip_ocs_dollars", "SiP-OCS", 0},
        {"sip_ring_dollars", "SiP-Ring", 0},
        {"dollars_per_gbit_per_s", "SiP-OCS, a Gb/s", 3}};
    const struct sip_cost *ocs = &all->ocs_cost, *ring = &all->ring_cost;
    const struct priced rows[] = {
        {"chips of a small run", "chip", all->prices.chip, ocs->run, ring->run},
        {"chips in mass production", "chip", all->prices.mass, ocs->mass, ring->mass},
        {"pluggable SiP optics", "Gb/s", rules->optics_dollars, ocs->optics, ring->optics},
        {"pluggable SR optics", "Gb/s", rules->sr_dollars, ocs->sr_optics, ring->sr_optics}};
    struct table_cursor table_cursor = BEGIN(table, "cost", columns);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        word(&table_cursor, rows[i].name);
        number(&table_cursor, rows[i].each);
        word(&table_cursor, rows[i].unit);
        number(&table_cursor, rows[i].ocs);
        number(&table_cursor, rows[i].ring);
        number(&table_cursor, rows[i].ocs / (rules->gpus * rules->bytes_per_s * 8 / 1e9));
        end_row(&table_cursor);
    }
    (void)snprintf(table->title, sizeof table->title, "Cost of interfaces in dollars (5)");
    (void)snprintf(table->note, sizeof table->note,
                   "A run: %.0f euros are %.0f dollars, %.2f for each of %" PRIu32
                   " chips (the paper prints %.0f for 20 of 4408).\n"
                   "In mass production: %.2f dollars a chip, and %g for its electronics.",
                   rules->run_euros, all->prices.run, all->prices.chip, rules->run_chips,
                   SIP_PRINTED_RUN_DOLLARS, all->prices.mass_chip, rules->electronics_dollars);
}

/* ---- switches and rings ---- */

static void fill_switches(const struct sip_rules *rules, const struct sip_hardware *all,
                          struct orr_sip_table *table)
{
    static const struct orr_sip_column columns[] = {
        {"fabric", "", 0},       {"possible", "possible", 0}, {"stages", "stages", 0},
        {"switches", "OCSs", 0}, {"dollars", "dollars", 0},   {"loss_db", "dB", -1},
        {"lit", "in budget", 0}, {"peers", "peers", 0},       {"inside", "in groups", 4},
        {"around", "between", 4}};
    static const char *const names[] = {"flat", "Clos", "BCube"};
    const struct sip_switches *kinds[] = {&all->flat_switches, &all->clos_switches,
                                          &all->bcube_switches};
    const struct clos *clos = &all->clos;
    struct table_cursor table_cursor = BEGIN(table, "switches", columns);
    for (size_t i = 0; i < 3; i++) {
        word(&table_cursor, names[i]);
        whether(&table_cursor, kinds[i]->possible);
        number(&table_cursor, kinds[i]->stages);
        number(&table_cursor, (double)kinds[i]->number);
        number(&table_cursor, kinds[i]->dollars);
        number(&table_cursor, kinds[i]->loss_db);
        whether(&table_cursor, kinds[i]->lit);
        number(&table_cursor, kinds[i]->peers);
        share(&table_cursor, kinds[i]->pairs.inside_direct, kinds[i]->pairs.inside);
        share(&table_cursor, kinds[i]->pairs.around_direct, kinds[i]->pairs.around);
        end_row(&table_cursor);
    }
    (void)snprintf(table->title, sizeof table->title,
                   "OCSs of %" PRIu32 " ports, %" PRIu32 " circuits of each GPU, groups of %" PRIu32
                   " (3.3)",
                   rules->ocs_ports, rules->ocs, rules->group);
    const int used =
        snprintf(table->note, sizeof table->note, "Flat: OCSs of %" PRIu32 " ports.", rules->gpus);
    if (clos->middle_shared != 0) {
        (void)snprintf(table->note + used, sizeof table->note - (size_t)used,
                       "\nClos, for one of these: %" PRIu32 " + %" PRIu32 " outside, %" PRIu32
                       " middle switches of %" PRIu32 " ports, %" PRIu32 " of which an OCS can be.",
                       clos->outer, clos->outer, clos->middle, clos->outer, clos->middle_shared);
    }
}

static void fill_bcube(const struct bcube *bcube, struct orr_sip_table *table)
{
    static const struct orr_sip_column columns[] = {{"level", "level", 0},
                                                    {"circuits", "circuits", 0},
                                                    {"lines", "lines", 0},
                                                    {"most", "GPUs of one", 0},
                                                    {"switches", "OCSs", 0}};
    struct table_cursor table_cursor = BEGIN(table, "bcube", columns);
    for (uint32_t l = 0; l < bcube->levels; l++) {
        number(&table_cursor, l);
        number(&table_cursor, bcube->level[l].circuits);
        number(&table_cursor, bcube->level[l].lines);
        number(&table_cursor, bcube->level[l].max);
        number(&table_cursor, (double)bcube->level[l].switches);
        end_row(&table_cursor);
    }
    (void)snprintf(table->title, sizeof table->title,
                   "BCube: digits of %" PRIu32 "; a line is GPUs that differ in one", bcube->radix);
}

static void fill_ring_row(const struct sip_rules *rules, uint32_t rows,
                          struct table_cursor *table_cursor)
{
    const struct ring_rows own = orr_ring_rows(rules, rows);
    const struct sip_pairs pairs = orr_sip_rows_pairs(rules, rows);
    number(table_cursor, rows);
    number(table_cursor, own.columns);
    number(table_cursor, (double)own.rings);
    number(table_cursor, own.row_chips);
    number(table_cursor, own.column_chips);
    number(table_cursor, own.row_wavelengths);
    number(table_cursor, own.column_wavelengths);
    number(table_cursor, own.row_peers + own.column_peers);
    share(table_cursor, pairs.inside_direct, pairs.inside);
    share(table_cursor, pairs.around_direct, pairs.around);
    end_row(table_cursor);
}

static void fill_rings(const struct orr_sip_request *request, struct orr_sip_table *table)
{
    static const struct orr_sip_column columns[] = {{"rows", "rows", 0},
                                                    {"columns", "columns", 0},
                                                    {"rings", "rings", 0},
                                                    {"row_chips", "chips", 0},
                                                    {"column_chips", "+ chips", 0},
                                                    {"row_wavelengths", "waves", 0},
                                                    {"column_wavelengths", "+ waves", 0},
                                                    {"peers", "peers", 0},
                                                    {"inside", "in groups", 4},
                                                    {"around", "between", 4}};
    struct table_cursor table_cursor = BEGIN(table, "rings", columns);
    fill_ring_row(&request->rules, 1, &table_cursor);
    for (size_t i = 0; i < request->row_counts; i++) {
        if (request->rows[i] > 1) {
            fill_ring_row(&request->rules, request->rows[i], &table_cursor);
        }
    }
    (void)snprintf(table->title, sizeof table->title,
                   "SiP-Ring, and rows and columns of rings (3.3): interfaces divided");
}

void orr_sip_fill(const struct orr_sip_request *request, struct orr_sip_table *table)
{
    const struct sip_rules *rules = &request->rules;
    const struct sip_hardware all = orr_sip_hardware(rules);
    fill_duty(request, &table[0]);
    fill_light(rules, &all, &table[1]);
    fill_interfaces(rules, &all, &table[2]);
    fill_cost(rules, &all, &table[3]);
    fill_switches(rules, &all, &table[4]);
    fill_bcube(&all.bcube, &table[5]);
    fill_rings(request, &table[6]);
}
