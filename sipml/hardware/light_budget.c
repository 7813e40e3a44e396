/* Optical power budget: losses of nodes and optical switches (SiP-ML, section 5). */
#include "sipml/hardware/sip_hardware.h"

/* Tolerance for rounding: 100 losses of 0.1 dB fit a budget of 10 dB. */
static const double above = 1 + 1e-12;

double orr_sip_node_db(const struct sip_rules *rules)
{
    return rules->coupler_db + rules->ring_db;
}

double orr_sip_circuit_db(const struct sip_rules *rules, uint32_t stages)
{
    return orr_sip_node_db(rules) + stages * rules->ocs_db;
}

bool orr_sip_is_lit(const struct sip_rules *rules, uint32_t stages)
{
    return orr_sip_circuit_db(rules, stages) <= rules->budget_db * above;
}

uint32_t orr_sip_max_stages(const struct sip_rules *rules)
{
    const double left = rules->budget_db * above - orr_sip_node_db(rules);
    const double stages = rules->ocs_db > 0 ? left / rules->ocs_db : (double)UINT32_MAX;
    return stages >= (double)UINT32_MAX ? UINT32_MAX : (uint32_t)(stages > 0 ? stages : 0);
}
