/* A plan of SiP-ML on a page: see report/page/page_kind.h. */
#include "report/page/page_kind.h"

static void verdict(const json_t *plan, char *text)
{
    char time[ORR_VERDICT_FIGURE_BYTES];
    const json_t *best = json_object_get(plan, "best");
    orr_verdict_add(text,
                    "%s on %.0f devices is trained soonest by groups of %.0f that split the model, "
                    "%.0f of them, at a batch of %.0f: %s an iteration",
                    orr_verdict_text(plan, "model"), orr_page_number(plan, "devices"),
                    orr_page_number(best, "model_parallel"), orr_page_number(best, "data_parallel"),
                    orr_page_number(best, "batch"),
                    orr_verdict_time(orr_verdict_planned_ps(best), time));
    if (orr_page_number(plan, "faster_than_data_parallel") > 0) {
        orr_verdict_add(text, ", %.3f times as fast to the same accuracy as data parallelism",
                        orr_page_number(plan, "faster_than_data_parallel"));
    }
    orr_verdict_add(text, ".");
}

extern const struct page_kind orr_page_kind_sip_ml;
const struct page_kind orr_page_kind_sip_ml = {
    .name = "sip_ml", .need = {"model", "devices", "points[]"}, .verdict = verdict};
