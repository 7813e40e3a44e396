/* Adding parts: their structs and names are checked, collectives proved, and then all are published
 * at once. */
#include <stdio.h>
#include <string.h>

#include "core/arena.h"
#include "network/allocation.h"
#include "network/net_backend.h"
#include "network/optical/circuits.h"
#include "sim/api_call.h"
#include "sim/extend/extend_private.h"
#include "system/collectives/program.h"

enum { PROVED_RANKS = 8, MAX_NAME_BYTES = 48 };
_Static_assert((int)ORRERY_MAX_PARTS == (int)ORR_MAX_EXTENSIONS, "as the header says");

/* A part of any kind: what the structs have in common. */
struct part {
    const void *given;
    const char *name, *summary, *missing; /* missing: a function that is needed, or NULL */
    size_t size;
};

/* How a kind of part is read, made and tried. */
struct part_kind {
    const char *what, *of; /* "network backend", "orrery_backend" */
    size_t size;
    struct part (*at)(const struct orrery_extension *extension, size_t index);
    void *(*create)(const void *given, size_t slot);
    bool (*is_taken)(const char *name);
    enum orr_status (*try_it)(const void *entry, struct orr_diag *diag); /* NULL: nothing to try */
};

/* ---- the kinds ---- */

static struct part backend_at(const struct orrery_extension *extension, size_t index)
{
    const struct orrery_backend *given = &extension->backend[index];
    return (struct part){given, given->name, given->summary,
                         given->create == NULL ? "create"
                         : given->send == NULL ? "send"
                                               : NULL,
                         given->size};
}

static void *create_backend(const void *given, size_t slot)
{
    return orr_outside_backend_create(given, slot);
}

static bool is_backend(const char *name)
{
    return orr_net_backend_find(name) != NULL;
}

static struct part controller_at(const struct orrery_extension *extension, size_t index)
{
    const struct orrery_controller *given = &extension->controller[index];
    return (struct part){given, given->name, given->summary,
                         given->decide == NULL ? "decide" : NULL, given->size};
}

static void *create_controller(const void *given, size_t slot)
{
    return orr_outside_controller_create(given, slot);
}

static bool is_controller(const char *name)
{
    return orr_net_circuits_name(orr_net_controller_number(name)) != NULL;
}

static struct part collective_at(const struct orrery_extension *extension, size_t index)
{
    const struct orrery_collective *given = &extension->collective[index];
    return (struct part){given, given->name, given->summary,
                         given->supports == NULL   ? "supports"
                         : given->sends == NULL    ? "sends"
                         : given->receives == NULL ? "receives"
                         : given->send == NULL     ? "send"
                         : given->receive == NULL  ? "receive"
                         : given->blocks == NULL   ? "blocks"
                                                   : NULL,
                         given->size};
}

static void *create_collective(const void *given, size_t slot)
{
    return orr_outside_collective_create(given, slot);
}

static bool is_collective(const char *name)
{
    return orr_coll_algorithm_find(name) != NULL || strcmp(name, "auto") == 0 ||
           strcmp(name, "by_block") == 0;
}

static enum orr_status prove(const void *entry, struct orr_diag *diag)
{
    return orr_outside_collective_prove(entry, PROVED_RANKS, diag);
}

static const struct part_kind kinds[ORR_EXTENSION_KINDS] = {
    [ORR_EXTENSION_BACKEND] = {"network backend", "orrery_backend", sizeof(struct orrery_backend),
                               backend_at, create_backend, is_backend, NULL},
    [ORR_EXTENSION_CONTROLLER] = {"controller", "orrery_controller",
                                  sizeof(struct orrery_controller), controller_at,
                                  create_controller, is_controller, NULL},
    [ORR_EXTENSION_COLLECTIVE] = {"collective", "orrery_collective",
                                  sizeof(struct orrery_collective), collective_at,
                                  create_collective, is_collective, prove}};

static size_t count_parts(const struct orrery_extension *extension, enum orr_extension_kind kind)
{
    return kind == ORR_EXTENSION_BACKEND      ? extension->backends
           : kind == ORR_EXTENSION_CONTROLLER ? extension->controllers
                                              : extension->collectives;
}

/* ---- checks ---- */

static bool is_name(const char *name)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789_";
    return name != NULL && name[0] != '\0' && strlen(name) < MAX_NAME_BYTES &&
           strspn(name, letters) == strlen(name);
}

static enum orr_status check_part(const struct part_kind *kind, const struct part *part,
                                  struct orr_diag *diag)
{
    if (orr_check_struct(kind->of, part->size, kind->size, diag) != ORR_OK) {
        return diag->status;
    }
    if (!is_name(part->name) || part->summary == NULL) {
        return orr_diag_fail(
            diag, ORR_ERR_INPUT, NULL,
            "a %s: expected a name of a-z, 0-9 and _ with at most %d letters, and a "
            "summary, got \"%s\"",
            kind->what, MAX_NAME_BYTES - 1, part->name != NULL ? part->name : "");
    }
    if (part->missing != NULL) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL, "%s %s: the function `%s` is missing",
                             kind->what, part->name, part->missing);
    }
    return !kind->is_taken(part->name)
               ? ORR_OK
               : orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                               "%s %s: there is one of this name already", kind->what, part->name);
}

static enum orr_status check_extension(const struct orrery_extension *extension,
                                       struct orr_diag *diag)
{
    if (extension->version != ORRERY_EXTEND_VERSION) {
        return orr_diag_fail(
            diag, ORR_ERR_INPUT, NULL,
            "its structs are of version %u, expected %d: compile it with the header "
            "of this library",
            extension->version, ORRERY_EXTEND_VERSION);
    }
    return orr_check_struct("orrery_extension", extension->size, sizeof *extension, diag);
}

/* ---- adding ---- */

/* Whether a part that is placed, but not published, has the name. */
static bool is_placed(enum orr_extension_kind kind, size_t from, size_t to, const char *name)
{
    bool found = false;
    for (size_t slot = from; slot < to && !found; slot++) {
        const char *const *of = orr_extension_of_slot(kind, slot);
        found = strcmp(*of, name) == 0; /* each entry begins with its name */
    }
    return found;
}

static enum orr_status place(enum orr_extension_kind kind, const struct part *part, size_t slot,
                             struct orr_diag *diag)
{
    void *entry = kinds[kind].create(part->given, slot);
    if (entry == NULL) {
        return orr_diag_no_memory(diag, "a part");
    }
    orr_extension_place(kind, slot, part->name, entry);
    return kinds[kind].try_it != NULL ? kinds[kind].try_it(entry, diag) : ORR_OK;
}

static enum orr_status place_all(const struct orrery_extension *extension,
                                 enum orr_extension_kind kind, struct orr_diag *diag)
{
    const size_t before = orr_extension_count(kind), parts = count_parts(extension, kind);
    enum orr_status status = ORR_OK;
    if (parts > ORR_MAX_EXTENSIONS - before) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL, "at most %d parts of the kind %s, got %zu",
                             ORR_MAX_EXTENSIONS, kinds[kind].what, before + parts);
    }
    for (size_t i = 0; i < parts && status == ORR_OK; i++) {
        const struct part part = kinds[kind].at(extension, i);
        status = check_part(&kinds[kind], &part, diag);
        if (status == ORR_OK && is_placed(kind, before, before + i, part.name)) {
            status = orr_diag_fail(diag, ORR_ERR_INPUT, NULL, "%s %s: two parts have this name",
                                   kinds[kind].what, part.name);
        }
        status = status == ORR_OK ? place(kind, &part, before + i, diag) : status;
    }
    return status;
}

/* Publishes what is placed, or frees it. */
static void end_places(const struct orrery_extension *extension, bool publish)
{
    for (unsigned kind = 0; kind < ORR_EXTENSION_KINDS; kind++) {
        const size_t before = orr_extension_count(kind);
        if (publish) {
            orr_extension_publish(kind, before + count_parts(extension, kind));
        }
        for (size_t slot = before; slot < ORR_MAX_EXTENSIONS && !publish; slot++) {
            orr_heap_free(orr_extension_withdraw(kind, slot));
        }
    }
}

enum orr_status orr_extension_add_parts(const struct orrery_extension *extension,
                                        const char *source, struct orr_diag *diag)
{
    struct orr_diag found;
    orr_diag_init(&found);
    orr_extensions_lock();
    (void)check_extension(extension, &found);
    for (unsigned kind = 0; kind < ORR_EXTENSION_KINDS && found.status == ORR_OK; kind++) {
        (void)place_all(extension, kind, &found);
    }
    end_places(extension, found.status == ORR_OK);
    orr_extensions_unlock();
    return found.status == ORR_OK
               ? ORR_OK
               : orr_diag_fail(diag, found.status, NULL, "%s: %s", source, found.message);
}

enum orrery_status orr_extend_finish(const struct orr_diag *diag, char *error, size_t bytes)
{
    if (error != NULL && bytes != 0) {
        (void)snprintf(error, bytes, "%s", diag->status == ORR_OK ? "" : diag->message);
    }
    return (enum orrery_status)diag->status;
}

enum orrery_status orrery_extend(const struct orrery_extension *extension, char *error,
                                 size_t bytes)
{
    struct orr_diag diag;
    orr_diag_init(&diag);
    if (extension == NULL) {
        (void)orr_diag_fail(&diag, ORR_ERR_INPUT, NULL,
                            "expected a struct orrery_extension, got NULL");
    } else {
        const bool named = extension->version == ORRERY_EXTEND_VERSION && extension->name != NULL;
        (void)orr_extension_add_parts(extension, named ? extension->name : "extension", &diag);
    }
    return orr_extend_finish(&diag, error, bytes);
}
