/* The timeline of a job: which NPUs are drawn, and the data of the job; see timeline.h. */
#include "report/timeline/timeline.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "core/arena.h"
#include "core/diag.h"
#include "report/timeline/timeline_private.h"

enum { TEXT = 64, PERCENT_DECIMALS = 1 };

/* ---- which NPUs ---- */

/* Parses digits; UINT64_MAX: none. Saturates far above any rank. */
static uint64_t read_rank(const char **text)
{
    const char *at = *text;
    uint64_t rank = *at >= '0' && *at <= '9' ? 0 : UINT64_MAX;
    for (; *at >= '0' && *at <= '9'; at++) {
        rank = rank > UINT32_MAX ? rank : rank * 10 + (uint64_t)(*at - '0');
    }
    *text = at;
    return rank;
}

/* Marks the ranks of a list that exist in a job of `npus` NPUs; sets *beyond if the list has
 * others. False: not a list. `marked` may be NULL. */
static bool read_ranks(const char *text, uint32_t npus, bool *marked, bool *beyond)
{
    for (const char *at = text;; at++) {
        const uint64_t first = read_rank(&at);
        uint64_t last = first;
        if (*at == '-') {
            at++;
            last = read_rank(&at);
        }
        if (first == UINT64_MAX || last == UINT64_MAX || first > last ||
            (*at != '\0' && *at != ',')) {
            return false;
        }
        *beyond = *beyond || last >= npus;
        for (uint64_t rank = first; marked != NULL && rank <= last && rank < npus; rank++) {
            marked[rank] = true;
        }
        if (*at == '\0') {
            return true;
        }
    }
}

static bool is_list(const struct orr_timeline *timeline)
{
    return timeline->ranks != NULL && strcmp(timeline->ranks, "all") != 0 &&
           strcmp(timeline->ranks, "classes") != 0;
}

enum orr_status orr_timeline_check(const struct orr_timeline *timeline, struct orr_diag *diag)
{
    bool beyond = false;
    if (is_list(timeline) && !read_ranks(timeline->ranks, UINT32_MAX, NULL, &beyond)) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                             "expected all, classes or ranks such as \"0-3,8\", got \"%s\"",
                             timeline->ranks);
    }
    return ORR_OK;
}

enum orr_status orr_timeline_check_npus(const struct orr_timeline *timeline, uint32_t npus,
                                        struct orr_diag *diag)
{
    bool beyond = false;
    if (is_list(timeline)) {
        (void)read_ranks(timeline->ranks, npus, NULL, &beyond);
    }
    return !beyond ? ORR_OK
                   : orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                                   "expected ranks from 0 to %" PRIu32 ", got \"%s\"", npus - 1,
                                   timeline->ranks);
}

static void mark_drawn(struct timeline *timeline, const char *ranks, uint32_t npus)
{
    bool beyond = false;
    if (ranks == NULL || strcmp(ranks, "classes") == 0) {
        for (uint32_t c = 0; c < timeline->classes.count; c++) {
            timeline->drawn[timeline->classes.item[c].rank[0]] = true;
        }
    } else if (strcmp(ranks, "all") == 0) {
        memset(timeline->drawn, true, npus * sizeof *timeline->drawn);
    } else {
        (void)read_ranks(ranks, npus, timeline->drawn, &beyond);
    }
}

static bool init(struct timeline *timeline, const char *ranks, struct orrery *job)
{
    const uint32_t npus = orrery_npus(job);
    timeline->job = job;
    timeline->next_track = npus + 1;
    timeline->class_of = orr_heap_calloc(npus, sizeof *timeline->class_of);
    timeline->drawn = orr_heap_calloc(npus, sizeof *timeline->drawn);
    if (timeline->class_of == NULL || timeline->drawn == NULL ||
        !orr_classes_init(&timeline->classes, job)) {
        return false;
    }
    for (uint32_t c = 0; c < timeline->classes.count; c++) {
        const struct orr_class *class = &timeline->classes.item[c];
        for (uint32_t i = 0; i < class->members; i++) {
            timeline->class_of[class->rank[i]] = c;
        }
    }
    mark_drawn(timeline, ranks, npus);
    return true;
}

static void fini(struct timeline *timeline)
{
    orr_classes_fini(&timeline->classes);
    orr_heap_free(timeline->class_of);
    orr_heap_free(timeline->drawn);
    orr_heap_free(timeline->sends.item);
    orr_heap_free(timeline->receives.item);
}

/* ---- the job ---- */

static void write_dim(struct orr_stream *stream, const struct orrery_dim_stats *dim, int64_t wall)
{
    char text[TEXT];
    const double offered = (double)dim->servers * (double)wall;
    orr_stream_put(stream, "{\"block\":");
    orr_stream_text(stream, dim->block);
    orr_stream_put(stream, ",\"npus\":");
    orr_stream_number(stream, dim->npus);
    orr_stream_put(stream, ",\"bandwidth\":");
    orr_stream_text(stream, orr_format_bandwidth(dim->bandwidth_bytes_per_s, text, TEXT));
    orr_stream_put(stream, ",\"latency\":");
    orr_stream_text(stream, orr_format_time(dim->latency_ps, text, TEXT));
    orr_stream_put(stream, ",\"messages\":");
    orr_stream_sum(stream, dim->messages);
    orr_stream_put(stream, ",\"bytes\":");
    orr_stream_sum(stream, dim->bytes);
    orr_stream_put(stream, ",\"links\":");
    orr_stream_number(stream, dim->servers);
    if (dim->busy_ps > 0) {
        orr_stream_put(stream, ",\"busy_ps\":");
        orr_stream_sum(stream, dim->busy_ps);
    }
    if (dim->busy_ps > 0 && offered > 0) {
        (void)snprintf(text, TEXT, "%.*f %%", PERCENT_DECIMALS,
                       100.0 * (double)dim->busy_ps / offered);
        orr_stream_put(stream, ",\"utilization\":");
        orr_stream_text(stream, text);
    }
    orr_stream_put(stream, "}");
}

static void write_job(struct timeline *timeline)
{
    struct orr_stream *stream = &timeline->stream;
    const int64_t wall = orrery_wall_ps(timeline->job);
    orr_stream_put(stream, "{\"displayTimeUnit\":\"ns\",\n\"otherData\":{\"orrery\":");
    orr_stream_text(stream, orrery_version());
    orr_stream_put(stream, ",\"wall_ps\":");
    orr_stream_number(stream, (uint64_t)wall);
    orr_stream_put(stream, ",\"npus\":");
    orr_stream_number(stream, orrery_npus(timeline->job));
    orr_stream_put(stream, ",\"messages\":");
    orr_stream_sum(stream, orrery_messages(timeline->job));
    orr_stream_put(stream, ",\"dims\":[");
    for (unsigned d = 0; d < orrery_dims(timeline->job); d++) {
        struct orrery_dim_stats dim;
        if (orrery_dim(timeline->job, d, &dim) == ORRERY_OK) {
            orr_stream_put(stream, d != 0 ? "," : "");
            write_dim(stream, &dim, wall);
        }
    }
    orr_stream_put(stream, "]},\n\"traceEvents\":[");
}

static bool write_events(struct timeline *timeline)
{
    const uint32_t npus = orrery_npus(timeline->job);
    write_job(timeline);
    for (uint32_t rank = 0; rank < npus && timeline->stream.error == 0; rank++) {
        if (timeline->drawn[rank] && !orr_timeline_write_npu(timeline, rank)) {
            return false;
        }
    }
    orr_timeline_write_flows(timeline);
    if (!orr_timeline_write_links(timeline)) {
        return false;
    }
    orr_stream_put(&timeline->stream, "\n]}\n");
    return true;
}

static bool ends_in_gz(const char *path)
{
    const size_t length = strlen(path);
    return length > 3 && strcmp(path + length - 3, ".gz") == 0;
}

int orr_timeline_write(FILE *out, const struct orr_timeline *request, struct orrery *job)
{
    struct timeline *timeline = orr_heap_calloc(1, sizeof *timeline);
    if (timeline == NULL) {
        errno = ENOMEM;
        return 1;
    }
    orr_stream_open(&timeline->stream, out, ends_in_gz(request->path));
    const bool enough_memory = init(timeline, request->ranks, job) && write_events(timeline);
    fini(timeline);
    int result = orr_stream_close(&timeline->stream);
    const int error = errno;
    orr_heap_free(timeline);
    errno = enough_memory ? error : ENOMEM;
    return enough_memory ? result : 1;
}
