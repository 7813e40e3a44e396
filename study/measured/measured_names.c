/* Names of collectives in programs, tables and names of files. */
#include <string.h>

#include "study/measured/measured_build.h"

enum { LONGEST_NAME = 64 };

const char *const orr_measured_names[ORR_MEASURED_NAMES + 1] = {
    "all_reduce", "all_gather", "reduce_scatter", "all_to_all", "broadcast",
    "reduce",     "gather",     "scatter",        NULL};

/* Without - and _, in lower case. A longer name comes before the names that it contains. */
static const struct known {
    const char *plain;
    enum orr_measured_name what;
    enum coll_kind kind;
    bool in_words; /* matches anywhere in a file's name; else only a whole word */
} known[] = {
    {"allreducebias", ORR_MEASURED_NOT_MODELED, COLL_ALL_REDUCE, false},
    {"alltoallv2", ORR_MEASURED_NOT_MODELED, COLL_ALL_TO_ALL, false},
    {"alltoallv", ORR_MEASURED_NOT_MODELED, COLL_ALL_TO_ALL, false},
    {"reducescatter", ORR_MEASURED_KNOWN, COLL_REDUCE_SCATTER, true},
    {"allreduce", ORR_MEASURED_KNOWN, COLL_ALL_REDUCE, true},
    {"allgather", ORR_MEASURED_KNOWN, COLL_ALL_GATHER, true},
    {"alltoall", ORR_MEASURED_KNOWN, COLL_ALL_TO_ALL, true},
    {"broadcast", ORR_MEASURED_KNOWN, COLL_BROADCAST, true},
    {"sendrecv", ORR_MEASURED_NOT_MODELED, COLL_BARRIER, true},
    {"hypercube", ORR_MEASURED_NOT_MODELED, COLL_BARRIER, true},
    {"bisection", ORR_MEASURED_NOT_MODELED, COLL_BARRIER, false},
    {"scatter", ORR_MEASURED_KNOWN, COLL_SCATTER, false},
    {"gather", ORR_MEASURED_KNOWN, COLL_GATHER, false},
    {"reduce", ORR_MEASURED_KNOWN, COLL_REDUCE, false},
};

enum { KNOWN = sizeof known / sizeof *known };

static char to_lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool is_letter(char c)
{
    return c >= 'a' && c <= 'z';
}

/* The name in lower case without separators, truncated. */
static void plain_of(const char *name, char *plain)
{
    size_t length = 0;
    for (; *name != '\0' && length + 1 < LONGEST_NAME; name++) {
        if (*name != '-' && *name != '_' && *name != ' ') {
            plain[length++] = to_lower(*name);
        }
    }
    plain[length] = '\0';
}

static void drop_ending(char *text, const char *ending)
{
    const size_t length = strlen(text), drop = strlen(ending);
    if (length > drop && strcmp(text + length - drop, ending) == 0) {
        text[length - drop] = '\0';
    }
}

enum orr_measured_name orr_measured_name(const char *name, enum coll_kind *kind)
{
    char plain[LONGEST_NAME];
    plain_of(name, plain);
    drop_ending(plain, "mpi");
    drop_ending(plain, "perf");
    for (size_t i = 0; i < KNOWN; i++) {
        if (strcmp(plain, known[i].plain) == 0) {
            *kind = known[i].kind;
            return known[i].what;
        }
    }
    return ORR_MEASURED_UNKNOWN;
}

bool orr_measured_kind(const char *name, enum coll_kind *kind)
{
    enum coll_kind found;
    if (orr_measured_name(name, &found) != ORR_MEASURED_KNOWN) {
        return false;
    }
    *kind = found;
    return true;
}

/* Length of the known name at the start of `text`, with or without separators; 0: no match. */
static size_t matched(const char *text, const char *plain)
{
    size_t length = 0;
    while (*plain != '\0') {
        const char c = to_lower(text[length]);
        if (c == *plain) {
            plain++;
        } else if (length == 0 || (c != '-' && c != '_')) {
            return 0;
        }
        length++;
    }
    return length;
}

/* The longest known name that begins here; KNOWN: none. */
static size_t begins(const char *name, const char *at, size_t *length)
{
    const bool word = at == name || !is_letter(to_lower(at[-1]));
    for (size_t i = 0; i < KNOWN; i++) {
        *length = matched(at, known[i].plain);
        if (*length > 0 && (known[i].in_words || (word && !is_letter(to_lower(at[*length]))))) {
            return i;
        }
    }
    return KNOWN;
}

const char *orr_measured_name_in(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash != NULL ? slash + 1 : path;
    size_t found = KNOWN;
    for (const char *at = name; *at != '\0';) {
        size_t length;
        const size_t next = begins(name, at, &length);
        if (next != KNOWN && found != KNOWN && next != found) {
            return NULL;
        }
        found = next != KNOWN ? next : found;
        at += next != KNOWN ? length : 1;
    }
    return found != KNOWN ? known[found].plain : NULL;
}
