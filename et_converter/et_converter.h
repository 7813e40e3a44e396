/* The public header of et_converter/: foreign trace formats, converted to execution traces. */
#ifndef ORR_ET_CONVERTER_ET_CONVERTER_H
#define ORR_ET_CONVERTER_ET_CONVERTER_H

#include "et_converter/converter.h"
#include "et_converter/findings.h"
#include "et_converter/flexflow/flexflow_network.h"
#include "et_converter/flexflow/flexflow_source.h"
#include "et_converter/trace_output.h"

#endif
