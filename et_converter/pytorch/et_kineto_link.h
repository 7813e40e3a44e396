/* Linking a PyTorch execution trace with the Kineto profile of the same run: which operator of the
 * one is which event of the other. */
#ifndef ORR_ET_CONVERTER_PYTORCH_ET_KINETO_LINK_H
#define ORR_ET_CONVERTER_PYTORCH_ET_KINETO_LINK_H

#include "et_converter/pytorch/kineto.h"

struct pt_link {
    uint32_t *op;     /* [trace->nodes]: index into kineto->op, or PT_NONE */
    uint32_t matched; /* operators that have one */
    uint32_t renamed; /* by record-function id, under another name */
    bool by_id;       /* by record-function id; else by order on each thread */
};

/* Links by record-function id where the profile has them, else by the order of operators on each
 * thread: operators that occur once (name and sequence number) in both are anchors; what lies
 * between is matched in order by name. Sets kt_op.node too. O((n + m) log(n + m)). Errors: the two
 * are of different runs. */
enum orr_status orr_pytorch_link(const struct pt_trace *trace, struct kt_trace *kineto,
                                 struct pt_link *out, struct orr_diag *diag);

#endif
