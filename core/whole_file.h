/* Files that are there whole or not at all: what is written has no name until it is kept, and then
 * replaces the file of that name at once. */
#ifndef ORR_CORE_WHOLE_FILE_H
#define ORR_CORE_WHOLE_FILE_H

#include <stdbool.h>
#include <stdio.h>

struct orr_whole_file {
    FILE *file;
    char *path;    /* where a link leads to; of the heap */
    char *beside;  /* room for a name beside it; of the heap */
    bool in_place; /* it is written where it is: a device or a pipe, a folder that takes no files */
};

/* Opens a file to write. False, with errno: it cannot be written. */
bool orr_whole_file_open(struct orr_whole_file *whole, const char *path);

/* Closes it and gives it its name, without an allocation; false, with errno: the file of before is
 * still there. */
bool orr_whole_file_keep(struct orr_whole_file *whole);

/* Closes it and leaves the file of before. */
void orr_whole_file_drop(struct orr_whole_file *whole);

#endif
