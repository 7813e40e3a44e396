/* Status codes shared by every layer. A function that can fail returns one of these and fills the
 * struct orr_diag it was given; ORR_OK leaves the diagnostic untouched. */
#ifndef ORR_CORE_STATUS_H
#define ORR_CORE_STATUS_H

enum orr_status {
    ORR_OK = 0,
    ORR_ERR_INTERNAL = 1, /* a broken invariant of ours; never caused by input */
    ORR_ERR_INPUT = 2,    /* bad usage, configuration or trace */
    ORR_ERR_DEADLOCK = 3, /* the simulated job cannot finish */
    ORR_ERR_MEMORY = 4,   /* out of memory */
    ORR_ERR_IO = 5        /* a file cannot be opened, read or written */
};

#endif
