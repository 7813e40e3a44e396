/* The key table of an Orrery file, and through it the tables of all sections: reading, the JSON
 * Schema, the reference of keys and the explanation of values use this one table. A new section
 * adds its table at a key of this one (.table). */
#ifndef ORR_SIM_LOAD_CONFIG_KEYS_H
#define ORR_SIM_LOAD_CONFIG_KEYS_H

#include "core/conf/keys.h"

extern const struct orr_key_table orr_wl_key_table;

#endif
