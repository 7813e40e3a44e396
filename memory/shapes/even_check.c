/* Check shared by shapes: NPUs and switches divide evenly. */
#include <inttypes.h>

#include "core/conf/conf.h"
#include "memory/fabric.h"

enum orr_status orr_mem_check_divides(const struct orr_conf *map, const char *key, uint64_t divisor,
                                      uint64_t counted, const char *what, struct orr_diag *diag)
{
    if (counted % divisor == 0) {
        return ORR_OK;
    }
    const struct orr_conf *value = orr_conf_get(map, key);
    const struct orr_location place = orr_conf_location(value != NULL ? value : map);
    return orr_diag_fail(diag, ORR_ERR_INPUT, &place,
                         "%s.%s: %" PRIu64 " does not divide the %" PRIu64 " %s", map->path, key,
                         divisor, counted, what);
}
