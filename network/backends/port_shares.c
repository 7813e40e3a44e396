/* Start-time fair queueing among the streams at a port; see ports.h.
 *
 * The virtual time of a port is the start tag of the message on the wire. A stream that begins to
 * wait gets the tag max(virtual time, end of its last message); each message moves the tag by its
 * service time. So streams that wait get equal times. Equal tags go by who came while the other was
 * sent, then by the order of the messages.
 *
 * The message on the wire is cut when it comes to the tag of a stream that began to wait since, or
 * to the end of the next message of one that waited before. So no quantum is needed, and there are
 * at most as many cuts as messages. All depends on the port's own history alone, and not on the
 * order of messages of one instant, so that folding is exact. */
#include "network/backends/ports.h"

/* A stream with waiting messages, or with a tag that is ahead of the virtual time. */
struct port_stream {
    uint32_t stream;
    uint32_t waiting; /* heap, or PORT_NONE */
    uint32_t next;    /* of the port's streams, or of free records */
    bool fresh;       /* began to wait while another stream's message was on the wire */
    sim_time tag;     /* start of the next message */
};

/* A shared port. Records are numbered from 0 in both arrays. */
struct port_share {
    uint32_t first;   /* stream; of a free record the next one */
    uint32_t serving; /* the stream of the message on the wire, or PORT_NONE */
    sim_time virtual_ps;
    sim_time wake_ps; /* the port looks again then, if that is ahead */
};

struct port_shares {
    struct port_share *share;
    struct port_stream *stream;
    uint32_t shares, share_capacity, free_share;
    uint32_t streams, stream_capacity, free_stream;
};

/* ---- records ---- */

static bool room(void **array, uint32_t used, uint32_t *capacity, size_t size)
{
    if (used < *capacity) {
        return true;
    }
    const uint32_t grown = *capacity == 0 ? 16 : 2 * *capacity;
    void *bigger = orr_heap_realloc(*array, grown * size);
    if (bigger == NULL) {
        return false;
    }
    *array = bigger;
    *capacity = grown;
    return true;
}

static uint32_t new_share(struct port_shares *of)
{
    uint32_t index = of->free_share;
    if (index != PORT_NONE) {
        of->free_share = of->share[index].first;
    } else {
        void *array = of->share;
        if (!room(&array, of->shares, &of->share_capacity, sizeof *of->share)) {
            return PORT_NONE;
        }
        of->share = array;
        index = of->shares++;
    }
    of->share[index] = (struct port_share){.first = PORT_NONE, .serving = PORT_NONE};
    return index;
}

/* Adds a stream to the share. */
static uint32_t new_stream(struct port_shares *of, uint32_t share, uint32_t stream)
{
    uint32_t index = of->free_stream;
    if (index != PORT_NONE) {
        of->free_stream = of->stream[index].next;
    } else {
        void *array = of->stream;
        if (!room(&array, of->streams, &of->stream_capacity, sizeof *of->stream)) {
            return PORT_NONE;
        }
        of->stream = array;
        index = of->streams++;
    }
    of->stream[index] = (struct port_stream){.stream = stream,
                                             .waiting = PORT_NONE,
                                             .next = of->share[share].first,
                                             .tag = of->share[share].virtual_ps};
    of->share[share].first = index;
    return index;
}

static void free_stream(struct port_shares *of, uint32_t *link)
{
    const uint32_t index = *link;
    *link = of->stream[index].next;
    of->stream[index].next = of->free_stream;
    of->free_stream = index;
}

/* ---- messages ---- */

static struct port_shares *shares_of(struct port_slab *slab)
{
    if (slab->shares == NULL) {
        slab->shares = orr_heap_realloc(NULL, sizeof *slab->shares);
        if (slab->shares != NULL) {
            *slab->shares = (struct port_shares){.free_share = PORT_NONE, .free_stream = PORT_NONE};
        }
    }
    return slab->shares;
}

/* Makes the line of one stream a shared one. */
static bool begin_share(struct port_slab *slab, struct port_line *line,
                        const struct port_wire *wire)
{
    struct port_shares *of = shares_of(slab);
    const uint32_t share = of != NULL ? new_share(of) : PORT_NONE;
    const uint32_t only = share != PORT_NONE ? new_stream(of, share, line->stream) : PORT_NONE;
    if (only == PORT_NONE) {
        return false;
    }
    of->stream[only].waiting = line->waiting;
    of->stream[only].tag = wire->ahead_ps > 0 ? wire->ahead_ps : 0;
    of->share[share].serving = wire->ahead_ps > 0 ? only : PORT_NONE;
    of->share[share].virtual_ps = -wire->sent_ps;
    *line = (struct port_line){.waiting = share, .stream = PORT_SHARED};
    return true;
}

/* The line has no messages: it becomes that of the stream. */
static void end_share(struct port_slab *slab, struct port_line *line, uint32_t stream)
{
    if (line->stream == PORT_SHARED) {
        struct port_shares *of = slab->shares;
        struct port_share *share = &of->share[line->waiting];
        while (share->first != PORT_NONE) {
            free_stream(of, &share->first);
        }
        share->first = of->free_share;
        of->free_share = line->waiting;
    }
    *line = (struct port_line){.waiting = PORT_NONE, .stream = stream};
}

static bool is_empty(const struct port_slab *slab, const struct port_line *line)
{
    if (line->stream != PORT_SHARED) {
        return line->waiting == PORT_NONE;
    }
    const struct port_shares *of = slab->shares;
    uint32_t i = of->share[line->waiting].first;
    while (i != PORT_NONE && of->stream[i].waiting == PORT_NONE) {
        i = of->stream[i].next;
    }
    return i == PORT_NONE;
}

static uint32_t find(const struct port_shares *of, uint32_t share, uint32_t stream)
{
    uint32_t i = of->share[share].first;
    while (i != PORT_NONE && of->stream[i].stream != stream) {
        i = of->stream[i].next;
    }
    return i;
}

/* The virtual time: how far the message on the wire has come. */
static sim_time progress(const struct port_shares *of, const struct port_share *share,
                         sim_time ahead_ps)
{
    return share->serving == PORT_NONE
               ? share->virtual_ps
               : of->stream[share->serving].tag - (ahead_ps > 0 ? ahead_ps : 0);
}

bool orr_port_shares_push(struct port_slab *slab, struct port_line *line, uint32_t item,
                          uint32_t stream, const struct port_wire *wire)
{
    if (wire->ahead_ps <= 0 && is_empty(slab, line)) {
        end_share(slab, line, stream);
        line->waiting = port_heap_push(slab, PORT_NONE, item);
        return true;
    }
    if (line->stream != PORT_SHARED && !begin_share(slab, line, wire)) {
        return false;
    }
    struct port_shares *of = slab->shares;
    uint32_t i = find(of, line->waiting, stream);
    i = i != PORT_NONE ? i : new_stream(of, line->waiting, stream);
    if (i == PORT_NONE) {
        return false;
    }
    struct port_stream *to = &of->stream[i];
    const struct port_share *share = &of->share[line->waiting];
    if (to->waiting == PORT_NONE && i != share->serving) {
        const sim_time now = share->virtual_ps;
        to->tag = to->tag < now ? now : to->tag;
        to->fresh = wire->ahead_ps > 0;
    }
    to->waiting = port_heap_push(slab, to->waiting, item);
    return true;
}

/* Whether stream a is served before stream b; both have messages. */
static bool goes_before(const struct port_slab *slab, const struct port_stream *a,
                        const struct port_stream *b)
{
    if (a->tag != b->tag) {
        return a->tag < b->tag;
    }
    return a->fresh != b->fresh ? a->fresh : orr_port_before(slab, a->waiting, b->waiting);
}

/* The stream that is served next. Those that have nothing to send and no tag ahead are forgotten.
 */
static struct port_stream *next_stream(struct port_slab *slab, struct port_share *share)
{
    struct port_shares *of = slab->shares;
    struct port_stream *best = NULL;
    uint32_t *link = &share->first;
    while (*link != PORT_NONE) {
        struct port_stream *stream = &of->stream[*link];
        if (stream->waiting == PORT_NONE && stream->tag <= share->virtual_ps) {
            free_stream(of, link);
            continue;
        }
        if (stream->waiting != PORT_NONE && (best == NULL || goes_before(slab, stream, best))) {
            best = stream;
        }
        link = &stream->next;
    }
    return best;
}

uint32_t orr_port_shares_first(const struct port_slab *slab, const struct port_line *line)
{
    const struct port_shares *of = slab->shares;
    const struct port_stream *best = NULL;
    for (uint32_t i = of->share[line->waiting].first; i != PORT_NONE; i = of->stream[i].next) {
        const struct port_stream *stream = &of->stream[i];
        if (stream->waiting != PORT_NONE && (best == NULL || goes_before(slab, stream, best))) {
            best = stream;
        }
    }
    return best != NULL ? best->waiting : PORT_NONE;
}

uint32_t orr_port_shares_pop(struct port_slab *slab, struct port_line *line)
{
    struct port_share *share = &slab->shares->share[line->waiting];
    share->serving = PORT_NONE;
    struct port_stream *stream = next_stream(slab, share);
    if (stream == NULL) {
        end_share(slab, line, 0);
        return PORT_NONE;
    }
    const uint32_t item = stream->waiting;
    stream->waiting = port_heap_pop(slab, item);
    stream->fresh = false;
    share->serving = (uint32_t)(stream - slab->shares->stream);
    share->virtual_ps = stream->tag;
    stream->tag = orr_time_add(stream->tag, slab->items[item].service_ps);
    return item;
}

/* ---- cuts ---- */

sim_time orr_port_shares_cut_in(const struct port_slab *slab, const struct port_line *line,
                                sim_time ahead_ps)
{
    const struct port_shares *of = slab->shares;
    const struct port_share *share = &of->share[line->waiting];
    sim_time min = ORR_TIME_MAX;
    for (uint32_t i = share->first; i != PORT_NONE; i = of->stream[i].next) {
        const struct port_stream *stream = &of->stream[i];
        if (stream->waiting == PORT_NONE || i == share->serving) {
            continue;
        }
        const sim_time service = slab->items[stream->waiting].service_ps;
        const sim_time turn = stream->tag + (stream->fresh ? 0 : service > 0 ? service : 1);
        min = turn < min ? turn : min;
    }
    return min == ORR_TIME_MAX ? ORR_TIME_MAX : min - progress(of, share, ahead_ps);
}

void orr_port_shares_return(struct port_slab *slab, struct port_line *line, uint32_t item)
{
    struct port_shares *of = slab->shares;
    struct port_share *share = &of->share[line->waiting];
    struct port_stream *stream = &of->stream[share->serving];
    stream->tag -= slab->items[item].service_ps;
    stream->waiting = port_heap_push(slab, stream->waiting, item);
    share->virtual_ps = stream->tag;
    share->serving = PORT_NONE;
}

bool orr_port_shares_wake(struct port_slab *slab, const struct port_line *line, sim_time now,
                          sim_time time)
{
    struct port_share *share = &slab->shares->share[line->waiting];
    if (share->wake_ps > now && share->wake_ps <= time) {
        return false;
    }
    share->wake_ps = time;
    return true;
}

bool orr_port_shares_wakes(const struct port_slab *slab, const struct port_line *line, sim_time now)
{
    return line->stream == PORT_SHARED && slab->shares->share[line->waiting].wake_ps == now;
}

void orr_port_shares_fini(struct port_slab *slab)
{
    if (slab->shares != NULL) {
        orr_heap_free(slab->shares->share);
        orr_heap_free(slab->shares->stream);
    }
    orr_heap_free(slab->shares);
    slab->shares = NULL;
}
