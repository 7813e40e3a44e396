/* Output file of a picture; see topo.h. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "cli/options.h"
#include "cli/terminal.h"
#include "cli/topo/topo.h"
#include "cli/write_output.h"
#include "core/diag.h"
#include "orrery/topology.h"
#include "report/pictures/pictures.h"
#include "report/table_text.h"

bool orr_topo_has_format(const char *path)
{
    if (orr_picture_format(path) != NULL) {
        return true;
    }
    orr_print_message("orrery topo: --output: expected a file that ends in .svg, .pdf, .png or "
                      ".dot, got \"%s\"\n",
                      path);
    return false;
}

const char *orr_topo_network(const char *text, char path[ORR_INPUT_PATH_BYTES])
{
    const bool ships =
        text != NULL && access(text, F_OK) != 0 && orr_ships_input("platforms", text, path);
    return ships ? path : text;
}

static int write_drawing(FILE *out, const void *context)
{
    const struct orr_drawing *drawing = context;
    struct orr_diag diag;
    orr_diag_init(&diag);
    const enum orr_status status =
        drawing->draw(out, drawing->context, orr_picture_format(drawing->path), &diag);
    errno = status == ORR_ERR_MEMORY ? ENOMEM : errno;
    return status == ORR_OK ? 0 : 1;
}

int orr_topo_write(const struct orr_drawing *drawing)
{
    const struct orr_output output = {.path = drawing->path, .write = write_drawing};
    bool standard = false;
    return orr_write_output(&output, drawing, &standard);
}

/* Copies a temporary file. */
static int copy(FILE *out, const void *context)
{
    FILE *from = *(FILE *const *)context;
    char bytes[4096];
    rewind(from);
    for (size_t count; (count = fread(bytes, 1, sizeof bytes, from)) > 0;) {
        if (fwrite(bytes, 1, count, out) != count) {
            return 1;
        }
    }
    return ferror(from) ? 1 : 0;
}

int orr_topo_make_file(const struct orr_topo_making *making, const char *path, const char *format)
{
    FILE *made = tmpfile();
    bool standard = false;
    const struct orr_output output = {.path = path, .write = copy};
    if (made == NULL) {
        orr_print_message("orrery topo: cannot create a temporary file: %s\n", strerror(errno));
        return 1;
    }
    const enum orrery_status status = making->make(making->topology, making->context, made, format);
    const int result = status == ORRERY_OK
                           ? orr_write_output(&output, &made, &standard)
                           : orr_print_api_error(status, orrery_topology_error(making->topology));
    (void)fclose(made);
    return result;
}
