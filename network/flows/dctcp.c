/* DCTCP windows; see dctcp.h. */
#include "network/flows/dctcp.h"

/* Queues oscillate around the threshold of 50 packets: the fraction of marked packets rises from 0
 * to 1 while the mean queue grows by 16 packets. */
static const double first_window = 100, first_threshold = 10000;
static const double unmarked_queue = 42, marking_range = 16;
static const double gain = 1.0 / 16, min_alpha = 1e-4;

struct dctcp_window orr_dctcp_window_new(void)
{
    return (struct dctcp_window){.packets = first_window, .threshold = first_threshold};
}

double orr_dctcp_window_update_after(const struct dctcp_window *window)
{
    return window->packets > NET_WINDOW_MIN_UPDATE ? window->packets : NET_WINDOW_MIN_UPDATE;
}

double orr_dctcp_window_marked(double queue_packets)
{
    const double part = (queue_packets - unmarked_queue) / marking_range;
    return part < 0 ? 0 : part > 1 ? 1 : part;
}

static void update_once(struct dctcp_window *window, double marked)
{
    if (marked > 0 && window->packets < window->threshold) {
        window->threshold = window->packets;
    }
    window->alpha = window->alpha * (1 - gain) + marked * gain;
    if (window->alpha > min_alpha) { /* also without marks, while alpha remembers earlier ones */
        window->packets *= 1 - window->alpha / 2;
        window->packets = window->packets < 1 ? 1 : window->packets;
        window->threshold = window->packets;
    }
    if (window->packets < window->threshold) {
        const double doubled = 2 * window->packets;
        window->packets = doubled < window->threshold ? doubled : window->threshold;
    } else {
        window->packets += 1;
    }
}

void orr_dctcp_window_update(struct dctcp_window *window, double marked)
{
    const double times = NET_WINDOW_MIN_UPDATE / window->packets;
    update_once(window, marked);
    for (int i = 1; i < (int)times; i++) {
        update_once(window, marked);
    }
}
