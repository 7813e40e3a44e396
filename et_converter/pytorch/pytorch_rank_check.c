/* Whether a file is of the rank that it is taken for: the rank is in the groups that it
 * communicates in, and sends to others. Files of two ranks that were swapped make traces that do
 * not run. */
#include <inttypes.h>
#include <stdio.h>

#include "core/strings.h"
#include "et_converter/pytorch/pytorch_private.h"
#include "et_converter/pytorch/pytorch_trace.h"

enum { RANKS_BYTES = 96 };

static bool is_in(const struct pt_group *group, uint32_t rank)
{
    for (uint32_t i = 0; i < group->ranks; i++) {
        if (group->rank[i] == rank) {
            return true;
        }
    }
    return group->ranks == 0;
}

static const struct pt_group *group_of(const struct pt_trace *trace, const struct pt_comm *comm)
{
    return comm->group < trace->groups ? &trace->group[comm->group] : NULL;
}

static bool moves_data(const struct pt_comm *comm)
{
    return comm->kind == PT_COLLECTIVE || comm->kind == PT_SEND || comm->kind == PT_RECV;
}

/* "1,5", cut with "..." if it is long. */
static const char *list_ranks(const struct pt_group *group, char text[RANKS_BYTES])
{
    size_t used = 0;
    text[0] = '\0';
    for (uint32_t i = 0; i < group->ranks; i++) {
        if (used + 16 > RANKS_BYTES) {
            (void)snprintf(text + used, RANKS_BYTES - used, ",...");
            break;
        }
        used += (size_t)snprintf(text + used, RANKS_BYTES - used, "%s%" PRIu32, i > 0 ? "," : "",
                                 group->rank[i]);
    }
    return text;
}

/* The only rank that is in all groups that the trace communicates in; PT_NONE: none, or several. */
static uint32_t only_rank(const struct pt_trace *trace, uint32_t ranks)
{
    uint32_t found = PT_NONE;
    for (uint32_t rank = 0; rank < ranks; rank++) {
        bool all = true;
        for (uint32_t c = 0; c < trace->comms && all; c++) {
            const struct pt_group *group = group_of(trace, &trace->comm[c]);
            all = !moves_data(&trace->comm[c]) || group == NULL || is_in(group, rank);
        }
        if (all && found != PT_NONE) {
            return PT_NONE;
        }
        found = all ? rank : found;
    }
    return found;
}

/* The record of a communication, for messages. */
static uint64_t node_of(const struct pt_trace *trace, uint32_t comm)
{
    for (uint32_t n = 0; n < trace->nodes; n++) {
        if (trace->node[n].comm == comm) {
            return trace->node[n].id;
        }
    }
    return 0;
}

static enum orr_status fail_group(const struct conversion *conversion, const struct pt_trace *trace,
                                  uint32_t comm, uint32_t rank)
{
    const struct pt_group *group = group_of(trace, &trace->comm[comm]);
    const struct orr_location place = orr_location_file(trace->path);
    const uint32_t other = only_rank(trace, conversion->ranks);
    const uint32_t file = conversion->file_of[rank];
    const bool told = conversion->place != NULL && conversion->place[file].rank >= 0;
    char ranks[RANKS_BYTES], of[64] = "of another rank";
    if (other != PT_NONE) {
        (void)snprintf(of, sizeof of, "of rank %" PRIu32, other);
    }
    return orr_diag_fail(conversion->diag, ORR_ERR_INPUT, &place,
                         "node %" PRIu64
                         " (%s) is in the process group \"%s\" of ranks %s, but the "
                         "file is taken for rank %" PRIu32 "%s: is it %s, and were files swapped? "
                         "Expected trace and profile of a rank under its number",
                         node_of(trace, comm), trace->strings->text[trace->comm[comm].name],
                         group->key, list_ranks(group, ranks), rank,
                         told ? ", as distributedInfo in its profile says" : ", its number", of);
}

static enum orr_status fail_self(const struct conversion *conversion, const struct pt_trace *trace,
                                 uint32_t comm, uint32_t rank)
{
    const struct orr_location place = orr_location_file(trace->path);
    return orr_diag_fail(conversion->diag, ORR_ERR_INPUT, &place,
                         "node %" PRIu64 " (%s) is a message to or from rank %" PRIu32
                         ", which the file is taken for: were files of two ranks swapped? Expected "
                         "trace and profile of a rank under its number",
                         node_of(trace, comm), trace->strings->text[trace->comm[comm].name], rank);
}

/* The peer of a message is the rank itself. */
static bool is_to_self(const struct conversion *conversion, const struct pt_group *group,
                       const struct pt_comm *comm, uint32_t rank)
{
    if ((comm->kind != PT_SEND && comm->kind != PT_RECV) || comm->peer < 0 ||
        conversion->ranks < 2) {
        return false;
    }
    if (group == NULL || group->ranks == 0) {
        return group == NULL && comm->peer == (int64_t)rank;
    }
    return comm->peer < (int64_t)group->ranks && group->rank[comm->peer] == rank;
}

enum orr_status orr_pytorch_check_rank(const struct conversion *conversion,
                                       const struct pt_trace *trace, uint32_t rank)
{
    for (uint32_t c = 0; c < trace->comms && conversion->many; c++) {
        const struct pt_group *group = group_of(trace, &trace->comm[c]);
        if (moves_data(&trace->comm[c]) && group != NULL && !is_in(group, rank)) {
            return fail_group(conversion, trace, c, rank);
        }
        if (is_to_self(conversion, group, &trace->comm[c], rank)) {
            return fail_self(conversion, trace, c, rank);
        }
    }
    return ORR_OK;
}
