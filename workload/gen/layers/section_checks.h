/* Checks of section `transformer` after it was read. */
#ifndef ORR_WORKLOAD_GEN_LAYERS_SECTION_CHECKS_H
#define ORR_WORKLOAD_GEN_LAYERS_SECTION_CHECKS_H

#include "workload/gen/transformer.h"

/* Whether some layer has a mixer, or a feed-forward part, of that sort. O(kinds). */
bool orr_transformer_mixes(const struct tf_model *model, enum tf_mixer mixer);
bool orr_transformer_feeds(const struct tf_model *model, enum tf_feed feed);

/* Checks that keys fit each other. Errors name the key. O(kinds). */
enum orr_status orr_transformer_check_model(const struct tf_job *job, struct orr_diag *diag);

/* Checks that no product with the bytes of a parameter overflows 64 bits. O(layers). */
enum orr_status orr_transformer_check_size(const struct tf_job *job, struct orr_diag *diag);

#endif
