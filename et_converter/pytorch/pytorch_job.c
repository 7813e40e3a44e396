/* Which ranks of a job the files are of, and what stands in for missing ones; see
 * pytorch_private.h. A group's ranks are written down for its members only, so those of a missing
 * rank follow from the group of a given rank: the same one, the one of the same stride, or the same
 * one moved. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/strings.h"
#include "et_converter/conversion_report.h"
#include "et_converter/pytorch/pytorch_private.h"
#include "et_converter/pytorch/pytorch_trace.h"

enum { LIST_BYTES = 256 };

/* ---- files ---- */

const char *orr_pytorch_profile_of(const struct conversion *conversion, struct orr_arena *arena,
                                   uint32_t file)
{
    return conversion->profile != NULL ? conversion->profile[file]
                                       : orr_pytorch_path_of(arena, conversion->job->kineto, file);
}

bool orr_pytorch_has_file(const struct conversion *conversion, struct orr_arena *arena,
                          uint32_t file)
{
    if (conversion->profile != NULL) {
        return true;
    }
    const char *path = orr_pytorch_path_of(arena, conversion->job->et, file);
    FILE *found = path != NULL ? fopen(path, "rb") : NULL;
    if (found != NULL) {
        (void)fclose(found);
    }
    return found != NULL || conversion->missing == PT_MISSING_REFUSED;
}

static bool is_given(const struct conversion *conversion, uint32_t rank)
{
    return rank < conversion->capacity && conversion->file_of[rank] != PT_NONE;
}

/* Extends the job to `ranks` ranks; false: no memory. */
static bool extend(struct conversion *conversion, uint32_t ranks)
{
    if (ranks <= conversion->capacity) {
        conversion->ranks = ranks > conversion->ranks ? ranks : conversion->ranks;
        return true;
    }
    uint32_t *file_of = orr_arena_array(conversion->arena, ranks, sizeof *file_of);
    struct pt_member *member = orr_arena_array(conversion->arena, ranks, sizeof *member);
    if (file_of == NULL || member == NULL) {
        return false;
    }
    for (uint32_t r = 0; r < ranks; r++) {
        file_of[r] = r < conversion->capacity ? conversion->file_of[r] : PT_NONE;
        member[r] = r < conversion->capacity ? conversion->member[r] : (struct pt_member){0};
    }
    conversion->file_of = file_of;
    conversion->member = member;
    conversion->capacity = ranks;
    conversion->ranks = ranks > conversion->ranks ? ranks : conversion->ranks;
    return true;
}

/* "1-3,5": the missing ranks; cut with "..." if it is long. */
static const char *list_missing(const struct conversion *conversion, char text[LIST_BYTES])
{
    size_t used = 0;
    text[0] = '\0';
    for (uint32_t r = 0, end; r < conversion->ranks; r = end + 1) {
        for (end = r; end < conversion->ranks && !is_given(conversion, end);) {
            end++;
        }
        if (end == r) {
            continue;
        }
        const char *comma = used > 0 ? "," : "";
        char run[32];
        (void)snprintf(run, sizeof run, end == r + 1 ? "%" PRIu32 : "%" PRIu32 "-%" PRIu32, r,
                       end - 1);
        const int length = used + sizeof run + 8 > LIST_BYTES
                               ? snprintf(text + used, LIST_BYTES - used, ",...")
                               : snprintf(text + used, LIST_BYTES - used, "%s%s", comma, run);
        used += (size_t)length;
        if (text[used - 1] == '.') {
            break;
        }
    }
    return text;
}

static enum orr_status check_missing(struct conversion *conversion)
{
    char text[LIST_BYTES], all[32] = "";
    uint32_t missing = 0;
    if (conversion->profile == NULL) {
        (void)snprintf(all, sizeof all, " (--npus %" PRIu32 ")", conversion->ranks);
    }
    for (uint32_t r = 0; r < conversion->ranks; r++) {
        missing += is_given(conversion, r) ? 0 : 1;
    }
    if (missing == 0 || conversion->missing != PT_MISSING_REFUSED) {
        return ORR_OK;
    }
    return orr_diag_fail(conversion->diag, ORR_ERR_INPUT, NULL,
                         "the files are of %" PRIu32 " of the job's %" PRIu32
                         " ranks: rank%s %s %s missing, and a part of a job is not the job; give "
                         "all%s, or stand in for the others with "
                         "--missing-ranks copy (of the nearest ranks) or --missing-ranks replay "
                         "(recorded times of what they take part in)",
                         conversion->ranks - missing, conversion->ranks, orr_plural(missing),
                         list_missing(conversion, text), missing == 1 ? "is" : "are", all);
}

static enum orr_status fail_twice(const struct conversion *conversion, uint32_t rank, uint32_t file)
{
    const char *first =
        orr_pytorch_profile_of(conversion, conversion->arena, conversion->file_of[rank]);
    const char *second = orr_pytorch_profile_of(conversion, conversion->arena, file);
    const bool said = conversion->place[file].rank >= 0;
    const struct orr_location place = orr_location_file(second != NULL ? second : "");
    return orr_diag_fail(conversion->diag, ORR_ERR_INPUT, &place,
                         "%s rank %" PRIu32 ", as that of %s does: expected each "
                         "rank once",
                         said ? "distributedInfo says" : "its name or place in the list says", rank,
                         first != NULL ? first : "");
}

/* Checks the world size of a file against that of the others. */
static enum orr_status take_world(struct conversion *conversion, uint32_t file)
{
    const struct kt_place *place = &conversion->place[file];
    if (place->world < 1 || place->world > INT32_MAX) {
        return ORR_OK;
    }
    const char *path = orr_pytorch_profile_of(conversion, conversion->arena, file);
    const struct orr_location at = orr_location_file(path != NULL ? path : "");
    if (conversion->world != 0 && conversion->world != (uint32_t)place->world) {
        return orr_diag_fail(conversion->diag, ORR_ERR_INPUT, &at,
                             "distributedInfo says a job of %" PRId64 " ranks, and the profiles "
                             "before it one of %" PRIu32 ": expected profiles of one run",
                             place->world, conversion->world);
    }
    if (place->rank >= place->world) {
        return orr_diag_fail(conversion->diag, ORR_ERR_INPUT, &at,
                             "distributedInfo says rank %" PRId64 " of %" PRId64 " ranks",
                             place->rank, place->world);
    }
    conversion->world = (uint32_t)place->world;
    return ORR_OK;
}

static enum orr_status take_file(struct conversion *conversion, uint32_t file)
{
    const struct kt_place *place = &conversion->place[file];
    enum orr_status status = take_world(conversion, file);
    if (status != ORR_OK) {
        return status;
    }
    const bool known = place->rank >= 0 && place->rank < INT32_MAX;
    const uint32_t rank = known ? (uint32_t)place->rank : file;
    if (!extend(conversion, (rank > file ? rank : file) + 1)) {
        return orr_diag_no_memory(conversion->diag, "the ranks of a job");
    }
    if (conversion->file_of[rank] != PT_NONE) {
        return fail_twice(conversion, rank, file);
    }
    conversion->file_of[rank] = file;
    if (rank != file && conversion->many && conversion->profile == NULL) {
        orr_convert_report_note(conversion->report,
                                "files that are of another rank than their number: put right by "
                                "distributedInfo",
                                "file %" PRIu32 " is of rank %" PRIu32, file, rank);
    }
    return ORR_OK;
}

enum orr_status orr_pytorch_check_world(const struct conversion *conversion, uint32_t world,
                                        const char *by)
{
    if (world == 0 || world >= conversion->ranks || conversion->missing == PT_MISSING_REFUSED) {
        return ORR_OK;
    }
    uint32_t given = 0;
    for (uint32_t rank = 0; rank < conversion->ranks; rank++) {
        given += is_given(conversion, rank) ? 1 : 0;
    }
    return orr_diag_fail(
        conversion->diag, ORR_ERR_INPUT, NULL,
        "--npus %" PRIu32 ": the job is of %" PRIu32 " rank%s (%s), of which %" PRIu32
        " %s given, and --missing-ranks stands in for missing ranks of a job, it "
        "makes no larger one: expected --npus %" PRIu32 "; `orrery trace scale` makes a larger job",
        conversion->ranks, world, orr_plural(world), by, given, given == 1 ? "is" : "are", world);
}

enum orr_status orr_pytorch_place_files(struct conversion *conversion)
{
    enum orr_status status = ORR_OK;
    uint32_t last = 0;
    conversion->ranks = 0;
    for (uint32_t file = 0; file < conversion->files && status == ORR_OK; file++) {
        if (orr_pytorch_has_file(conversion, conversion->arena, file)) {
            status = take_file(conversion, file);
        }
    }
    for (uint32_t rank = 0; rank < conversion->capacity; rank++) {
        last = conversion->file_of[rank] != PT_NONE ? rank + 1 : last;
    }
    if (status == ORR_OK && last == 0) {
        return orr_diag_fail(conversion->diag, ORR_ERR_INPUT, NULL,
                             "--et %s: none of the files exists", conversion->job->et);
    }
    conversion->ranks = last;
    const uint32_t asked = conversion->many ? conversion->files : 1;
    const uint32_t world = conversion->world > asked ? conversion->world : asked;
    if (status == ORR_OK && !extend(conversion, world)) {
        return orr_diag_no_memory(conversion->diag, "the ranks of a job");
    }
    if (status == ORR_OK) {
        status = orr_pytorch_check_world(conversion, conversion->world, "distributedInfo");
    }
    return status == ORR_OK ? check_missing(conversion) : status;
}

enum orr_status orr_pytorch_grow(struct conversion *conversion, uint32_t world)
{
    if (world <= conversion->ranks) {
        return ORR_OK;
    }
    return extend(conversion, world) ? check_missing(conversion)
                                     : orr_diag_no_memory(conversion->diag, "the ranks of a job");
}

/* ---- groups ---- */

static bool position_in(const uint32_t *ranks, uint32_t count, uint32_t rank, uint32_t *position)
{
    for (*position = 0; *position < count; (*position)++) {
        if (ranks[*position] == rank) {
            return true;
        }
    }
    return false;
}

/* The distance of neighbours in a group that has one, and whose first rank is the first of a row;
 * 0: none. */
static uint32_t stride_of(const uint32_t *ranks, uint32_t count)
{
    const uint32_t stride = count > 1 && ranks[1] > ranks[0] ? ranks[1] - ranks[0] : 0;
    for (uint32_t i = 1; i < count; i++) {
        if (stride == 0 || ranks[i] != ranks[0] + i * stride) {
            return 0;
        }
    }
    return stride != 0 && ranks[0] / stride % count == 0 ? stride : 0;
}

/* The ranks of the group of `rank` that corresponds to the group of `given`; false: not known. */
static bool corresponding(const struct pt_ranks *group, uint32_t given, uint32_t rank,
                          uint32_t world, uint32_t *out)
{
    uint32_t position;
    memcpy(out, group->rank, group->count * sizeof *out);
    if (position_in(group->rank, group->count, rank, &position)) {
        return true;
    }
    const uint32_t stride = stride_of(group->rank, group->count);
    const int64_t from = stride != 0
                             ? (int64_t)rank - (int64_t)(rank / stride % group->count) * stride
                             : (int64_t)group->rank[0] + (int64_t)rank - (int64_t)given;
    for (uint32_t i = 0; i < group->count; i++) {
        const int64_t moved = from + (int64_t)group->rank[i] - (int64_t)group->rank[0];
        if (moved < 0 || moved >= (int64_t)world) {
            return false;
        }
        out[i] = (uint32_t)moved;
    }
    return position_in(out, group->count, rank, &position);
}

enum orr_status orr_pytorch_keep_groups(struct conversion *conversion, const struct pt_trace *trace,
                                        uint32_t rank)
{
    struct pt_ranks *kept =
        orr_arena_array(conversion->arena, (size_t)trace->groups + 1, sizeof *kept);
    struct pt_member *member = &conversion->member[rank];
    for (uint32_t g = 0; kept != NULL && g < trace->groups; g++) {
        const struct pt_group *group = &trace->group[g];
        uint32_t *ranks =
            orr_arena_array(conversion->arena, (size_t)group->ranks + 1, sizeof *ranks);
        if (ranks == NULL) {
            return orr_diag_no_memory(conversion->diag, "process groups");
        }
        if (group->ranks > 1) {
            memcpy(ranks, group->rank, group->ranks * sizeof *ranks);
            kept[member->groups++] = (struct pt_ranks){ranks, group->ranks};
        }
    }
    member->group = kept;
    return kept != NULL ? ORR_OK : orr_diag_no_memory(conversion->diag, "process groups");
}

/* In how many groups the rank has the position that `given` has; < 0: a group is not known. */
static int64_t likeness(const struct conversion *conversion, uint32_t given, uint32_t rank,
                        uint32_t *room)
{
    const struct pt_member *member = &conversion->member[given];
    int64_t alike = 0;
    for (uint32_t g = 0; g < member->groups; g++) {
        const struct pt_ranks *group = &member->group[g];
        uint32_t here, there;
        if (!position_in(group->rank, group->count, given, &there)) {
            continue;
        }
        if (!corresponding(group, given, rank, conversion->ranks, room)) {
            return -1;
        }
        (void)position_in(room, group->count, rank, &here);
        alike += here == there && group->count < conversion->ranks ? 1 : 0;
    }
    return alike;
}

static uint32_t apart(uint32_t a, uint32_t b)
{
    return a > b ? a - b : b - a;
}

enum orr_status orr_pytorch_nearest(struct conversion *conversion, uint32_t rank, uint32_t *out)
{
    uint32_t *room = orr_arena_array(conversion->arena, conversion->ranks, sizeof *room);
    int64_t best = -1;
    *out = PT_NONE;
    for (uint32_t r = 0; room != NULL && r < conversion->ranks; r++) {
        if (!is_given(conversion, r)) {
            continue;
        }
        const int64_t alike = likeness(conversion, r, rank, room);
        if (alike > best || (alike == best && alike >= 0 && apart(r, rank) < apart(*out, rank))) {
            best = alike;
            *out = r;
        }
    }
    if (room == NULL) {
        return orr_diag_no_memory(conversion->diag, "process groups");
    }
    return *out != PT_NONE
               ? ORR_OK
               : orr_diag_fail(conversion->diag, ORR_ERR_INPUT, NULL,
                               "rank %" PRIu32 " is missing, and its groups do not follow from "
                               "those of the given ranks: give its file, or --missing-ranks replay",
                               rank);
}

/* Moves the peers of messages in a group of `size` ranks by as many positions as the ranks are
 * apart. False: in a group of its own the rank has another part in a pipeline, which no copy has;
 * or a peer does not exist. */
static bool move_peers(struct pt_trace *trace, uint32_t group, bool world, uint32_t size,
                       int64_t by)
{
    bool all = true;
    for (uint32_t c = 0; c < trace->comms && by != 0; c++) {
        struct pt_comm *comm = &trace->comm[c];
        const uint32_t of = comm->group < trace->groups ? comm->group : trace->groups;
        if (of == group && (comm->kind == PT_SEND || comm->kind == PT_RECV)) {
            comm->peer += by;
            all = all && world && comm->peer >= 0 && comm->peer < (int64_t)size;
        }
    }
    return all;
}

enum orr_status orr_pytorch_become(struct conversion *conversion, struct pt_trace *trace,
                                   uint32_t given, uint32_t rank)
{
    for (uint32_t g = 0; g <= trace->groups; g++) {
        struct pt_group *group = g < trace->groups ? &trace->group[g] : NULL;
        uint32_t here = rank, there = given;
        if (group != NULL && group->ranks > 0 && group->ranks < conversion->ranks) {
            uint32_t *ranks = orr_arena_array(trace->arena, group->ranks, sizeof *ranks);
            const struct pt_ranks of = {group->rank, group->ranks};
            if (ranks == NULL) {
                return orr_diag_no_memory(conversion->diag, "process groups");
            }
            if (!position_in(of.rank, of.count, given, &there) ||
                !corresponding(&of, given, rank, conversion->ranks, ranks)) {
                continue; /* not a group of this rank */
            }
            (void)position_in(ranks, of.count, rank, &here);
            group->rank = ranks;
        }
        const bool world = group == NULL || group->ranks == conversion->ranks;
        if (!move_peers(trace, g, world, conversion->ranks, (int64_t)here - (int64_t)there)) {
            return orr_diag_fail(conversion->diag, ORR_ERR_INPUT, NULL,
                                 "rank %" PRIu32 " is missing, and is at another place of a "
                                 "pipeline than the nearest rank, %" PRIu32 ", whose messages a "
                                 "copy cannot send: give its file, or --missing-ranks replay",
                                 rank, given);
        }
    }
    return ORR_OK;
}

/* ---- replay ---- */

bool orr_pytorch_lacks(const struct conversion *conversion, const uint32_t *ranks, uint32_t count)
{
    if (conversion->missing != PT_MISSING_REPLAY) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (!is_given(conversion, ranks != NULL ? ranks[i] : i)) {
            return true;
        }
    }
    return false;
}
