/* SiP-ML as hardware for programs; see include/orrery/topology.h. */
#include "report/topology/topology_object.h"
#include "sipml/report/sip_ml_report.h"

static enum orr_status read_request(struct orrery_topology *topology,
                                    const struct orrery_sip_ml_input *input,
                                    struct orr_sip_request *request)
{
    struct orr_diag *diag = &orr_topology_object(topology)->diag;
    const enum orr_status status = orr_check_caller_struct(
        "orrery_sip_ml_input", input != NULL ? &input->size : NULL, sizeof *input, diag);
    return status == ORR_OK ? orr_sip_read(input->set, input->set_count, request, diag) : status;
}

static void fill(const struct orr_sip_request *request, struct orrery_sip_ml_figures *out)
{
    const struct sip_hardware all = orr_sip_hardware(&request->rules);
    const struct sip_switches *bcube = &all.bcube_switches;
    const sim_time dark = request->rules.dark_ps;
    *out = (struct orrery_sip_ml_figures){
        .size = sizeof *out,
        .duty = orr_duty_of_hold(request->hold[0], dark),
        .slot_duty = orr_duty_of_slot(request->hold[0], dark),
        .node_loss_db = all.node_db,
        .reach = all.reach,
        .micro_rings = all.ocs.wavelengths,
        .interfaces = all.ocs.of_gpu,
        .chip_dollars = all.prices.chip,
        .mass_chip_dollars = all.prices.mass,
        .run_dollars = all.ocs_cost.run,
        .mass_dollars = all.ocs_cost.mass,
        .optics_dollars = all.ocs_cost.optics,
        .sr_optics_dollars = all.ocs_cost.sr_optics,
        .flat = all.flat_switches.possible,
        .clos_stages = all.clos_switches.stages,
        .clos_in_budget = all.clos_switches.lit,
        .clos_switches = all.clos_switches.number,
        .bcube_levels = all.bcube.levels,
        .bcube_peers = bcube->peers,
        .bcube_switches = bcube->number,
        .bcube_share = (double)(bcube->pairs.inside_direct + bcube->pairs.around_direct) /
                       (double)(bcube->pairs.inside + bcube->pairs.around)};
}

enum orrery_status orrery_topology_sip_ml(struct orrery_topology *topology,
                                          const struct orrery_sip_ml_input *input,
                                          struct orrery_sip_ml_figures *metrics)
{
    struct orr_sip_request request;
    if (topology == NULL) {
        return ORRERY_ERROR_INPUT;
    }
    enum orr_status status = read_request(topology, input, &request);
    if (status == ORR_OK) {
        status = orr_check_caller_struct("orrery_sip_ml_figures",
                                         metrics != NULL ? &metrics->size : NULL, sizeof *metrics,
                                         &orr_topology_object(topology)->diag);
    }
    if (status == ORR_OK) {
        fill(&request, metrics);
    }
    return orr_object_finish(orr_topology_object(topology), status);
}

enum orrery_status orrery_topology_write_sip_ml(struct orrery_topology *topology,
                                                const struct orrery_sip_ml_input *input, FILE *out,
                                                const char *format)
{
    struct orr_sip_request request;
    if (topology == NULL) {
        return ORRERY_ERROR_INPUT;
    }
    struct orr_diag *diag = &orr_topology_object(topology)->diag;
    enum orr_status status = read_request(topology, input, &request);
    status = status == ORR_OK ? orr_sip_write(out, &request, format, diag) : status;
    status = status == ORR_OK ? orr_check_written(out, diag) : status;
    return orr_object_finish(orr_topology_object(topology), status);
}
