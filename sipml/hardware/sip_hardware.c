/* SiP-ML's hardware: the paper's assumptions, checks of the rules, and all derived quantities. */
#include "sipml/hardware/sip_hardware.h"

#include <inttypes.h>

#include "core/diag.h"
#include "network/cost/cost.h"

struct sip_rules orr_sip_rules(void)
{
    return (struct sip_rules){.gpus = 1024,
                              .bytes_per_s = 1024e9,
                              .ocs = 16,
                              .group = 16,
                              .dark_ps = 25 * ORR_PS_PER_US,
                              .budget_db = 10,
                              .coupler_db = 0.5,
                              .ring_db = 0.125,
                              .ocs_db = 2,
                              .ocs_ports = orr_net_technology(NET_OPTICAL_OCS)->ports,
                              .wavelength_bytes_per_s = 25e9 / 8,
                              .interface_wavelengths = 80,
                              .run_euros = 80000,
                              .run_chips = 20,
                              .dollars_per_euro = 1.102,
                              .mass_factor = 10,
                              .electronics_dollars = 300,
                              .optics_dollars = 1,
                              .sr_dollars = 3,
                              .ocs_port_dollars = orr_net_price_of(NET_PART_OCS_PORT)};
}

/* ---- checks ---- */

static enum orr_status fail_integer(const char *name, uint32_t min, uint32_t max, uint32_t got,
                                    struct orr_diag *diag)
{
    return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                         "%s: expected a whole number from %" PRIu32 " to %" PRIu32
                         ", got \"%" PRIu32 "\"",
                         name, min, max, got);
}

static enum orr_status check_counts(const struct sip_rules *rules, struct orr_diag *diag)
{
    const struct {
        const char *name;
        uint32_t min, value, max;
    } counts[] = {
        {"gpus", 2, rules->gpus, WAVE_MAX_NODES},
        {"ocs", 1, rules->ocs, RING_MAX_WAVELENGTHS},
        {"wavelengths", 1, rules->wavelengths != 0 ? rules->wavelengths : 1, RING_MAX_WAVELENGTHS},
        {"group", 1, rules->group, rules->gpus},
        {"ocs-ports", 2, rules->ocs_ports, WAVE_MAX_NODES},
        {"radix", 2, rules->radix != 0 ? rules->radix : 2, rules->ocs_ports},
        {"interface-wavelengths", 1, rules->interface_wavelengths, RING_MAX_WAVELENGTHS},
        {"run-chips", 1, rules->run_chips, INT32_MAX}};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        if (counts[i].value < counts[i].min || counts[i].value > counts[i].max) {
            return fail_integer(counts[i].name, counts[i].min, counts[i].max, counts[i].value,
                                diag);
        }
    }
    return (uint64_t)rules->gpus * rules->group <= SIP_MAX_PAIRS
               ? ORR_OK
               : orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                               "group: expected at most %d of %" PRIu32
                               " GPUs, whose pairs are looked at, got \"%" PRIu32 "\"",
                               SIP_MAX_PAIRS / rules->gpus, rules->gpus, rules->group);
}

/* A few hundred of them must still fit a time. */
static enum orr_status check_times(const struct sip_rules *rules, struct orr_diag *diag)
{
    return rules->dark_ps <= 12 * 3600 * ORR_PS_PER_S
               ? ORR_OK
               : orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                               "reconfiguration: expected at most 12 hours, got %g s",
                               (double)rules->dark_ps / (double)ORR_PS_PER_S);
}

static enum orr_status check_light(const struct sip_rules *rules, struct orr_diag *diag)
{
    if (!(orr_sip_node_db(rules) > 0)) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                             "coupler-db: expected a loss of a node above 0, got 0 with ring-db");
    }
    return orr_sip_is_lit(rules, 0)
               ? ORR_OK
               : orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                               "budget-db: expected at least the %g dB that light loses at one "
                               "node, got \"%g\"",
                               orr_sip_node_db(rules), rules->budget_db);
}

/* Wavelengths of a GPU fit 32 bits. */
static enum orr_status check_bandwidth(const struct sip_rules *rules, struct orr_diag *diag)
{
    const double max = RING_MAX_WAVELENGTHS * rules->wavelength_bytes_per_s;
    return rules->bytes_per_s <= max
               ? ORR_OK
               : orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                               "bandwidth: expected at most %d wavelengths of %g Gb/s, got %g Gb/s",
                               RING_MAX_WAVELENGTHS, rules->wavelength_bytes_per_s * 8 / 1e9,
                               rules->bytes_per_s * 8 / 1e9);
}

enum orr_status orr_sip_check(const struct sip_rules *rules, struct orr_diag *diag)
{
    enum orr_status status = check_counts(rules, diag);
    status = status == ORR_OK ? check_times(rules, diag) : status;
    status = status == ORR_OK ? check_light(rules, diag) : status;
    return status == ORR_OK ? check_bandwidth(rules, diag) : status;
}

/* ---- derived quantities ---- */

static bool is_other(const void *network, uint32_t from, uint32_t to)
{
    (void)network;
    return from != to;
}

static struct sip_switches switches_of(const struct sip_rules *rules, uint32_t stages,
                                       uint64_t number)
{
    return (struct sip_switches){.possible = true,
                                 .stages = stages,
                                 .number = number,
                                 .dollars =
                                     (double)number * rules->ocs_ports * rules->ocs_port_dollars,
                                 .loss_db = orr_sip_circuit_db(rules, stages),
                                 .lit = orr_sip_is_lit(rules, stages),
                                 .peers = rules->gpus - 1};
}

/* Flat switches have a port for each GPU, whether or not such switches exist. */
static void add_switches(const struct sip_rules *rules, struct sip_hardware *out)
{
    const struct sip_pairs all = orr_sip_pairs(rules->gpus, rules->group, is_other, NULL);
    out->clos = orr_clos(rules->gpus, rules->ocs_ports);
    out->bcube = orr_bcube(rules);
    out->flat_switches = switches_of(rules, 1, rules->ocs);
    out->flat_switches.possible = rules->gpus <= rules->ocs_ports;
    out->flat_switches.dollars = (double)rules->ocs * rules->gpus * rules->ocs_port_dollars;
    out->flat_switches.pairs = all;
    out->clos_switches = switches_of(rules, out->clos.stages, rules->ocs * out->clos.switches);
    out->clos_switches.pairs = all;
    out->bcube_switches = switches_of(rules, 1, out->bcube.switches);
    out->bcube_switches.peers = out->bcube.peers;
    out->bcube_switches.pairs = orr_sip_bcube_pairs(rules, &out->bcube);
}

struct sip_hardware orr_sip_hardware(const struct sip_rules *rules)
{
    struct sip_hardware out = {
        .node_db = orr_sip_node_db(rules),
        .reach = orr_ring_reach(rules->budget_db, rules->coupler_db, rules->ring_db),
        .max_stages = orr_sip_max_stages(rules),
        .ocs = orr_sip_ocs_interfaces(rules),
        .ring = orr_sip_ring_interfaces(rules),
        .prices = orr_sip_prices(rules)};
    out.ocs_cost = orr_sip_cost(rules, &out.ocs);
    out.ring_cost = orr_sip_cost(rules, &out.ring);
    add_switches(rules, &out);
    return out;
}
