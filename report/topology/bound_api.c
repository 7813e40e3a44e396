/* Bounds of collectives for programs; see include/orrery/topology.h. */
#include <inttypes.h>
#include <string.h>

#include "orrery/orrery.h"
#include "report/topology/bound_report.h"
#include "report/topology/topology_private.h"

/* The kind of a name; COLL_KINDS: none that has a bound. */
static enum coll_kind kind_of(const char *name)
{
    unsigned kind = 0;
    while (kind < COLL_KINDS && (name == NULL || !orr_bound_supports((enum coll_kind)kind) ||
                                 strcmp(orr_coll_kind_name((enum coll_kind)kind), name) != 0)) {
        kind++;
    }
    return (enum coll_kind)kind;
}

static enum orr_status fail_kind(const char *name, struct orr_diag *diag)
{
    char list[256] = "";
    size_t used = 0;
    for (unsigned kind = 0; kind < COLL_KINDS; kind++) {
        if (orr_bound_supports((enum coll_kind)kind)) {
            used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", used == 0 ? "" : ", ",
                                     orr_coll_kind_name((enum coll_kind)kind));
        }
    }
    return orr_diag_fail(diag, ORR_ERR_INPUT, NULL, "collective: expected one of %s, got \"%s\"",
                         list, name != NULL ? name : "NULL");
}

static enum orr_status check(struct orrery_topology *topology,
                             const struct orrery_topology_bound *bound, const char *format)
{
    struct orr_diag *diag = &topology->object.diag;
    const enum orr_status status = orr_check_caller_struct(
        "orrery_topology_bound", bound != NULL ? &bound->size : NULL, sizeof *bound, diag);
    if (status != ORR_OK) {
        return status;
    }
    if (format == NULL || (strcmp(format, "text") != 0 && strcmp(format, "json") != 0)) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                             "expected the format text or json, got \"%s\"",
                             format != NULL ? format : "NULL");
    }
    if (!topology->read) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL, "no network was read yet");
    }
    return kind_of(bound->collective) == COLL_KINDS ? fail_kind(bound->collective, diag) : ORR_OK;
}

static enum orr_status write_bound(struct orrery_topology *topology,
                                   const struct orrery_topology_bound *request, FILE *out,
                                   const char *format)
{
    struct orr_diag *diag = &topology->object.diag;
    struct orr_graph_view view;
    struct orr_bound bound;
    enum orr_status status = check(topology, request, format);
    status = status == ORR_OK ? orr_topology_as_graph(topology, &view) : status;
    if (status == ORR_OK && request->npus != 0 && request->npus != view.graph.npus) {
        status = orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                               "npus: expected a network of %" PRIu32 ", got %s of %" PRIu32,
                               request->npus, view.name, view.graph.npus);
    }
    if (status != ORR_OK) {
        return status;
    }
    const struct orr_bound_request parsed = {
        .kind = kind_of(request->collective), .bytes = request->bytes, .root = request->root};
    status = orr_bound_compute(&view, &parsed, &bound, diag);
    if (status != ORR_OK) {
        return status;
    }
    return (strcmp(format, "text") == 0 ? orr_bound_text(out, &bound) : orr_bound_json(out, &bound))
               ? ORR_OK
               : orr_diag_fail(diag, ORR_ERR_IO, NULL, "the bound cannot be written");
}

enum orrery_status orrery_topology_write_bound(struct orrery_topology *topology,
                                               const struct orrery_topology_bound *bound, FILE *out,
                                               const char *format)
{
    return topology == NULL
               ? ORRERY_ERROR_INPUT
               : orr_object_finish(&topology->object, write_bound(topology, bound, out, format));
}
