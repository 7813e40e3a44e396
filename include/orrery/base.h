/* What every header of Orrery uses: the status of calls, sizes of structs, the handle of a
 * simulation. */
#ifndef ORRERY_BASE_H
#define ORRERY_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define ORRERY_API __attribute__((visibility("default")))
#else
#define ORRERY_API
#endif

enum orrery_status {
    ORRERY_OK = 0,
    ORRERY_ERROR_INTERNAL = 1,
    ORRERY_ERROR_INPUT = 2,    /* bad usage, configuration or trace */
    ORRERY_ERROR_DEADLOCK = 3, /* the simulated job cannot finish */
    ORRERY_ERROR_MEMORY = 4,
    ORRERY_ERROR_IO = 5
};

/* Initializes `size`, the first member of structs that programs fill: the size that the program was
 * compiled with. A struct of another version is rejected (ORRERY_ERROR_INPUT). */
#define ORRERY_SIZED(name) .size = sizeof(struct name)

struct orrery;

/* Sums over NPUs, nodes and links, which may exceed 64 bits. */
__extension__ typedef __int128 orrery_wide;

#endif
