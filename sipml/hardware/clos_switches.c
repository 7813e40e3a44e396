/* A large optical switch built of small ones: a Clos network (SiP-ML, section 3.3, names it; Clos
 * 1953). r outer switches with n inputs and m outputs, m middle switches r x r, r outer switches
 * with m inputs and n outputs.
 *
 * m = n is the minimum with which every permutation can be set: n permutations of the r outer
 * switches are a bipartite multigraph of degree n, which has an edge coloring with n colors, one
 * per middle switch (Slepian and Duguid). r = ceil(N / P) is the minimum; a larger r does not
 * reduce the number of switches. An OCS can set any permutation, so one OCS of P ports serves as
 * floor(P / r) middle switches. A middle switch of more than P ports is a Clos network itself, with
 * two more stages. */
#include "sipml/hardware/sip_hardware.h"

static uint32_t divide_up(uint32_t all, uint32_t each)
{
    return all / each + (all % each != 0);
}

struct clos orr_clos(uint32_t nodes, uint32_t ports)
{
    struct clos out = {.stages = 1};
    uint64_t copies = 1;
    uint32_t left = nodes;
    while (left > ports) {
        const uint32_t outer = divide_up(left, ports), middle = divide_up(left, outer);
        if (out.stages == 1) {
            out.outer = outer;
            out.middle = middle;
        }
        out.stages += 2;
        out.switches += copies * 2 * outer;
        copies *= middle;
        left = outer;
    }
    const uint64_t shared = ports / left;
    out.switches += (copies + shared - 1) / shared;
    out.middle_shared = out.stages == 3 ? (uint32_t)shared : 0;
    return out;
}
