/* Texts for libraries without const in their interface, which do not write to them. */
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
