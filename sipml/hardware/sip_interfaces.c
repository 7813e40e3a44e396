/* Optical interfaces of GPUs: micro-rings, chips and their cost (SiP-ML, sections 3.1, 4.4 and
 * 5). */
#include <math.h>

#include "sipml/hardware/sip_hardware.h"

uint32_t orr_sip_wavelengths(const struct sip_rules *rules, double bytes_per_s)
{
    /* Tolerance for rounding: 10 Tb/s is 400 wavelengths of 25 Gb/s. */
    return (uint32_t)ceil(bytes_per_s / rules->wavelength_bytes_per_s * (1 - 1e-12));
}

static struct sip_interfaces interfaces_of(const struct sip_rules *rules, uint32_t wavelengths,
                                           double bytes_per_s)
{
    const uint32_t each = rules->interface_wavelengths;
    const uint32_t of_gpu = wavelengths / each + (wavelengths % each != 0);
    return (struct sip_interfaces){.bytes_per_s = bytes_per_s,
                                   .wavelengths = wavelengths,
                                   .of_gpu = of_gpu,
                                   .all = (uint64_t)rules->gpus * of_gpu};
}

struct sip_interfaces orr_sip_ocs_interfaces(const struct sip_rules *rules)
{
    return interfaces_of(rules, orr_sip_wavelengths(rules, rules->bytes_per_s), rules->bytes_per_s);
}

struct sip_interfaces orr_sip_ring_interfaces(const struct sip_rules *rules)
{
    return rules->wavelengths == 0
               ? orr_sip_ocs_interfaces(rules)
               : interfaces_of(rules, rules->wavelengths,
                               rules->wavelengths * rules->wavelength_bytes_per_s);
}

struct sip_prices orr_sip_prices(const struct sip_rules *rules)
{
    const double run = rules->run_euros * rules->dollars_per_euro;
    const double chip = run / rules->run_chips;
    return (struct sip_prices){.run = run,
                               .chip = chip,
                               .mass_chip = chip / rules->mass_factor,
                               .mass = chip / rules->mass_factor + rules->electronics_dollars};
}

struct sip_cost orr_sip_cost(const struct sip_rules *rules, const struct sip_interfaces *interfaces)
{
    const struct sip_prices prices = orr_sip_prices(rules);
    const double chips = (double)interfaces->all;
    const double gbit_per_s = rules->gpus * interfaces->bytes_per_s * 8 / 1e9;
    return (struct sip_cost){.run = chips * prices.chip,
                             .mass = chips * prices.mass,
                             .optics = gbit_per_s * rules->optics_dollars,
                             .sr_optics = gbit_per_s * rules->sr_dollars};
}
