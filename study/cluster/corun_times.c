/* Co-run times of sets of jobs, cached; see corun_times.h. */
#include "study/cluster/corun_times.h"

#include <stdlib.h>
#include <string.h>

#include "core/arena.h"
#include "orrery/study.h"
#include "sim/cluster/jobs.h"

enum { BUCKETS = 4096 };

/* A set of jobs: its key of kinds and servers, and times in the order of the servers. */
struct orr_corun_set {
    const uint32_t *key;
    size_t words;
    const struct orr_iteration_times *times; /* in the same order */
    struct orr_corun_set *next;
};

enum orr_status orr_corun_times_init(struct orr_corun_times *corun, const struct orr_jobs *jobs,
                                     struct orr_diag *diag)
{
    *corun = (struct orr_corun_times){.jobs = jobs, .arena = jobs->arena};
    corun->kind = orr_arena_array(corun->arena, jobs->jobs, sizeof *corun->kind);
    corun->first = orr_arena_array(corun->arena, jobs->jobs, sizeof *corun->first);
    corun->max = orr_arena_array(corun->arena, jobs->jobs, sizeof *corun->max);
    corun->key = orr_arena_array(corun->arena, 2 * jobs->jobs + jobs->servers, sizeof(uint32_t));
    corun->known = orr_arena_array(corun->arena, BUCKETS, sizeof(struct orr_corun_set *));
    if (corun->kind == NULL || corun->first == NULL || corun->max == NULL || corun->key == NULL ||
        corun->known == NULL) {
        return orr_diag_no_memory(diag, "the paces of jobs");
    }
    for (size_t i = 0; i < jobs->jobs; i++) {
        uint32_t kind = 0;
        while (kind < corun->kinds &&
               !orr_jobs_are_equivalent(&jobs->job[corun->first[kind]], &jobs->job[i])) {
            kind++;
        }
        if (kind == corun->kinds) {
            corun->first[corun->kinds++] = (uint32_t)i;
        }
        corun->kind[i] = kind;
        const uint32_t iterations = jobs->job[i].iterations;
        corun->max[kind] = iterations > corun->max[kind] ? iterations : corun->max[kind];
    }
    return ORR_OK;
}

/* Forwards each warning once: simulations of one job repeat it. */
static void warn_once(void *user, const char *text)
{
    struct orr_corun_times *corun = user;
    for (size_t i = 0; i < corun->warned_count; i++) {
        if (strcmp(corun->warned[i], text) == 0) {
            return;
        }
    }
    const char **grown = orr_arena_grow(corun->arena, corun->warned, &corun->warned_capacity,
                                        corun->warned_count + 1, sizeof *grown);
    const char *kept = grown != NULL ? orr_arena_strdup(corun->arena, text) : NULL;
    if (kept != NULL) {
        corun->warned = grown;
        corun->warned[corun->warned_count++] = kept;
    }
    if (corun->warn_diag->warn != NULL) {
        corun->warn_diag->warn(corun->warn_diag->warn_user, text);
    }
}

/* ---- each on a private network ---- */

/* The simulation of one kind, in a thread. */
struct task {
    struct orr_arena *arena;
    struct orr_corun_result corun;
    struct orr_diag diag;
    enum orr_status status;
    const char **warning; /* [warnings], in the arena */
    size_t warnings, capacity;
};

struct tasks {
    const struct orr_corun_times *corun;
    pthread_mutex_t loading;
    struct task *task; /* [kinds] */
};

static void keep_warning(void *user, const char *text)
{
    struct task *task = user;
    const char **grown = orr_arena_grow(task->arena, task->warning, &task->capacity,
                                        task->warnings + 1, sizeof *grown);
    const char *kept = grown != NULL ? orr_arena_strdup(task->arena, text) : NULL;
    if (kept != NULL) {
        task->warning = grown;
        task->warning[task->warnings++] = kept;
    }
}

static void simulate_task(void *context, unsigned index)
{
    struct tasks *tasks = context;
    struct task *task = &tasks->task[index];
    const struct orr_corun_member one = {.job = tasks->corun->first[index],
                                         .max = tasks->corun->max[index]};
    orr_diag_init(&task->diag);
    task->diag.warn = keep_warning;
    task->diag.warn_user = task;
    task->arena = orr_arena_create();
    const struct orr_corun_options options = {.arena = task->arena, .loading = &tasks->loading};
    task->status = task->arena != NULL ? orr_corun_result(tasks->corun->jobs, &one, 1, &options,
                                                          &task->corun, &task->diag)
                                       : orr_diag_no_memory(&task->diag, "the pace of a job");
}

/* Copies times to the common arena. */
static enum orr_status keep_times(struct orr_corun_times *corun, struct orr_iteration_times *kept,
                                  const struct orr_iteration_times *from, struct orr_diag *diag)
{
    sim_time *sample = orr_arena_array(corun->arena, from->samples, sizeof *sample);
    if (sample == NULL) {
        return orr_diag_no_memory(diag, "the paces of jobs");
    }
    memcpy(sample, from->sample, from->samples * sizeof *sample);
    *kept = *from;
    kept->sample = sample;
    return ORR_OK;
}

static void add_counts(struct orr_corun_times *corun, const struct orr_corun_result *from)
{
    corun->events += from->events;
    corun->simulations += from->simulations;
    corun->windows = from->windows;
}

static enum orr_status merge_task(struct orr_corun_times *corun, uint32_t kind, struct task *task,
                                  struct orr_diag *diag)
{
    for (size_t i = 0; i < task->warnings && diag->warn != NULL; i++) {
        diag->warn(diag->warn_user, task->warning[i]);
    }
    if (task->status != ORR_OK) {
        return orr_diag_forward(diag, &task->diag);
    }
    add_counts(corun, &task->corun);
    return keep_times(corun, &corun->unshared[kind], task->corun.times, diag);
}

enum orr_status orr_corun_times_unshared(struct orr_corun_times *corun, struct orr_diag *diag)
{
    struct tasks tasks = {.corun = corun, .loading = PTHREAD_MUTEX_INITIALIZER};
    enum orr_status status = ORR_OK;
    corun->unshared = orr_arena_array(corun->arena, corun->kinds, sizeof *corun->unshared);
    tasks.task = orr_heap_calloc(corun->kinds, sizeof *tasks.task);
    if (corun->unshared == NULL || tasks.task == NULL) {
        orr_heap_free(tasks.task);
        return orr_diag_no_memory(diag, "the paces of jobs");
    }
    orrery_parallel(0, corun->kinds, simulate_task, &tasks);
    for (uint32_t i = 0; i < corun->kinds; i++) {
        if (status == ORR_OK) {
            status = merge_task(corun, i, &tasks.task[i], diag);
        }
        orr_arena_destroy(tasks.task[i].arena);
    }
    orr_heap_free(tasks.task);
    return status;
}

/* ---- together on the shared network ---- */

struct server_member {
    uint32_t server, member;
};

static int by_server(const void *left, const void *right)
{
    const struct server_member *a = left, *b = right;
    return (a->server > b->server) - (a->server < b->server);
}

/* Writes the key of the set to corun->key; returns its number of words. */
static size_t make_key(const struct orr_corun_times *corun, const struct orr_corun_member *member,
                       const struct server_member *server_member, uint32_t count)
{
    size_t words = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct orr_corun_member *of = &member[server_member[i].member];
        const uint32_t servers = orr_job_servers(&corun->jobs->job[of->job]);
        corun->key[words++] = corun->kind[of->job];
        memcpy(&corun->key[words], of->server, servers * sizeof *corun->key);
        words += servers;
    }
    return words;
}

/* FNV-1a (Fowler, Noll and Vo) over words. */
static size_t bucket_of(const uint32_t *key, size_t words)
{
    uint64_t hash = 14695981039346656037U;
    for (size_t i = 0; i < words; i++) {
        hash = (hash ^ key[i]) * 1099511628211U;
    }
    return (size_t)(hash >> 20) % BUCKETS;
}

static const struct orr_corun_set *find(const struct orr_corun_times *corun, size_t words)
{
    const struct orr_corun_set *known = corun->known[bucket_of(corun->key, words)];
    while (known != NULL && (known->words != words ||
                             memcmp(known->key, corun->key, words * sizeof *known->key) != 0)) {
        known = known->next;
    }
    return known;
}

static enum orr_status simulate_set(struct orr_corun_times *corun,
                                    const struct orr_corun_member *member,
                                    const struct server_member *server_member, uint32_t count,
                                    size_t words, const struct orr_corun_set **out,
                                    struct orr_diag *diag)
{
    struct orr_corun_result fresh;
    struct orr_diag once;
    orr_diag_init(&once);
    once.warn = warn_once;
    once.warn_user = corun;
    corun->warn_diag = diag;
    const struct orr_corun_options options = {.arena = corun->arena};
    const enum orr_status status =
        orr_corun_result(corun->jobs, member, count, &options, &fresh, &once);
    if (status != ORR_OK) {
        return orr_diag_forward(diag, &once);
    }
    struct orr_corun_set *set = orr_arena_alloc(corun->arena, sizeof *set);
    struct orr_iteration_times *times = orr_arena_array(corun->arena, count, sizeof *times);
    uint32_t *key = orr_arena_array(corun->arena, words, sizeof *key);
    if (set == NULL || times == NULL || key == NULL) {
        return orr_diag_no_memory(diag, "the paces of jobs");
    }
    for (uint32_t i = 0; i < count; i++) {
        times[i] = fresh.times[server_member[i].member];
    }
    memcpy(key, corun->key, words * sizeof *key);
    struct orr_corun_set **bucket = &corun->known[bucket_of(key, words)];
    *set = (struct orr_corun_set){.key = key, .words = words, .times = times, .next = *bucket};
    *bucket = set;
    *out = set;
    add_counts(corun, &fresh);
    return ORR_OK;
}

enum orr_status orr_corun_times_shared(struct orr_corun_times *corun,
                                       const struct orr_corun_member *member, uint32_t count,
                                       struct orr_iteration_times *times, struct orr_diag *diag)
{
    struct server_member *server_member = orr_heap_calloc((size_t)count + 1, sizeof *server_member);
    if (server_member == NULL) {
        return orr_diag_no_memory(diag, "the paces of jobs");
    }
    for (uint32_t i = 0; i < count; i++) {
        server_member[i] = (struct server_member){.server = member[i].server[0], .member = i};
    }
    qsort(server_member, count, sizeof *server_member, by_server);
    const size_t words = make_key(corun, member, server_member, count);
    const struct orr_corun_set *known = find(corun, words);
    enum orr_status status = ORR_OK;
    if (known == NULL) {
        status = simulate_set(corun, member, server_member, count, words, &known, diag);
    }
    for (uint32_t i = 0; i < count && status == ORR_OK; i++) {
        times[server_member[i].member] = known->times[i];
    }
    orr_heap_free(server_member);
    return status;
}
