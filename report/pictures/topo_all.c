/* Every NPU and link of a small network. Each dimension is a circle whose members are the circles
 * of the dimension below, so the position of an NPU is the sum of one offset for each dimension.
 * The switch of a group stands in the middle of its members. Lines of outer dimensions are bent,
 * because straight ones would run through NPUs. */
#include <math.h>
#include <stdint.h>

#include "core/diag.h"
#include "network/coordinates.h"
#include "network/net_dims.h"
#include "network/net_metrics.h"
#include "report/pictures/topo_canvas.h"

enum { GAP = 22, MAX_NPUS = 64 };

static const double outer_bend = 0.14;

struct plan {
    const struct net_config *config;
    struct orr_canvas *canvas;
    double radius[NET_MAX_DIMS];     /* of the circle of each dimension */
    double extent[NET_MAX_DIMS + 1]; /* that the dimensions below need around their center */
    struct orr_spot_node npu[MAX_NPUS];
};

/* Computes the radii so that neither neighbors on a circle nor a circle and its center touch. */
static void compute_sizes(struct plan *plan)
{
    plan->extent[0] = ORR_NPU_POINTS / 2.0;
    for (unsigned d = 0; d < plan->config->dims; d++) {
        const struct net_dim *dim = &plan->config->dim[d];
        const double apart = 2 * plan->extent[d] + GAP;
        double radius = dim->npus == 1 ? 0 : apart / (2 * sin(3.14159265358979323846 / dim->npus));
        if (dim->block == NET_SWITCH && dim->npus > 1 && radius < apart) {
            radius = apart;
        }
        plan->radius[d] = radius;
        plan->extent[d + 1] = plan->extent[d] + radius;
    }
}

/* Position of a member of a dimension's circle. Circles of two are horizontal and vertical by
 * turns. */
static struct orr_point member(const struct plan *plan, struct orr_point center, unsigned d,
                               uint32_t index)
{
    const uint32_t npus = plan->config->dim[d].npus;
    if (npus == 2 && d % 2 == 1) {
        const double up = index == 0 ? plan->radius[d] : -plan->radius[d];
        return (struct orr_point){center.x, center.y + up};
    }
    return orr_on_circle(center, plan->radius[d], index, npus);
}

/* Position of an NPU; without the offset of dimension `without` the middle of its group there. */
static struct orr_point position_of(const struct plan *plan, uint32_t rank, unsigned without)
{
    uint32_t coords[NET_MAX_DIMS];
    struct orr_point at = {0, 0};
    orr_net_coords(plan->config, rank, coords);
    for (unsigned d = 0; d < plan->config->dims; d++) {
        if (d != without) {
            at = member(plan, at, d, coords[d]);
        }
    }
    return at;
}

/* A circle around each group of NPUs that the dimensions below form. */
static void draw_areas(const struct plan *plan)
{
    const uint32_t npus = orr_net_npus(plan->config);
    uint32_t stride = npus;
    for (unsigned d = plan->config->dims; d-- > 1;) {
        stride /= plan->config->dim[d].npus;
        if (plan->config->dim[d].npus == 1 || stride == 1) {
            continue;
        }
        for (uint32_t group = 0; group < npus; group += stride) {
            struct orr_point at = {0, 0};
            uint32_t coords[NET_MAX_DIMS];
            orr_net_coords(plan->config, group, coords);
            for (unsigned outer = d; outer < plan->config->dims; outer++) {
                at = member(plan, at, outer, coords[outer]);
            }
            (void)orr_canvas_add(plan->canvas, &(struct orr_spot){.shape = ORR_SHAPE_AREA,
                                                                  .at = at,
                                                                  .size = 2 * plan->extent[d] + 10,
                                                                  .text = ""});
        }
    }
}

static void draw_switch(struct plan *plan, uint32_t first, unsigned d, uint32_t stride)
{
    const struct orr_spot spot = {
        .shape = ORR_SHAPE_SWITCH, .dim = d, .at = position_of(plan, first, d), .text = "S"};
    const struct orr_spot_node hub = orr_canvas_add(plan->canvas, &spot);
    for (uint32_t i = 0; i < plan->config->dim[d].npus; i++) {
        orr_canvas_join(plan->canvas, &plan->npu[first + i * stride], &hub, d,
                        d > 0 ? outer_bend : 0);
    }
}

static void draw_ring(struct plan *plan, uint32_t first, unsigned d, uint32_t stride)
{
    const struct net_dim *dim = &plan->config->dim[d];
    const double bend = d > 0 ? outer_bend : 0;
    if (dim->npus == 2) {
        const struct orr_spot_node *a = &plan->npu[first], *b = &plan->npu[first + stride];
        orr_canvas_join(plan->canvas, a, b, d, dim->per_npu ? bend : outer_bend);
        if (!dim->per_npu) {
            orr_canvas_join(plan->canvas, a, b, d, d > 0 ? outer_bend + 0.06 : -outer_bend);
        }
        return;
    }
    for (uint32_t i = 0; i < dim->npus; i++) {
        orr_canvas_join(plan->canvas, &plan->npu[first + i * stride],
                        &plan->npu[first + (i + 1) % dim->npus * stride], d, bend);
    }
}

static void draw_mesh(struct plan *plan, uint32_t first, unsigned d, uint32_t stride)
{
    for (uint32_t i = 0; i + 1 < plan->config->dim[d].npus; i++) {
        orr_canvas_join(plan->canvas, &plan->npu[first + i * stride],
                        &plan->npu[first + (i + 1) * stride], d, d > 0 ? outer_bend : 0);
    }
}

static void draw_clique(struct plan *plan, uint32_t first, unsigned d, uint32_t stride)
{
    const uint32_t npus = plan->config->dim[d].npus;
    for (uint32_t i = 0; i < npus; i++) {
        for (uint32_t j = i + 1; j < npus; j++) {
            orr_canvas_join(plan->canvas, &plan->npu[first + i * stride],
                            &plan->npu[first + j * stride], d, d > 0 ? outer_bend : 0);
        }
    }
}

/* All lines of a dimension. */
static void draw_dim(struct plan *plan, unsigned d)
{
    static void (*const draw[NET_BLOCKS])(struct plan *, uint32_t, unsigned, uint32_t) = {
        draw_ring, draw_clique, draw_switch, draw_mesh};
    const struct net_dim *dim = &plan->config->dim[d];
    const uint32_t stride = (uint32_t)orr_net_dim_metrics(plan->config, d).stride;
    for (uint32_t rank = 0; rank < orr_net_npus(plan->config) && dim->npus > 1; rank++) {
        if (rank / stride % dim->npus == 0) {
            draw[dim->block](plan, rank, d, stride);
        }
    }
}

void orr_topo_draw_all(struct orr_canvas *canvas, const struct orr_topo *topo)
{
    struct plan plan = {.config = &topo->config, .canvas = canvas};
    const uint32_t npus = orr_net_npus(&topo->config);
    ORR_ASSERT(npus <= MAX_NPUS);
    compute_sizes(&plan);
    draw_areas(&plan);
    for (uint32_t rank = 0; rank < npus; rank++) {
        char text[16];
        (void)snprintf(text, sizeof text, "%u", rank);
        plan.npu[rank] =
            orr_canvas_add(canvas, &(struct orr_spot){.shape = ORR_SHAPE_NPU,
                                                      .at = position_of(&plan, rank, NET_MAX_DIMS),
                                                      .text = text});
    }
    for (unsigned d = 0; d < topo->config.dims; d++) {
        draw_dim(&plan, d);
    }
}
