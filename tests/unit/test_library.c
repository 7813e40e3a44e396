/* Collectives as NCCL and RCCL do them: times, algorithms and protocols by hand from the constants,
 * shapes of groups, rings of a DGX-1; that nothing beats the cut, more bytes are never faster and
 * more bandwidth never slower; and what the keys refuse. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "core/conf/conf.h"
#include "network/net_config.h"
#include "network/net_config_read.h"
#include "system/ccl/ccl.h"
#include "system/collectives/program.h"

#define MIB 1048576.0
#define GB 1e9

/* ---- libraries and shapes from text ---- */

struct fixture {
    struct orr_arena *arena;
    struct net_config network;
    const struct sys_ccl *library;
    struct orr_diag diag;
};

static enum orr_status read_library(struct fixture *f, const char *network, const char *library)
{
    const struct orr_conf *root = NULL;
    orr_diag_init(&f->diag);
    assert_int_equal(orr_conf_parse(f->arena, network, strlen(network), "net.yml", &root, &f->diag),
                     ORR_OK);
    assert_int_equal(orr_net_config_read(f->arena, root, &f->network, &f->diag), ORR_OK);
    assert_int_equal(orr_conf_parse(f->arena, library, strlen(library), "lib.yml", &root, &f->diag),
                     ORR_OK);
    return orr_sys_ccl_read(f->arena, root, &f->network, &f->library, &f->diag);
}

static void use(struct fixture *f, const char *network, const char *library)
{
    char message[400];
    if (read_library(f, network, library) != ORR_OK) {
        (void)orr_diag_render(&f->diag, message, sizeof message);
        fail_msg("%s", message);
    }
}

#define A100                                                                                       \
    "{topology: Switch(8)_Switch(8), bandwidth_is: npu, dims: [{bandwidth: 300 GB/s, latency: "    \
    "1 us}, {bandwidth: 25 GB/s, latency: 2 us}]}"
#define H200                                                                                       \
    "{topology: Switch(8)_Switch(4), bandwidth_is: npu, dims: [{bandwidth: 450 GB/s, latency: "    \
    "1 us}, {bandwidth: 50 GB/s, latency: 2 us}]}"
#define MESH                                                                                       \
    "{topology: FullyConnected(4)_Switch(8), bandwidth_is: npu, dims: [{bandwidth: 300 GB/s, "     \
    "latency: 1 us}, {bandwidth: 25 GB/s, latency: 2 us}]}"
#define V100                                                                                       \
    "{topology: Switch(8)_Switch(2), bandwidth_is: npu, dims: [{bandwidth: 150 GB/s, latency: "    \
    "1 us}, {bandwidth: 6.25 GB/s, latency: 2 us}]}"

/* `each` NPUs in each of so many nodes. */
static struct sys_ccl_shape shape_of(struct fixture *f, uint32_t nodes, uint32_t each)
{
    uint32_t rank[1024], count = 0;
    struct sys_ccl_shape shape;
    for (uint32_t node = 0; node < nodes; node++) {
        for (uint32_t i = 0; i < each; i++) {
            rank[count++] = node * f->network.dim[0].npus + i;
        }
    }
    assert_int_equal(orr_sys_ccl_shape_of(f->library, &f->network, rank, count, &shape, &f->diag),
                     ORR_OK);
    assert_int_equal(shape.npus, count);
    assert_int_equal(shape.nodes, nodes);
    return shape;
}

static double us_of(struct fixture *f, const struct sys_ccl_shape *shape, enum coll_kind kind,
                    double bytes, struct sys_ccl_choice *choice)
{
    orr_sys_ccl_choose(f->library, shape, kind, bytes, choice);
    return (double)orr_sys_ccl_time_ps(choice) / 1e6;
}

/* Which algorithm and protocol, and the time in microseconds. */
static void takes(struct fixture *f, uint32_t nodes, uint32_t each, enum coll_kind kind,
                  double bytes, const char *how, double us)
{
    struct sys_ccl_choice choice;
    const struct sys_ccl_shape shape = shape_of(f, nodes, each);
    const double found = us_of(f, &shape, kind, bytes, &choice);
    char name[64];
    (void)snprintf(name, sizeof name, "%s%s%s", choice.algorithm,
                   choice.protocol[0] != '\0' ? " " : "", choice.protocol);
    assert_string_equal(name, how);
    if (fabs(found - us) > us * 1e-9 + 2e-6) {
        fail_msg("%s: %.9g us, expected %.9g", how, found, us);
    }
}

/* ---- by hand ---- */

/* All have 8 us of launch and 6.6 us of base. Bi = 235 GB/s; Bx = g x 22.5 GB/s, with one GPU of a
 * node 17.5. */
static void test_a100_by_hand(void **state)
{
    struct fixture *f = *state;
    use(f, A100, "{name: nccl, gpu: a100}");
    const double bi = 235 * GB / 1e6, bx = 180 * GB / 1e6; /* bytes/us */
    /* 14 steps of LL: 14 x 0.6, and half of the bandwidth. */
    takes(f, 1, 8, COLL_ALL_REDUCE, 8192, "ring LL", 14.6 + 8.4 + 8192 * 1.75 / (0.5 * bi));
    takes(f, 1, 8, COLL_ALL_REDUCE, 4 * MIB, "ring LL128",
          14.6 + 14 * 1.9 + 4 * MIB * 1.75 / (0.92 * bi));
    takes(f, 1, 8, COLL_ALL_REDUCE, 64 * MIB, "ring Simple",
          14.6 + 14 * 3.4 + 64 * MIB * 1.75 / bi);
    takes(f, 1, 8, COLL_ALL_GATHER, 64 * MIB, "ring Simple",
          14.6 + 7 * 3.4 + 64 * MIB * 0.875 / bi);
    takes(f, 1, 2, COLL_REDUCE_SCATTER, 1024 * MIB, "ring Simple",
          14.6 + 3.4 + 1024 * MIB * 0.5 / bi);
    /* Flat over two nodes: 30 steps, 2 of them between nodes; each link has 30/16 of the bytes. */
    takes(f, 2, 8, COLL_ALL_REDUCE, 1024 * MIB, "ring Simple",
          14.6 + 28 * 3.4 + 2 * 14 + 1024 * MIB * 1.875 / bx);
    /* Trees have fewer steps: 2 (7 x 1.25 + 3 x 8.5) with LL128 on 8 nodes. */
    takes(f, 8, 8, COLL_ALL_REDUCE, 1 * MIB, "tree LL128",
          14.6 + 2 * (7 * 1.25 + 3 * 8.5) + 2 * MIB / (0.92 * 0.9 * bx));
    /* An inner step of LL beside outer ones takes a post: 1 us, not 0.6. */
    takes(f, 2, 8, COLL_ALL_GATHER, 1024, "ring LL",
          14.6 + 14 * 1.0 + 1 * 2.7 + 1024 * (15. / 16) / (0.5 * bx));
    /* One GPU a node: one NIC, by which it both sends and receives. */
    takes(f, 4, 1, COLL_ALL_GATHER, 256 * MIB, "ring Simple",
          14.6 + 3 * 14.0 + 256 * MIB * 0.75 / (25e3 * 0.7));
    takes(f, 1, 8, COLL_BROADCAST, 256 * MIB, "chain Simple", 14.6 + 3.4 + 256 * MIB / bi);
    takes(f, 2, 8, COLL_REDUCE, 256 * MIB, "chain Simple", 14.6 + 14 + 256 * MIB / bx);
    takes(f, 1, 8, COLL_ALL_TO_ALL, 256 * MIB, "direct", 14.6 + 20 + 256 * MIB * 0.875 / bi);
    takes(f, 2, 8, COLL_ALL_TO_ALL, 256 * MIB, "direct",
          14.6 + 20 + 8 + 256 * MIB * 0.5 / (22.5e3));
}

/* NVLS inside of a node from 5 GPUs on; the tree of it where it is said to be. */
static void test_in_switch_by_hand(void **state)
{
    struct fixture *f = *state;
    const double bn = 0.59 * 450e3, bi = 370e3, bx = 8 * 45e3;
    use(f, H200, "{name: nccl, gpu: h100}");
    takes(f, 1, 8, COLL_ALL_REDUCE, 1024 * MIB, "nvls", 14.6 + 25 + 1024 * MIB / bn);
    takes(f, 1, 5, COLL_ALL_REDUCE, 1024 * MIB, "nvls", 14.6 + 25 + 1024 * MIB / bn);
    takes(f, 1, 4, COLL_ALL_REDUCE, 1024 * MIB, "ring Simple",
          14.6 + 6 * 3.4 + 1024 * MIB * 1.5 / bi);
    use(f, H200, "{name: nccl, gpu: h100, nvls: false}");
    takes(f, 1, 8, COLL_ALL_REDUCE, 1024 * MIB, "ring Simple",
          14.6 + 14 * 3.4 + 1024 * MIB * 1.75 / bi);
    /* Two nodes: the switches of a node bound (265.5 GB/s, the NICs 360). More nodes: each byte
     * goes up and down, and the NICs bound; a ring moves less when steps no longer matter. */
    use(f, H200, "{name: nccl, gpu: h100, launch: 0 us}");
    takes(f, 2, 8, COLL_ALL_REDUCE, 1024 * MIB, "nvls_tree", 6.6 + 25 + 2 * 20.9 + 1024 * MIB / bn);
    takes(f, 4, 8, COLL_ALL_REDUCE, 64 * MIB, "nvls_tree", 6.6 + 25 + 4 * 20.9 + 2 * 64 * MIB / bx);
    takes(f, 4, 8, COLL_ALL_REDUCE, 8192 * MIB, "ring Simple",
          6.6 + (62 - 6) * 3.4 + 6 * 14.0 + 8192 * MIB * (62. / 32) / bx);
    /* Two GPUs of each of two nodes: their two NICs bound. */
    takes(f, 2, 2, COLL_ALL_REDUCE, 1024 * MIB, "nvls_tree",
          6.6 + 25 + 2 * 20.9 + 1024 * MIB / (2 * 45e3));
    /* nvls: false is for both; nvls_tree: false for several nodes only. */
    use(f, H200, "{name: nccl, gpu: h100, nvls: false}");
    takes(f, 2, 8, COLL_ALL_REDUCE, 1024 * MIB, "ring Simple",
          14.6 + 28 * 3.4 + 2 * 14 + 1024 * MIB * 1.875 / bx);
    use(f, H200, "{name: nccl, gpu: h100, nvls_tree: false}");
    takes(f, 2, 8, COLL_ALL_REDUCE, 1024 * MIB, "ring Simple",
          14.6 + 28 * 3.4 + 2 * 14 + 1024 * MIB * 1.875 / bx);
    takes(f, 1, 8, COLL_ALL_REDUCE, 1024 * MIB, "nvls", 14.6 + 25 + 1024 * MIB / bn);
    use(f, H200, "{name: nccl, gpu: h100, nvls_bandwidth: 0.5, launch: 0 us}");
    takes(f, 2, 8, COLL_ALL_REDUCE, 8192 * MIB, "ring Simple",
          6.6 + 28 * 3.4 + 2 * 14 + 8192 * MIB * 1.875 / bx);
}

/* Published bus bandwidths of two nodes, 2 (n - 1) / n S / time: 471 GB/s of 2 x 8 H100 with NICs
 * of 400 Gb/s, 161 of H800 with 100 Gb/s (400 GB/s of NVLink each way together), 718 of B200. */
static void test_two_nodes_as_published(void **state)
{
    static const struct {
        const char *network, *library;
        double bus;
    } published[] = {
        {H200, "{name: nccl, gpu: h100}", 471.2},
        {"{topology: Switch(8)_Switch(2), bandwidth_is: npu, dims: [{bandwidth: 200 GB/s}, "
         "{bandwidth: 12.5 GB/s}]}",
         "{name: nccl, gpu: h100}", 161},
        {"{topology: Switch(8)_Switch(2), bandwidth_is: npu, dims: [{bandwidth: 900 GB/s}, "
         "{bandwidth: 50 GB/s}]}",
         "{name: nccl, gpu: b200}", 717.9}};
    struct fixture *f = *state;
    for (size_t i = 0; i < sizeof published / sizeof *published; i++) {
        struct sys_ccl_choice choice;
        use(f, published[i].network, published[i].library);
        const struct sys_ccl_shape shape = shape_of(f, 2, 8);
        const double us = us_of(f, &shape, COLL_ALL_REDUCE, 16384 * MIB, &choice);
        const double bus = 1.875 * 16384 * MIB / us / 1e3;
        assert_string_equal(choice.algorithm, "nvls_tree");
        if (fabs(published[i].bus / bus - 1) > 0.1) {
            fail_msg("%zu: %.1f GB/s, published %.1f", i, bus, published[i].bus);
        }
    }
}

/* In a mesh a group has the links among its own GPUs: 2 of 4 a third, 3 two thirds. */
static void test_mesh_by_hand(void **state)
{
    struct fixture *f = *state;
    use(f, MESH, "{name: nccl, gpu: a100}");
    takes(f, 1, 2, COLL_ALL_GATHER, 1024 * MIB, "ring Simple",
          14.6 + 3.4 + 512 * MIB / (235e3 / 3));
    takes(f, 1, 3, COLL_BROADCAST, 1024 * MIB, "chain Simple",
          14.6 + 3.4 + 1024 * MIB / (235e3 * 2 / 3));
    takes(f, 1, 4, COLL_BROADCAST, 1024 * MIB, "chain Simple", 14.6 + 3.4 + 1024 * MIB / 235e3);
}

/* 22.5 GB/s for each ring that goes through the GPUs without using an NVLink twice: measured bus
 * bandwidths are 45, 85, 46 and 135 GB/s with the first 3, 4, 6 and 8. */
static void test_dgx1_rings(void **state)
{
    static const struct {
        uint8_t gpus;
        uint32_t rings;
    } cases[] = {{0x07, 2}, {0x0f, 4}, {0x3f, 2}, {0xff, 6}, {0x03, 1},
                 {0x09, 2}, {0xf0, 4}, {0x01, 0}, {0x21, 0}};
    struct fixture *f = *state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (orr_sys_dgx1_rings(cases[i].gpus) != cases[i].rings) {
            fail_msg("GPUs %02x: %u rings, expected %u", cases[i].gpus,
                     orr_sys_dgx1_rings(cases[i].gpus), cases[i].rings);
        }
    }
    use(f, V100, "{name: nccl, gpu: v100, fabric: dgx1}");
    takes(f, 1, 4, COLL_BROADCAST, 256 * MIB, "chain Simple", 14.6 + 3.4 + 256 * MIB / 90e3);
    /* Between two nodes the NICs bound: 8 x 6.25 x 0.9. */
    takes(f, 2, 8, COLL_REDUCE_SCATTER, 256 * MIB, "ring Simple",
          14.6 + 14 * 3.4 + 14 + 256 * MIB * (15. / 16) / 45e3);
}

/* RCCL has no LL128. */
static void test_rccl_has_no_ll128(void **state)
{
    struct fixture *f = *state;
    use(f, A100, "{name: rccl, gpu: mi300x}");
    takes(f, 1, 8, COLL_ALL_REDUCE, 4 * MIB, "ring LL",
          14.6 + 14 * 0.6 + 4 * MIB * 1.75 / (0.5 * 0.7 * 300e3));
    takes(f, 1, 8, COLL_ALL_REDUCE, 6 * MIB, "ring Simple",
          14.6 + 14 * 3.4 + 6 * MIB * 1.75 / (0.7 * 300e3));
}

/* Every scale on its own term. */
static void test_scales(void **state)
{
    struct fixture *f = *state;
    use(f, A100,
        "{name: nccl, gpu: a100, launch: 3 us, inner_bandwidth: 0.5, inner_latency: 2, "
        "outer_latency: 3, outer_bandwidth: 0.5, all_to_all_latency: 2, all_to_all_node: 3, "
        "all_to_all_bandwidth: 0.5}");
    takes(f, 1, 8, COLL_ALL_GATHER, 64 * MIB, "ring Simple",
          9.6 + 7 * 6.8 + 64 * MIB * 0.875 / 117.5e3);
    takes(f, 2, 8, COLL_BROADCAST, 256 * MIB, "chain Simple", 9.6 + 42 + 256 * MIB / 90e3);
    takes(f, 2, 8, COLL_ALL_TO_ALL, 256 * MIB, "direct",
          9.6 + 40 + 24 + 256 * MIB * 0.5 / (22.5e3 / 4));
    use(f, A100,
        "{name: nccl, gpu: a100, ll_latency: 0.5, ll_bandwidth: 2, ll128_latency: 100, "
        "tree_latency: 0.5, tree_bandwidth: 0.5}");
    takes(f, 1, 8, COLL_ALL_GATHER, 64 * MIB, "ring LL", 14.6 + 7 * 0.3 + 64 * MIB * 0.875 / 235e3);
    takes(f, 8, 1, COLL_ALL_REDUCE, 16, "tree LL",
          14.6 + 2 * 3 * 5.0 * 0.5 * 0.5 + 32 / (0.92 * 0.5 * 2 / 3.8 * 17.5e3));
}

/* ---- shapes ---- */

/* Uneven groups: what the node with the fewest has in NICs; the dimensions that are between. */
static void test_shapes(void **state)
{
    static const uint32_t uneven[] = {9, 3, 0, 1, 2}, far[] = {0, 40};
    struct fixture *f = *state;
    struct sys_ccl_shape shape, all;
    use(f,
        "{topology: Switch(8)_Ring(4)_Switch(2), dims: [{bandwidth: 100 GB/s, latency: 1 us}, "
        "{bandwidth: 10 GB/s, latency: 1 us}, {bandwidth: 25 GB/s, latency: 1 us}]}",
        "{name: nccl, gpu: a100}");
    assert_int_equal(orr_sys_ccl_shape_of(f->library, &f->network, uneven, 5, &shape, &f->diag),
                     ORR_OK);
    assert_int_equal(shape.nodes, 2);
    assert_int_equal(shape.min, 1);
    assert_int_equal(shape.max, 4);
    assert_int_equal(shape.outer_dims, 2);
    assert_true(fabs(shape.outer_bytes_per_s - 20 * GB) < 1); /* two links of a ring */
    assert_int_equal(orr_sys_ccl_shape_of(f->library, &f->network, far, 2, &shape, &f->diag),
                     ORR_OK);
    assert_int_equal(shape.outer_dims, 6);
    assert_true(fabs(shape.outer_bytes_per_s - 20 * GB) < 1);
    shape = shape_of(f, 8, 8);
    assert_int_equal(orr_sys_ccl_shape_of_all(f->library, &f->network, &all, &f->diag), ORR_OK);
    assert_int_equal(shape.npus, all.npus);
    assert_int_equal(shape.nodes, all.nodes);
    assert_int_equal(shape.min, all.min);
    assert_int_equal(shape.max, all.max);
    assert_int_equal(shape.node_npus, all.node_npus);
    assert_int_equal(shape.rings, all.rings);
    assert_int_equal(shape.outer_dims, all.outer_dims);
    assert_true(fabs(shape.inner_bytes_per_s - all.inner_bytes_per_s) < 1);
    assert_true(fabs(shape.outer_bytes_per_s - all.outer_bytes_per_s) < 1);
}

/* ---- what holds for all ---- */

static const char *const libraries[][2] = {
    {A100, "{name: nccl, gpu: a100}"},
    {A100, "{name: nccl, gpu: a100, ll_bandwidth: 3, ll128_bandwidth: 2, tree_bandwidth: 9, "
           "outer_bandwidth: 4, inner_bandwidth: 3, all_to_all_bandwidth: 9}"},
    {H200, "{name: nccl, gpu: h100, nvls_tree: true, nvls_bandwidth: 5}"},
    {MESH, "{name: nccl, gpu: a100}"},
    {V100, "{name: nccl, gpu: v100, fabric: dgx1}"},
    {A100, "{name: rccl, gpu: mi300x}"}};

static const uint32_t groups[][2] = {{1, 2}, {1, 3}, {1, 4}, {2, 1}, {2, 2}, {2, 4}};

/* Bytes that have to pass an NPU's links or a node's NICs, by hand, at the data sheet's rates. */
static double cut_us(struct fixture *f, uint32_t nodes, uint32_t each, enum coll_kind kind,
                     double bytes, bool in_switch)
{
    const double inner = f->network.dim[0].bandwidth_bytes_per_s / 1e6;
    const double outer = f->network.dim[1].bandwidth_bytes_per_s / 1e6;
    const double n = nodes * each, g = each, k = kind == COLL_ALL_REDUCE ? 2 : 1;
    double in = k * (g - 1) / g * bytes / inner, out = k * (nodes - 1.) / nodes * bytes / g / outer;
    if (kind == COLL_ALL_TO_ALL) {
        in = bytes * (g - 1) / n / inner;
        out = bytes * (n - g) / n / outer;
    } else if (kind == COLL_BROADCAST || kind == COLL_REDUCE || in_switch) {
        in = g > 1 ? bytes / inner : 0;
    }
    return in > out ? in : out;
}

static void test_never_beats_the_cut_and_is_monotone(void **state)
{
    static const enum coll_kind kinds[] = {COLL_ALL_REDUCE, COLL_ALL_GATHER, COLL_REDUCE_SCATTER,
                                           COLL_ALL_TO_ALL, COLL_BROADCAST,  COLL_REDUCE,
                                           COLL_GATHER,     COLL_SCATTER,    COLL_BARRIER};
    struct fixture *f = *state;
    for (size_t l = 0; l < sizeof libraries / sizeof *libraries; l++) {
        use(f, libraries[l][0], libraries[l][1]);
        for (size_t g = 0; g < sizeof groups / sizeof *groups * 9; g++) {
            const uint32_t nodes = groups[g / 9][0], each = groups[g / 9][1];
            const enum coll_kind kind = kinds[g % 9];
            const struct sys_ccl_shape shape = shape_of(f, nodes, each);
            double before = 0;
            for (double bytes = 1; bytes < 1e12; bytes *= 1.37) {
                struct sys_ccl_choice choice, faster;
                const double us = us_of(f, &shape, kind, bytes, &choice);
                assert_true(us >= before);
                before = us;
                if (kind < COLL_GATHER) {
                    assert_true(us - 6.6 >= cut_us(f, nodes, each, kind, bytes, choice.in_switch));
                }
                assert_true(choice.inner_s <= choice.transfer_s);
                assert_true(choice.outer_s <= choice.transfer_s);
                for (unsigned which = 0; which < 2; which++) {
                    struct sys_ccl_shape more = shape;
                    more.inner_bytes_per_s *= which == 0 ? 1.3 : 1;
                    more.outer_bytes_per_s *= which == 1 ? 1.3 : 1;
                    assert_true(us_of(f, &more, kind, bytes, &faster) <= us);
                }
            }
        }
    }
}

static void test_bytes_as_nccl_tests_count_them(void **state)
{
    (void)state;
    assert_true(fabs(orr_sys_ccl_bytes(COLL_ALL_GATHER, 10, 4) - 40) < 1e-9);
    assert_true(fabs(orr_sys_ccl_bytes(COLL_GATHER, 10, 4) - 40) < 1e-9);
    assert_true(fabs(orr_sys_ccl_bytes(COLL_REDUCE_SCATTER, 10, 4) - 10) < 1e-9);
    assert_true(fabs(orr_sys_ccl_bytes(COLL_BARRIER, 10, 4) - 1) < 1e-9);
}

/* ---- bad input ---- */

static void test_refusals(void **state)
{
    static const struct {
        const char *network, *library, *message;
    } cases[] = {
        {A100, "{name: nccl}",
         "lib.yml:1:1: : nccl needs to know the GPUs; expected gpu: with one of v100, a100, h100, "
         "h200, h800, l40s, b200, b300, gb200, "
         "gb300, as in \"{name: nccl, gpu: v100}\""},
        {A100, "{name: nccl, gpu: a100, nvls: true}",
         "lib.yml:1:31: nvls: a100 has no NVLS (its switches do not reduce); GPUs from h100 on "
         "have"},
        {A100, "{name: nccl, gpu: a100, nvls_tree: true}",
         "lib.yml:1:36: nvls_tree: a100 has no NVLS (its switches do not reduce); GPUs from h100 "
         "on have"},
        {A100, "{name: nccl, gpu: mi300x}",
         "lib.yml:1:19: gpu: nccl does not run on mi300x; expected one of v100, a100, h100, h200, "
         "h800, l40s, b200, b300, gb200, gb300"},
        {MESH, "{name: nccl, gpu: v100, fabric: dgx1}",
         "lib.yml:1:33: fabric: dgx1 is a node of 8 GPUs; the first dimension of the network has 4 "
         "NPUs"},
        {"{backend: flow, topology: Switch(8), dims: [{bandwidth: 1 GB/s, latency: 1 us}]}",
         "{name: nccl, gpu: a100}",
         "lib.yml:1:8: name: a CCL needs the backend analytical, got flow; expected "
         "network.backend: analytical, or name: none"},
        {"{backend: flow, graph: {npus: 8, fabric: ideal-switch, bandwidth: 1 GB/s, latency: 1 "
         "us}}",
         "{name: nccl, gpu: v100, fabric: dgx1}",
         "lib.yml:1:33: fabric: dgx1 is a first dimension of 8 NPUs, got a graph; expected mesh or "
         "nvswitch"}};
    struct fixture *f = *state;
    char message[500];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(read_library(f, cases[i].network, cases[i].library), ORR_ERR_INPUT);
        (void)orr_diag_render(&f->diag, message, sizeof message);
        assert_string_equal(message, cases[i].message);
        assert_null(f->library);
    }
    use(f, A100, "{name: none, gpu: a100}");
    assert_null(f->library);
}

#define GRAPH(fabric, npus)                                                                        \
    "{graph: {npus: " #npus ", fabric: \"" fabric "\", bandwidth: 50 GB/s, latency: 1 us}}"

/* What the links of NPUs are: those of 15 neighbours, of 4, a NIC of each NPU, a switch of all. */
static void test_shapes_of_graphs(void **state)
{
    static const struct {
        const char *network;
        uint32_t nodes, max;
        double inner, outer;
        enum sys_ccl_fabric fabric;
        bool nvls;
    } cases[] = {{GRAPH("full-mesh", 16), 1, 16, 750 * GB, 750 * GB, SYS_FABRIC_MESH, false},
                 {GRAPH("torus:4x4", 16), 1, 16, 200 * GB, 200 * GB, SYS_FABRIC_MESH, false},
                 {GRAPH("fat-tree:4", 16), 16, 1, 50 * GB, 50 * GB, SYS_FABRIC_NVSWITCH, true},
                 {GRAPH("ideal-switch", 8), 1, 8, 50 * GB, 50 * GB, SYS_FABRIC_NVSWITCH, true}};
    struct fixture *f = *state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct sys_ccl_shape shape;
        use(f, cases[i].network, "{name: nccl, gpu: h100}");
        assert_int_equal(orr_sys_ccl_shape_of_all(f->library, &f->network, &shape, &f->diag),
                         ORR_OK);
        assert_int_equal(shape.nodes, cases[i].nodes);
        assert_int_equal(shape.max, cases[i].max);
        assert_true(shape.inner_bytes_per_s == cases[i].inner);
        assert_true(shape.outer_bytes_per_s == cases[i].outer);
        assert_int_equal(f->library->fabric, cases[i].fabric);
        assert_int_equal(f->library->nvls, cases[i].nvls);
    }
}

/* Two servers of 8 NPUs: an NVSwitch of each, and one switch of all NICs. Groups of it have the
 * shapes, and so the times, of the same as dimensions. */
static void test_graph_of_servers_is_as_its_dimensions(void **state)
{
    static const uint32_t ranks[] = {0, 1, 8, 9}, eight[] = {0, 1, 2, 3, 4, 5, 6, 7};
    struct fixture *f = *state;
    char text[4096] = "{graph: {npus: 16, switches: 3, latency: 1 us, links: [";
    for (int i = 0; i < 16; i++) {
        const size_t used = strlen(text);
        (void)snprintf(text + used, sizeof text - used,
                       "{from: %d, to: %d, bandwidth: 450 GB/s}, {from: %d, to: 18, bandwidth: 50 "
                       "GB/s}%s",
                       i, 16 + i / 8, i, i < 15 ? ", " : "]}}");
    }
    struct sys_ccl_shape on_graph[3], on_dims[3];
    for (int graph = 0; graph < 2; graph++) {
        struct sys_ccl_shape *shape = graph ? on_graph : on_dims;
        use(f, graph ? text : H200, "{name: nccl, gpu: h200}");
        assert_int_equal(
            orr_sys_ccl_shape_of(f->library, &f->network, ranks, 4, &shape[0], &f->diag), ORR_OK);
        assert_int_equal(
            orr_sys_ccl_shape_of(f->library, &f->network, eight, 8, &shape[1], &f->diag), ORR_OK);
        assert_int_equal(
            orr_sys_ccl_shape_of(f->library, &f->network, ranks + 2, 2, &shape[2], &f->diag),
            ORR_OK);
        for (int i = 0; i < 3; i++) {
            struct sys_ccl_choice choice;
            orr_sys_ccl_choose(f->library, &shape[i], COLL_ALL_REDUCE, 1 << 30, &choice);
            shape[i].inner_bytes_per_s = (double)orr_sys_ccl_time_ps(&choice);
        }
    }
    for (int i = 0; i < 3; i++) {
        assert_int_equal(on_graph[i].nodes, on_dims[i].nodes);
        assert_int_equal(on_graph[i].node_npus, on_dims[i].node_npus);
        assert_true(on_graph[i].inner_bytes_per_s == on_dims[i].inner_bytes_per_s);
    }
}

static int setup(void **state)
{
    static struct fixture fixture;
    fixture = (struct fixture){.arena = orr_arena_create()};
    *state = &fixture;
    return fixture.arena != NULL ? 0 : -1;
}

static int teardown(void **state)
{
    orr_arena_destroy(((struct fixture *)*state)->arena);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_a100_by_hand, setup, teardown),
        cmocka_unit_test_setup_teardown(test_in_switch_by_hand, setup, teardown),
        cmocka_unit_test_setup_teardown(test_two_nodes_as_published, setup, teardown),
        cmocka_unit_test_setup_teardown(test_mesh_by_hand, setup, teardown),
        cmocka_unit_test_setup_teardown(test_dgx1_rings, setup, teardown),
        cmocka_unit_test_setup_teardown(test_rccl_has_no_ll128, setup, teardown),
        cmocka_unit_test_setup_teardown(test_scales, setup, teardown),
        cmocka_unit_test_setup_teardown(test_shapes, setup, teardown),
        cmocka_unit_test_setup_teardown(test_never_beats_the_cut_and_is_monotone, setup, teardown),
        cmocka_unit_test(test_bytes_as_nccl_tests_count_them),
        cmocka_unit_test_setup_teardown(test_refusals, setup, teardown),
        cmocka_unit_test_setup_teardown(test_shapes_of_graphs, setup, teardown),
        cmocka_unit_test_setup_teardown(test_graph_of_servers_is_as_its_dimensions, setup,
                                        teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
