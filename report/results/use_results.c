/* The results of network and memory utilization: links, and bytes over time. */
#include "report/results/results.h"

#define AT(member) .offset = offsetof(struct orr_link_row, member)

static const struct orr_result of_link[] = {
    {.name = "from", ORR_TEXT_AT(from), .meaning = "node that sends"},
    {.name = "to", ORR_TEXT_AT(to), .meaning = "node that receives"},
    {.name = "links", ORR_COUNT32_AT(of.count), .meaning = "number of parallel links"},
    {.name = "bandwidth_bytes_per_s",
     ORR_BYTES_PER_S_AT(of.bandwidth_bytes_per_s),
     .meaning = "of one of them"},
    {.name = "latency_ps", ORR_PS_AT(of.latency_ps), .meaning = "of each"},
    {.name = "bytes", ORR_BYTES_AT(of.bytes), .meaning = "bytes that crossed them"},
    {.name = "utilization",
     ORR_SHARE_AT(utilization),
     .digits = -6,
     .meaning = "these over what they could have carried in the job's time"}};

const struct orr_result_table orr_link_results = {
    .title = "A link",
    .place = "links",
    .meaning = "A line of `--link-stats`: links of a graph from one node to another, one way.",
    ORR_RESULT_TABLE(of_link),
    .forms = ORR_IN_CSV | ORR_IN_JSON};
#undef AT

static struct orr_value peak(const void *of)
{
    return orr_text_value(((const struct orr_memory_row *)of)->peak ? "yes" : "no");
}

static struct orr_value node(const void *of)
{
    const struct orr_memory_row *row = of;
    return row->written ? orr_integer_value(row->node) : (struct orr_value){.kind = ORR_VALUE_NONE};
}

#define AT(member) .offset = offsetof(struct orr_memory_row, member)

static const struct orr_result of_memory[] = {
    {.name = "rank", .type = ORR_RESULT_U32, AT(rank), .meaning = "the NPU's rank, from 0"},
    {.name = "memory", ORR_TEXT_AT(memory), .meaning = "local or remote"},
    {.name = "time_ps", ORR_PS_AT(step.at_ps), .meaning = "from then on"},
    {.name = "bytes", ORR_BYTES_AT(step.bytes), .meaning = "bytes of live tensors"},
    {.name = "peak", ORR_TEXT_OF(peak), .meaning = "yes at the peak"},
    {.name = "node",
     .type = ORR_RESULT_U64,
     .value = node,
     .meaning = "id of the node that writes a tensor at the peak, where there is one"}};

const struct orr_result_table orr_memory_results = {
    .title = "Memory over time",
    .meaning =
        "A line of `--memory-timeline`: the contents of a memory of an NPU, at every change.",
    ORR_RESULT_TABLE(of_memory),
    .forms = ORR_IN_CSV};
