/* Parts from outside; see extensions.h. The lists are as global as the shared objects that the
 * process has loaded: readers see a counted prefix that no longer changes, and one thread at a time
 * adds. */
#include "core/extensions.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

struct extension {
    const char *name;
    void *entry;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct extension_list {
    atomic_size_t count;
    struct extension of[ORR_MAX_EXTENSIONS];
} lists[ORR_EXTENSION_KINDS];

void orr_extensions_lock(void)
{
    (void)pthread_mutex_lock(&lock);
}

void orr_extensions_unlock(void)
{
    (void)pthread_mutex_unlock(&lock);
}

size_t orr_extension_count(enum orr_extension_kind kind)
{
    return atomic_load(&lists[kind].count);
}

void orr_extension_place(enum orr_extension_kind kind, size_t slot, const char *name, void *entry)
{
    lists[kind].of[slot] = (struct extension){name, entry};
}

void *orr_extension_withdraw(enum orr_extension_kind kind, size_t slot)
{
    void *entry = lists[kind].of[slot].entry;
    lists[kind].of[slot] = (struct extension){NULL, NULL};
    return entry;
}

void orr_extension_publish(enum orr_extension_kind kind, size_t count)
{
    atomic_store(&lists[kind].count, count);
}

const void *orr_extension_of_slot(enum orr_extension_kind kind, size_t slot)
{
    return lists[kind].of[slot].entry;
}

static const struct extension *extension_at(enum orr_extension_kind kind, size_t index)
{
    const struct extension_list *list = &lists[kind];
    return index < atomic_load(&list->count) ? &list->of[index] : NULL;
}

const void *orr_extension_at(enum orr_extension_kind kind, size_t index)
{
    const struct extension *extension = extension_at(kind, index);
    return extension != NULL ? extension->entry : NULL;
}

const char *orr_extension_name(enum orr_extension_kind kind, size_t index)
{
    const struct extension *extension = extension_at(kind, index);
    return extension != NULL ? extension->name : NULL;
}

const void *orr_extension_find(enum orr_extension_kind kind, const char *name)
{
    size_t index = 0;
    const char *at;
    while ((at = orr_extension_name(kind, index)) != NULL && strcmp(at, name) != 0) {
        index++;
    }
    return orr_extension_at(kind, index);
}
