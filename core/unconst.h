/* Casts const away for libraries whose interface lacks const but which do not write. */
#ifndef ORR_CORE_UNCONST_H
#define ORR_CORE_UNCONST_H

static inline char *orr_unconst(const char *text)
{
    union {
        const char *in;
        char *out;
    } both = {.in = text};
    return both.out;
}

#endif
