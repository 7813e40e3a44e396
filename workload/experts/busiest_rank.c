/* The busiest rank of drawn and counted loads; see busiest_rank.h. */
#include "workload/experts/busiest_rank.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/arena.h"
#include "core/diag.h"
#include "core/rng.h"
#include "workload/experts/expert_load.h"

enum { LINE_BYTES = 1 << 17, MAX_LINES = 1 << 20 };

struct work {
    struct orr_arena *arena;
    const struct orr_expert_places *places;
    uint32_t *expert;   /* [places] */
    uint32_t *replicas; /* [experts] */
    double *load;       /* [experts] of this draw or line */
    double *expected;   /* [experts] that EPLB knows */
};

static bool init(struct work *work, const struct orr_expert_places *places)
{
    *work = (struct work){.arena = orr_arena_create(), .places = places};
    if (work->arena == NULL) {
        return false;
    }
    work->expert = orr_arena_array(work->arena, places->places, sizeof *work->expert);
    work->replicas = orr_arena_array(work->arena, places->experts, sizeof *work->replicas);
    work->load = orr_arena_array(work->arena, places->experts, sizeof *work->load);
    work->expected = orr_arena_array(work->arena, places->experts, sizeof *work->expected);
    return work->expert != NULL && work->replicas != NULL && work->load != NULL &&
           work->expected != NULL;
}

/* In the order of their numbers, or by EPLB. */
static enum orr_status place(struct work *work, struct orr_diag *diag)
{
    const struct orr_expert_places *places = work->places;
    enum orr_status status = ORR_OK;
    for (uint32_t p = 0; p < places->places; p++) {
        work->expert[p] = p % places->experts;
    }
    if (places->places > places->experts) {
        struct orr_arena *arena = orr_arena_create();
        status = arena != NULL ? orr_expert_place(arena, places, work->expected, work->expert, diag)
                               : orr_diag_no_memory(diag, "the places of experts");
        orr_arena_destroy(arena);
    }
    for (uint32_t e = 0; e < places->experts; e++) {
        work->replicas[e] = 0;
    }
    for (uint32_t p = 0; p < places->places; p++) {
        work->replicas[work->expert[p]]++;
    }
    return status;
}

/* Of parts of so many places the most loaded one, relative to the mean. */
static double busiest_of(const struct work *work, uint32_t parts)
{
    const uint32_t each = work->places->places / parts;
    double most = 0, all = 0;
    for (uint32_t part = 0; part < parts; part++) {
        double here = 0;
        for (uint32_t p = part * each; p < (part + 1) * each; p++) {
            here += work->load[work->expert[p]] / work->replicas[work->expert[p]];
        }
        most = fmax(most, here);
        all += here;
    }
    return all > 0 ? most * parts / all : 1;
}

static void add(const struct work *work, struct orr_busiest *sum)
{
    sum->rank += busiest_of(work, work->places->ranks);
    sum->node += busiest_of(work, work->places->nodes);
}

/* ---- drawn ---- */

static double normal(struct orr_rng *rng)
{
    const double u = 1 - orr_rng_unit(rng), v = orr_rng_unit(rng);
    return sqrt(-2 * log(u)) * cos(6.283185307179586 * v);
}

/* Expected loads, dealt to the experts anew; then tokens by the normal approximation of a
 * multinomial draw. */
static void draw(struct work *work, const struct gen_expert_load *load, double tokens,
                 struct orr_rng *rng)
{
    const uint32_t experts = work->places->experts;
    for (uint32_t e = 0; e < experts; e++) {
        const double share =
            load->before != NULL ? load->before[e + 1] - load->before[e] : 1.0 / experts;
        work->expected[e] = share * tokens;
    }
    for (uint32_t e = experts; load->before != NULL && e-- > 1;) {
        const uint32_t other = (uint32_t)orr_rng_below(rng, e + 1u);
        const double kept = work->expected[e];
        work->expected[e] = work->expected[other];
        work->expected[other] = kept;
    }
    for (uint32_t e = 0; e < experts; e++) {
        const double mean = work->expected[e];
        work->load[e] = fmax(0, mean + sqrt(mean * (1 - mean / tokens)) * normal(rng));
    }
}

enum orr_status orr_busiest_draw(const struct gen_expert_load *load,
                                 const struct orr_expert_places *places,
                                 const struct orr_expert_draw *given, struct orr_busiest *out,
                                 struct orr_diag *diag)
{
    struct work work;
    struct orr_busiest sum = {0};
    struct orr_rng rng;
    enum orr_status status =
        init(&work, places) ? ORR_OK : orr_diag_no_memory(diag, "the loads of experts");
    orr_rng_init(&rng, given->seed, given->iteration);
    for (uint32_t layer = 0; layer < given->layers && status == ORR_OK; layer++) {
        draw(&work, load, given->tokens, &rng);
        status = place(&work, diag);
        add(&work, &sum);
    }
    orr_arena_destroy(work.arena);
    *out = (struct orr_busiest){sum.rank / given->layers, sum.node / given->layers};
    return status;
}

/* ---- counted ---- */

struct counts {
    const char *path;
    FILE *file;
    char *line;
    unsigned number;   /* of the line */
    int64_t iteration; /* whose lines count; < 0: all */
};

static enum orr_status fail_line(const struct counts *counts, const char *what,
                                 struct orr_diag *diag)
{
    const struct orr_location place = orr_location_text(counts->path, counts->number, 1);
    return orr_diag_fail(diag, ORR_ERR_INPUT, &place, "%s", what);
}

static bool next_line(struct counts *counts)
{
    bool found = false;
    while (!found && fgets(counts->line, LINE_BYTES, counts->file) != NULL) {
        counts->number++;
        const char *at = counts->line;
        while (isspace((unsigned char)*at)) {
            at++;
        }
        found = *at != '\0' && !(counts->number == 1 && isalpha((unsigned char)*at));
    }
    return found;
}

/* A line: iteration, layer, counts. */
static enum orr_status read_counts(const struct counts *counts, struct work *work,
                                   struct orr_diag *diag)
{
    const char *at = counts->line;
    double sum = 0;
    for (uint32_t i = 0; i < work->places->experts + 2; i++) {
        char *end;
        const double value = strtod(at, &end);
        if (end == at || !(value >= 0) || isinf(value)) {
            return fail_line(counts, "expected iteration, layer and the tokens of each expert",
                             diag);
        }
        if (i >= 2) {
            work->load[i - 2] = value;
            work->expected[i - 2] = value;
            sum += value;
        }
        at = end + (*end == ',' ? 1 : 0);
    }
    while (isspace((unsigned char)*at)) {
        at++;
    }
    return *at != '\0' ? fail_line(counts, "more counts than experts", diag)
           : sum <= 0  ? fail_line(counts, "expected a count above 0", diag)
                       : ORR_OK;
}

static enum orr_status read_lines(struct counts *counts, struct work *work, struct orr_busiest *out,
                                  struct orr_diag *diag)
{
    struct orr_busiest sum = {0};
    unsigned lines = 0;
    enum orr_status status = ORR_OK;
    while (status == ORR_OK && lines < MAX_LINES && next_line(counts)) {
        status = read_counts(counts, work, diag);
        if (status == ORR_OK &&
            (counts->iteration < 0 || strtod(counts->line, NULL) == (double)counts->iteration)) {
            status = place(work, diag);
            add(work, &sum);
            lines++;
        }
    }
    if (status == ORR_OK && lines == 0) {
        return fail_line(counts,
                         counts->iteration < 0
                             ? "expected lines of iteration, layer, tokens of each expert"
                             : "no line is of the iteration (expert_iteration)",
                         diag);
    }
    *out = (struct orr_busiest){sum.rank / lines, sum.node / lines};
    return status;
}

enum orr_status orr_busiest_count(const char *path, const struct orr_expert_places *places,
                                  int64_t iteration, struct orr_busiest *out, struct orr_diag *diag)
{
    struct work work;
    struct counts counts = {.path = path, .file = fopen(path, "r"), .iteration = iteration};
    const struct orr_location place_of = orr_location_file(path);
    enum orr_status status =
        init(&work, places) ? ORR_OK : orr_diag_no_memory(diag, "the loads of experts");
    if (status == ORR_OK && counts.file == NULL) {
        status = orr_diag_fail(diag, ORR_ERR_INPUT, &place_of, "cannot be opened");
    }
    if (status == ORR_OK) {
        counts.line = orr_arena_array(work.arena, LINE_BYTES, 1);
        status = counts.line != NULL ? read_lines(&counts, &work, out, diag)
                                     : orr_diag_no_memory(diag, "the loads of experts");
    }
    if (counts.file != NULL) {
        (void)fclose(counts.file);
    }
    orr_arena_destroy(work.arena);
    return status;
}
