/* Every NPU and link of a torus or mesh, a stack of two or three rings or meshes, as a grid. */
#include "core/arena.h"
#include "core/diag.h"
#include "network/coordinates.h"
#include "network/net_dims.h"
#include "report/pictures/torus_grid.h"

enum { MAX_NPUS = 1024, MAX_DIMS = 3 };

struct torus {
    const struct net_config *config;
    struct orr_canvas *canvas;
    struct orr_grid grid;
    unsigned dim[MAX_DIMS]; /* the network's dimension of each grid dimension */
    struct orr_spot_node npu[MAX_NPUS];
};

/* Finds the dimensions of more than one NPU, and their sizes. False: neither a torus nor a mesh. */
static bool compute_sizes(const struct net_config *config, unsigned dim[MAX_DIMS],
                          uint32_t size[MAX_DIMS])
{
    unsigned dims = 0;
    bool is = orr_net_npus(config) <= MAX_NPUS;
    size[0] = size[1] = size[2] = 1;
    for (unsigned d = 0; d < config->dims && is; d++) {
        if (config->dim[d].npus > 1) {
            is = dims < MAX_DIMS && net_passes_on(config->dim[d].block);
            if (is) {
                dim[dims] = d;
                size[dims++] = config->dim[d].npus;
            }
        }
    }
    return is && dims > 1;
}

bool orr_topo_is_torus(const struct net_config *config)
{
    unsigned dim[MAX_DIMS];
    uint32_t size[MAX_DIMS];
    return compute_sizes(config, dim, size);
}

/* Draws the link to the next NPU of a dimension. A ring of two has a link for each direction,
 * unless the link's bandwidth is that of the NPU. */
static void join_next(struct torus *torus, uint32_t rank, unsigned d, uint32_t stride)
{
    const struct net_dim *dim = &torus->config->dim[torus->dim[d]];
    const uint32_t at = rank / stride % dim->npus;
    const uint32_t next = at + 1 < dim->npus ? rank + stride : rank - at * stride;
    struct orr_wire wire = {.color = orr_dim_color(torus->dim[d]),
                            .aside = orr_grid_aside(&torus->grid, rank, next)};
    if (at + 1 < dim->npus || (dim->npus > 2 && dim->block == NET_RING)) {
        orr_canvas_wire(torus->canvas, &torus->npu[rank], &torus->npu[next], &wire);
    }
    if (dim->npus == 2 && at == 0 && !dim->per_npu && dim->block == NET_RING) {
        wire.aside = (struct orr_point){d == 0 ? 8 : 16, d == 0 ? 20 : 6};
        orr_canvas_wire(torus->canvas, &torus->npu[rank], &torus->npu[next], &wire);
    }
}

void orr_topo_draw_torus(struct orr_canvas *canvas, const struct orr_topo *topo)
{
    const uint32_t npus = orr_net_npus(&topo->config);
    struct torus *torus = orr_heap_calloc(1, sizeof *torus);
    uint32_t size[MAX_DIMS], stride = 1;
    if (torus == NULL) {
        canvas->failed = true;
        return;
    }
    torus->config = &topo->config;
    torus->canvas = canvas;
    ORR_ASSERT(compute_sizes(&topo->config, torus->dim, size));
    torus->grid = orr_grid(size, ORR_NPU_POINTS, ORR_NPU_POINTS);
    for (uint32_t rank = 0; rank < npus; rank++) {
        char text[16];
        (void)snprintf(text, sizeof text, "%u", rank);
        const struct orr_spot spot = {
            .shape = ORR_SHAPE_NPU, .at = orr_grid_at(&torus->grid, rank), .text = text};
        torus->npu[rank] = orr_canvas_add(canvas, &spot);
    }
    for (unsigned d = 0; d < MAX_DIMS; stride *= size[d++]) {
        for (uint32_t rank = 0; rank < npus && size[d] > 1; rank++) {
            join_next(torus, rank, d, stride);
        }
    }
    orr_heap_free(torus);
}
