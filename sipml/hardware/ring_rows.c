/* Rows and columns of rings (SiP-ML, section 3.3): N K GPUs on K rings of N and N rings of K. A GPU
 * divides its interfaces between its row ring and its column ring. orr_ring_grid finds wavelengths
 * for given traffic. */
#include "sipml/hardware/sip_hardware.h"

uint32_t orr_ring_even_rows(uint32_t gpus)
{
    uint32_t rows = 1;
    for (uint32_t each = 1; (uint64_t)each * each <= gpus; each++) {
        rows = gpus % each == 0 ? each : rows;
    }
    return rows;
}

/* GPUs within reach of light on a ring, in both directions. */
static uint32_t peers_on(uint32_t nodes, uint32_t reach)
{
    return (nodes - 1) / 2 < reach ? nodes - 1 : 2 * reach;
}

struct ring_rows orr_ring_rows(const struct sip_rules *rules, uint32_t rows)
{
    const struct sip_interfaces interfaces = orr_sip_ring_interfaces(rules);
    const uint32_t reach = orr_ring_reach(rules->budget_db, rules->coupler_db, rules->ring_db);
    const uint32_t chips = interfaces.of_gpu > 1 || rows == 1 ? interfaces.of_gpu : 2;
    struct ring_rows out = {.rows = rows,
                            .columns = rules->gpus / rows,
                            .rings = 1,
                            .row_chips = chips,
                            .row_wavelengths = interfaces.wavelengths};
    out.row_peers = peers_on(out.columns, reach);
    if (rows > 1) {
        out.rings = (uint64_t)rows + out.columns;
        out.row_chips = chips - chips / 2;
        out.column_chips = chips / 2;
        out.row_wavelengths = (uint32_t)((uint64_t)interfaces.wavelengths * out.row_chips / chips);
        out.column_wavelengths = interfaces.wavelengths - out.row_wavelengths;
        out.column_peers = peers_on(rows, reach);
    }
    return out;
}
