/* The page that a command writes with --report FILE. */
#ifndef ORR_CLI_PAGE_OUTPUT_H
#define ORR_CLI_PAGE_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

#include "report/report.h"

enum { ORR_COMMAND_LINE_BYTES = 2048, ORR_PAGE_NAME_BYTES = 256 };

/* The line that a command was called with, as a shell takes it: what stands before `argv`, "orrery"
 * or "orrery fit", and all of `argv`; cut when it is longer. Before getopt changes the order of
 * `argv`. Returns `text`. */
char *orr_command_line(const char *before, int argc, char **argv,
                       char text[ORR_COMMAND_LINE_BYTES]);

/* Whether a page can have this name, which ends in .html or .htm, or is "-". Says so on stderr; 0
 * or the exit status. NULL is fine. `option`: "report", or "output" of orrery report. */
int orr_check_page(const char *command, const char *option, const char *path);

/* What the page is of: results that a writer of struct orr_output tells as JSON. */
struct orr_page_part {
    int (*json)(FILE *out, const void *context);
    const void *context;
    const char *name;           /* NULL: that of `file` */
    const char *file;           /* what it is named after; NULL: the result's own */
    const char *picture, *what; /* the text of an SVG file and what it shows; NULL: none */
};

/* Writes a page of some parts; `command` is the line that made it. 0, or the exit status, which is
 * said. `path` NULL: nothing is asked for. "-" is standard output, and sets *standard. */
int orr_write_page(const char *path, const char *command, const struct orr_page_part *part,
                   unsigned parts, bool *standard);

/* Writes a page that is there, as above. */
int orr_write_built_page(const char *path, const struct orr_page *page, bool *standard);

/* The name of a file without folders and the last ending, into `text`. Returns `text`. */
char *orr_page_name(const char *path, char text[ORR_PAGE_NAME_BYTES]);

#endif
