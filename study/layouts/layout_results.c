/* The results of a search for layouts, as tables; see layout_study.h. */
#include "report/results/result.h"
#include "study/layouts/layout_study.h"

static const struct orr_layout_study *study_of(const void *row)
{
    return row;
}

static struct orr_value estimates(const void *row)
{
    return orr_integer_value((orr_sum)study_of(row)->found.estimates);
}

static struct orr_value too_large(const void *row)
{
    return orr_integer_value((orr_sum)study_of(row)->found.too_large);
}

static struct orr_value refused(const void *row)
{
    return orr_integer_value((orr_sum)study_of(row)->found.refused);
}

#define OF(member) .offset = offsetof(struct orr_layout_study, member)

static const struct orr_result of_search[] = {
    {.name = "npus",
     .type = ORR_RESULT_U32,
     .unit = ORR_UNIT_COUNT,
     OF(npus),
     .meaning = "NPUs of the job"},
    {.name = "capacity_bytes",
     .type = ORR_RESULT_U64,
     .unit = ORR_UNIT_BYTES,
     OF(capacity_bytes),
     .meaning = "memory of an NPU that layouts may need; 0: no limit"},
    {.name = "estimates",
     .type = ORR_RESULT_U64,
     .unit = ORR_UNIT_COUNT,
     .value = estimates,
     .meaning = "layouts that fit: their time was estimated"},
    {.name = "estimate_s",
     .type = ORR_RESULT_REAL,
     .unit = ORR_UNIT_S,
     OF(found.seconds),
     .meaning = "processor time of the whole search, its checks of layouts and of memory included"},
    {.name = "too_large",
     .type = ORR_RESULT_U64,
     .unit = ORR_UNIT_COUNT,
     .value = too_large,
     .meaning = "layouts that need more memory"},
    {.name = "refused",
     .type = ORR_RESULT_U64,
     .unit = ORR_UNIT_COUNT,
     .value = refused,
     .meaning = "layouts that the model, its batch or the schedule do not allow"},
    {.name = "best",
     .type = ORR_RESULT_LIST,
     .in_forms = ORR_BY_NAME,
     .rows = &orr_best_layout_results,
     .meaning = "the layouts that were simulated, the fastest first"}};

const struct orr_result_table orr_layout_results = {.title = "Search for layouts",
                                                    .place = "search",
                                                    .meaning =
                                                        "The object of `orrery plan llm --json`.",
                                                    ORR_RESULT_TABLE(of_search),
                                                    .forms = ORR_IN_JSON};
#undef OF

static const struct orr_best_layout *layout_of(const void *row)
{
    return row;
}

static struct orr_value layout_text(const void *row)
{
    return orr_text_value(layout_of(row)->layout);
}

static struct orr_value why_text(const void *row)
{
    return orr_text_value(layout_of(row)->why);
}

#define OF(member) .offset = offsetof(struct orr_best_layout, member)
#define DEGREE(member, what)                                                                       \
    {                                                                                              \
        .name = #member, .type = ORR_RESULT_U32, .unit = ORR_UNIT_COUNT, OF(member),               \
        .in_forms = ORR_IN_JSON | ORR_IN_CSV, .meaning = (what)                                    \
    }

static const struct orr_result of_best[] = {
    {.name = "layout",
     .label = "layout",
     .type = ORR_RESULT_TEXT,
     .value = layout_text,
     .width = -40,
     .meaning = "degrees: t tensor, c context, e expert, et expert tensor, p pipeline, v chunks, d "
                "data; mb micro-batch"},
    DEGREE(tensor, "tensor-parallel ranks"),
    DEGREE(context, "context-parallel ranks"),
    DEGREE(expert, "ranks among which experts are spread"),
    DEGREE(expert_tensor, "ranks that share each expert"),
    DEGREE(pipeline, "pipeline stages"),
    DEGREE(chunks, "parts of the model on each stage"),
    DEGREE(data, "data-parallel ranks"),
    DEGREE(micro_batch, "samples of a micro-batch"),
    DEGREE(zero, "ZeRO stage"),
    {.name = "recompute",
     .type = ORR_RESULT_TEXT,
     OF(recompute),
     .in_forms = ORR_IN_JSON | ORR_IN_CSV,
     .meaning = "activations recomputed in the backward pass"},
    {.name = "estimated_ps",
     .label = "estimated",
     .type = ORR_RESULT_I64,
     .unit = ORR_UNIT_PS,
     OF(estimated_ps),
     .width = 12,
     .meaning = "time of the job, estimated"},
    {.name = "simulated_ps",
     .label = "simulated",
     .type = ORR_RESULT_I64,
     .unit = ORR_UNIT_PS,
     OF(simulated_ps),
     .width = 12,
     .meaning = "time of the job, simulated"},
    {.name = "error",
     .type = ORR_RESULT_REAL,
     .unit = ORR_UNIT_RATIO,
     OF(error),
     .in_forms = ORR_IN_JSON | ORR_IN_CSV,
     .meaning = "of the estimate, beside the simulation"},
    {.name = "memory_bytes",
     .label = "memory",
     .type = ORR_RESULT_U64,
     .unit = ORR_UNIT_BYTES,
     OF(memory_bytes),
     .width = 12,
     .meaning = "of the NPU that needs the most"},
    {.name = "tokens_per_s",
     .type = ORR_RESULT_REAL,
     .unit = ORR_UNIT_PER_S,
     OF(tokens_per_s),
     .in_forms = ORR_IN_JSON | ORR_IN_CSV,
     .meaning = "tokens a second"},
    {.name = "days",
     .type = ORR_RESULT_REAL,
     OF(days),
     .optional = true,
     .in_forms = ORR_IN_JSON | ORR_IN_CSV,
     .meaning = "until all tokens of the training are done; left out where they are not given"},
    {.name = "cost",
     .type = ORR_RESULT_REAL,
     OF(cost),
     .optional = true,
     .in_forms = ORR_IN_JSON | ORR_IN_CSV,
     .meaning = "dollars of the NPUs in these days; left out where the price is not given"},
    {.name = "why",
     .label = "time of a step, estimated",
     .type = ORR_RESULT_TEXT,
     .value = why_text,
     .meaning = "where the time of the last stage goes: computation, what is recomputed, exchanges "
                "beside no computation, the pipeline's bubble, gradients and weights behind the "
                "last pass; memory left"}};

const struct orr_result_table orr_best_layout_results = {
    .title = "A layout",
    .place = "best",
    .meaning = "An entry of `best` of `orrery plan llm --json`, a line of its table and its CSV.",
    ORR_RESULT_TABLE(of_best),
    .forms = ORR_IN_JSON | ORR_IN_CSV | ORR_IN_TABLE};
