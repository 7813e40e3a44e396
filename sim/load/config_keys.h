/* The keys of a whole file of our own, and through them those of every section: the one table that
 * reading, the JSON Schema, the reference of keys and the explanation of values are made from. A
 * new section hangs its table at a key of this one (.table). */
#ifndef ORR_SIM_LOAD_CONFIG_KEYS_H
#define ORR_SIM_LOAD_CONFIG_KEYS_H

#include "core/core.h"

extern const struct orr_key_table orr_wl_key_table;

#endif
