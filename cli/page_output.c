/* Pages of commands (--report); see page_output.h. */
#include "cli/page_output.h"

#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/options.h"
#include "cli/write_output.h"
#include "core/file.h"
#include "report/page/page.h"
#include "report/table_text.h"

/* ---- names ---- */

/* Appends as much as fits. */
static size_t append(char *text, size_t used, size_t bytes, const char *more)
{
    const int written = used < bytes ? snprintf(text + used, bytes - used, "%s", more) : 0;
    return used + (written > 0 ? (size_t)written : 0);
}

static bool is_plain(const char *word)
{
    return *word != '\0' && word[strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                              "0123456789_./:=,+-@%")] == '\0';
}

char *orr_command_line(const char *before, int argc, char **argv, char text[ORR_COMMAND_LINE_BYTES])
{
    size_t used = append(text, 0, ORR_COMMAND_LINE_BYTES, before);
    for (int i = 0; i < argc; i++) {
        used = append(text, used, ORR_COMMAND_LINE_BYTES, is_plain(argv[i]) ? " " : " '");
        for (const char *at = argv[i]; *at != '\0'; at++) {
            used = append(text, used, ORR_COMMAND_LINE_BYTES,
                          *at == '\'' ? "'\\''" : (const char[]){*at, '\0'});
        }
        used = append(text, used, ORR_COMMAND_LINE_BYTES, is_plain(argv[i]) ? "" : "'");
    }
    return text;
}

char *orr_page_name(const char *path, char text[ORR_PAGE_NAME_BYTES])
{
    size_t length = 0;
    const char *name = orr_stem(path, &length);
    (void)snprintf(text, ORR_PAGE_NAME_BYTES, "%.*s", (int)length, name);
    return text;
}

/* ---- pages ---- */

int orr_check_page(const char *command, const char *option, const char *path)
{
    const char *dot = path != NULL ? strrchr(path, '.') : NULL;
    if (path == NULL || strcmp(path, "-") == 0 ||
        (dot != NULL && (strcmp(dot, ".html") == 0 || strcmp(dot, ".htm") == 0))) {
        return 0;
    }
    return orr_reject_value(command, option, "a file that ends in .html, or -", path, "");
}

/* Adds the JSON of a writer to the page, so that the page shows the same as --json. */
static enum orr_status add_part(struct orr_page *page, const struct orr_page_part *part,
                                struct orr_diag *diag)
{
    char *text = NULL, name[ORR_PAGE_NAME_BYTES];
    const char *named =
        part->name == NULL && part->file != NULL ? orr_page_name(part->file, name) : part->name;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    bool is_written = out != NULL && part->json(out, part->context) == 0;
    is_written = out != NULL && fclose(out) == 0 && is_written;
    const enum orr_status status = is_written ? orr_page_add_text(page, text, named, diag)
                                              : orr_diag_no_memory(diag, "a page");
    if (status == ORR_OK && part->picture != NULL) {
        orr_page_picture(page, part->what, part->picture);
    }
    free(text);
    return status;
}

int orr_write_built_page(const char *path, const struct orr_page *page, bool *standard)
{
    const struct orr_output output = {path, orr_page_write};
    return orr_write_output(&output, page, standard);
}

int orr_write_page(const char *path, const char *command, const struct orr_page_part *part,
                   unsigned parts, bool *standard)
{
    struct orr_page *page = path != NULL ? orr_page_create(NULL) : NULL;
    struct orr_diag diag;
    orr_diag_init(&diag);
    if (path == NULL) {
        return 0;
    }
    enum orr_status status = page != NULL ? ORR_OK : orr_diag_no_memory(&diag, "a page");
    if (page != NULL) {
        orr_page_set_command(page, command);
    }
    for (unsigned i = 0; i < parts && status == ORR_OK; i++) {
        status = add_part(page, &part[i], &diag);
    }
    const int result =
        status == ORR_OK ? orr_write_built_page(path, page, standard) : orr_print_diag(&diag);
    orr_page_destroy(page);
    return result;
}
