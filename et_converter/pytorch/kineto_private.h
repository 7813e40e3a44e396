/* Shared by kineto.c (events of a profile) and kineto_comm.c (what they say of communication). */
#ifndef ORR_ET_CONVERTER_PYTORCH_KINETO_PRIVATE_H
#define ORR_ET_CONVERTER_PYTORCH_KINETO_PRIVATE_H

#include "et_converter/pytorch/kineto.h"

struct kt_reader {
    struct kt_trace *kineto;
    struct pt_trace *trace; /* for groups, and of a profile alone for communication */
    uint8_t *kernel;        /* [names]: enum kt_kernel_kind */
    size_t kernel_capacity;
    bool alone; /* there is no execution trace */
};

struct kt_event {
    struct js_value value, args;
    const char *category;
    const char *name;
    int64_t start_ns, end_ns;
    uint32_t name_number;
};

/* A number, or `otherwise`. */
int64_t orr_kineto_integer_or(struct js_value value, int64_t otherwise);

/* Adds the attributes of an NCCL kernel; its index in kineto->nccl, or PT_NONE if it has none.
 * False if out of memory. */
bool orr_kineto_add_nccl(struct kt_reader *reader, const struct kt_event *event, uint32_t *out);

/* Sets operations and bytes of an operator by "Input Dims" and "Input type"; none if a type is not
 * known. */
void orr_kineto_set_shapes(const struct kt_event *event, struct kt_op *op);

/* Adds what an operator of a profile alone says of communication to trace->comm: a
 * record_param_comms, or a row "nccl:NAME"; its index, or PT_NONE if it says nothing. False if out
 * of memory. */
bool orr_kineto_add_record(struct kt_reader *reader, const struct kt_event *event, uint32_t *out);

#endif
