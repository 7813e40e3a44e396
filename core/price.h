/* Prices in dollars per unit, "2.95 $/h", "0.08 USD/kWh"; power. */
#ifndef ORR_CORE_PRICE_H
#define ORR_CORE_PRICE_H

#include <stdbool.h>

/* Parses a price per `unit` ("h", "kWh"): a number of at least 0, a currency ($ or USD, which may
 * stand before the number), "/" and the unit. A bare number is refused. Returns false for anything
 * else; *dollars is then unchanged. O(length). */
bool orr_parse_price(const char *text, const char *unit, double *dollars);

/* Parses a power, "700 W" or "1.2 kW", into watts; likewise. */
bool orr_parse_power(const char *text, double *watts);

#endif
