/* Key tables: names, lookup and traversal; see conf.h. */
#include <stdio.h>
#include <string.h>

#include "core/conf/conf_private.h"
#include "core/conf/keys.h"

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

const struct orr_key *orr_key_find(const struct orr_key_table *table, const char *name)
{
    for (size_t i = 0; i < table->count; i++) {
        if (table->keys[i].parts == NULL && strcmp(table->keys[i].name, name) == 0) {
            return &table->keys[i];
        }
    }
    return NULL;
}

/* Whether one of the parts before `part` has a key of that name. */
static bool is_known(orr_key_parts_fn parts, size_t part, const char *name)
{
    for (size_t i = 0; i < part; i++) {
        if (orr_key_find(parts(i), name) != NULL) {
            return true;
        }
    }
    return false;
}

/* The key of the parts at `*index`, which is decremented for each key passed. */
static const struct orr_key *key_of_parts(orr_key_parts_fn parts, size_t *index)
{
    const struct orr_key_table *table;
    for (size_t part = 0; (table = parts(part)) != NULL; part++) {
        for (size_t i = 0; i < table->count; i++) {
            if (!is_known(parts, part, table->keys[i].name) && (*index)-- == 0) {
                return &table->keys[i];
            }
        }
    }
    return NULL;
}

const struct orr_key *orr_key_at(const struct orr_key_table *table, size_t index)
{
    for (size_t i = 0; i < table->count; i++) {
        const struct orr_key *key = &table->keys[i];
        if (key->parts != NULL) {
            key = key_of_parts(key->parts, &index);
        } else if (index-- > 0) {
            key = NULL;
        }
        if (key != NULL) {
            return key;
        }
    }
    return NULL;
}

struct visit {
    orr_key_visit_fn visit;
    void *context;
};

static void visit_table(const struct visit *visit, const char *path,
                        const struct orr_key_table *table);

/* Visits a key and the keys below it. */
static void visit_key(const struct visit *visit, const char *path,
                      const struct orr_key_table *table, const struct orr_key *key)
{
    char name[ORR_CONF_LONGEST_PATH], below[ORR_CONF_LONGEST_PATH + 8];
    (void)snprintf(name, sizeof name, "%s%s%s", path, path[0] != '\0' ? "." : "", key->name);
    visit->visit(visit->context, name, table, key);
    if (key->table != NULL) {
        (void)snprintf(below, sizeof below, "%s%s", name, key->list ? "[]" : "");
        visit_table(visit, below, key->table);
    } else if (key->each != NULL) {
        visit_key(visit, name, table, key->each);
    }
}

static void visit_table(const struct visit *visit, const char *path,
                        const struct orr_key_table *table)
{
    const struct orr_key *key;
    for (size_t i = 0; (key = orr_key_at(table, i)) != NULL; i++) {
        visit_key(visit, path, table, key);
    }
}

void orr_keys_visit(const struct orr_key_table *table, orr_key_visit_fn visit, void *context)
{
    const struct visit all = {.visit = visit, .context = context};
    visit_table(&all, "", table);
}
