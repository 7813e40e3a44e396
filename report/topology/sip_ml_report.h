/* SiP-ML as hardware (network/hardware/) in words, tables, JSON and CSV. */
#ifndef ORR_REPORT_TOPOLOGY_SIP_ML_REPORT_H
#define ORR_REPORT_TOPOLOGY_SIP_ML_REPORT_H

#include <jansson.h>
#include <stdio.h>

#include "network/network.h"

enum { ORR_SIP_MAX_HOLDS = 32, ORR_SIP_MAX_ROWS = 16 };

/* What is asked for. */
struct orr_sip_request {
    struct sip_rules rules;
    sim_time hold[ORR_SIP_MAX_HOLDS]; /* above 0 */
    size_t holds;
    uint32_t rows[ORR_SIP_MAX_ROWS]; /* of rings; each divides the GPUs */
    size_t row_counts;
};

/* The paper's, and over it what is set, "NAME=VALUE" each: the options of orrery topo sip-ml
 * without
 * "--". Errors (input): names and values, and rules that cannot be; messages begin with the name.
 * (sip_ml_request.c) */
enum orr_status orr_sip_read(const char *const *set, size_t count, struct orr_sip_request *out,
                             struct orr_diag *diag);

/* The rules by their names, with '_' for '-' and units: the caller's, NULL: memory is out. */
json_t *orr_sip_rules_json(const struct sip_rules *rules);

/* ---- tables (sip_ml_tables.c) ---- */

enum { ORR_SIP_TABLES = 7, ORR_SIP_TABLE_ROWS = 33, ORR_SIP_COLUMNS = 10, ORR_SIP_TEXT = 32 };

struct orr_sip_column {
    const char *key;     /* of JSON and CSV */
    const char *heading; /* of the table */
    int digits;          /* behind the point in the table; < 0: as many as it takes */
};

enum orr_sip_kind { ORR_SIP_NONE, ORR_SIP_NUMBER, ORR_SIP_WORD, ORR_SIP_YES, ORR_SIP_NO };
struct orr_sip_cell {
    enum orr_sip_kind kind;
    double number;
    char word[ORR_SIP_TEXT];
};

/* The first cell of a row names it. */
struct orr_sip_table {
    const char *key;
    char title[128], note[320]; /* "": no note */
    const struct orr_sip_column *column;
    size_t columns, rows;
    struct orr_sip_cell cell[ORR_SIP_TABLE_ROWS][ORR_SIP_COLUMNS];
};

/* table[ORR_SIP_TABLES], zeroed. O(N k). */
void orr_sip_fill(const struct orr_sip_request *request, struct orr_sip_table *table);

/* ---- as text (sip_ml_write.c) ---- */

/* "text", "json" or "csv". Errors: another format (input); memory; input/output. */
enum orr_status orr_sip_write(FILE *out, const struct orr_sip_request *request, const char *format,
                              struct orr_diag *diag);

#endif
