/* DCTCP congestion windows (Alizadeh et al., SIGCOMM'10; docs/models.md, section 4), used as
 * weights of fluid flows. A sender that sees marks shrinks its window by alpha / 2, where alpha
 * follows the marked fraction of its packets. Without marks the window doubles below the threshold,
 * and grows by one packet above. */
#ifndef ORR_NETWORK_FLOWS_DCTCP_H
#define ORR_NETWORK_FLOWS_DCTCP_H

#include <stdint.h>

struct dctcp_window {
    double packets;   /* the window */
    double threshold; /* slow start threshold */
    double alpha;     /* moving average of the marked fraction */
};

enum { NET_WINDOW_MIN_UPDATE = 32 }; /* packets */

struct dctcp_window orr_dctcp_window_new(void);

/* Packets until the next update: a window, but at least 32. */
double orr_dctcp_window_update_after(const struct dctcp_window *window);

/* Updates the window after that many packets, of which the fraction `marked` (0..1) was marked;
 * does as many windows' updates as fit in 32 packets. */
void orr_dctcp_window_update(struct dctcp_window *window, double marked);

/* The fraction of packets that a queue of this length marks. */
double orr_dctcp_window_marked(double queue_packets);

#endif
