/* What tests of pages share: results from text, and pages as text. */
#ifndef ORR_TESTS_UNIT_PAGE_FIXTURE_H
#define ORR_TESTS_UNIT_PAGE_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "report/page/page_private.h"

json_t *parsed(const char *text); /* the caller's */

/* The page as orr_page_write writes it, for free(). */
char *written(const struct orr_page *page);

#endif
