/* Log of messages along user trees, for timelines: chunks that go up, turn at the root, and come
 * down. Sends and arrivals are recorded as they happen, and paired afterwards: for one receive of a
 * stream both are in the same order. */
#include <stdlib.h>

#include "core/evq.h"
#include "system/plan/operation.h"
#include "system/sent_chunks.h"
#include "system/step/stepping.h"

/* A receive of a stream. */
struct receive {
    uint64_t cookie, label;
};

struct sent {
    struct receive receive;
    struct sys_sent_chunk message;
};

struct arrival {
    struct receive receive;
    sim_time time;
};

struct sys_message_log {
    struct sent *sent;
    struct arrival *arrival;
    struct sys_sent_chunk *message; /* paired on demand */
    size_t sends, arrivals, sent_capacity, arrival_capacity, messages;
    bool full; /* out of memory */
};

bool orr_sys_log_messages(struct sys *sys)
{
    if (sys->config->trees == NULL) {
        return true;
    }
    if (sys->log == NULL) {
        sys->log = orr_heap_calloc(1, sizeof *sys->log);
    }
    return sys->log != NULL;
}

void orr_sys_log_fini(struct sys *sys)
{
    if (sys->log != NULL) {
        orr_heap_free(sys->log->sent);
        orr_heap_free(sys->log->arrival);
        orr_heap_free(sys->log->message);
        orr_heap_free(sys->log);
        sys->log = NULL;
    }
}

/* Reserves one more item. */
static void *reserve(struct sys_message_log *log, void *items, size_t count, size_t *capacity,
                     size_t bytes)
{
    if (log->full || count < *capacity) {
        return items;
    }
    log->full = !orr_heap_reserve(&items, capacity, count + 1, bytes);
    return items;
}

static bool is_detour(const struct sys *sys, const struct net_msg *msg)
{
    return net_has_channel(msg) && sys->net->config->channel[msg->channel - 1].hops > 1;
}

void orr_sys_log_send(struct sys *sys, const struct sys_stream *stream,
                      const struct coll_send *send, const struct net_msg *msg)
{
    struct sys_message_log *log = sys->log;
    if (sys_phase_of(stream)->trees == NULL) {
        return;
    }
    log->sent = reserve(log, log->sent, log->sends, &log->sent_capacity, sizeof *log->sent);
    if (log->full) {
        return;
    }
    log->sent[log->sends++] = (struct sent){.receive = {msg->cookie, msg->label},
                                            .message = {.src = msg->src,
                                                        .dst = msg->dst,
                                                        .chunk = stream->chunk,
                                                        .up = send->up,
                                                        .turns = send->turns,
                                                        .through = is_detour(sys, msg),
                                                        .bytes = msg->bytes,
                                                        .sent_ps = orr_evq_now(sys->queue)}};
}

void orr_sys_log_arrival(struct sys *sys, uint64_t label, uint64_t cookie)
{
    struct sys_message_log *log = sys->log;
    log->arrival =
        reserve(log, log->arrival, log->arrivals, &log->arrival_capacity, sizeof *log->arrival);
    if (!log->full) {
        log->arrival[log->arrivals++] =
            (struct arrival){.receive = {cookie, label}, .time = orr_evq_now(sys->queue)};
    }
}

static int compare_u64(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

/* By receive, then time. */
static int compare(struct receive a, sim_time a_ps, struct receive b, sim_time b_ps)
{
    const int cookie = compare_u64(a.cookie, b.cookie), label = compare_u64(a.label, b.label);
    return cookie != 0 ? cookie : label != 0 ? label : compare_u64((uint64_t)a_ps, (uint64_t)b_ps);
}

static int compare_sent(const void *a, const void *b)
{
    const struct sent *first = a, *second = b;
    return compare(first->receive, first->message.sent_ps, second->receive,
                   second->message.sent_ps);
}

static int compare_arrivals(const void *a, const void *b)
{
    const struct arrival *first = a, *second = b;
    return compare(first->receive, first->time, second->receive, second->time);
}

static int compare_messages(const void *a, const void *b)
{
    const struct sys_sent_chunk *first = a, *second = b;
    const int src = compare_u64(first->src.rank, second->src.rank);
    const int dst = compare_u64(first->dst.rank, second->dst.rank);
    const int by_sent = compare_u64((uint64_t)first->sent_ps, (uint64_t)second->sent_ps);
    return src != 0       ? src
           : dst != 0     ? dst
           : by_sent != 0 ? by_sent
                          : compare_u64(first->chunk, second->chunk);
}

/* Whether an arrival precedes the message, or belongs to an earlier receive. */
static bool precedes(const struct arrival *arrival, const struct sent *sent)
{
    return compare(arrival->receive, arrival->time, sent->receive, sent->message.sent_ps) < 0;
}

static void pair_arrivals(struct sys_message_log *log)
{
    size_t a = 0;
    for (size_t s = 0; s < log->sends; s++) {
        const struct sent *sent = &log->sent[s];
        while (a < log->arrivals && precedes(&log->arrival[a], sent)) {
            a++;
        }
        if (a < log->arrivals && log->arrival[a].receive.cookie == sent->receive.cookie &&
            log->arrival[a].receive.label == sent->receive.label) {
            log->message[log->messages] = sent->message;
            log->message[log->messages++].there_ps = log->arrival[a++].time;
        }
    }
}

const struct sys_sent_chunk *orr_sys_sent_chunks(const struct sys *sys, size_t *count)
{
    struct sys_message_log *log = sys->log;
    *count = 0;
    if (log == NULL || log->sends == 0) {
        return NULL;
    }
    if (log->message == NULL) {
        log->message = orr_heap_calloc(log->sends, sizeof *log->message);
        if (log->message == NULL) {
            return NULL;
        }
        qsort(log->sent, log->sends, sizeof *log->sent, compare_sent);
        qsort(log->arrival, log->arrivals, sizeof *log->arrival, compare_arrivals);
        pair_arrivals(log);
        qsort(log->message, log->messages, sizeof *log->message, compare_messages);
    }
    *count = log->messages;
    return log->message;
}
