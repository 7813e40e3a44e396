/* One block for each dimension of a network that is too large to draw every NPU: the NPUs of
 * dimension 1, and for each further dimension boxes for the groups of NPUs of the dimensions below.
 * Of long dimensions only the first members and the last are drawn. */
#include "network/coordinates.h"
#include "network/net_config.h"
#include "network/net_dims.h"
#include "network/net_metrics.h"
#include "network/notation.h"
#include "report/pictures/topo_canvas.h"

enum { MAX_MEMBERS = 12, MAX_GROUPS = 8, COLUMNS = 3, PANEL_WIDTH = 430, PANEL_HEIGHT = 430 };

static const double npu_radius = 110, group_radius = 145;

struct block {
    const struct net_config *config;
    struct orr_canvas *canvas;
    unsigned d;
    struct orr_point middle;
    uint32_t shown; /* members, the gap included */
    bool gap;       /* the last but one represents the omitted members */
    uint32_t group; /* NPUs of each member */
    struct orr_spot_node member[MAX_MEMBERS];
};

static struct orr_spot_node add_member(const struct block *block, uint32_t at)
{
    const uint32_t npus = block->config->dim[block->d].npus;
    const uint32_t coordinate = at + 1 == block->shown ? npus - 1 : at;
    const bool is_gap = block->gap && at + 2 == block->shown;
    const double radius = block->group > 1 ? group_radius : npu_radius;
    char text[64];
    if (block->group > 1) {
        (void)snprintf(text, sizeof text, "NPUs %u\nto %u", coordinate * block->group,
                       coordinate * block->group + block->group - 1);
    } else {
        (void)snprintf(text, sizeof text, "%u", coordinate);
    }
    const struct orr_spot spot = {
        .shape = is_gap             ? ORR_SHAPE_TEXT
                 : block->group > 1 ? ORR_SHAPE_GROUP
                                    : ORR_SHAPE_NPU,
        .dim = block->d > 0 ? block->d - 1 : 0,
        .at = orr_on_circle(block->middle, npus == 1 ? 0 : radius, at, block->shown),
        .text = is_gap ? "..." : text};
    struct orr_spot_node member = orr_canvas_add(block->canvas, &spot);
    member.radius = is_gap ? ORR_NPU_POINTS / 2.0 : member.radius;
    return member;
}

static void join_members(struct block *block)
{
    const struct net_dim *dim = &block->config->dim[block->d];
    const uint32_t gap = block->gap ? block->shown - 2 : block->shown;
    const bool clique = dim->block == NET_FULLY_CONNECTED;
    if (dim->block == NET_RING && dim->npus == 2) {
        const double bend = dim->per_npu ? 0 : 0.1;
        orr_canvas_join(block->canvas, &block->member[0], &block->member[1], block->d, bend);
        if (!dim->per_npu) {
            orr_canvas_join(block->canvas, &block->member[0], &block->member[1], block->d, -bend);
        }
        return;
    }
    for (uint32_t i = 0; i < block->shown; i++) {
        for (uint32_t j = i + 1; j < block->shown; j++) {
            const bool closes = i == 0 && j + 1 == block->shown && dim->block == NET_RING;
            const bool next = j == i + 1 || closes;
            if (clique ? i != gap && j != gap : next) {
                orr_canvas_join(block->canvas, &block->member[i], &block->member[j], block->d, 0);
            }
        }
    }
}

static void join_to_switch(struct block *block)
{
    const struct orr_spot spot = {
        .shape = ORR_SHAPE_SWITCH, .dim = block->d, .at = block->middle, .text = "S"};
    const struct orr_spot_node hub = orr_canvas_add(block->canvas, &spot);
    for (uint32_t i = 0; i < block->shown; i++) {
        if (!block->gap || i + 2 != block->shown) {
            orr_canvas_join(block->canvas, &block->member[i], &hub, block->d, 0);
        }
    }
}

/* "dimension 2: FC(8)", and what a group and a member are. */
static void add_title(const struct block *block)
{
    const struct net_dim *dim = &block->config->dim[block->d];
    const struct net_config one = {.dims = 1, .dim = dim};
    const uint32_t copies = orr_net_npus(block->config) / block->group / dim->npus;
    char notation[ORR_NOTATION_BYTES], text[1024], each[128] = "";
    if (block->group > 1) {
        (void)snprintf(each, sizeof each,
                       "<BR/>a box is a group of %u NPUs, a line %u links, one from each",
                       block->group, block->group);
    }
    (void)snprintf(text, sizeof text,
                   "<FONT COLOR=\"%s\"><B>dimension %u: %s</B></FONT>"
                   "<FONT POINT-SIZE=\"10\">%s<BR/>%u of these in the network</FONT>",
                   orr_dim_color(block->d), block->d + 1,
                   orr_net_format_notation(&one, notation, sizeof notation), each, copies);
    const struct orr_spot spot = {
        .shape = ORR_SHAPE_TEXT,
        .at = {block->middle.x, block->middle.y + PANEL_HEIGHT / 2.0 - 28},
        .text = text,
        .html = true};
    (void)orr_canvas_add(block->canvas, &spot);
}

static void draw_block(struct block *block)
{
    const struct net_dim *dim = &block->config->dim[block->d];
    const uint32_t max = block->group > 1 ? MAX_GROUPS : MAX_MEMBERS;
    block->gap = dim->npus > max;
    block->shown = block->gap ? max : dim->npus;
    add_title(block);
    for (uint32_t i = 0; i < block->shown; i++) {
        block->member[i] = add_member(block, i);
    }
    if (dim->npus == 1) {
        return;
    }
    if (dim->block == NET_SWITCH) {
        join_to_switch(block);
    } else {
        join_members(block);
    }
}

void orr_topo_draw_blocks(struct orr_canvas *canvas, const struct orr_topo *topo)
{
    const unsigned dims = topo->config.dims;
    const unsigned columns = dims == 4 ? 2 : dims < COLUMNS ? dims : COLUMNS;
    for (unsigned d = 0; d < dims; d++) {
        struct block block = {
            .config = &topo->config,
            .canvas = canvas,
            .d = d,
            .middle = {(double)PANEL_WIDTH * (d % columns), -(double)PANEL_HEIGHT * (d / columns)},
            .group = (uint32_t)orr_net_dim_metrics(&topo->config, d).stride};
        draw_block(&block);
    }
}
