/* The table of converters. */
#include <string.h>

#include "et_converter/converter.h"

static const struct orr_converter converters[] = {
    {"pytorch", "execution traces of PyTorch, with Kineto profiles of the same run", CONV_TRACES, 0,
     orr_convert_pytorch},
    {"flexflow", "FlexFlow task graph: FlatBuffers of FlexNet, or DOT", 0, 1, orr_convert_flexflow},
    {"text", "ASTRA-sim 1.0 text workload: layers with times and collectives",
     CONV_NEEDS_PLATFORM | CONV_PASSES, 1, orr_convert_text},
    {"chakra", "execution traces of Chakra: current, JSON, and versions 0.0.1 and 0.0.3", 0,
     SIZE_MAX, orr_convert_chakra},
    {"sipml", "SiP-ML profiles NAME_bs1.pb, NAME_bs2.pb, ... of a model's operators",
     CONV_BATCH_SIZE, SIZE_MAX, orr_convert_sipml},
};

enum { CONVERTER_COUNT = sizeof converters / sizeof converters[0] };

const struct orr_converter *orr_converters(size_t *count)
{
    *count = CONVERTER_COUNT;
    return converters;
}

const struct orr_converter *orr_converter_find(const char *name)
{
    for (size_t i = 0; i < CONVERTER_COUNT; i++) {
        if (strcmp(converters[i].name, name) == 0) {
            return &converters[i];
        }
    }
    return NULL;
}
