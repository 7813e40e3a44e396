/* Shared by the files of the timeline. */
#ifndef ORR_REPORT_TIMELINE_TIMELINE_PRIVATE_H
#define ORR_REPORT_TIMELINE_TIMELINE_PRIVATE_H

#include "core/units.h"
#include "orrery/orrery.h"
#include "report/timeline/json_stream.h"
#include "report/timeline/timeline.h"
#include "sim/time_classes.h"

struct orr_chunk;
struct orrery;

/* Resources of an NPU, in the order of their tracks from top to bottom. Slices that overlap on a
 * resource get further tracks, up to TL_MAX_TRACKS in all. */
enum tl_resource {
    TL_COMPUTE,
    TL_WAITING, /* for messages, while the NPU does nothing else */
    TL_CPU,
    TL_LOCAL_MEMORY,
    TL_REMOTE_MEMORY,
    TL_COLLECTIVES, /* of a group */
    TL_SENDS,       /* to a peer */
    TL_RECEIVES,
    TL_CHUNKS, /* to a peer */
    TL_RESOURCES
};

/* Tracks of an NPU: more do not fit on a screen. At least the number of resources. */
enum { TL_MAX_TRACKS = 12 };
_Static_assert((int)TL_MAX_TRACKS >= (int)TL_RESOURCES, "each resource has a track");

/* Instead of a group or peer: all of them. Ranks and groups are smaller. */
#define TL_ALL UINT32_MAX

/* A node, a part of a node's waiting, or a chunk. A collective that waits for others until its
 * transfer is drawn as two slices; a message is drawn during its transfer. */
struct tl_slice {
    int64_t start_ps, transfer_ps, end_ps;
    int64_t exposed_ps, exposed_waiting_ps;
    int64_t next_ps;   /* start of the next slice on its track; INT64_MAX: none */
    uint64_t resource; /* enum tl_resource << 32 | group, peer or TL_ALL */
    uint32_t node;     /* index of the node; for a chunk that of the message on a tree */
    uint32_t subtrack; /* 0, 1, ... among the resource's tracks */
    uint32_t more;     /* distance to the next slice that is merged with this one; 0: none */
    bool joined;       /* merged with an earlier slice */
};

static inline enum tl_resource tl_resource_of(const struct tl_slice *slice)
{
    return (enum tl_resource)(slice->resource >> 32);
}

static inline bool tl_is_message(const struct tl_slice *slice)
{
    return tl_resource_of(slice) == TL_SENDS || tl_resource_of(slice) == TL_RECEIVES;
}

/* Start of the drawn slice. */
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
    int64_t start_ps; /* when it was posted */
    int64_t from_ps, end_ps;
    uint64_t bytes;
    uint32_t src, dst, tag; /* as in the matching receive of a drawn NPU */
    uint32_t rank, track;   /* its track */
    uint32_t node;
};

struct tl_ends {
    struct tl_end *item;
    size_t count, capacity;
};

/* Cache of the last formatted texts: a node is often like the one before it on its track. */
struct tl_texts {
    uint64_t bytes, rate_of; /* the rate: bytes or operations in rate_ps */
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
    uint32_t *track_of; /* [nodes] of the current NPU: the track; NULL: no arrows */
    uint64_t part_arrows;
    uint32_t next_track; /* tid of the next track, > NPUs: no pid equals a tid */
    size_t next_chunk;   /* next message on a tree */
    bool any_event;
    struct tl_texts texts;
    struct orr_stream stream;
};

/* Begins an event: writes the comma and its name. */
void orr_timeline_event(struct timeline *timeline, const char *name);

/* Writes all of one NPU. False: no memory. */
bool orr_timeline_write_npu(struct timeline *timeline, uint32_t rank);

/* Writes one slice with its arguments. */
void orr_timeline_write_slice(struct timeline *timeline, uint32_t rank, uint32_t track,
                              const struct tl_slice *slice);

/* The name of a node. `text` holds TL_NAME_BYTES. */
enum { TL_NAME_BYTES = 128 };
const char *orr_timeline_node_name(const struct orrery_node *node, char *text);

/* Writes several slices of a resource as one: the first of them and those linked by `more`. */
void orr_timeline_write_merged(struct timeline *timeline, uint32_t rank, uint32_t track,
                               const struct tl_slice *slice);

/* Adds a slice. False: no memory. */
bool orr_timeline_add_slice(struct tl_slices *slices, const struct tl_slice *slice);

/* Sorts the slices of an NPU by resource and time and assigns each a track of its resource, at most
 * TL_MAX_TRACKS tracks in all. If there are too many peers or groups, they become TL_ALL; a slice
 * that still finds no free track is merged with another one. O(slices log slices).
 * (timeline_tracks.c) */
void orr_timeline_assign_tracks(struct tl_slices *slices);

/* The drawn duration of a slice, in ps, if the next one on its track starts at `next_ps`: its real
 * duration, shortened if rounding would lose the next one. */
int64_t orr_timeline_drawn_ps(int64_t start_ps, int64_t end_ps, int64_t next_ps);

/* An activity of a slice in an interval: a slice that waits has two. */
struct tl_part {
    int64_t start_ps, end_ps;
    size_t slice;
    uint32_t node;
    unsigned activity;
};

/* Computes the exposed times of the slices of an NPU, all nodes, and adds the exposed waiting for
 * messages as slices. `part` holds twice as many entries as slices, `scratch` 8 times as many.
 * False: no memory. */
bool orr_timeline_expose(struct tl_slices *slices, struct tl_part *part, int64_t *scratch);

/* Records a send or receive for the arrows. False: no memory. */
bool orr_timeline_add_end(struct timeline *timeline, const struct orrery_node *node,
                          const struct tl_end *drawn);

/* Writes the two events that name and order a process, or with `tid` a thread of it. */
void orr_timeline_names(struct timeline *timeline, uint32_t rank, const uint32_t *tid,
                        const char *name);

/* Adds the chunks that an NPU sends on trees, as slices for each destination; NPUs come in
 * ascending order. False: no memory. orr_timeline_write_chunk writes one, orr_timeline_chunk_name
 * formats its name. */
bool orr_timeline_add_chunks(struct timeline *timeline, uint32_t rank, struct tl_slices *slices);
void orr_timeline_write_chunk(struct timeline *timeline, uint32_t rank, uint32_t track,
                              const struct tl_slice *slice);
const char *orr_timeline_chunk_name(const struct orr_chunk *chunk, char *text);

/* Writes the arrows of an NPU from collectives, at the delivery of parts, to the nodes that wait
 * for them. */
void orr_timeline_write_parts(struct timeline *timeline, uint32_t rank);

/* Writes the counters of busy links, in the process whose number is the number of NPUs. False: no
 * memory. (timeline_links.c) */
bool orr_timeline_write_links(struct timeline *timeline);

/* Writes the arrows between the recorded sends and receives. */
void orr_timeline_write_flows(struct timeline *timeline);

#endif
