/* Tables of keys as such: their names, and all of them from one; see conf.h. */
#include <stdio.h>
#include <string.h>

#include "core/conf/conf_private.h"

const char *orr_key_name_at(const struct orr_key *key, size_t index)
{
    if (key->names != NULL) {
        return key->names(index);
    }
    const char *const *choice = key->choices;
    while (choice != NULL && *choice != NULL && index > 0) {
        choice++;
        index--;
    }
    return choice != NULL ? *choice : NULL;
}

struct visit {
    orr_key_visit_fn visit;
    void *context;
};

static void visit_table(const struct visit *visit, const char *path,
                        const struct orr_key_table *table)
{
    for (size_t i = 0; i < table->count; i++) {
        const struct orr_key *key = &table->keys[i];
        char name[ORR_CONF_LONGEST_PATH], below[ORR_CONF_LONGEST_PATH + 8];
        (void)snprintf(name, sizeof name, "%s%s%s", path, path[0] != '\0' ? "." : "", key->name);
        visit->visit(visit->context, name, table, key);
        if (key->table != NULL) {
            (void)snprintf(below, sizeof below, "%s%s", name, key->list ? "[]" : "");
            visit_table(visit, below, key->table);
        } else if (key->each != NULL) {
            (void)snprintf(below, sizeof below, "%s.%s", name, key->each->name);
            visit->visit(visit->context, below, table, key->each);
        }
    }
}

void orr_keys_visit(const struct orr_key_table *table, orr_key_visit_fn visit, void *context)
{
    const struct visit all = {.visit = visit, .context = context};
    visit_table(&all, "", table);
}
