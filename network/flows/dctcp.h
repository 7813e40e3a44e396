/* Congestion windows of DCTCP senders as weights of fluid flows (Alizadeh et al., SIGCOMM'10;
 * docs/models.md, section 4). A sender that sees marks shrinks its window by alpha / 2, which
 * follows the marked part of its packets; one that sees none doubles it below its threshold and
 * adds a packet above. */
#ifndef ORR_NETWORK_FLOWS_DCTCP_H
#define ORR_NETWORK_FLOWS_DCTCP_H

#include <stdint.h>

struct dctcp_window {
    double packets;   /* the window */
    double threshold; /* of slow start */
    double alpha;     /* running part of marked packets */
};

enum { NET_WINDOW_MIN_UPDATE = 32 }; /* packets */

struct dctcp_window orr_dctcp_window_new(void);

/* Packets to deliver until the next update: a window, but not fewer than 32. */
double orr_dctcp_window_update_after(const struct dctcp_window *window);

/* Updates after that many packets, of which the part `marked` (0..1) was marked; as many windows as
 * there are in 32 packets. */
void orr_dctcp_window_update(struct dctcp_window *window, double marked);

/* The part of packets that a queue of so many packets marks. */
double orr_dctcp_window_marked(double queue_packets);

#endif
