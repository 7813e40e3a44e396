/* Subcommands and their options: one table of rows for each command, from which parsing, --help,
 * manual pages, completions, the guard against overwriting (overwrite_guard.h) and docs/options.md
 * are made. */
#ifndef ORR_CLI_CLI_H
#define ORR_CLI_CLI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    ORR_EXIT_USAGE = 2,
    ORR_STOP = -1, /* result of a command that has printed its help: exit status 0 */
    ORR_MAX_ROWS = 128,
    ORR_MAX_TEXTS = 256
};

/* ---- rows ---- */

/* What a row is, and what its value means to the guard and to completions. */
enum orr_role {
    ORR_END,      /* end of a table */
    ORR_FLAG,     /* no value */
    ORR_VALUE,    /* any text; an input where it names an existing file */
    ORR_CHOICE,   /* one of the words of `argument`: "off|auto" */
    ORR_INPUT,    /* an input file */
    ORR_PLATFORM, /* an input file, or the name of a platform that ships */
    ORR_WORKLOAD, /* likewise of a workload */
    ORR_OUTPUT,   /* an output file; "-" is standard output */
    ORR_PREFIX,   /* an output file, or the prefix of several */
    ORR_FOLDER,   /* an output folder, whose files the command checks */
    ORR_HEADING,  /* of the rows behind it; `help` is its text */
    ORR_INCLUDE,  /* the rows of another table */
    ORR_ROLE_MASK = 15,
    /* with one of these: */
    ORR_POSITIONAL = 1 << 4,     /* an argument, not an option; named by `argument` */
    ORR_REPEATED = 1 << 5,       /* several may be given */
    ORR_OPTIONAL = 1 << 6,       /* of an argument: may be missing */
    ORR_NEEDED = 1 << 7,         /* of an option: shown in the usage line */
    ORR_HIDDEN = 1 << 8,         /* accepted, not shown */
    ORR_OPTIONAL_VALUE = 1 << 9, /* --NAME[=VALUE] */
    ORR_DASH = 1 << 10           /* without a value (at the end, or before an option) it is "-" */
};

/* Where a value goes; made by the macros below. */
struct orr_store {
    enum {
        ORR_STORE_NONE,
        ORR_STORE_TEXT,
        ORR_STORE_TRUE,
        ORR_STORE_LIST,
        ORR_STORE_NUMBER,
        ORR_STORE_REAL,
        ORR_STORE_WORD,
        ORR_STORE_TIME,
        ORR_STORE_BANDWIDTH,
        ORR_STORE_BYTES,
        ORR_STORE_SPAN,
        ORR_STORE_PAGE,
        ORR_STORE_CALL,
        ORR_STORE_WARN
    } kind;
    size_t at, bytes; /* the member of the command's arguments */
    int64_t min, max;
    int (*call)(void *arguments, const char *value);
    const struct orr_option *rows;
};

struct orr_option {
    const char *name;     /* without "--"; NULL: not an option. "output" is -o, too */
    const char *argument; /* as shown: "FILE|-"; NULL: none */
    unsigned role;        /* enum orr_role, and flags */
    const char *help;     /* one paragraph, which --help wraps */
    struct orr_store store;
};

/* Values of a repeatable option. */
struct orr_texts {
    const char *text[ORR_MAX_TEXTS];
    size_t count;
};

#define ORR_AT(type, member) .at = offsetof(type, member), .bytes = sizeof(((type *)0)->member)
/* A text, const char *. */
#define ORR_TEXT(type, member)                                                                     \
    {                                                                                              \
        .kind = ORR_STORE_TEXT, ORR_AT(type, member)                                               \
    }
/* A bool or int that becomes true. */
#define ORR_TRUE(type, member)                                                                     \
    {                                                                                              \
        .kind = ORR_STORE_TRUE, ORR_AT(type, member)                                               \
    }
/* A struct orr_texts. */
#define ORR_LIST(type, member)                                                                     \
    {                                                                                              \
        .kind = ORR_STORE_LIST, ORR_AT(type, member)                                               \
    }
/* A whole number of 4 or 8 bytes; ".max = INT64_MAX": no limit. */
#define ORR_NUMBER(type, member, low, high)                                                        \
    {                                                                                              \
        .kind = ORR_STORE_NUMBER, ORR_AT(type, member), .min = (low), .max = (high)                \
    }
/* A number of at least 0, double. */
#define ORR_REAL(type, member)                                                                     \
    {                                                                                              \
        .kind = ORR_STORE_REAL, ORR_AT(type, member)                                               \
    }
/* An unsigned, an enum or a bool: the index of the word in `argument`. */
#define ORR_WORD(type, member)                                                                     \
    {                                                                                              \
        .kind = ORR_STORE_WORD, ORR_AT(type, member)                                               \
    }
/* int64_t picoseconds, double bytes/s, uint64_t bytes. */
#define ORR_TIME(type, member)                                                                     \
    {                                                                                              \
        .kind = ORR_STORE_TIME, ORR_AT(type, member)                                               \
    }
#define ORR_BANDWIDTH(type, member)                                                                \
    {                                                                                              \
        .kind = ORR_STORE_BANDWIDTH, ORR_AT(type, member)                                          \
    }
#define ORR_BYTES(type, member)                                                                    \
    {                                                                                              \
        .kind = ORR_STORE_BYTES, ORR_AT(type, member)                                              \
    }
/* Seconds, double: a span (core/span.h). `bare`: the unit of a number without one, in seconds;
 * `zero`: 1 if it may be 0. */
#define ORR_SPAN(type, member, bare, zero)                                                         \
    {                                                                                              \
        .kind = ORR_STORE_SPAN, ORR_AT(type, member), .min = (bare), .max = (zero)                 \
    }
/* A function of the arguments (of an included table: of the member); value NULL: none given. */
#define ORR_CALL(function)                                                                         \
    {                                                                                              \
        .kind = ORR_STORE_CALL, .call = (function)                                                 \
    }
/* Nothing but a warning. */
#define ORR_WARN                                                                                   \
    {                                                                                              \
        .kind = ORR_STORE_WARN                                                                     \
    }

/* ---- rows of several commands, which mean the same in each ---- */

#define ORR_HEAD(text)                                                                             \
    {                                                                                              \
        NULL, NULL, ORR_HEADING, (text),                                                           \
        {                                                                                          \
            .kind = ORR_STORE_NONE                                                                 \
        }                                                                                          \
    }
#define ORR_ROWS_END                                                                               \
    {                                                                                              \
        NULL, NULL, ORR_END, NULL,                                                                 \
        {                                                                                          \
            .kind = ORR_STORE_NONE                                                                 \
        }                                                                                          \
    }
/* The rows of another table with the same arguments. */
#define ORR_TABLE(table)                                                                           \
    {                                                                                              \
        NULL, NULL, ORR_INCLUDE, NULL,                                                             \
        {                                                                                          \
            .rows = (table)                                                                        \
        }                                                                                          \
    }
/* The rows of another table, whose arguments are the member; `flags`: 0 or ORR_HIDDEN. */
#define ORR_ROWS(table, type, member, flags)                                                       \
    {                                                                                              \
        NULL, NULL, ORR_INCLUDE | (flags), NULL,                                                   \
        {                                                                                          \
            ORR_AT(type, member), .rows = (table)                                                  \
        }                                                                                          \
    }
/* `flags`: ORR_DASH where it was a switch without a file. */
#define ORR_ROW_JSON(type, member, what, flags)                                                    \
    {                                                                                              \
        "json", "FILE|-", ORR_OUTPUT | (flags),                                                    \
            what " as JSON; - is standard output, instead of the text", ORR_TEXT(type, member)     \
    }
#define ORR_ROW_CSV(type, member, what)                                                            \
    {                                                                                              \
        "csv", "FILE|-", ORR_OUTPUT, "CSV: " what, ORR_TEXT(type, member)                          \
    }
/* The name is checked: .html, .htm or "-". */
#define ORR_ROW_REPORT(type, member, what)                                                         \
    {                                                                                              \
        "report", "FILE|-", ORR_OUTPUT, "a page of " what " (HTML, one file)",                     \
        {                                                                                          \
            .kind = ORR_STORE_PAGE, ORR_AT(type, member)                                           \
        }                                                                                          \
    }
/* A struct orr_texts. */
#define ORR_ROW_SET(type, member, what)                                                            \
    {                                                                                              \
        "set", "PATH=VALUE", ORR_VALUE | ORR_REPEATED,                                             \
            "set a value" what "; may be given several times", ORR_LIST(type, member)              \
    }
#define ORR_ROW_JOBS(type, member, what)                                                           \
    {                                                                                              \
        "jobs", "N", ORR_VALUE, what " at a time (default: one for each processor)",               \
            ORR_NUMBER(type, member, 1, ORR_MAX_THREADS)                                           \
    }
/* An enum orr_progress. */
#define ORR_ROW_PROGRESS(type, member)                                                             \
    {                                                                                              \
        "progress", "auto|always|never", ORR_CHOICE,                                               \
            "progress line on standard error; auto (default): on a terminal",                      \
            ORR_WORD(type, member)                                                                 \
    }

/* ---- commands ---- */

struct orr_call;

/* A possible first argument. */
struct orr_word {
    const char *name, *text;
};

struct orr_command {
    const char *name;
    const char *parent;  /* "topo" of "topo show", which messages begin with; NULL: none */
    const char *summary; /* in the list of commands or actions */
    const char *about;   /* paragraphs behind the usage, parted by "\n"; NULL: none */
    const struct orr_option *rows;
    /* Usage lines, parted by "\n": "--name" stands for the option with its argument. NULL: one
     * line, made from the rows. */
    const char *forms;
    const char *missing; /* message if an argument is missing; NULL: made from its row */
    const char *extra;   /* message before an argument too many; NULL: "unexpected argument " */
    /* Words that the first argument can be, and their heading; false: no more. */
    bool (*word)(size_t index, struct orr_word *word);
    const char *words;
    const struct orr_command *const *modes; /* further forms with own tables; ends with NULL */
    /* Of a mode: why an option of it is refused in the others, and theirs in it: "goes with
     * --cluster FILE", "does not go with --cluster". */
    const char *with, *without;
    const struct orr_command *const *actions; /* "show" of "topo show"; likewise */
    const char *notes;                        /* paragraphs at the end of the help */
    bool simulates;                           /* exit status 3 is possible */
    /* argv[0] is the last word of the name. */
    int (*run)(const struct orr_call *call, int argc, char **argv);
};

/* A command that runs, and the subcommand that it is, or is an action or a mode of. */
struct orr_call {
    const struct orr_command *command, *root;
};

/* The subcommands (command_list.h). */
const struct orr_command *const *orr_commands(size_t *count);

/* Runs a command, or the action that the first argument names. Returns the exit status, or
 * ORR_STOP. */
int orr_run_command(const struct orr_command *command, int argc, char **argv);

/* Parses options of call->command into `arguments`, and leaves the others, argv[1] to argv[*argc -
 * 1]: an argument whose row has a member is stored, too. Names may be abbreviated. Then checks that
 * no output is an input and no file is written twice. Returns 0, ORR_STOP after --help, or the exit
 * status of bad usage after a message on stderr. */
int orr_parse_options(const struct orr_call *call, int *argc, char **argv, void *arguments);

/* ---- tables as lists ---- */

/* Rows without includes; the first of a name applies. */
struct orr_rows {
    const struct orr_option *row[ORR_MAX_ROWS];
    size_t base[ORR_MAX_ROWS]; /* offset of the member that they are included for */
    bool hidden[ORR_MAX_ROWS];
    size_t count;
};

/* Collects the rows of the command; `all`: of its modes and actions, too. */
void orr_collect_rows(const struct orr_command *command, bool all, struct orr_rows *rows);

/* Whether the command itself has an option of this name. */
bool orr_has_row(const struct orr_command *command, const char *name);

/* The name that messages begin with: "topo". */
static inline const char *orr_command_name(const struct orr_command *command)
{
    return command->parent != NULL ? command->parent : command->name;
}

#endif
