/* Receives ordered after sends (program.h): arrived messages stay among the unexpected ones until
 * the sends before them have been issued. */
#include "system/step/stepping.h"

static bool is_due(const struct sys_stream *stream, const struct coll_algorithm *algorithm,
                   const struct coll_args *args, uint32_t k)
{
    const uint32_t lane = k % algorithm->lanes;
    struct coll_recv recv;
    algorithm->recv(args, k, &recv);
    const bool next = algorithm->in_order ? k / algorithm->lanes == stream->received[lane]
                                          : recv.after <= stream->received[lane];
    return next && recv.after_sends <= stream->sent[lane];
}

/* Accepts arrived messages that are due; whether there were any. O(receives). */
static bool accept_due(struct sys *sys, struct sys_stream *stream)
{
    const struct coll_algorithm *algorithm = sys_phase_of(stream)->algorithm;
    const struct coll_args args = orr_sys_args_of(stream);
    const uint32_t recvs = stream->unexpected != 0 ? algorithm->recvs(&args) : 0;
    bool any = false;
    for (uint32_t k = 0; k < recvs; k++) {
        if (is_due(stream, algorithm, &args, k) &&
            orr_sys_unexpected_take(sys, stream, stream->phase, k, false)) {
            stream->received[k % algorithm->lanes]++;
            any = true;
        }
    }
    return any;
}

void orr_sys_accept_after_sends(struct sys *sys, struct sys_stream *stream)
{
    while (accept_due(sys, stream)) {
        orr_sys_generic_pump(sys, stream);
    }
}
