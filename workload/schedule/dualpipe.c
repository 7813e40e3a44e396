/* DualPipe (DeepSeek-V3 Technical Report, 2024, section 3.2.1): two copies of the model, whose
 * micro-batches enter from both ends; and DualPipeV (Qi, 2025), its half on a V of two parts a
 * device. A forward pass runs beside a whole backward pass of the other way. */
#include <inttypes.h>

#include "core/diag.h"
#include "workload/schedule/pass_times.h"
#include "workload/schedule/schedule_builder.h"

/* A device, its ways numbered from its own: 0 is the way that it forwards first. */
struct device {
    struct orr_schedule_builder *builder;
    uint32_t half;     /* devices from an end to where the ways meet, or the V turns */
    uint32_t place;    /* of the device among them */
    uint32_t micros;   /* of each way */
    uint32_t chunk[2]; /* by way */
    uint32_t forward[2], backward[2]; /* next micro-batch, by way */
    struct orr_chunk_pass *weights;   /* passes of weights that are due, oldest first */
    uint32_t due, done;
};

static struct orr_chunk_pass next_forward(struct device *device, unsigned way)
{
    return (struct orr_chunk_pass){ORR_PASS_FORWARD, device->chunk[way], device->forward[way]++};
}

static struct orr_chunk_pass next_backward(struct device *device, unsigned way,
                                           enum orr_pass_kind kind)
{
    return (struct orr_chunk_pass){kind, device->chunk[way], device->backward[way]++};
}

static void forward(struct device *device, unsigned way)
{
    orr_schedule_add(device->builder, next_forward(device, way));
}

static void backward(struct device *device, unsigned way)
{
    orr_schedule_add(device->builder, next_backward(device, way, ORR_PASS_BACKWARD));
}

/* The pass of inputs; that of weights is due later. */
static void backward_inputs(struct device *device, unsigned way)
{
    struct orr_chunk_pass pass = next_backward(device, way, ORR_PASS_BACKWARD_INPUTS);
    orr_schedule_add(device->builder, pass);
    pass.kind = ORR_PASS_BACKWARD_WEIGHTS;
    device->weights[device->due++] = pass;
}

static void backward_weights(struct device *device)
{
    orr_schedule_add(device->builder, device->weights[device->done++]);
}

static void both(struct device *device, unsigned way)
{
    const struct orr_chunk_pass pass = next_forward(device, way);
    orr_schedule_add_both(device->builder, pass, next_backward(device, 1 - way, ORR_PASS_BACKWARD));
}

static void warm_up(struct device *device)
{
    const uint32_t inner = device->half - device->place - 1; /* devices further in */
    for (uint32_t i = 0; i < 2 * inner; i++) {
        forward(device, 0);
    }
    for (uint32_t i = 0; i < device->place + 1; i++) {
        forward(device, 0);
        forward(device, 1);
    }
    for (uint32_t i = 0; i < inner; i++) {
        backward_inputs(device, 1);
        backward_weights(device);
        forward(device, 1);
    }
}

static void steady(struct device *device)
{
    const uint32_t inner = device->half - device->place - 1;
    const uint32_t turns = device->micros - 2 * device->half + device->place + 1;
    for (uint32_t i = 0; i < turns; i++) {
        if (i == 0 && inner == 0) {
            forward(device, 0);
            backward(device, 1);
        } else {
            both(device, 0);
        }
        both(device, 1);
    }
    for (uint32_t i = 0; i < inner; i++) {
        backward(device, 1);
        both(device, 1);
    }
}

static void cool_down(struct device *device)
{
    /* From turn `middle` on the passes of weights wait. */
    const uint32_t middle = (device->place + 1) / 2;
    for (uint32_t i = 0; i < device->place + 1; i++) {
        if (i > middle || (i == middle && device->place % 2 == 1)) {
            backward_inputs(device, 1);
        } else {
            backward(device, 1);
        }
        if (i >= middle) {
            backward_inputs(device, 0);
        } else {
            backward(device, 0);
        }
    }
    for (uint32_t i = 0; i < device->half - device->place - 1; i++) {
        backward_weights(device);
        backward_inputs(device, 0);
    }
    while (device->done < device->due) {
        backward_weights(device);
    }
}

static void order_device(struct device *device)
{
    device->weights =
        orr_schedule_room(device->builder, 2 * (size_t)device->micros, sizeof *device->weights);
    if (device->weights != NULL) {
        warm_up(device);
        steady(device);
        cool_down(device);
    }
    orr_schedule_next_device(device->builder);
}

/* ---- DualPipe ---- */

static enum orr_status check_dualpipe(struct orr_schedule_request *request, struct orr_diag *diag)
{
    if (request->stages % 2 != 0) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                             "dualpipe: expected an even number of stages, got %" PRIu32,
                             request->stages);
    }
    if (request->micros % 2 != 0 || request->micros < 2 * request->stages) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                             "dualpipe: expected an even number of micro-batches, at least %" PRIu32
                             " (2 x stages), got %" PRIu32,
                             2 * request->stages, request->micros);
    }
    return ORR_OK;
}

static void order_dualpipe(struct orr_schedule_builder *builder,
                           const struct orr_schedule_request *request)
{
    for (uint32_t i = 0; i < request->stages; i++) {
        const uint32_t from_end = request->stages - 1 - i, own = i < from_end ? 0 : 1;
        struct device device = {.builder = builder,
                                .half = request->stages / 2,
                                .place = i < from_end ? i : from_end,
                                .micros = request->micros / 2,
                                .chunk = {own, 1 - own}};
        order_device(&device);
    }
}

/* F&B, B and W of the devices between: what a turn costs that is not hidden. */
static double turn(const struct orr_pass_times *times)
{
    return times->both + times->backward_inputs - 2 * times->backward_weights;
}

/* (P / 2 - 1)(F&B + B - 2 W), where it is exact: all passes equally long. */
static bool bubble_dualpipe(const struct orr_schedule_request *request, double *bubble)
{
    *bubble = (request->stages / 2.0 - 1) * turn(request->times);
    return *bubble >= 0;
}

const struct orr_schedule_kind orr_schedule_dualpipe = {
    .name = "dualpipe",
    .summary = "two copies of the model, micro-batches from both ends",
    .placement = ORR_PLACE_TWO_WAY,
    .default_chunks = 2,
    .min_chunks = 2,
    .max_chunks = 2,
    .check = check_dualpipe,
    .order = order_dualpipe,
    .closed_form = bubble_dualpipe};

/* ---- DualPipeV ---- */

static enum orr_status check_dualpipev(struct orr_schedule_request *request, struct orr_diag *diag)
{
    return request->micros >= 2 * request->stages
               ? ORR_OK
               : orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                               "dualpipev: expected at least %" PRIu32
                               " micro-batches (2 x stages), got %" PRIu32,
                               2 * request->stages, request->micros);
}

static void order_dualpipev(struct orr_schedule_builder *builder,
                            const struct orr_schedule_request *request)
{
    for (uint32_t i = 0; i < request->stages; i++) {
        struct device device = {.builder = builder,
                                .half = request->stages,
                                .place = i,
                                .micros = request->micros,
                                .chunk = {0, 1}};
        order_device(&device);
    }
}

/* (P - 1)(F&B + B - 2 W) / 2. */
static bool bubble_dualpipev(const struct orr_schedule_request *request, double *bubble)
{
    *bubble = (request->stages - 1) * turn(request->times) / 2;
    return *bubble >= 0;
}

const struct orr_schedule_kind orr_schedule_dualpipev = {
    .name = "dualpipev",
    .summary = "dualpipe on a V of two parts a device",
    .placement = ORR_PLACE_V,
    .default_chunks = 2,
    .min_chunks = 2,
    .max_chunks = 2,
    .check = check_dualpipev,
    .order = order_dualpipev,
    .closed_form = bubble_dualpipev};
