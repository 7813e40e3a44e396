/* The reference of results (docs/results.md) from their tables. */
#include "report/results/result.h"
#include "study/result_tables.h"
#include "study/schema/schema_json.h"

static const char head[] =
    "# Results\n"
    "\n"
    "Made by `orrery schema results` from the tables that results are written by; a test keeps it\n"
    "current. The name is the key in JSON and the column in CSV; of what only tables for people "
    "have it\n"
    "is the head of the column. Told in: JSON (`--json`), CSV (`--csv`), the table on standard "
    "output and\n"
    "its head, the lines of `orrery sweep`, and what `orrery diff` compares.\n"
    "\n"
    "A program asks for a result by its name, such as `npus.idle_ps`: `include/orrery/results.h`.\n"
    "\n"
    "Times are whole picoseconds, sizes whole bytes; a sum beyond 2^63 is a real number in JSON.\n";

void orr_results_write(FILE *out)
{
    const struct orr_result_table *table;
    (void)fputs(head, out);
    for (size_t i = 0; (table = orr_result_table_at(i)) != NULL; i++) {
        orr_result_reference(out, table);
    }
}
