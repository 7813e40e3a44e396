/* The network of a run: utilization of its links, traffic, a picture. */
#include <stdlib.h>

#include "core/arena.h"
#include "core/diag.h"
#include "core/sum.h"
#include "orrery/orrery.h"
#include "report/details/details_parts.h"
#include "report/json_text.h"
#include "report/network_use.h"
#include "report/pictures/pictures.h"
#include "report/results/result.h"
#include "report/results/results.h"
#include "report/topology/topology_report.h"
#include "sim/load/platform_network.h"

enum { MAX_LINKS = 200, MAX_CELLS = 64, USE_STEPS = 20, MAX_PICTURE_BYTES = 1 << 20 };

/* ---- links ---- */

struct link_rank {
    size_t index;
    double utilization;
};

static int by_use(const void *a, const void *b)
{
    const struct link_rank *first = a, *second = b;
    if (first->utilization < second->utilization || first->utilization > second->utilization) {
        return first->utilization > second->utilization ? -1 : 1;
    }
    return (first->index > second->index) - (first->index < second->index);
}

/* Histogram of link utilization, in USE_STEPS equal bins from 0 to 1. */
static json_t *use_counts(const struct link_rank *link, size_t links)
{
    size_t count[USE_STEPS] = {0};
    json_t *list = json_array();
    for (size_t i = 0; i < links; i++) {
        const double use = link[i].utilization;
        const size_t step = use > 0 ? (size_t)(use * USE_STEPS) : 0;
        count[step < USE_STEPS ? step : USE_STEPS - 1]++;
    }
    for (size_t i = 0; i < USE_STEPS; i++) {
        (void)json_array_append_new(list, json_integer((json_int_t)count[i]));
    }
    return list;
}

static json_t *links_object(const struct orr_network_use *use, struct link_rank *rank, size_t links)
{
    json_t *object = json_object(), *rows = json_array();
    struct orrery_link link;
    struct orr_link_row row;
    for (size_t i = 0; i < links; i++) {
        (void)orrery_link(use->job, i, &link);
        orr_link_row(use, &link, &row);
        rank[i] = (struct link_rank){i, row.utilization};
    }
    qsort(rank, links, sizeof *rank, by_use);
    for (size_t i = 0; i < links && i < MAX_LINKS; i++) {
        (void)orrery_link(use->job, rank[i].index, &link);
        orr_link_row(use, &link, &row);
        orr_result_append_json(rows, &orr_link_results, &row);
    }
    (void)json_object_set_new(object, "count", json_integer((json_int_t)links));
    (void)json_object_set_new(object, "by_use", use_counts(rank, links));
    (void)json_object_set_new(object, "most_used", rows);
    return object;
}

void orr_details_links(const struct orr_parts *parts, const struct orr_details *of)
{
    const size_t links = orrery_links(of->job);
    if (links == 0) {
        orr_part_missing(parts, "links",
                         "the network is a stack of dimensions; links need network.graph");
        return;
    }
    struct link_rank *rank = orr_heap_calloc(links, sizeof *rank);
    if (rank == NULL) {
        orr_part_missing(parts, "links", "memory is out");
        return;
    }
    const struct orr_network_use use = orr_network_use_of(of->job);
    (void)json_object_set_new(parts->details, "links", links_object(&use, rank, links));
    orr_heap_free(rank);
}

/* ---- traffic ---- */

void orr_details_traffic(const struct orr_parts *parts, const struct orr_details *of)
{
    if (of->traffic == NULL) {
        orr_part_missing(parts, "traffic",
                         of->no_traffic != NULL ? of->no_traffic : "it was not recorded");
        return;
    }
    const uint32_t npus = orrery_npus(of->traffic);
    const uint32_t block = (npus + MAX_CELLS - 1) / MAX_CELLS;
    const size_t cells = (npus + block - 1) / block;
    orr_sum *bytes = orr_heap_calloc(cells * cells, sizeof *bytes);
    struct orrery_pair pair;
    json_t *object = json_object(), *rows = json_array();
    for (size_t i = 0; bytes != NULL && orrery_pair(of->traffic, i, &pair) == ORRERY_OK; i++) {
        bytes[pair.from / block * cells + pair.to / block] += pair.bytes;
    }
    for (size_t i = 0; bytes != NULL && i < cells; i++) {
        json_t *row = json_array();
        for (size_t j = 0; j < cells; j++) {
            (void)json_array_append_new(row, orr_json_sum(bytes[i * cells + j]));
        }
        (void)json_array_append_new(rows, row);
    }
    (void)json_object_set_new(object, "npus", json_integer(npus));
    (void)json_object_set_new(object, "block", json_integer(block));
    (void)json_object_set_new(object, "bytes", rows);
    (void)json_object_set_new(parts->details, "traffic", object);
    orr_heap_free(bytes);
}

/* ---- the picture ---- */

void orr_details_picture(const struct orr_parts *parts, const struct orr_details *of)
{
    const struct net_config *network = orr_job_network(of->job);
    const char *name = network->design != NULL ? network->design : "network";
    char *text = NULL;
    size_t bytes = 0;
    struct orr_diag diag;
    orr_diag_init(&diag);
    FILE *out = open_memstream(&text, &bytes);
    bool drawn = out != NULL && orr_network_svg(out, network, name, &diag) == ORR_OK;
    drawn = out != NULL && fclose(out) == 0 && drawn;
    if (drawn && bytes <= MAX_PICTURE_BYTES) {
        (void)json_object_set_new(parts->details, "network", orr_json_text(text));
    } else {
        orr_part_missing(parts, "network",
                         drawn ? "its picture is too large; orrery topo draw makes one"
                         : diag.message[0] != '\0' ? diag.message
                                                   : "it could not be drawn");
    }
    free(text);
}
