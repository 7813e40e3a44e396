/* Which communication all ranks of its group recorded; see profile_scan.h.
 *
 * Profiles of ranks begin and end at other operations. One that a rank of the group did not record
 * has no partner there: simulated, it would wait for ever. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/arena.h"
#include "core/strings.h"
#include "et_converter/conversion_report.h"
#include "et_converter/pytorch/profile_scan.h"

/* ---- keys ---- */

static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash ^= value + UINT64_C(0x9e3779b97f4a7c15) + (hash << 6) + (hash >> 2);
    hash *= UINT64_C(0xff51afd7ed558ccd);
    return hash ^ (hash >> 32);
}

uint64_t orr_profile_key(const struct pt_trace *trace, const struct pt_comm *comm)
{
    const struct pt_group *group = comm->group < trace->groups ? &trace->group[comm->group] : NULL;
    if (comm->id != 0) {
        return comm->id;
    }
    if (comm->sequence < 0 || group == NULL || group->ranks == 0) {
        return 0;
    }
    uint64_t hash = mix((uint64_t)comm->sequence, group->ranks);
    for (uint32_t i = 0; i < group->ranks; i++) {
        hash = mix(hash, group->rank[i]);
    }
    const bool message = comm->kind == PT_SEND || comm->kind == PT_RECV;
    hash = mix(hash, message ? 1 : 0);
    return hash != 0 ? hash : 1;
}

static int compare_keys(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

enum orr_status orr_profile_count_keys(struct conversion *conversion)
{
    size_t all = 0;
    for (uint32_t file = 0; file < conversion->files; file++) {
        all += conversion->scan[file].kernels;
    }
    conversion->key = orr_arena_array(conversion->arena, all + 1, sizeof *conversion->key);
    if (conversion->key == NULL) {
        return orr_diag_no_memory(conversion->diag, "the communication of profiles");
    }
    for (uint32_t file = 0; file < conversion->files; file++) {
        const struct pt_scan *scan = &conversion->scan[file];
        for (uint32_t i = 0; i < scan->kernels; i++) {
            const bool in_step = conversion->step < 0 || !scan->has_several ||
                                 scan->kernel[i].step == conversion->step;
            if (in_step && scan->kernel[i].key != 0) {
                conversion->key[conversion->keys++] = scan->kernel[i].key;
            }
        }
    }
    qsort(conversion->key, conversion->keys, sizeof *conversion->key, compare_keys);
    return ORR_OK;
}

/* How many kernels have the key. */
static uint32_t count_key(const struct conversion *conversion, uint64_t key)
{
    size_t low = 0, high = conversion->keys;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        low = conversion->key[middle] < key ? middle + 1 : low;
        high = conversion->key[middle] < key ? high : middle;
    }
    uint32_t count = 0;
    while (low < conversion->keys && conversion->key[low] == key) {
        count++;
        low++;
    }
    return count;
}

/* ---- marks ---- */

static bool is_given(const struct conversion *conversion, uint32_t rank)
{
    return rank < conversion->capacity && conversion->file_of[rank] != PT_NONE;
}

/* Given ranks that take part in a communication. */
static uint32_t partners(const struct conversion *conversion, const struct pt_group_use *group,
                         const struct pt_comm *comm, uint32_t rank)
{
    if (comm->kind == PT_SEND || comm->kind == PT_RECV) {
        const bool known = comm->peer >= 0 && comm->peer < (int64_t)group->size;
        const uint32_t peer = !known                ? rank
                              : group->rank != NULL ? group->rank[comm->peer]
                                                    : (uint32_t)comm->peer;
        return is_given(conversion, peer) ? 2 : 1;
    }
    uint32_t count = 0;
    for (uint32_t i = 0; i < group->size; i++) {
        count += is_given(conversion, group->rank != NULL ? group->rank[i] : i) ? 1 : 0;
    }
    return count;
}

static void mark(const struct conversion *conversion, const struct pt_trace *trace,
                 const struct pt_group_use *group, uint32_t rank, struct pt_comm *comm)
{
    const uint64_t key = orr_profile_key(trace, comm);
    const struct pt_group_use *own =
        &group[comm->group < trace->groups ? comm->group : trace->groups];
    const uint32_t count = key != 0 && !own->idle ? count_key(conversion, key) : 0;
    comm->is_lone = count > 0 && count < partners(conversion, own, comm, rank);
}

void orr_profile_mark_lone(struct conversion *conversion, struct pt_trace *trace,
                           struct kt_trace *kineto, const struct pt_group_use *group, uint32_t rank)
{
    for (uint32_t c = 0; c < trace->comms; c++) {
        struct pt_comm *comm = &trace->comm[c];
        if (comm->kind == PT_COLLECTIVE || comm->kind == PT_SEND || comm->kind == PT_RECV) {
            mark(conversion, trace, group, rank, comm);
        }
        if (comm->is_lone) {
            orr_convert_report_note(conversion->report,
                                    "communication that not all of its ranks recorded: takes its "
                                    "recorded time",
                                    "rank %" PRIu32 ": %s, number %" PRId64, rank,
                                    trace->strings->text[comm->name], comm->sequence);
        }
    }
    for (uint32_t n = 0; n < kineto->nccls; n++) {
        mark(conversion, trace, group, rank, &kineto->nccl[n].comm);
    }
}
