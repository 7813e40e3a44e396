/* The reference of results, as Markdown, from their tables. */
#include <string.h>

#include "report/results/result.h"

/* The other entry of the same name, for another form; NULL: none. */
static const struct orr_result *twin_of(const struct orr_result_table *table,
                                        const struct orr_result *result)
{
    const struct orr_result *other;
    for (size_t i = 0; (other = orr_result_at(table, i)) != NULL; i++) {
        if (other != result && strcmp(other->name, result->name) == 0) {
            return other;
        }
    }
    return NULL;
}

static const struct orr_result *in_form(const struct orr_result_table *table,
                                        const struct orr_result *result, unsigned form)
{
    const struct orr_result *twin = twin_of(table, result);
    return orr_result_in(table, result, form)                 ? result
           : twin != NULL && orr_result_in(table, twin, form) ? twin
                                                              : NULL;
}

static void write_forms(FILE *out, const struct orr_result_table *table,
                        const struct orr_result *result)
{
    const struct orr_result *shown = in_form(table, result, ORR_IN_TABLE);
    const char *before = "";
    if (in_form(table, result, ORR_IN_JSON) != NULL) {
        (void)fputs("JSON", out);
        before = ", ";
    }
    if (in_form(table, result, ORR_IN_CSV) != NULL) {
        (void)fprintf(out, "%sCSV", before);
        before = ", ";
    }
    if (shown != NULL) {
        (void)fprintf(out, "%stable%s%s", before, shown->label[0] != '\0' ? ": " : "",
                      shown->label);
        before = ", ";
    }
    if (result->sweep != ORR_NOT_IN_SWEEPS) {
        (void)fprintf(out, "%ssweep", before);
        before = ", ";
    }
    if (result->compared != NULL) {
        (void)fprintf(out, "%sdiff", before);
    }
    (void)fputs(result->in_forms == ORR_BY_NAME ? "by name" : "", out);
}

static void write_result(FILE *out, const struct orr_result_table *table,
                         const struct orr_result *result)
{
    const bool keyed = in_form(table, result, ORR_IN_JSON) != NULL ||
                       in_form(table, result, ORR_IN_CSV) != NULL ||
                       result->sweep != ORR_NOT_IN_SWEEPS || result->in_forms == ORR_BY_NAME;
    const bool headless = result->label == NULL || result->label[0] == '\0';
    (void)fprintf(out, keyed ? "| `%s` | " : "| %s | ",
                  keyed || headless ? result->name : result->label);
    (void)fprintf(out, "%s | ",
                  result->type == ORR_RESULT_LIST ? "list" : orr_unit_name(result->unit));
    write_forms(out, table, result);
    (void)fprintf(out, " | %s", result->meaning);
    if (result->rows != NULL) {
        (void)fprintf(out, "; see *%s*", result->rows->title);
    }
    (void)fputs(result->optional ? "; left out where it is not known |\n" : " |\n", out);
}

void orr_result_reference(FILE *out, const struct orr_result_table *table)
{
    const struct orr_result *result;
    (void)fprintf(out, "\n## %s\n\n%s\n\n", table->title, table->meaning);
    if (table->place != NULL) {
        (void)fprintf(out, "By name: `%s.RESULT`.\n\n", table->place);
    }
    (void)fputs("| result | unit | forms | meaning |\n| --- | --- | --- | --- |\n", out);
    for (size_t i = 0; (result = orr_result_at(table, i)) != NULL; i++) {
        if (result->meaning != NULL) {
            write_result(out, table, result);
        }
    }
}
