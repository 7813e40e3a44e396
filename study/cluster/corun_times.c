/* See corun_times.h. */
#include "study/cluster/corun_times.h"

#include <stdlib.h>
#include <string.h>

#include "orrery/study.h"

enum { BUCKETS = 4096 };

/* A set of jobs by its kinds and servers, in the order of the first of these. */
struct orr_corun_set {
    const uint32_t *key;
    size_t words;
    const struct orr_iteration_times *pace; /* in the same order */
    struct orr_corun_set *next;
};

enum orr_status orr_corun_times_init(struct orr_corun_times *paces, const struct orr_jobs *jobs,
                                     struct orr_diag *diag)
{
    *paces = (struct orr_corun_times){.jobs = jobs, .arena = jobs->arena};
    paces->kind = orr_arena_array(paces->arena, jobs->jobs, sizeof *paces->kind);
    paces->first = orr_arena_array(paces->arena, jobs->jobs, sizeof *paces->first);
    paces->max = orr_arena_array(paces->arena, jobs->jobs, sizeof *paces->max);
    paces->key = orr_arena_array(paces->arena, 2 * jobs->jobs + jobs->servers, sizeof(uint32_t));
    paces->known = orr_arena_array(paces->arena, BUCKETS, sizeof(struct orr_corun_set *));
    if (paces->kind == NULL || paces->first == NULL || paces->max == NULL || paces->key == NULL ||
        paces->known == NULL) {
        return orr_diag_no_memory(diag, "the paces of jobs");
    }
    for (size_t i = 0; i < jobs->jobs; i++) {
        uint32_t kind = 0;
        while (kind < paces->kinds &&
               !orr_jobs_are_equivalent(&jobs->job[paces->first[kind]], &jobs->job[i])) {
            kind++;
        }
        if (kind == paces->kinds) {
            paces->first[paces->kinds++] = (uint32_t)i;
        }
        paces->kind[i] = kind;
        const uint32_t iterations = jobs->job[i].iterations;
        paces->max[kind] = iterations > paces->max[kind] ? iterations : paces->max[kind];
    }
    return ORR_OK;
}

/* Simulations of the same job warn of the same again. */
static void warn_once(void *user, const char *text)
{
    struct orr_corun_times *paces = user;
    for (size_t i = 0; i < paces->said_count; i++) {
        if (strcmp(paces->said[i], text) == 0) {
            return;
        }
    }
    const char **grown = orr_arena_grow(paces->arena, paces->said, &paces->said_room,
                                        paces->said_count + 1, sizeof *grown);
    const char *kept = grown != NULL ? orr_arena_strdup(paces->arena, text) : NULL;
    if (kept != NULL) {
        paces->said = grown;
        paces->said[paces->said_count++] = kept;
    }
    if (paces->tells->warn != NULL) {
        paces->tells->warn(paces->tells->warn_user, text);
    }
}

/* ---- each on a network of its own ---- */

/* One kind, in a thread of its own. */
struct piece {
    struct orr_arena *arena;
    struct orr_corun_result paces;
    struct orr_diag diag;
    enum orr_status status;
    const char **warning; /* [warnings], in the arena */
    size_t warnings, room;
};

struct pieces {
    const struct orr_corun_times *paces;
    pthread_mutex_t loading;
    struct piece *piece; /* [kinds] */
};

static void keep_warning(void *user, const char *text)
{
    struct piece *piece = user;
    const char **grown = orr_arena_grow(piece->arena, piece->warning, &piece->room,
                                        piece->warnings + 1, sizeof *grown);
    const char *kept = grown != NULL ? orr_arena_strdup(piece->arena, text) : NULL;
    if (kept != NULL) {
        piece->warning = grown;
        piece->warning[piece->warnings++] = kept;
    }
}

static void simulate_piece(void *context, unsigned index)
{
    struct pieces *pieces = context;
    struct piece *piece = &pieces->piece[index];
    const struct orr_corun_member one = {.job = pieces->paces->first[index],
                                         .max = pieces->paces->max[index]};
    orr_diag_init(&piece->diag);
    piece->diag.warn = keep_warning;
    piece->diag.warn_user = piece;
    piece->arena = orr_arena_create();
    const struct orr_corun_options how = {.arena = piece->arena, .loading = &pieces->loading};
    piece->status = piece->arena != NULL ? orr_corun_result(pieces->paces->jobs, &one, 1, &how,
                                                            &piece->paces, &piece->diag)
                                         : orr_diag_no_memory(&piece->diag, "the pace of a job");
}

/* Into the arena of all. */
static enum orr_status keep_pace(struct orr_corun_times *paces, struct orr_iteration_times *kept,
                                 const struct orr_iteration_times *from, struct orr_diag *diag)
{
    sim_time *sample = orr_arena_array(paces->arena, from->samples, sizeof *sample);
    if (sample == NULL) {
        return orr_diag_no_memory(diag, "the paces of jobs");
    }
    memcpy(sample, from->sample, from->samples * sizeof *sample);
    *kept = *from;
    kept->sample = sample;
    return ORR_OK;
}

static void add_counts(struct orr_corun_times *paces, const struct orr_corun_result *from)
{
    paces->events += from->events;
    paces->simulations += from->simulations;
    paces->windows = from->windows;
}

static enum orr_status take_piece(struct orr_corun_times *paces, uint32_t kind, struct piece *piece,
                                  struct orr_diag *diag)
{
    for (size_t i = 0; i < piece->warnings && diag->warn != NULL; i++) {
        diag->warn(diag->warn_user, piece->warning[i]);
    }
    if (piece->status != ORR_OK) {
        return orr_diag_forward(diag, &piece->diag);
    }
    add_counts(paces, &piece->paces);
    return keep_pace(paces, &paces->own[kind], piece->paces.pace, diag);
}

enum orr_status orr_corun_times_alone(struct orr_corun_times *paces, struct orr_diag *diag)
{
    struct pieces pieces = {.paces = paces, .loading = PTHREAD_MUTEX_INITIALIZER};
    enum orr_status status = ORR_OK;
    paces->own = orr_arena_array(paces->arena, paces->kinds, sizeof *paces->own);
    pieces.piece = orr_heap_calloc(paces->kinds, sizeof *pieces.piece);
    if (paces->own == NULL || pieces.piece == NULL) {
        orr_heap_free(pieces.piece);
        return orr_diag_no_memory(diag, "the paces of jobs");
    }
    orrery_parallel(0, paces->kinds, simulate_piece, &pieces);
    for (uint32_t i = 0; i < paces->kinds; i++) {
        if (status == ORR_OK) {
            status = take_piece(paces, i, &pieces.piece[i], diag);
        }
        orr_arena_destroy(pieces.piece[i].arena);
    }
    orr_heap_free(pieces.piece);
    return status;
}

/* ---- together on the shared network ---- */

struct place {
    uint32_t server, member;
};

static int by_server(const void *left, const void *right)
{
    const struct place *a = left, *b = right;
    return (a->server > b->server) - (a->server < b->server);
}

/* Writes the key of the set; returns its words. */
static size_t make_key(const struct orr_corun_times *paces, const struct orr_corun_member *member,
                       const struct place *place, uint32_t count)
{
    size_t words = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct orr_corun_member *of = &member[place[i].member];
        const uint32_t servers = orr_job_servers(&paces->jobs->job[of->job]);
        paces->key[words++] = paces->kind[of->job];
        memcpy(&paces->key[words], of->server, servers * sizeof *paces->key);
        words += servers;
    }
    return words;
}

/* Fowler, Noll and Vo's, over words. */
static size_t bucket_of(const uint32_t *key, size_t words)
{
    uint64_t hash = 14695981039346656037U;
    for (size_t i = 0; i < words; i++) {
        hash = (hash ^ key[i]) * 1099511628211U;
    }
    return (size_t)(hash >> 20) % BUCKETS;
}

static const struct orr_corun_set *find(const struct orr_corun_times *paces, size_t words)
{
    const struct orr_corun_set *known = paces->known[bucket_of(paces->key, words)];
    while (known != NULL && (known->words != words ||
                             memcmp(known->key, paces->key, words * sizeof *known->key) != 0)) {
        known = known->next;
    }
    return known;
}

static enum orr_status simulate_set(struct orr_corun_times *paces,
                                    const struct orr_corun_member *member,
                                    const struct place *place, uint32_t count, size_t words,
                                    const struct orr_corun_set **out, struct orr_diag *diag)
{
    struct orr_corun_result fresh;
    struct orr_diag once;
    orr_diag_init(&once);
    once.warn = warn_once;
    once.warn_user = paces;
    paces->tells = diag;
    const struct orr_corun_options how = {.arena = paces->arena};
    const enum orr_status status =
        orr_corun_result(paces->jobs, member, count, &how, &fresh, &once);
    if (status != ORR_OK) {
        return orr_diag_forward(diag, &once);
    }
    struct orr_corun_set *set = orr_arena_alloc(paces->arena, sizeof *set);
    struct orr_iteration_times *pace = orr_arena_array(paces->arena, count, sizeof *pace);
    uint32_t *key = orr_arena_array(paces->arena, words, sizeof *key);
    if (set == NULL || pace == NULL || key == NULL) {
        return orr_diag_no_memory(diag, "the paces of jobs");
    }
    for (uint32_t i = 0; i < count; i++) {
        pace[i] = fresh.pace[place[i].member];
    }
    memcpy(key, paces->key, words * sizeof *key);
    struct orr_corun_set **bucket = &paces->known[bucket_of(key, words)];
    *set = (struct orr_corun_set){.key = key, .words = words, .pace = pace, .next = *bucket};
    *bucket = set;
    *out = set;
    add_counts(paces, &fresh);
    return ORR_OK;
}

enum orr_status orr_corun_times_shared(struct orr_corun_times *paces,
                                       const struct orr_corun_member *member, uint32_t count,
                                       struct orr_iteration_times *pace, struct orr_diag *diag)
{
    struct place *place = orr_heap_calloc((size_t)count + 1, sizeof *place);
    if (place == NULL) {
        return orr_diag_no_memory(diag, "the paces of jobs");
    }
    for (uint32_t i = 0; i < count; i++) {
        place[i] = (struct place){.server = member[i].server[0], .member = i};
    }
    qsort(place, count, sizeof *place, by_server);
    const size_t words = make_key(paces, member, place, count);
    const struct orr_corun_set *known = find(paces, words);
    enum orr_status status = ORR_OK;
    if (known == NULL) {
        status = simulate_set(paces, member, place, count, words, &known, diag);
    }
    for (uint32_t i = 0; i < count && status == ORR_OK; i++) {
        pace[place[i].member] = known->pace[i];
    }
    orr_heap_free(place);
    return status;
}
