/* Families of models, by the model_type of their config.json: what their files leave unsaid. */
#ifndef ORR_ET_CONVERTER_LAUNCH_MODEL_FAMILIES_H
#define ORR_ET_CONVERTER_LAUNCH_MODEL_FAMILIES_H

/* What a family's files leave unsaid. */
enum {
    GATED = 1u << 0,      /* feed-forward with a gate */
    LAYER_NORM = 1u << 1, /* not RMS */
    BIASES = 1u << 2,     /* of all products */
    QKV_BIAS = 1u << 3,
    TIED = 1u << 4,
    LEARNED_POSITIONS = 1u << 5,
    NORM_OF_HEADS = 1u << 6, /* of queries and keys, by head */
    NORM_OF_QK = 1u << 7,    /* of all of them */
    NO_NORM_WEIGHT = 1u << 8,
    SINKS = 1u << 9,
    ROUTER_BIAS = 1u << 10,
    EXPERT_BIAS = 1u << 11, /* of bias balancing */
    EMBEDDING_NORM = 1u << 12,
    HEAD_BIAS = 1u << 13,
    SHARED_GATE = 1u << 14,
    NO_FINAL_NORM = 1u << 15,
    FEED_BIAS = 1u << 17, /* of the feed-forward alone */
    ENCODER = 1u << 16    /* bidirectional: all keys are seen */
};

struct model_family {
    const char *type; /* model_type */
    unsigned traits;
    unsigned norms; /* of a layer */
};

/* The family of a model_type, or of what it is another name of; NULL: not known. */
const struct model_family *orr_model_family(const char *type);

#endif
