/* The network backends, one line each: ORR_BACKEND(orr_net_NAME). The first one is the usual one.
 * (backends.c, which includes this twice) */
ORR_BACKEND(orr_net_analytical)
ORR_BACKEND(orr_net_congestion)
ORR_BACKEND(orr_net_flow)
