/* One optical switch of many ports made of such with few: a Clos network (SiP-ML, section 3.3,
 * names it; Clos 1953). r switches of n ways in and m out, m middle switches r x r, r switches of m
 * ways in and n out; m = n is the least with which every permutation can be set (Slepian and
 * Duguid: n permutations of the r outer switches are a bipartite multigraph of degree n, which has
 * n colours, one a middle switch). r = ceil(N / P) is the fewest, and more do not pay. An OCS can
 * set any permutation, so floor(P / r) middle switches are one of P ports; and a middle switch of
 * more than P ports is a Clos network itself, two stages more. */
#include "network/hardware/sip_hardware.h"

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
