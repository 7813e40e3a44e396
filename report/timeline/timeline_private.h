/* What the parts of the timeline share. */
#ifndef ORR_REPORT_TIMELINE_TIMELINE_PRIVATE_H
#define ORR_REPORT_TIMELINE_TIMELINE_PRIVATE_H

#include "core/core.h"
#include "report/timeline/json_stream.h"
#include "report/timeline/timeline.h"
#include "sim/sim.h"

/* A track is a resource, and what else runs on it at the same time has tracks of its own, as far as
 * TL_MAX_TRACKS go. In the order in which they stand below each other. */
enum tl_resource {
    TL_COMPUTE,
    TL_WAITING, /* for messages, as far as nothing else is done meanwhile */
    TL_CPU,
    TL_LOCAL_MEMORY,
    TL_REMOTE_MEMORY,
    TL_COLLECTIVES, /* of a group */
    TL_SENDS,       /* to a peer */
    TL_RECEIVES,
    TL_CHUNKS, /* to a peer */
    TL_RESOURCES
};

/* Of an NPU: more do not fit on a screen. Not fewer than there are resources. */
enum { TL_MAX_TRACKS = 12 };
_Static_assert((int)TL_MAX_TRACKS >= (int)TL_RESOURCES, "each resource has a track");

/* In place of a group or peer: all of them. Ranks and groups are smaller. */
#define TL_ALL UINT32_MAX

/* A node, a piece of the time that one waits, or a chunk. Where a collective waits for others until
 * the transfer, two slices are drawn; a message is drawn while it transfers. */
struct tl_slice {
    int64_t start_ps, transfer_ps, end_ps;
    int64_t exposed_ps, exposed_waiting_ps;
    int64_t next_ps;   /* start of the next slice on its track; INT64_MAX when there is none */
    uint64_t resource; /* enum tl_resource << 32 | group, peer or TL_ALL */
    uint32_t node;     /* index of the node; of a chunk, that of the message along a tree */
    uint32_t subtrack; /* 0, 1, ... of the resource's tracks */
    uint32_t more;     /* how many slices further the next one is that is drawn as one with it; 0 */
    bool joined;       /* drawn as one with an earlier slice */
};

static inline enum tl_resource tl_resource_of(const struct tl_slice *slice)
{
    return (enum tl_resource)(slice->resource >> 32);
}

static inline bool tl_is_message(const struct tl_slice *slice)
{
    return tl_resource_of(slice) == TL_SENDS || tl_resource_of(slice) == TL_RECEIVES;
}

/* From when it is drawn. */
static inline int64_t tl_drawn_from(const struct tl_slice *slice)
{
    return tl_is_message(slice) ? slice->transfer_ps : slice->start_ps;
}

/* All slices of an NPU. */
struct tl_slices {
    struct tl_slice *item;
    size_t count, capacity;
};

/* A send or a receive that is drawn. */
struct tl_end {
    int64_t start_ps; /* when it was asked for */
    int64_t from_ps, end_ps;
    uint64_t bytes;
    uint32_t src, dst, tag; /* as the matching receive of a drawn NPU has them */
    uint32_t rank, track;   /* where it is drawn */
    uint32_t node;
};

struct tl_ends {
    struct tl_end *item;
    size_t count, capacity;
};

/* What was formatted last: a node is often like the one before it on its track. */
struct tl_texts {
    uint64_t bytes, rate_of; /* the rate: so many bytes or operations, in so many ps */
    int64_t rate_ps;
    enum orrery_node_kind rate_kind;
    char bytes_text[ORR_FORMAT_BYTES], rate_text[ORR_FORMAT_BYTES];
};

struct timeline {
    struct orrery *job;
    struct orr_classes classes;
    uint32_t *class_of; /* [NPUs] */
    bool *drawn;        /* [NPUs] */
    struct tl_ends sends, receives;
    uint32_t
        *track_of; /* [nodes] of the NPU in work, where it is drawn; NULL: no arrows of parts */
    uint64_t part_arrows;
    uint32_t next_track; /* tid of the next one; above the number of NPUs, so that no pid is one */
    size_t next_chunk;   /* message along a tree that was not passed yet */
    bool any_event;
    struct tl_texts texts;
    struct orr_stream stream;
};

/* Begins an event: the comma and its name. */
void orr_timeline_event(struct timeline *timeline, const char *name);

/* All of one NPU; false when memory is out. */
bool orr_timeline_write_npu(struct timeline *timeline, uint32_t rank);

/* One slice with its arguments. */
void orr_timeline_write_slice(struct timeline *timeline, uint32_t rank, uint32_t track,
                              const struct tl_slice *slice);

/* What a node is called. `text` holds TL_NAME_BYTES. */
enum { TL_NAME_BYTES = 128 };
const char *orr_timeline_node_name(const struct orrery_node *node, char *text);

/* Several slices of a resource as one, the first of them with those that follow by `more`. */
void orr_timeline_write_merged(struct timeline *timeline, uint32_t rank, uint32_t track,
                               const struct tl_slice *slice);

/* Adds one; false when memory is out. */
bool orr_timeline_add_slice(struct tl_slices *slices, const struct tl_slice *slice);

/* Sorts the slices of an NPU by resource and time and gives each its lane of its resource, so that
 * there are at most TL_MAX_TRACKS lanes together. Too many peers or groups become TL_ALL; slices
 * that still find no free lane join another one. O(slices log slices). (timeline_tracks.c) */
void orr_timeline_assign_tracks(struct tl_slices *slices);

/* How long a slice is drawn, in ps, of which the next one on its track starts at `next_ps`: as it
 * took, but for what would be lost in rounding. */
int64_t orr_timeline_drawn_ps(int64_t start_ps, int64_t end_ps, int64_t next_ps);

/* What a slice is at from its start to its end: one that waits is at two things. */
struct tl_part {
    int64_t start_ps, end_ps;
    size_t slice;
    uint32_t node;
    unsigned activity;
};

/* Takes exposed times of the slices of an NPU, all nodes, and adds what is exposed of waiting for
 * messages as slices; `part` has room for twice as many, and `scratch` for 8 times as many numbers.
 * False when memory is out. */
bool orr_timeline_expose(struct tl_slices *slices, struct tl_part *part, int64_t *scratch);

/* Keeps a send or receive for the arrows; false when memory is out. */
bool orr_timeline_add_end(struct timeline *timeline, const struct orrery_node *node,
                          const struct tl_end *drawn);

/* The two events that name a process, or with `tid` a thread of it, and put it in its place. */
void orr_timeline_names(struct timeline *timeline, uint32_t rank, const uint32_t *tid,
                        const char *name);

/* Adds the chunks that an NPU sends along trees, for each NPU that it sends to. NPUs come in
 * ascending order. False when memory is out. And one of them. */
bool orr_timeline_add_chunks(struct timeline *timeline, uint32_t rank, struct tl_slices *slices);
void orr_timeline_write_chunk(struct timeline *timeline, uint32_t rank, uint32_t track,
                              const struct tl_slice *slice);
const char *orr_timeline_chunk_name(const struct orr_chunk *chunk, char *text);

/* The arrows of an NPU from collectives, where the parts that nodes wait for are there, to these.
 */
void orr_timeline_write_parts(struct timeline *timeline, uint32_t rank);

/* The counters of links in use, of the process whose number is that of the NPUs. False when memory
 * is out. (timeline_links.c) */
bool orr_timeline_write_links(struct timeline *timeline);

/* The arrows between the sends and receives kept. */
void orr_timeline_write_flows(struct timeline *timeline);

#endif
