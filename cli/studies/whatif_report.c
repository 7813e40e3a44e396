/* The ranking of changes; see whatif_report.h. */
#include "cli/studies/whatif_report.h"

#include <inttypes.h>
#include <jansson.h>

#include "report/report.h"

static int64_t base_ps(const struct orr_whatif *whatif)
{
    return whatif->change[0].wall_ps;
}

static double speedup(const struct orr_whatif *whatif, const struct orr_whatif_change *change)
{
    return (double)base_ps(whatif) / (double)change->wall_ps;
}

/* What is left for others to mend: of waiting no network does. */
static void print_parts(FILE *out, const struct orr_whatif *whatif,
                        const struct orr_whatif_change *change)
{
    char communication[64], waiting[64];
    orr_print(out, " %14s %14s\n",
              orr_format_time(change->communication_ps, communication, sizeof communication),
              whatif->told ? orr_format_time(change->waiting_ps, waiting, sizeof waiting) : "-");
}

static void print_head(FILE *out, const char *what)
{
    orr_print(out, "\n%-44s %14s %14s %10s %10s %14s %14s\n", what, "job time", "saved", "",
              "speed-up", "communication", "waiting");
}

static void print_change(FILE *out, const struct orr_whatif *whatif,
                         const struct orr_whatif_change *change)
{
    char time[64], saved[64], more[65], faster[32] = "-";
    const int64_t saved_ps = base_ps(whatif) - change->wall_ps;
    (void)orr_format_time(saved_ps < 0 ? -saved_ps : saved_ps, saved, sizeof saved);
    (void)snprintf(more, sizeof more, "%s%s", saved_ps < 0 ? "-" : "", saved);
    if (change->wall_ps > 0) {
        (void)snprintf(faster, sizeof faster, "%.3fx", speedup(whatif, change));
    }
    orr_print(out, "%-44s %14s %14s %8.1f %% %10s", change->name,
              orr_format_time(change->wall_ps, time, sizeof time), more,
              base_ps(whatif) > 0 ? 100.0 * (double)saved_ps / (double)base_ps(whatif) : 0.0,
              faster);
    print_parts(out, whatif, change);
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

/* The job as it is stands where it ranks: what harms comes behind it. */
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
    print_head(out, "at most");
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

int orr_whatif_json(FILE *out, const void *context)
{
    const struct orr_whatif *whatif = context;
    json_t *root = json_object(), *list = json_array();
    (void)json_object_set_new(root, "wall_ps", json_integer(base_ps(whatif)));
    (void)json_object_set_new(root, "npus", json_integer(whatif->npus));
    set_parts(root, &whatif->change[0]);
    for (unsigned i = 1; i < whatif->changes; i++) {
        const struct orr_whatif_change *change = &whatif->change[i];
        json_t *object = json_object();
        (void)json_object_set_new(object, "what", json_string(change->name));
        (void)json_object_set_new(object, "wall_ps", json_integer(change->wall_ps));
        (void)json_object_set_new(object, "saved_ps",
                                  json_integer(base_ps(whatif) - change->wall_ps));
        set_parts(object, change);
        (void)json_object_set_new(object, "bound", json_boolean(change->bound));
        (void)json_array_append_new(list, object);
    }
    (void)json_object_set_new(root, "changes", list);
    const int result = orr_json_write(root, out, JSON_INDENT(2));
    json_decref(root);
    return result == 0 && fputc('\n', out) != EOF ? 0 : 1;
}

int orr_whatif_csv(FILE *out, const void *context)
{
    const struct orr_whatif *whatif = context;
    (void)fputs("what,wall_ps,saved_ps,bound,exposed_communication_ps,waiting_ps\n", out);
    for (unsigned i = 0; i < whatif->changes; i++) {
        const struct orr_whatif_change *change = &whatif->change[i];
        orr_csv_text(out, change->name);
        orr_print(out, ",%" PRId64 ",%" PRId64 ",%d,%" PRId64 ",%" PRId64 "\n", change->wall_ps,
                  base_ps(whatif) - change->wall_ps, change->bound, change->communication_ps,
                  change->waiting_ps);
    }
    return ferror(out) != 0 ? 1 : 0;
}
