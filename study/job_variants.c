/* See job_variants.h. */
#include "study/job_variants.h"

#include <ctype.h>
#include <string.h>

#include "study/cluster/queue_run.h"

/* ---- texts ---- */

static const char *skip_blanks(const char *text)
{
    return text + strspn(text, " \t");
}

/* Whether a text begins with "PATH=", behind blanks; PATH as of keys: letters, digits, "_.-[]". */
static bool begins_assignment(const char *text)
{
    text = skip_blanks(text);
    size_t length = 0;
    while (isalnum((unsigned char)text[length]) ||
           (text[length] != '\0' && strchr("_.-[]", text[length]) != NULL)) {
        length++;
    }
    return length > 0 && text[length] == '=' && (isalpha((unsigned char)*text) || *text == '_');
}

/* The end of an assignment: a comma before another one, or the end of the text. */
static size_t length_of(const char *text)
{
    size_t length = 0;
    while (text[length] != '\0' && (text[length] != ',' || !begins_assignment(text + length + 1))) {
        length++;
    }
    return length;
}

static size_t count_assignments(const char *text)
{
    size_t count = 0;
    for (const char *at = text; *at != '\0';
         at += at[length_of(at)] == ',' ? length_of(at) + 1 : length_of(at)) {
        count++;
    }
    return count;
}

/* The name, without blanks around it, before a colon that comes before any "="; NULL: it has none.
 */
static const char *take_name(struct orr_arena *arena, const char **text)
{
    const char *begin = skip_blanks(*text);
    const size_t colon = strcspn(begin, ":=");
    size_t length = colon;
    while (length > 0 && strchr(" \t", begin[length - 1]) != NULL) {
        length--;
    }
    if (begin[colon] != ':' || length == 0) {
        return NULL;
    }
    *text = begin + colon + 1;
    return orr_arena_strndup(arena, begin, length);
}

static enum orr_status read_way(struct orr_arena *arena, const char *text, size_t number,
                                struct orr_jobs_variant *way, struct orr_diag *diag)
{
    const char *at = text;
    const char *name = take_name(arena, &at);
    const size_t count = count_assignments(at);
    const char **set = orr_arena_array(arena, count + 1, sizeof *set);
    way->name = name != NULL ? name : orr_arena_printf(arena, "run %zu", number + 1);
    way->set = set;
    if (set == NULL || way->name == NULL) {
        return orr_diag_no_memory(diag, "the ways to run jobs");
    }
    while (*at != '\0' && begins_assignment(at)) {
        at = skip_blanks(at);
        const size_t length = length_of(at);
        set[way->sets++] = orr_arena_strndup(arena, at, length);
        at += at[length] == ',' ? length + 1 : length;
    }
    return *at == '\0' && way->sets > 0
               ? ORR_OK
               : orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                               "--compare: expected [NAME:]PATH=VALUE[,PATH=VALUE...], such as "
                               "cluster.network=sharded, got \"%s\"",
                               text);
}

static enum orr_status check_names(const struct orr_jobs_comparison *beside, size_t last,
                                   struct orr_diag *diag)
{
    for (size_t w = 0; w < last; w++) {
        if (strcmp(beside->way[w].name, beside->way[last].name) == 0) {
            return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                                 "--compare: expected a name for each, got \"%s\" twice",
                                 beside->way[w].name);
        }
    }
    return ORR_OK;
}

/* ---- runs ---- */

static enum orr_status load(struct orr_arena *arena, const struct orr_job_variants *ways,
                            struct orr_jobs_variant *way, struct orr_diag *diag)
{
    const char **set = orr_arena_array(arena, ways->sets + way->sets + 1, sizeof *set);
    if (set == NULL) {
        return orr_diag_no_memory(diag, "the ways to run jobs");
    }
    for (size_t i = 0; i < ways->sets; i++) {
        set[i] = ways->set[i];
    }
    for (size_t i = 0; i < way->sets; i++) {
        set[ways->sets + i] = way->set[i];
    }
    const enum orr_status status =
        orr_jobs_read(arena, ways->file, set, ways->sets + way->sets, &way->jobs, diag);
    return status == ORR_OK ? orr_jobs_place(&way->jobs, diag) : status;
}

static enum orr_status check_same(const struct orr_jobs_variant *first,
                                  const struct orr_jobs_variant *way, struct orr_diag *diag)
{
    const struct orr_conf *queue = orr_conf_get(way->jobs.cluster, "queue");
    if (orr_jobs_wait(&first->jobs) != orr_jobs_wait(&way->jobs)) {
        const struct orr_location place = orr_conf_location(queue);
        return orr_diag_fail(diag, ORR_ERR_INPUT, queue != NULL ? &place : NULL,
                             "cluster.queue: expected a queue in all ways to run the jobs "
                             "(--compare), or in none, got %s in \"%s\"",
                             orr_queue_orders[way->jobs.queue.order], way->name);
    }
    bool same = first->jobs.jobs == way->jobs.jobs;
    for (size_t i = 0; same && i < way->jobs.jobs; i++) {
        const struct orr_job *a = &first->jobs.job[i], *b = &way->jobs.job[i];
        same = strcmp(a->name, b->name) == 0 && orr_job_servers(a) == orr_job_servers(b);
    }
    return same ? ORR_OK
                : orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                                "--compare: expected the jobs of %s, of as many servers each, got "
                                "others in \"%s\"",
                                first->name, way->name);
}

static enum orr_status prepare(struct orr_arena *arena, const struct orr_job_variants *ways,
                               struct orr_jobs_comparison *out, struct orr_jobs_variant *way,
                               struct orr_diag *diag)
{
    const char *slash = strrchr(ways->file, '/');
    way[0].name = slash != NULL ? slash + 1 : ways->file;
    enum orr_status status = ORR_OK;
    for (size_t w = 0; w < out->ways && status == ORR_OK; w++) {
        if (w > 0) {
            status = read_way(arena, ways->beside[w - 1], w, &way[w], diag);
        }
        if (status == ORR_OK) {
            status = check_names(out, w, diag);
        }
        if (status == ORR_OK) {
            status = load(arena, ways, &way[w], diag);
        }
        if (status == ORR_OK) {
            status = check_same(&way[0], &way[w], diag);
        }
    }
    return status;
}

enum orr_status orr_job_variants_run(struct orr_arena *arena, const struct orr_job_variants *ways,
                                     const struct orr_jobs_options *how,
                                     struct orr_jobs_comparison *out, struct orr_diag *diag)
{
    struct orr_jobs_variant *way = orr_arena_array(arena, ways->besides + 1, sizeof *way);
    *out = (struct orr_jobs_comparison){.ways = way != NULL ? ways->besides + 1 : 0, .way = way};
    if (way == NULL) {
        return orr_diag_no_memory(diag, "the ways to run jobs");
    }
    enum orr_status status = prepare(arena, ways, out, way, diag);
    for (size_t w = 0; w < out->ways && status == ORR_OK; w++) {
        status = orr_jobs_wait(&way[w].jobs)
                     ? orr_queue_run(&way[w].jobs, false, &way[w].queue, diag)
                     : orr_jobs_run(&way[w].jobs, how, &way[w].run, diag);
    }
    return status;
}

void orr_job_variants_free(struct orr_jobs_comparison *beside)
{
    for (size_t w = 0; w < beside->ways; w++) {
        struct orr_jobs_run run = beside->way[w].run;
        orr_jobs_run_free(&run);
    }
}
