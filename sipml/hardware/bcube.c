/* BCube of small optical switches (SiP-ML, section 3.3, names BCube, SIGCOMM'09). The number of a
 * GPU has digits of base `radix`. At level l a switch connects the up to `radix` GPUs that differ
 * in digit l only (a line). BCube's servers forward between levels, GPUs of SiP-ML do not: two GPUs
 * can have a circuit only if all digits but one are equal. Light passes one switch. */
#include "sipml/hardware/sip_hardware.h"

static uint64_t divide_up(uint64_t all, uint64_t each)
{
    return all / each + (all % each != 0);
}

/* Lines at the level whose digit has this stride: a block of radix strides has one line per stride;
 * the last block one per stride begun. The first line has the maximum size. */
static void set_lines(struct bcube_level *level, uint32_t gpus, uint32_t radix, uint64_t stride)
{
    const uint64_t block = stride * radix, rest = gpus % block;
    level->lines = (uint32_t)(gpus / block * stride + (rest < stride ? rest : stride));
    const uint64_t max = divide_up(gpus, stride);
    level->max = (uint32_t)(max < radix ? max : radix);
}

struct bcube orr_bcube(const struct sip_rules *rules)
{
    struct bcube out = {.radix = rules->radix != 0 ? rules->radix : rules->ocs_ports};
    uint64_t stride = 1;
    for (; stride < rules->gpus; stride *= out.radix) {
        set_lines(&out.level[out.levels++], rules->gpus, out.radix, stride);
    }
    for (uint32_t l = 0; l < out.levels; l++) {
        struct bcube_level *level = &out.level[l];
        level->circuits = rules->ocs / out.levels + (l < rules->ocs % out.levels);
        level->switches = level->circuits * divide_up(level->lines, rules->ocs_ports / level->max);
        out.switches += level->switches;
        out.peers += level->circuits > 0 ? level->max - 1 : 0;
    }
    return out;
}

uint32_t orr_bcube_common(const struct bcube *bcube, uint32_t a, uint32_t b)
{
    uint32_t level = 0;
    for (; a % bcube->radix == b % bcube->radix; level++) {
        a /= bcube->radix;
        b /= bcube->radix;
    }
    return a / bcube->radix == b / bcube->radix ? level : WAVE_NONE;
}
