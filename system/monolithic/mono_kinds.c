/* Kinds of monolithic all-reduces: those of the table, then every collective algorithm of
 * system/collectives/ that can run one between hosts, by its own name. */
#include <stdio.h>
#include <string.h>

#include "core/divide.h"
#include "core/strings.h"
#include "core/units.h"
#include "system/monolithic/mono_private.h"
#include "system/sys_mono.h"

enum { MAX_NUMBER = 1024, LIST_BYTES = 1024 };

const char orr_sys_mono_default_name[] = "ring";

static const struct sys_mono_kind kinds[] = {
    {.name = orr_sys_mono_default_name,
     .summary = "rounds around a ring, with a barrier after each (default)",
     .ops = &orr_mono_ring,
     .shifts = true},
    {.name = "ring_stream",
     .summary = "around a ring in one steady stream per edge, without rounds",
     .ops = &orr_mono_ring_stream,
     .shifts = true},
    {.name = "bidirectional_ring_stream",
     .summary = "the same, half of it in each direction",
     .ops = &orr_mono_bidir_ring_stream,
     .shifts = true},
    {.name = "pipelined_ring",
     .number = "CHUNKS",
     .summary = "a ring without barriers: a server forwards what it has",
     .fallback = 1,
     .ops = &orr_mono_program,
     .role = COLL_FOR_RING},
    {.name = "parameter_server",
     .number = "CHUNKS",
     .summary = "all send to the first server, which sends the sum back",
     .fallback = 1,
     .ops = &orr_mono_program,
     .program = &orr_mono_parameter_server},
    {.name = "sharded_parameter_server",
     .number = "CHUNKS",
     .summary = "every server is the parameter server of a part",
     .fallback = 1,
     .ops = &orr_mono_program,
     .role = COLL_FOR_CLIQUE},
    {.name = "hierarchical",
     .number = "GROUP",
     .options = "[,inside=KIND][,across=KIND][,inner=BANDWIDTH]",
     .summary = "in groups of neighbors, across the groups, in the groups",
     .ops = &orr_mono_hierarchical,
     .divides = true},
    {.number = "CHUNKS", /* name: that of the program */
     .summary = "two trees, between which chunks alternate",
     .fallback = 2,
     .ops = &orr_mono_program,
     .role = COLL_FOR_TURNS,
     .jumps = true},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* Any other algorithm; its name is that of the program. */
static const struct sys_mono_kind any_program = {
    .number = "CHUNKS", .fallback = 1, .ops = &orr_mono_program};

const struct sys_mono_kind *orr_sys_mono_default(void)
{
    return &kinds[0];
}

/* ---- names ---- */

/* Copies the name with '_' for '-'; returns `text`. */
static char *underscores(const char *name, char text[SYS_MONO_BYTES])
{
    size_t i = 0;
    for (; name[i] != '\0' && i + 1 < SYS_MONO_BYTES; i++) {
        text[i] = name[i] == '-' ? '_' : name[i];
    }
    text[i] = '\0';
    return text;
}

/* The program of a row of the table; NULL: it runs in rounds. */
static const struct coll_algorithm *program_of(const struct sys_mono_kind *kind)
{
    return kind->program != NULL || kind->ops != &orr_mono_program ? kind->program
                                                                   : orr_coll_for(kind->role);
}

/* Whether the algorithm is a kind by its own name: it runs all-reduces between hosts, and the table
 * has no kind of that name. */
static bool is_offered(const struct coll_algorithm *algorithm)
{
    char text[SYS_MONO_BYTES];
    (void)underscores(algorithm->name, text);
    for (size_t i = 0; i < KINDS; i++) {
        const char *name = kinds[i].name != NULL ? kinds[i].name : program_of(&kinds[i])->name;
        if (strcmp(name, text) == 0) {
            return false;
        }
    }
    return !algorithm->in_switch && !algorithm->given && !algorithm->on_rings &&
           !algorithm->on_forest && algorithm->supports(COLL_ALL_REDUCE, 2);
}

/* The index-th kind, without a number; false past the end. */
static bool choice_at(size_t index, struct sys_mono *out)
{
    if (index < KINDS) {
        *out = (struct sys_mono){.kind = &kinds[index], .program = program_of(&kinds[index])};
        return true;
    }
    index -= KINDS;
    for (size_t i = 0; orr_coll_algorithms[i] != NULL; i++) {
        if (is_offered(orr_coll_algorithms[i]) && index-- == 0) {
            *out = (struct sys_mono){.kind = &any_program, .program = orr_coll_algorithms[i]};
            return true;
        }
    }
    return false;
}

static char *name_of(const struct sys_mono *choice, char text[SYS_MONO_BYTES])
{
    return underscores(choice->kind->name != NULL ? choice->kind->name : choice->program->name,
                       text);
}

bool orr_sys_mono_form(size_t index, char form[SYS_MONO_BYTES], const char **summary)
{
    struct sys_mono choice;
    char name[SYS_MONO_BYTES];
    if (!choice_at(index, &choice)) {
        return false;
    }
    const struct sys_mono_kind *kind = choice.kind;
    const bool optional = kind->fallback != 0, number = kind->number != NULL;
    (void)snprintf(form, SYS_MONO_BYTES, "%.32s%s%s%s%s%s", name_of(&choice, name),
                   number && optional ? "[" : "", number ? ":" : "", number ? kind->number : "",
                   number && optional ? "]" : "", kind->options != NULL ? kind->options : "");
    *summary = kind->summary != NULL ? kind->summary : choice.program->summary;
    return true;
}

char *orr_sys_mono_format(const struct sys_mono *given, char *text, size_t bytes)
{
    const struct sys_mono ring = {.kind = &kinds[0]}, *choice = given->kind == NULL ? &ring : given;
    char name[SYS_MONO_BYTES];
    const bool is_default = choice->number == choice->kind->fallback && choice->jump <= 1;
    if (choice->kind->number == NULL || is_default) {
        (void)snprintf(text, bytes, "%s", name_of(choice, name));
    } else {
        (void)snprintf(text, bytes, "%s:%u", name_of(choice, name), (unsigned)choice->number);
    }
    orr_mono_options_format(choice, text, bytes);
    return text;
}

/* ---- reading ---- */

/* Writes "; did you mean ...?" with the kind of the nearest name, if any. */
static void suggest(const char *text, char suggestion[ORR_SUGGESTION_BYTES])
{
    enum { MAX_CHOICES = 32 };
    char storage[MAX_CHOICES][SYS_MONO_BYTES], given[SYS_MONO_BYTES];
    const char *names[MAX_CHOICES];
    struct sys_mono choice;
    size_t count = 0;
    for (; count < MAX_CHOICES && choice_at(count, &choice); count++) {
        names[count] = name_of(&choice, storage[count]);
    }
    (void)snprintf(given, sizeof given, "%.*s", (int)strcspn(text, ":"), text);
    (void)orr_suggest_name(given, names, count, suggestion, ORR_SUGGESTION_BYTES);
}

static enum orr_status fail_unknown(const char *text, struct orr_diag *diag)
{
    char list[LIST_BYTES] = "", form[SYS_MONO_BYTES], suggestion[ORR_SUGGESTION_BYTES] = "";
    const char *summary;
    suggest(text, suggestion);
    for (size_t i = 0; orr_sys_mono_form(i, form, &summary); i++) {
        const size_t used = strlen(list);
        (void)snprintf(list + used, sizeof list - used, "%s%s", i == 0 ? "" : ", ", form);
    }
    return orr_diag_fail(diag, ORR_ERR_INPUT, NULL, "all-reduce: expected one of %s; got \"%s\"%s",
                         list, text, suggestion);
}

/* Reads the number, or takes the kind's default if `text` is NULL; false: invalid. */
static bool read_number(const char *text, struct sys_mono *out)
{
    int64_t number = out->kind->fallback;
    if (text == NULL) {
        out->number = (uint32_t)number;
        return out->kind->number == NULL || number != 0;
    }
    if (out->kind->number == NULL || !orr_parse_integer(text, &number) || number < 1 ||
        number > MAX_NUMBER) {
        return false;
    }
    out->number = (uint32_t)number;
    return true;
}

/* Splits the text at the character; returns the second part, or NULL. */
static char *split_at(char *text, char at)
{
    char *found = strchr(text, at);
    if (found == NULL) {
        return NULL;
    }
    *found = '\0';
    return found + 1;
}

enum orr_status orr_sys_mono_parse(const char *text, struct sys_mono *out, struct orr_diag *diag)
{
    char given[SYS_MONO_BYTES], name[SYS_MONO_BYTES], form[SYS_MONO_BYTES];
    const char *summary;
    struct sys_mono choice;
    (void)underscores(text, given);
    char *number = split_at(given, ':');
    char *options = number != NULL ? split_at(number, ',') : NULL;
    for (size_t i = 0; choice_at(i, &choice); i++) {
        if (strcmp(name_of(&choice, name), given) != 0) {
            continue;
        }
        *out = choice;
        if (read_number(number, out) &&
            (options == NULL || choice.kind->options != NULL || choice.kind->jumps)) {
            return options == NULL ? ORR_OK : orr_mono_options_read(options, text, out, diag);
        }
        (void)orr_sys_mono_form(i, form, &summary);
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                             choice.kind->number == NULL
                                 ? "all-reduce: expected %s, got \"%s\""
                                 : "all-reduce: expected %s with a number from 1 to 1024, "
                                   "got \"%s\"",
                             form, text);
    }
    return fail_unknown(text, diag);
}

bool orr_sys_mono_is_ring(const struct sys_mono *choice)
{
    return choice->program != NULL ? choice->program->around && choice->program->lanes == 1
                                   : choice->kind == NULL || choice->inner_bytes_per_s > 0 ||
                                         choice->kind->ops == &orr_mono_ring ||
                                         choice->kind->ops == &orr_mono_ring_stream ||
                                         choice->kind->ops == &orr_mono_bidir_ring_stream;
}

bool orr_sys_mono_fits(const struct sys_mono *choice, uint32_t members)
{
    return choice->kind == NULL ||
           (orr_gcd(choice->jump > 1 ? choice->jump : 1, members) == 1 &&
            (!choice->kind->divides || choice->inner_bytes_per_s > 0 ||
             members % choice->number == 0) &&
            (choice->program == NULL || choice->program->supports(COLL_ALL_REDUCE, members)));
}

bool orr_sys_mono_is_stream(const struct sys_mono *choice)
{
    return choice->kind != NULL && choice->kind->ops == &orr_mono_ring_stream;
}

bool orr_sys_mono_is_default(const struct sys_mono *choice)
{
    char text[SYS_MONO_BYTES];
    return choice->kind == NULL ||
           strcmp(orr_sys_mono_format(choice, text, sizeof text), orr_sys_mono_default_name) == 0;
}
