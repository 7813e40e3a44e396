/* A plan of TopoOpt on a page: see report/page/page_kind.h. */
#include "report/page/page_kind.h"

static void verdict(const json_t *plan, char *text)
{
    char time[ORR_VERDICT_FIGURE_BYTES];
    orr_verdict_add(
        text, "The plan for %s on %.0f servers with %.0f interfaces takes %s an iteration (%s)",
        orr_verdict_text(plan, "model"), orr_page_number(plan, "servers"),
        orr_page_number(plan, "degree"), orr_verdict_time(orr_verdict_planned_ps(plan), time),
        orr_page_number(plan, "simulated_ps") > 0 ? "simulated" : "predicted");
    orr_verdict_add_data_parallel(json_object_get(plan, "data_parallel"),
                                  orr_verdict_planned_ps(plan), text);
}

extern const struct page_kind orr_page_kind_topoopt;
const struct page_kind orr_page_kind_topoopt = {
    .name = "topoopt", .need = {"model", "servers", "topology{}"}, .verdict = verdict};
