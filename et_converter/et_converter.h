/* Public header of et_converter/: conversion of foreign trace formats to execution traces; bytes of
 * plain and gzip files and streaming JSON for other readers of foreign files. */
#ifndef ORR_ET_CONVERTER_ET_CONVERTER_H
#define ORR_ET_CONVERTER_ET_CONVERTER_H

#include "et_converter/conversion_report.h"
#include "et_converter/converter.h"
#include "et_converter/input_bytes.h"
#include "et_converter/pytorch/json_scan.h"
#include "et_converter/task_graph_input.h"
#include "et_converter/trace_output.h"

#endif
