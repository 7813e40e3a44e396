/* States of searches as JSON; see search.h. Numbers of 64 bits without a meaning for readers are
 * hexadecimal texts; choices are one text with four numbers for each operator. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "core/conf/conf.h"
#include "core/conf/conf_read.h"
#include "core/conf/keys.h"
#include "planner/search/search.h"
#include "planner/search/search_private.h"
#include "workload/model/op_graph.h"

/* Keys of the hashes in the file. */
static const char *const made_of[STATE_HASHES] = {"model", "devices", "network", "starts",
                                                  "options"};

/* ---- writing ---- */

static void write_point(FILE *out, const char *name, const struct chain_point *point, uint32_t ops)
{
    (void)fprintf(out,
                  ",\n     \"%s\": {\"missing\": \"%" PRIx64 "\", \"time_ps\": %" PRId64
                  ", \"choices\": \"",
                  name, point->missing_bytes, (int64_t)point->time_ps);
    for (uint32_t op = 0; op < ops; op++) {
        const struct search_choice *choice = &point->choice[op];
        (void)fprintf(out, "%s%" PRIu32 " %" PRIu32 " %" PRIu32 " %" PRIu32, op > 0 ? " " : "",
                      choice->split, choice->first, choice->step, choice->order);
    }
    (void)fprintf(out, "\"}");
}

static void write_chain(FILE *out, const struct chain_state *chain, uint32_t ops)
{
    (void)fprintf(out,
                  "    {\"tries\": %" PRIu64 ", \"accepted\": %" PRIu64
                  ", \"evaluations\": %" PRIu64 ", \"refused\": %" PRIu64 ", \"begun\": %" PRIu32,
                  chain->tries, chain->accepted, chain->evaluations, chain->refused, chain->begun);
    for (unsigned i = 0; i < 4; i++) {
        (void)fprintf(out, "%s\"%" PRIx64 "\"", i == 0 ? ", \"random\": [" : ", ",
                      chain->rng.state[i]);
    }
    (void)fprintf(out, "]");
    write_point(out, "now", &chain->now, ops);
    write_point(out, "high", &chain->high, ops);
    write_point(out, "best", &chain->best, ops);
    (void)fprintf(out, "}");
}

int orr_search_state_write(FILE *out, const struct search_state *state)
{
    (void)fprintf(out, "{\"operators\": %" PRIu32 ", \"slice\": %" PRIu32 ",\n \"made_of\": {",
                  state->ops, state->slice);
    for (unsigned i = 0; i < STATE_HASHES; i++) {
        (void)fprintf(out, "%s\"%s\": \"%" PRIx64 "\"", i > 0 ? ", " : "", made_of[i],
                      state->hash[i]);
    }
    (void)fprintf(out, "},\n \"chains\": [\n");
    for (uint32_t i = 0; i < state->chains; i++) {
        write_chain(out, &state->chain[i], state->ops);
        (void)fprintf(out, "%s\n", i + 1 < state->chains ? "," : "");
    }
    (void)fprintf(out, " ]}");
    return ferror(out) != 0;
}

/* ---- reading ---- */

struct read_state {
    int64_t operators, slice;
    const struct orr_conf *made_of, *chains;
};

struct read_hashes {
    const char *hash[STATE_HASHES];
};

struct read_chain {
    int64_t tries, accepted, evaluations, refused, begun;
    struct orr_conf_list random;
    const struct orr_conf *now, *high, *best;
};

struct read_point {
    const char *missing, *choices;
    int64_t time_ps;
};

#define COUNT(of, key, max)                                                                        \
    {                                                                                              \
        .name = #key, .type = ORR_KEY_INTEGER, .offset = offsetof(struct of, key),                 \
        .required = true, .high = (max), .doc = "a count"                                          \
    }
#define TEXT(of, key)                                                                              \
    {                                                                                              \
        .name = #key, .type = ORR_KEY_TEXT, .offset = offsetof(struct of, key), .required = true,  \
        .doc = "a text"                                                                            \
    }
#define NODE(of, key)                                                                              \
    {                                                                                              \
        .name = #key, .type = ORR_KEY_NODE, .offset = offsetof(struct of, key), .required = true,  \
        .doc = "a part of the state"                                                               \
    }
#define HASH(of)                                                                                   \
    {                                                                                              \
        .name = of, .type = ORR_KEY_TEXT, .required = true, .doc = "a hash"                        \
    }

static const struct orr_key state_keys[] = {COUNT(read_state, operators, MODEL_MAX_OPS),
                                            COUNT(read_state, slice, 1e6),
                                            NODE(read_state, made_of), NODE(read_state, chains)};
static const struct orr_key point_keys[] = {TEXT(read_point, missing), TEXT(read_point, choices),
                                            COUNT(read_point, time_ps, 0)};
static const struct orr_key chain_keys[] = {COUNT(read_chain, tries, 0),
                                            COUNT(read_chain, accepted, 0),
                                            COUNT(read_chain, evaluations, 0),
                                            COUNT(read_chain, refused, 0),
                                            COUNT(read_chain, begun, 1e9),
                                            {.name = "random",
                                             .type = ORR_KEY_TEXT,
                                             .offset = offsetof(struct read_chain, random),
                                             .required = true,
                                             .list = true,
                                             .min = 4,
                                             .max = 4,
                                             .doc = "the generator's state"},
                                            NODE(read_chain, now),
                                            NODE(read_chain, high),
                                            NODE(read_chain, best)};

#define READ(map, owner, keys, target, diag)                                                       \
    orr_conf_read(map, owner, keys, sizeof(keys) / sizeof *(keys), target, diag)

static bool hexadecimal(const char *text, uint64_t *out)
{
    char *end;
    errno = 0;
    const unsigned long long value = strtoull(text, &end, 16);
    *out = value;
    return errno == 0 && end != text && *end == '\0' && text[0] != '-';
}

static enum orr_status read_choices(const struct orr_conf *map, const char *text, uint32_t ops,
                                    struct search_choice *choice, struct orr_diag *diag)
{
    for (uint32_t op = 0; op < ops; op++) {
        uint32_t *const field[] = {&choice[op].split, &choice[op].first, &choice[op].step,
                                   &choice[op].order};
        for (unsigned i = 0; i < sizeof field / sizeof *field; i++) {
            char *end;
            const unsigned long long value = strtoull(text, &end, 10);
            if (end == text || value > UINT32_MAX) {
                return orr_conf_expected(map, "choices: four numbers for each operator", diag);
            }
            *field[i] = (uint32_t)value;
            text = end;
        }
    }
    return ORR_OK;
}

static enum orr_status read_point(const struct orr_conf *map, uint32_t ops, struct chain_point *out,
                                  struct orr_diag *diag)
{
    struct read_point read = {.time_ps = 0};
    enum orr_status status = READ(map, "a strategy of a search", point_keys, &read, diag);
    if (status == ORR_OK && !hexadecimal(read.missing, &out->missing_bytes)) {
        status = orr_conf_expected(map, "`missing` in hexadecimal", diag);
    }
    out->time_ps = read.time_ps;
    return status == ORR_OK ? read_choices(map, read.choices, ops, out->choice, diag) : status;
}

static enum orr_status read_chain(const struct orr_conf *map, uint32_t ops, struct chain_state *out,
                                  struct orr_diag *diag)
{
    struct read_chain read = {.tries = 0};
    enum orr_status status = READ(map, "a chain of a search", chain_keys, &read, diag);
    const char *const *random = read.random.values;
    for (unsigned i = 0; i < 4 && status == ORR_OK; i++) {
        if (!hexadecimal(random[i], &out->rng.state[i])) {
            status = orr_conf_expected(map, "`random` in hexadecimal", diag);
        }
    }
    out->tries = (uint64_t)read.tries;
    out->accepted = (uint64_t)read.accepted;
    out->evaluations = (uint64_t)read.evaluations;
    out->refused = (uint64_t)read.refused;
    out->begun = (uint32_t)read.begun;
    if (status == ORR_OK) {
        status = read_point(read.now, ops, &out->now, diag);
    }
    if (status == ORR_OK) {
        status = read_point(read.high, ops, &out->high, diag);
    }
    return status == ORR_OK ? read_point(read.best, ops, &out->best, diag) : status;
}

static enum orr_status read_hashes(const struct orr_conf *map, uint64_t *hash,
                                   struct orr_diag *diag)
{
    struct orr_key keys[STATE_HASHES];
    struct read_hashes read = {.hash = {NULL}};
    for (unsigned i = 0; i < STATE_HASHES; i++) {
        keys[i] = (struct orr_key)HASH(made_of[i]);
        keys[i].offset = offsetof(struct read_hashes, hash) + i * sizeof read.hash[0];
    }
    enum orr_status status =
        orr_conf_read(map, "what a search was made of", keys, STATE_HASHES, &read, diag);
    for (unsigned i = 0; i < STATE_HASHES && status == ORR_OK; i++) {
        if (!hexadecimal(read.hash[i], &hash[i])) {
            status = orr_conf_expected(map, "hashes in hexadecimal", diag);
        }
    }
    return status;
}

enum orr_status orr_search_state_read(struct orr_arena *arena, const struct orr_conf *map,
                                      struct search_state **out, struct orr_diag *diag)
{
    struct read_state read = {.slice = 0};
    enum orr_status status = READ(map, "the state of a search", state_keys, &read, diag);
    if (status != ORR_OK) {
        return status;
    }
    if (read.chains->kind != ORR_CONF_LIST || read.chains->count < 1 ||
        read.chains->count > SEARCH_MAX_CHAINS) {
        return orr_conf_expected(read.chains, "a list of 1 to 64 chains", diag);
    }
    struct search_state *state =
        orr_search_state_new(arena, (uint32_t)read.operators, (uint32_t)read.chains->count);
    if (state == NULL) {
        return orr_diag_no_memory(diag, "the state of a search");
    }
    state->slice = (uint32_t)read.slice;
    state->read_from = map;
    status = read_hashes(read.made_of, state->hash, diag);
    for (uint32_t i = 0; i < state->chains && status == ORR_OK; i++) {
        status = read_chain(read.chains->item[i], state->ops, &state->chain[i], diag);
    }
    *out = state;
    return status;
}
