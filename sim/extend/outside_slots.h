/* Functions of entries whose calls do not say which entry they are of: one for each slot, the index
 * of a part among those of its kind. */
#ifndef ORR_SIM_OUTSIDE_SLOTS_H
#define ORR_SIM_OUTSIDE_SLOTS_H

/* As many as ORR_MAX_EXTENSIONS. */
#define ORR_OUTSIDE_SLOTS(MACRO)                                                                   \
    MACRO(0) MACRO(1) MACRO(2) MACRO(3) MACRO(4) MACRO(5) MACRO(6) MACRO(7)

#endif
