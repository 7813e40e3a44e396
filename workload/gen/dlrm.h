/* Recommendation models (DLRM, Naumov et al. 2019): embedding tables for sparse features, spread
 * over all NPUs (model-parallel); a bottom MLP for dense features, the interaction, and a top MLP
 * (data-parallel). Pooled vectors are exchanged between tables and MLPs (section 4.1 there;
 * Mudigere et al., ISCA 2022, section 3). docs/how-to/generated-dlrm.md gives the formulas. */
#ifndef ORR_WORKLOAD_GEN_DLRM_H
#define ORR_WORKLOAD_GEN_DLRM_H

#include "core/conf/keys.h"

extern const struct orr_key_table orr_dlrm_key_table;

struct gen_model_ops;
extern const struct gen_model_ops orr_dlrm_model;

#endif
