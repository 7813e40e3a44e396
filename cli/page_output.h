/* Pages of commands (--report FILE). */
#ifndef ORR_CLI_PAGE_OUTPUT_H
#define ORR_CLI_PAGE_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

struct orr_page;

enum { ORR_COMMAND_LINE_BYTES = 2048, ORR_PAGE_NAME_BYTES = 256 };

/* Quotes the command line for a shell: `before`, "orrery" or "orrery fit", then all of `argv`;
 * truncated if too long. Call it before getopt reorders `argv`. Returns `text`. */
char *orr_command_line(const char *before, int argc, char **argv,
                       char text[ORR_COMMAND_LINE_BYTES]);

/* Checks the name of a page: it ends in .html or .htm, or is "-"; NULL is fine. Prints an error on
 * stderr; returns 0 or the exit status. `option`: "report", or "output" for orrery report. */
int orr_check_page(const char *command, const char *option, const char *path);

/* Part of a page: a result as JSON, from a writer of struct orr_output. */
struct orr_page_part {
    int (*json)(FILE *out, const void *context);
    const void *context;
    const char *name;           /* title; NULL: the name of `file` */
    const char *file;           /* file that gives the title; NULL: the result has its own */
    const char *picture, *what; /* text of an SVG picture, and its caption; NULL: none */
};

/* Writes a page of `parts` parts; `command`: the command line. `path`: NULL writes nothing; "-" is
 * standard output and sets *standard. Prints errors on stderr; returns 0 or the exit status. */
int orr_write_page(const char *path, const char *command, const struct orr_page_part *part,
                   unsigned parts, bool *standard);

/* Writes an existing page, as above. */
int orr_write_built_page(const char *path, const struct orr_page *page, bool *standard);

/* Copies the name of a file without folders and last ending. Returns `text`. */
char *orr_page_name(const char *path, char text[ORR_PAGE_NAME_BYTES]);

#endif
