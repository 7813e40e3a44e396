/* Linking of a PyTorch execution trace with the Kineto profile of the same run: the profile event
 * of each operator. */
#ifndef ORR_ET_CONVERTER_PYTORCH_ET_KINETO_LINK_H
#define ORR_ET_CONVERTER_PYTORCH_ET_KINETO_LINK_H

#include "et_converter/pytorch/kineto.h"

struct pt_link {
    uint32_t *op;     /* [trace->nodes]: index into kineto->op, or PT_NONE */
    uint32_t matched; /* operators that have an event */
    uint32_t renamed; /* linked by record-function id, but under another name */
    bool by_id;       /* by record-function id; else by order on each thread */
};

/* Links by record-function id if the profile has them, else by the order of operators on each
 * thread: operators that occur once (by name and sequence number) in both are anchors, and those
 * between anchors are matched in order by name. Also sets kt_op.node. O((n + m) log(n + m)).
 * Errors: trace and profile are of different runs. */
enum orr_status orr_pytorch_link(const struct pt_trace *trace, struct kt_trace *kineto,
                                 struct pt_link *out, struct orr_diag *diag);

#endif
