/* Routings in the order of listing, one line each: ORR_ROUTING(orr_routing_NAME); the first is the
 * default. X-macro list: routings.c includes it twice. */
ORR_ROUTING(orr_routing_shortest)
ORR_ROUTING(orr_routing_ecmp)
ORR_ROUTING(orr_routing_k_shortest)
ORR_ROUTING(orr_routing_dimension_order)
ORR_ROUTING(orr_routing_table)
ORR_ROUTING(orr_routing_ecmp_pairs)
