/* The ranking of changes; see whatif_report.h. */
#include "study/whatif_report.h"

#include <inttypes.h>
#include <jansson.h>

#include "core/strings.h"
#include "core/units.h"
#include "report/json_text.h"
#include "report/results/result.h"
#include "report/table_text.h"
#include "study/whatif_results.h"

static int64_t base_ps(const struct orr_whatif *whatif)
{
    return whatif->change[0].wall_ps;
}

/* ---- the ranking ---- */

static void print_head(FILE *out, const char *what)
{
    (void)fputc('\n', out);
    orr_result_heads(out, &orr_whatif_results, (struct orr_row_style){.head = what});
    (void)fputc('\n', out);
}

static void print_change(FILE *out, const struct orr_whatif *whatif,
                         const struct orr_whatif_change *change)
{
    const struct orr_whatif_row row = orr_whatif_row(whatif, change);
    orr_result_cells(out, &orr_whatif_results, &row,
                     (struct orr_row_style){.has_waiting_split = whatif->has_waiting_split});
    (void)fputc('\n', out);
}

static void print_useless(FILE *out, const struct orr_whatif *whatif)
{
    const char *before = "\nwithout effect: ";
    for (unsigned i = 1; i < whatif->changes; i++) {
        const struct orr_whatif_change *change = &whatif->change[i];
        if (!change->bound && change->wall_ps == base_ps(whatif)) {
            (void)fputs(before, out);
            orr_print(out, "%s", change->name);
            before = ", ";
        }
    }
    if (before[0] == ',') {
        (void)fputc('\n', out);
    }
}

/* Prints the ranking. The baseline is in its rank: changes that harm come after it. */
static void print_ranking(FILE *out, const struct orr_whatif *whatif)
{
    bool shown = false;
    for (unsigned i = 1; i < whatif->changes; i++) {
        const struct orr_whatif_change *change = &whatif->change[i];
        if (change->bound || change->wall_ps == base_ps(whatif)) {
            continue;
        }
        if (!shown && change->wall_ps > base_ps(whatif)) {
            print_change(out, whatif, &whatif->change[0]);
            shown = true;
        }
        print_change(out, whatif, change);
    }
    if (!shown) {
        print_change(out, whatif, &whatif->change[0]);
    }
}

void orr_whatif_table(FILE *out, const struct orr_whatif *whatif)
{
    char time[64];
    orr_print(out, "job time %s on %" PRIu32 " NPU%s\n",
              orr_format_time(base_ps(whatif), time, sizeof time), whatif->npus,
              orr_plural(whatif->npus));
    print_head(out, "what if");
    print_ranking(out, whatif);
    print_useless(out, whatif);
    print_head(out, "upper bounds");
    for (unsigned i = 1; i < whatif->changes; i++) {
        if (whatif->change[i].bound) {
            print_change(out, whatif, &whatif->change[i]);
        }
    }
}

static void set_parts(json_t *object, const struct orr_whatif_change *change)
{
    (void)json_object_set_new(object, "exposed_communication_ps",
                              json_integer(change->communication_ps));
    (void)json_object_set_new(object, "waiting_ps", json_integer(change->waiting_ps));
}

json_t *orr_whatif_object(const struct orr_whatif *whatif)
{
    json_t *root = json_object(), *list = json_array();
    (void)json_object_set_new(root, "wall_ps", json_integer(base_ps(whatif)));
    (void)json_object_set_new(root, "npus", json_integer(whatif->npus));
    set_parts(root, &whatif->change[0]);
    for (unsigned i = 1; i < whatif->changes; i++) {
        const struct orr_whatif_row row = orr_whatif_row(whatif, &whatif->change[i]);
        orr_result_append_json(list, &orr_whatif_results, &row);
    }
    (void)json_object_set_new(root, "changes", list);
    return root;
}

int orr_whatif_json(FILE *out, const void *context)
{
    return orr_json_write_and_free(orr_whatif_object(context), out);
}

int orr_whatif_csv(FILE *out, const void *context)
{
    const struct orr_whatif *whatif = context;
    orr_result_csv_head(out, &orr_whatif_results);
    (void)fputc('\n', out);
    for (unsigned i = 0; i < whatif->changes; i++) {
        const struct orr_whatif_row row = orr_whatif_row(whatif, &whatif->change[i]);
        orr_result_csv_line(out, &orr_whatif_results, &row);
        (void)fputc('\n', out);
    }
    return ferror(out) != 0 ? 1 : 0;
}
