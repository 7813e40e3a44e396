/* ZB-V (Qi et al., "Pipeline Parallelism with Controllable Memory", NeurIPS 2024; PyTorch's
 * ZBVZeroBubble): a device has part i and part 2 P - 1 - i; no bubble where all passes take equally
 * long, with 1F1B's memory. The order is made for at least 2 P - 1 micro-batches, and passes of
 * those that there are not are left out. */
#include "workload/schedule/pass_times.h"
#include "workload/schedule/schedule_builder.h"

struct device {
    struct orr_schedule_builder *builder;
    uint32_t micros;
    uint32_t next[ORR_PASS_KINDS][2]; /* micro-batch, by pass and chunk */
};

static void add(struct device *device, enum orr_pass_kind kind, uint32_t chunk)
{
    const uint32_t micro = device->next[kind][chunk]++;
    if (micro < device->micros) {
        orr_schedule_add(device->builder, (struct orr_chunk_pass){kind, chunk, micro});
    }
}

static void add_backward(struct device *device, uint32_t chunk)
{
    add(device, ORR_PASS_BACKWARD_INPUTS, chunk);
    add(device, ORR_PASS_BACKWARD_WEIGHTS, chunk);
}

static void order_device(struct device *device, uint32_t stages, uint32_t index)
{
    const uint32_t made = device->micros > 2 * stages - 1 ? device->micros : 2 * stages - 1;
    const uint32_t *forward = device->next[ORR_PASS_FORWARD];
    for (uint32_t i = 0; i < 2 * (stages - index) - 1; i++) {
        add(device, ORR_PASS_FORWARD, 0);
    }
    for (uint32_t i = 0; i < index; i++) {
        add(device, ORR_PASS_FORWARD, 1);
        add(device, ORR_PASS_FORWARD, 0);
    }
    for (uint32_t i = 0; i < stages - index; i++) {
        add(device, ORR_PASS_FORWARD, 1);
        add_backward(device, 1);
    }
    while (forward[1] < forward[0] || forward[0] < made) {
        if (forward[0] < made) {
            add(device, ORR_PASS_FORWARD, 0);
        }
        add_backward(device, 0);
        add(device, ORR_PASS_FORWARD, 1);
        add_backward(device, 1);
    }
    for (uint32_t i = 0; i < index; i++) {
        add(device, ORR_PASS_BACKWARD_INPUTS, 0);
        add(device, ORR_PASS_BACKWARD_INPUTS, 1);
    }
    for (uint32_t i = 0; i < stages - index; i++) {
        add_backward(device, 0);
    }
    for (uint32_t chunk = 2; chunk-- > 0;) {
        while (device->next[ORR_PASS_BACKWARD_WEIGHTS][chunk] <
               device->next[ORR_PASS_BACKWARD_INPUTS][chunk]) {
            add(device, ORR_PASS_BACKWARD_WEIGHTS, chunk);
        }
    }
}

static void order(struct orr_schedule_builder *builder, const struct orr_schedule_request *request)
{
    for (uint32_t i = 0; i < request->stages; i++) {
        struct device device = {.builder = builder, .micros = request->micros};
        order_device(&device, request->stages, i);
        orr_schedule_next_device(builder);
    }
}

/* None, where all passes take equally long. */
static bool bubble(const struct orr_schedule_request *request, double *idle)
{
    const struct orr_pass_times *times = request->times;
    *idle = 0;
    return times->forward == times->backward_inputs && times->forward == times->backward_weights &&
           request->micros >= 2 * request->stages - 1;
}

const struct orr_schedule_kind orr_schedule_zb_v = {
    .name = "zb-v",
    .summary = "zero bubble on a V of two parts a device, with 1f1b's memory",
    .placement = ORR_PLACE_V,
    .default_chunks = 2,
    .min_chunks = 2,
    .max_chunks = 2,
    .order = order,
    .closed_form = bubble};
