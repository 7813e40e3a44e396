/* The public header of et_converter/: foreign trace formats, converted to execution traces, and
 * what other readers of foreign files need: bytes of plain and gzip files, JSON item by item. */
#ifndef ORR_ET_CONVERTER_ET_CONVERTER_H
#define ORR_ET_CONVERTER_ET_CONVERTER_H

#include "et_converter/conversion_report.h"
#include "et_converter/converter.h"
#include "et_converter/input_bytes.h"
#include "et_converter/pytorch/json_scan.h"
#include "et_converter/task_graph_input.h"
#include "et_converter/trace_output.h"

#endif
