/* Sizes of the messages of an uneven collective (docs/models.md, section 5).
 *
 * With several dimensions a message carries the blocks of many pairs. After the phases of some
 * dimensions an NPU holds, of an all-to-all, what comes from members that differ from it in those
 * dimensions alone, and goes to members with its coordinates there. In the next dimension it sends
 * on, from index `source` to index `block`, the part of it that ends at that index. All-gather is
 * the first half of the rule (who contributed), reduce-scatter the second (who keeps it). A chunk
 * is a part of every message. */
#include "system/plan/planning.h"

/* A set of positions: `base`, with any coordinate in the dimensions of the `free` phases. */
struct box {
    const struct sys_operation *operation;
    const struct sys_plan *plan;
    uint32_t base;
    unsigned from, to; /* phases [from, to) are free */
};

static uint32_t box_size(const struct box *box)
{
    uint32_t size = 1;
    for (unsigned p = box->from; p < box->to; p++) {
        size *= box->operation->dim[box->plan->phase[p].dim].n;
    }
    return size;
}

/* The i-th position of the set. */
static uint32_t box_at(const struct box *box, uint32_t i)
{
    uint32_t position = box->base;
    for (unsigned p = box->from; p < box->to; p++) {
        const struct sys_dim *dim = &box->operation->dim[box->plan->phase[p].dim];
        const uint32_t own = sys_index_in(dim, sys_position(position));
        position = sys_peer_position(dim, sys_position(position), own, i % dim->n).position;
        i /= dim->n;
    }
    return position;
}

/* Sum of a row over a set of positions. */
static uint64_t sum_row(const struct sys_sizes *sizes, const uint64_t *row, const struct box *to)
{
    uint64_t sum = 0;
    const uint32_t members = box_size(to);
    for (uint32_t i = 0; i < members; i++) {
        const uint32_t position = box_at(to, i);
        sum += row[sizes->column != NULL ? sizes->column[position] : position];
    }
    return sum;
}

/* The stream's position with another index in the dimension of its phase. */
static uint32_t at_index(const struct sys_stream *stream, uint32_t index)
{
    const struct sys_dim *dim = &stream->operation->dim[sys_phase_of(stream)->dim];
    const struct sys_position own = sys_position_of(stream);
    return sys_peer_position(dim, own, sys_index_in(dim, own), index).position;
}

/* Bytes of the message in all chunks. */
static uint64_t message_size(const struct sys_stream *stream, uint32_t source, uint32_t block)
{
    const struct sys_operation *operation = stream->operation;
    const struct sys_sizes *sizes = operation->sizes;
    const struct sys_plan *plan = operation->plan[stream->chunk];
    const bool gathers = operation->kind == COLL_ALL_GATHER;
    const struct box from = {operation, plan, at_index(stream, gathers ? block : source), 0,
                             stream->phase};
    const struct box to = {operation, plan, at_index(stream, block), stream->phase + 1u,
                           plan->phases};
    if (operation->kind != COLL_ALL_TO_ALL) {
        return sum_row(sizes, sizes->row[0], gathers ? &from : &to);
    }
    uint64_t sum = 0;
    const uint32_t sources = box_size(&from);
    for (uint32_t i = 0; i < sources; i++) {
        sum += sum_row(sizes, sizes->row[box_at(&from, i)], &to);
    }
    return sum;
}

uint64_t orr_sys_uneven_size(const void *context, uint32_t source, uint32_t block)
{
    const struct sys_stream *stream = context;
    const uint64_t bytes = message_size(stream, source, block);
    const uint32_t chunks = stream->operation->chunks;
    const uint64_t part = bytes / chunks + (bytes % chunks != 0 ? 1 : 0);
    const uint64_t begin = part * stream->chunk < bytes ? part * stream->chunk : bytes;
    return bytes - begin < part ? bytes - begin : part;
}
