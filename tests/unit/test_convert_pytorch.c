/* What PyTorch's traces say of communication, in each of their forms, and what becomes of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "core/strings.h"
#include "et_converter/conversion_report.h"
#include "et_converter/pytorch/et_kineto_link.h"
#include "et_converter/pytorch/json_scan.h"
#include "et_converter/pytorch/kineto.h"
#include "et_converter/pytorch/pytorch_graph.h"
#include "et_converter/pytorch/pytorch_trace.h"
#include "et_converter/pytorch/steps.h"
#include "workload/trace/trace.h"

#define TENSOR "[5, 6, 0, 100, 4, \"cuda:0\"]"
#define ATTR(name, value) "{\"name\": \"" name "\", \"type\": \"\", \"value\": " value "}"

struct fixture {
    struct orr_arena *arena;
    struct orr_strings strings;
    struct pt_trace trace;
    struct kt_trace kineto;
    struct pt_link link;
    struct pt_timeline timeline;
    struct conv_report report;
    struct orr_diag diag;
};

static int setup(void **state)
{
    struct fixture *fixture = orr_heap_calloc(1, sizeof *fixture);
    fixture->arena = orr_arena_create();
    orr_diag_init(&fixture->diag);
    orr_strings_init(&fixture->strings, fixture->arena);
    orr_convert_report_init(&fixture->report, fixture->arena);
    fixture->trace =
        (struct pt_trace){.arena = fixture->arena, .strings = &fixture->strings, .path = ""};
    *state = fixture;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *fixture = *state;
    orr_arena_destroy(fixture->arena);
    orr_heap_free(fixture);
    return 0;
}

/* Positional inputs of every generation, and attributes, which go before them. */
static void test_records(void **state)
{
    static const uint64_t in_bytes[] = {240, 160},
                          out_bytes[] = {200, 200}; /* 4 bytes an element */
    static const struct {
        const char *inputs, *attrs;
        struct pt_comm comm;
        const char *group; /* NULL: none */
        uint32_t size, first, second;
    } cases[] = {
        /* 1.0.1: group by address, no size */
        {"[" TENSOR ", 147, 9459, 0, \"all_to_allv\", [60, 40], [50, 50]]",
         "[]",
         {.kind = PT_COLLECTIVE,
          .comm = ORR_COMM_ALL_TO_ALL,
          .sizes = {.send = in_bytes, .recv = out_bytes, .send_count = 2, .recv_count = 2},
          .bytes = 400,
          .sequence = 147,
          .peer = -1},
         "9459",
         0,
         0,
         0},
        {"[[" TENSOR ", " TENSOR "], 5, 9460, 0, \"allreduce\", [], [], 8]",
         "[]",
         {.kind = PT_COLLECTIVE,
          .comm = ORR_COMM_ALL_REDUCE,
          .bytes = 800,
          .sequence = 5,
          .peer = -1},
         "9460",
         8,
         0,
         0},
        {"[147, 0, 0, \"wait\", [], []]",
         "[]",
         {.kind = PT_WAIT, .sequence = 147, .peer = -1},
         NULL,
         0,
         0,
         0},
        /* 1.0.3: name and description, start, stride and size; a sequence with its P2P flag */
        {"[" TENSOR ", [7, true], [\"12\", \"pp\"], 1, \"send\", [], [], 2, 4, 3]",
         "[]",
         {.kind = PT_SEND, .bytes = 400, .sequence = 7, .peer = 1},
         "12",
         3,
         2,
         6},
        {"[" TENSOR ", [8, true], [\"12\", \"pp\"], 0, \"recv\", [], [], 2, 4, 3]",
         "[]",
         {.kind = PT_RECV, .bytes = 400, .sequence = 8, .peer = 0},
         "12",
         3,
         2,
         6},
        {"[9, [\"0\", \"default_pg\"], 0, \"barrier\", [], [], 0, 1, 2]",
         "[]",
         {.kind = PT_COLLECTIVE, .comm = ORR_COMM_BARRIER, .sequence = 9, .peer = -1},
         "0",
         2,
         0,
         1},
        {"[" TENSOR ", 10, [\"0\", \"\"], 0, \"_allgather_base\", [], [], 0, 1, 2]",
         "[]",
         {.kind = PT_COLLECTIVE,
          .comm = ORR_COMM_ALL_GATHER,
          .bytes = 400,
          .sequence = 10,
          .peer = -1},
         "0",
         2,
         0,
         1},
        /* 1.1.0: attributes; no tensors, so elements and their type */
        {"[11, [\"3\", \"\"], 0, \"x\", [], []]",
         "[" ATTR("collective_name", "\"_reduce_scatter_base\"") "," ATTR(
             "dtype",
             "\"BFloat16"
             "\"") "," ATTR("in_msg_nelems",
                            "64") "," ATTR("pg_name",
                                           "\"fsdp\"") "," ATTR("pg_size",
                                                                "2") "," ATTR("global_rank_start",
                                                                              "1") "," ATTR("global"
                                                                                            "_rank_"
                                                                                            "strid"
                                                                                            "e",
                                                                                            "2") "]",
         {.kind = PT_COLLECTIVE,
          .comm = ORR_COMM_REDUCE_SCATTER,
          .bytes = 128,
          .sequence = 11,
          .peer = -1},
         "fsdp",
         2,
         1,
         3},
        {"[12, [\"3\", \"\"], 0, \"startCoalescing\", [], []]",
         "[]",
         {.kind = PT_OTHER, .sequence = 12, .peer = -1},
         "3",
         0,
         0,
         0},
    };
    struct fixture *fixture = *state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct js_doc inputs = {0}, attrs = {0};
        assert_true(orr_js_parse(&inputs, cases[i].inputs, strlen(cases[i].inputs)));
        assert_true(orr_js_parse(&attrs, cases[i].attrs, strlen(cases[i].attrs)));
        const uint32_t index = orr_pytorch_comm_read(&fixture->trace, (struct js_value){&inputs, 0},
                                                     (struct js_value){&attrs, 0});
        const struct pt_comm *comm = &fixture->trace.comm[index], *want = &cases[i].comm;
        assert_int_equal(comm->kind, want->kind);
        assert_int_equal(comm->comm, want->comm);
        assert_true(orr_comm_sizes_equal(&comm->sizes, &want->sizes));
        assert_int_equal(comm->bytes, want->bytes);
        assert_int_equal(comm->sequence, want->sequence);
        assert_int_equal(comm->peer, want->peer);
        if (cases[i].group == NULL) {
            assert_int_equal(comm->group, PT_NONE);
        } else {
            const struct pt_group *group = &fixture->trace.group[comm->group];
            assert_string_equal(group->key, cases[i].group);
            assert_int_equal(group->size, cases[i].size);
            if (cases[i].second != 0) {
                assert_int_equal(group->rank[0], cases[i].first);
                assert_int_equal(group->rank[1], cases[i].second);
            }
        }
        orr_js_doc_free(&inputs);
        orr_js_doc_free(&attrs);
    }
}

/* 2 m k n of products, 2 x outputs x filter of convolutions, twice that backwards, 4 b h s t d of
 * attention. */
static void test_operations(void **state)
{
    static const struct {
        const char *name, *in, *out;
        uint64_t flops;
    } cases[] = {{"aten::mm", "[[2, 3], [3, 5]]", "[[2, 5]]", 60},
                 {"aten::addmm", "[[5], [2, 3], [3, 5], [], []]", "[[2, 5]]", 60},
                 {"aten::bmm", "[[7, 2, 3], [7, 3, 5]]", "[[7, 2, 5]]", 420},
                 {"aten::cudnn_convolution", "[[1, 3, 8, 8], [16, 3, 3, 3]]", "[[1, 16, 6, 6]]",
                  2 * 576 * 27},
                 {"aten::convolution_backward", "[[1, 16, 6, 6], [1, 3, 8, 8], [16, 3, 3, 3]]",
                  "[[1, 3, 8, 8]]", 4 * 576 * 27},
                 {"aten::_scaled_dot_product_flash_attention",
                  "[[1, 2, 8, 4], [1, 2, 6, 4], [1, 2, 6, 4]]", "[[1, 2, 8, 4]]", 4 * 64 * 6},
                 {"aten::mm", "[[2, 3], [4, 5]]", "[[2, 5]]", 0}, /* does not fit */
                 {"aten::add", "[[2, 3], [2, 3]]", "[[2, 3]]", 0}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct js_doc in = {0}, out = {0};
        uint8_t op = 0;
        assert_true(orr_js_parse(&in, cases[i].in, strlen(cases[i].in)));
        assert_true(orr_js_parse(&out, cases[i].out, strlen(cases[i].out)));
        assert_int_equal(orr_pytorch_operator_flops(cases[i].name, (struct js_value){&in, 0},
                                                    (struct js_value){&out, 0}, &op),
                         cases[i].flops);
        orr_js_doc_free(&in);
        orr_js_doc_free(&out);
    }
}

/* ---- coalesced operations ---- */

#define NODE(id, name, inputs)                                                                     \
    "{\"id\": " id ", \"name\": \"" name "\", \"rf_id\": " id ", \"tid\": 1, \"parent\": 1, "      \
    "\"inputs\": " inputs ", \"outputs\": []}"
#define EVENT(cat, name, start, args)                                                              \
    "{\"ph\": \"X\", \"cat\": \"" cat "\", \"name\": \"" name                                      \
    "\", \"pid\": 9, \"tid\": 1, \"ts\": " start ", \"dur\": 5, \"args\": {" args "}}"
#define OP(id, name, start) EVENT("cpu_op", name, start, "\"Record function id\": " id)
#define LAUNCH(correlation, start)                                                                 \
    EVENT("cuda_runtime", "cudaLaunchKernel", start, "\"correlation\": " correlation)
#define KERNEL(correlation, start)                                                                 \
    EVENT("kernel", "ncclDevKernel_SendRecv", start, "\"stream\": 3, \"correlation\": " correlation)

static struct pt_graph build(struct fixture *fixture, const char *et, const char *profile)
{
    static const uint32_t ranks[] = {4, 5, 6};
    const struct js_source sources[] = {{.path = "et", .data = et, .bytes = strlen(et)},
                                        {.path = "k", .data = profile, .bytes = strlen(profile)}};
    assert_int_equal(orr_pytorch_trace_read(fixture->arena, &fixture->strings, &sources[0],
                                            &fixture->trace, &fixture->diag),
                     ORR_OK);
    assert_int_equal(
        orr_kineto_trace_read(&fixture->trace, &sources[1], &fixture->kineto, &fixture->diag),
        ORR_OK);
    assert_int_equal(
        orr_pytorch_link(&fixture->trace, &fixture->kineto, &fixture->link, &fixture->diag),
        ORR_OK);
    assert_int_equal(orr_pytorch_timeline_build(&fixture->trace, &fixture->kineto, &fixture->link,
                                                &fixture->timeline, &fixture->diag),
                     ORR_OK);
    struct pt_group_use *use =
        orr_arena_array(fixture->arena, (size_t)fixture->trace.groups + 1, sizeof *use);
    for (uint32_t g = 0; g <= fixture->trace.groups; g++) {
        use[g] = (struct pt_group_use){.name = "2", .size = 3, .rank = ranks};
    }
    struct pt_graph graph = {.trace = &fixture->trace,
                             .kineto = &fixture->kineto,
                             .timeline = &fixture->timeline,
                             .group = use,
                             .report = &fixture->report};
    assert_int_equal(orr_pytorch_graph_build(&graph, &fixture->diag), ORR_OK);
    return graph;
}

/* A kernel launched behind its records: two all-gathers of 400 B are one of 800 B; a batch of a
 * send and a receive is both, and the next kernel of the stream waits for both. */
static void test_coalesced(void **state)
{
    static const char et[] =
        "{\"schema\": \"1.0.3-chakra.0.0.4\", \"nodes\": [" NODE("2", "record_param_comms", "[" TENSOR ", 1, [\"5\", \"\"], 0, \"allgather_into_tensor_coalesced\", [], []]") "," NODE(
            "3", "record_param_comms",
            "[" TENSOR ", 1, [\"5\", \"\"], 0, \"allgather_into_tensor_coalesced\", [], "
            "[]]") "," NODE("4", "end",
                            "[]") "," NODE("5", "record_param_comms",
                                           "[" TENSOR ", 2, [\"5\", \"\"], 1, \"send\", "
                                           "[], []]") "," NODE("6",
                                                               "record_param_"
                                                               "comms",
                                                               "[" TENSOR ", 3, [\"5\", "
                                                               "\"\"], 2, "
                                                               "\"recv\", [], "
                                                               "[]]") "," NODE("7", "end",
                                                                               "[]") "," NODE("8",
                                                                                              "reco"
                                                                                              "rd_"
                                                                                              "para"
                                                                                              "m_"
                                                                                              "comm"
                                                                                              "s",
                                                                                              "[" TENSOR
                                                                                              ", "
                                                                                              "4, "
                                                                                              "[\"5"
                                                                                              "\", "
                                                                                              "\"\""
                                                                                              "], "
                                                                                              "0, "
                                                                                              "\"al"
                                                                                              "lred"
                                                                                              "uce"
                                                                                              "\", "
                                                                                              "[], "
                                                                                              "[]]") "]}";
    static const char profile[] =
        "{\"traceEvents\": [" OP("2", "record_param_comms", "10") "," OP("3", "record_param_comms", "20") "," OP("4", "end", "30") "," LAUNCH("1", "31") "," KERNEL(
            "1",
            "40") "," OP("5", "record_param_comms",
                         "50") "," OP("6", "record_param_comms",
                                      "60") "," OP("7", "end",
                                                   "70") "," LAUNCH("2",
                                                                    "71") "," KERNEL("2",
                                                                                     "80") "," OP("8",
                                                                                                  "record_param_comms",
                                                                                                  "90") "," LAUNCH("3",
                                                                                                                   "91") "," KERNEL("3",
                                                                                                                                    "100") "]}";
    const struct pt_graph graph = build(*state, et, profile);
    static const struct {
        uint8_t kind, comm;
        uint64_t bytes;
    } want[] = {{ORR_NODE_COLL, ORR_COMM_ALL_GATHER, 800},
                {ORR_NODE_SEND, 0, 400},
                {ORR_NODE_RECV, 0, 400},
                {ORR_NODE_COLL, ORR_COMM_ALL_REDUCE, 400}};
    assert_int_equal(graph.traffics, 4);
    assert_int_equal(graph.nccl_kernels, 3);
    uint32_t at = 0, last = 0;
    for (uint32_t i = 0; i < graph.out->nodes; i++) {
        const struct orr_node *node = &graph.out->node[i];
        if (node->kind < ORR_NODE_SEND) {
            continue;
        }
        assert_int_equal(node->kind, want[at].kind);
        assert_int_equal(node->amount, want[at].bytes);
        if (node->kind == ORR_NODE_COLL) {
            assert_int_equal(node->comm, want[at].comm);
        } else { /* places 1 and 2 of ranks 4, 5, 6; the tag is the group's number */
            assert_int_equal(node->of.p2p.peer, node->kind == ORR_NODE_SEND ? 5 : 6);
            assert_int_equal(node->of.p2p.tag, 2);
        }
        at++;
        last = i;
    }
    assert_int_equal(at, 4);
    assert_int_equal(graph.out->parents[last], 3); /* launch, send, receive */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_records, setup, teardown),
        cmocka_unit_test(test_operations),
        cmocka_unit_test_setup_teardown(test_coalesced, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
