/* The network backends, one line each: ORR_BACKEND(orr_net_NAME). The first one is the default.
 * (backends.c, which includes this file twice) */
ORR_BACKEND(orr_net_analytical)
ORR_BACKEND(orr_net_congestion)
ORR_BACKEND(orr_net_flow)
